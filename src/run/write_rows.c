/* write_rows.c - a list inside records as CSV: its members are the columns, flattened with dots. */
#include <stdlib.h>

#include "run/record_table.h"
#include "run/result.h"

/* The lists of several processes become one: each row says whose it is. */
static int name_rows(json_t *rows, const struct run_result *r, unsigned process, struct wl_err *e)
{
    int bad = 0;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        bad |= json_object_set_new(row, "process", json_integer(process + 1));
        bad |= json_object_set_new(row, "program", json_string(r->workload));
    }
    return bad ? wl_no_memory(e) : 0;
}

static int learn_rows(struct record_table *t, const json_t *rows, struct wl_err *e)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < json_array_size(rows); i++) rc = record_table_learn(t, json_array_get(rows, i), e);
    return rc;
}

static void put_rows(const struct record_table *t, const json_t *rows, FILE *out)
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        record_table_row(t, json_array_get(rows, i), out);
        fputc('\n', out);
    }
}

int result_write_rows(const struct run_result *const *r, unsigned count, const char *list, FILE *out, struct wl_err *e)
{
    json_t **root = calloc(count + 1, sizeof(json_t *));
    struct record_table *t = record_table_new(NULL);
    int rc = root && t ? 0 : wl_no_memory(e);
    size_t rows = 0;
    for (unsigned i = 0; !rc && i < count; i++) {
        json_t *l = json_object_get(root[i] = result_json(r[i]), list);
        rows += json_array_size(l);
        if (!root[i]) rc = wl_no_memory(e);
        if (!rc && count > 1) rc = name_rows(l, r[i], i, e);
        if (!rc) rc = learn_rows(t, l, e);
    }
    if (!rc && rows) {
        record_table_header(t, out);
        fputc('\n', out);
    }
    for (unsigned i = 0; !rc && i < count; i++) put_rows(t, json_object_get(root[i], list), out);
    record_table_free(t);
    for (unsigned i = 0; root && i < count; i++) json_decref(root[i]);
    free(root);
    return rc;
}
