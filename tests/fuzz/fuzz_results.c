/* fuzz_results.c - an experiment with stored results: tables, pictures' scripts, claims, results files, ranges.
 *
 * The input is the text of an experiment, a line "%%", and JSON records separated by such lines, which the runs of the
 * plan get in turn; a record that is no JSON makes a run that failed. A text behind a line "%results" is read as a
 * results file instead, one behind "%ranges" as what 'claims --range --json' wrote. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "experiment/range.h"
#include "experiment/report.h"
#include "experiment/results.h"
#include "experiment/table.h"
#include "run/record_table.h"
#include "tests/fuzz/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_RUNS = 64 };

/* The text up to a line that begins with '%'; *next is what follows that line, or NULL. */
static char *cut(char *text, char **next, char **mark)
{
    *next = *mark = NULL;
    char *line = *text == '%' ? text : strstr(text, "\n%");
    if (!line) return text;
    if (*line == '\n') *line++ = 0;
    *mark = line;
    char *end = strchr(line, '\n');
    if (end) *end = 0, *next = end + 1;
    if (line == text) *text = 0;
    return text;
}

/* A file that only this process sees. */
static void to_file(const char *text, char name[64])
{
    int fd = memfd_create("fuzz", 0);
    require(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    snprintf(name, 64, "/proc/self/fd/%d", fd);
}

static void close_file(const char *name) { close(atoi(strrchr(name, '/') + 1)); }

static void give(struct plan *p, char *records)
{
    json_t *list[8] = {NULL};
    unsigned n = 0;
    while (records && n < 8) {
        char *next, *mark, *text = cut(records, &next, &mark), name[64];
        struct wl_err e = {.code = WL_OK};
        unsigned changed;
        bool results = mark && strcmp(mark, "%results") == 0, ranges = mark && strcmp(mark, "%ranges") == 0;
        if (*text) list[n++] = json_loads(text, 0, NULL);
        if ((results || ranges) && next) {
            struct exp_range *r = NULL;
            to_file(next, name);
            if (results) results_read(p, name, &changed, &e);
            else range_read(p, name, &r, &e);
            for (unsigned i = 0; r && i < p->x->nclaims; i++) range_claim(r, i);
            range_free(r);
            close_file(name);
            break;
        }
        records = next;
    }
    for (unsigned i = 0; n && i < p->nruns; i++) {
        struct exp_run *r = p->runs[i];
        if (r->state == RUN_DONE || r->state == RUN_FAILED) continue;
        json_t *one = list[i % n];
        r->state = one ? RUN_DONE : RUN_FAILED;
        if (one) r->result = json_incref(one);
        else r->reason = strdup("it failed");
    }
    for (unsigned i = 0; i < n; i++) json_decref(list[i]);
}

static void show(const struct plan *p, FILE *out)
{
    struct wl_err e = {.code = WL_OK};
    const struct experiment *x = p->x;
    for (unsigned i = 0; i < x->nfigures; i++) {
        struct table *t = table_make(p, &x->figures[i], &e);
        require(t != NULL);
        require(table_stated(t, &e) == 0);
        table_text(t, 0, out);
        table_csv(t, out);
        table_html(t, out);
        free(table_gnuplot(t));
        table_free(t);
    }
    for (unsigned i = 0; i < x->nclaims; i++) claim_verdict(&x->claims[i], claim_value(p, &x->claims[i]));
    claims_csv(p, NULL, NULL, true, out);
    json_decref(claims_json(p, NULL, NULL));
    results_write(p, "1", out, &e);
}

/* What the store exports: one table of all records. */
static void export(const struct plan *p, FILE *out)
{
    struct wl_err e;
    struct record_table *t = record_table_new(NULL);
    require(t != NULL);
    for (unsigned i = 0; i < p->nruns; i++)
        if (p->runs[i]->result && json_is_object(p->runs[i]->result))
            require(record_table_learn(t, p->runs[i]->result, &e) == 0);
    record_table_header(t, out);
    for (unsigned i = 0; i < p->nruns; i++) record_table_row(t, p->runs[i]->result, out);
    record_table_free(t);
}

static void use(const struct experiment *x, char *records)
{
    struct wl_err e = {.code = WL_OK};
    struct plan *p = plan_new(x, SIZE_TINY, "fuzz", &e);
    if (!p) return;
    for (unsigned i = 0; i < x->nfigures; i++) require(plan_figure(p, &x->figures[i], &e) == 0);
    for (unsigned i = 0; i < x->nclaims; i++) require(plan_claim(p, &x->claims[i], &e) == 0);
    FILE *out = fopen("/dev/null", "w");
    require(out != NULL);
    if (p->nruns <= MOST_RUNS) {
        give(p, records);
        show(p, out);
        export(p, out);
    }
    fclose(out);
    plan_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wl_err e = {.code = WL_OK};
    if (size > 1 << 15) return 0;
    char *text = malloc(size + 1), *next, *mark;
    require(text != NULL);
    memcpy(text, data, size);
    text[size] = 0;
    cut(text, &next, &mark);
    struct experiment *x = experiment_parse("fuzz", "fuzz.ini", text, &e);
    if (x) use(x, next);
    experiment_free(x);
    free(text);
    return 0;
}
