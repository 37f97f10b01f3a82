/* write_rows.c - a list inside a record as CSV: its members are the columns, flattened with dots. */
#include "run/record_table.h"
#include "run/result.h"

int result_write_rows(const struct run_result *r, const char *list, FILE *out, struct wl_err *e)
{
    json_t *root = result_json(r);
    const json_t *rows = json_object_get(root, list);
    struct record_table *t = record_table_new(NULL);
    int rc = root && t ? 0 : wl_no_memory(e);
    for (size_t i = 0; !rc && i < json_array_size(rows); i++) rc = record_table_learn(t, json_array_get(rows, i), e);
    if (!rc && json_array_size(rows)) {
        record_table_header(t, out);
        fputc('\n', out);
    }
    for (size_t i = 0; !rc && i < json_array_size(rows); i++) {
        record_table_row(t, json_array_get(rows, i), out);
        fputc('\n', out);
    }
    record_table_free(t);
    json_decref(root);
    return rc;
}
