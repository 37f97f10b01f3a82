/* results_read.c - reads a results file back into the runs of a plan. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "experiment/results.h"

enum { MAX_FILE = 256 << 20, MAX_FIELDS = 4096 };

struct results_file {
    const char *path;
    char *text, *next; /* next: the line that follows */
    unsigned line;
    char *field[MAX_FIELDS];
    unsigned fields;
    bool known_only;         /* results_known: no failed rows, none of a machine that was changed */
    unsigned taken, changed; /* runs that have a result now; those of them whose machine is another one today */
    struct wl_err *e;
};

static int bad_line(const struct results_file *f, const char *why)
{
    return wl_fail(f->e, WL_EINPUT, "%s:%u: %s", f->path, f->line, why);
}

/* ---- lines and fields ---- */

static char *load(const char *path, struct wl_err *e)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, room = 0, n;
    if (!f) return wl_fail(e, WL_EINPUT, "cannot read %s: %s", path, strerror(errno)), NULL;
    do {
        char *more = size + 65536 > room ? realloc(text, (room = room * 2 + 131072)) : text;
        if (!more) break;
        text = more;
        n = fread(text + size, 1, 65535, f);
        size += n;
    } while (n && size < MAX_FILE);
    bool bad = !text || ferror(f) || !feof(f);
    fclose(f);
    if (!bad) text[size] = 0;
    if (!bad && strlen(text) == size) return text;
    free(text);
    wl_fail(e, WL_EINPUT, "%s is no results file: it cannot be read to its end as text", path);
    return NULL;
}

/* One field ends at a comma or at the end of the line; quotes are taken off. */
static char *cut_field(char **p)
{
    char *start = *p, *to = *p, *from = *p;
    if (*from == '"') {
        for (from++; *from && !(from[0] == '"' && from[1] != '"'); from++) {
            from += *from == '"';
            *to++ = *from;
        }
        from += *from == '"';
    } else {
        from += strcspn(from, ",");
        to = from;
    }
    bool more = *from == ',';
    *to = 0;
    *p = more ? from + 1 : NULL;
    return start;
}

/* 1: there is a line, in `field`; 0: there is none; -1: error. */
static int next_line(struct results_file *f)
{
    if (!*f->next) return 0;
    char *p = f->next, *end = p + strcspn(p, "\n");
    f->next = *end ? end + 1 : end;
    *end = 0;
    if (end > p && end[-1] == '\r') end[-1] = 0;
    f->line++;
    f->fields = 0;
    while (p) {
        if (f->fields == MAX_FIELDS) return bad_line(f, "more fields than any results file has"), -1;
        f->field[f->fields++] = cut_field(&p);
    }
    return 1;
}

/* The last field of a head: "run.sample=100". */
static int read_sample(struct results_file *f, unsigned *out)
{
    static const char key[] = "run.sample=";
    const char *text = f->field[6];
    char *end = NULL;
    unsigned long n = strncmp(text, key, sizeof key - 1) == 0 ? strtoul(text + sizeof key - 1, &end, 10) : 0;
    if (!n || *end || n > 2000) return bad_line(f, "the last field of the head is not run.sample=1 to 2000");
    *out = (unsigned)n;
    return 0;
}

static int open_results(struct results_file *f, const char *path, struct results_head *head, struct wl_err *e)
{
    *f = (struct results_file){.path = path, .e = e};
    if (!(f->text = f->next = load(path, e))) return e->code ? (int)e->code : WL_EINPUT;
    int got = next_line(f);
    if (got < 0) return WL_EINPUT;
    if (!got || strcmp(f->field[0], "warpline-results") != 0 || f->fields < 6 || f->fields > 7)
        return wl_fail(e, WL_EINPUT, "%s is no results file of 'warpline store export results'", path);
    if (strcmp(f->field[1], "1") != 0)
        return wl_fail(e, WL_EINPUT, "%s has format %.20s; this warpline reads format 1", path, f->field[1]);
    snprintf(head->experiment, sizeof head->experiment, "%s", f->field[2]);
    snprintf(head->size, sizeof head->size, "%s", f->field[3]);
    snprintf(head->build, sizeof head->build, "%s", f->field[4]);
    snprintf(head->version, sizeof head->version, "%s", f->field[5]);
    head->sample = 0;
    return f->fields == 7 ? read_sample(f, &head->sample) : 0;
}

int results_read_head(const char *file, struct results_head *out, struct wl_err *e)
{
    struct results_file f;
    int rc = open_results(&f, file, out, e);
    free(f.text);
    return rc;
}

/* ---- numbers into a result ---- */

static json_t *number_of(const char *text)
{
    char *end;
    bool real = strpbrk(text, ".eEnN") != NULL;
    double d = text_double(text, &end);
    if (end == text || *end) return NULL;
    return real ? json_real(d) : json_integer(strtoll(text, NULL, 10));
}

/* The member `key` of an object, or the element of an array; made if it is not there. */
static json_t *child(json_t *o, const char *key, size_t index, bool array)
{
    json_t *c = key ? json_object_get(o, key) : json_array_get(o, index);
    if (c && !json_is_null(c)) return c;
    c = array ? json_array() : json_object();
    while (!key && json_array_size(o) <= index)
        if (json_array_append_new(o, json_null())) break;
    if (key ? json_object_set_new(o, key, c) : json_array_set_new(o, index, c)) return NULL;
    return c;
}

/* Takes the value and puts it at "l1d.stalls.mshr" or "loads[3].misses". */
static int put_at(json_t *o, const char *path, json_t *value)
{
    char part[200];
    for (;;) {
        bool index = *path == '[';
        char *end = NULL;
        size_t at = index ? strtoul(path + 1, &end, 10) : 0, n = strcspn(path, ".[");
        if (index ? !end || *end != ']' || at > 65536 || !json_is_array(o) : n == 0 || n >= sizeof part) break;
        snprintf(part, sizeof part, "%.*s", (int)n, path);
        path = index ? end + 1 : path + n;
        if (!*path && !index) return json_object_set_new(o, part, value);
        bool array = *path == '[';
        if (*path == '.') path++;
        if (!*path || !(o = child(o, index ? NULL : part, at, array))) break;
    }
    json_decref(value);
    return -1;
}

/* "heat.bank_requests[][]" = "3 5;4 -": a row for each sample. */
static int put_table(json_t *o, const char *column, char *text)
{
    char path[300], *rest = NULL;
    json_t *rows = json_array();
    snprintf(path, sizeof path, "%.*s", (int)strcspn(column, "["), column);
    if (!rows || json_incref(rows) != rows || put_at(o, path, rows)) return json_decref(rows), -1;
    json_decref(rows); /* the result has it */
    for (char *row = strtok_r(text, ";", &rest); row; row = strtok_r(NULL, ";", &rest)) {
        char *more = NULL;
        json_t *list = json_array();
        if (json_array_append_new(rows, list)) return -1;
        for (char *word = strtok_r(row, " ", &more); word; word = strtok_r(NULL, " ", &more)) {
            json_t *v = strcmp(word, "-") == 0 ? json_null() : number_of(word);
            if (!v || json_array_append_new(list, v)) return -1;
        }
    }
    return 0;
}

/* "samples[].l1d.misses" = "3 5 -". */
static int put_elements(json_t *o, const char *column, char *text)
{
    char path[300], *word, *rest = NULL;
    const char *mark = strstr(column, "[]");
    const char *member = mark[2] ? mark + 3 : NULL;
    snprintf(path, sizeof path, "%.*s", (int)(mark - column), column);
    json_t *array = child(o, path, 0, true);
    size_t i = 0;
    for (word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest), i++) {
        json_t *v = strcmp(word, "-") == 0 ? NULL : number_of(word);
        if (!v && strcmp(word, "-") != 0) return -1;
        if (!member) {
            if (json_array_append_new(array, v ? v : json_null())) return -1;
            continue;
        }
        json_t *element = child(array, NULL, i, false);
        if (v && (!element || put_at(element, member, v))) return -1;
    }
    return array ? 0 : -1;
}

static int put_field(json_t *o, const char *column, char *text)
{
    if (strstr(column, "[][]")) return put_table(o, column, text);
    if (strstr(column, "[]")) return put_elements(o, column, text);
    json_t *v = number_of(text);
    return v ? put_at(o, column, v) : -1;
}

static json_t *make_result(struct results_file *f, char *const *column, unsigned count)
{
    json_t *o = json_object();
    for (unsigned i = 4; o && i < count; i++) {
        char *text = f->field[i];
        if (!*text) continue;
        int bad = put_field(o, column[i], text);
        if (!bad) continue;
        json_decref(o);
        bad_line(f, "a field is no number");
        return NULL;
    }
    return o;
}

/* ---- rows ---- */

/* The run that a series of today's experiment has on a workload, or NULL. */
static struct exp_run *find_run(const struct plan *p, const char *workload, const char *series)
{
    const struct experiment *x = p->x;
    char key[200];
    for (unsigned w = 0; w < x->nworkloads; w++) {
        if (strcmp(x->workloads[w]->name, workload) != 0) continue;
        for (unsigned s = 0; s < x->nseries; s++) {
            series_key(x, s, key, sizeof key);
            if (strcmp(key, series) == 0) return p->cell[s * x->nworkloads + w];
        }
    }
    return NULL;
}

static int take_row(struct plan *p, struct results_file *f, char *const *column, unsigned count)
{
    if (f->fields != count) return bad_line(f, "this row has another number of fields than the head");
    bool failed = *f->field[3] != 0;
    if (failed && f->known_only) return 0;
    uint64_t machine = strtoull(f->field[2], NULL, 16);
    json_t *result = failed ? NULL : make_result(f, column, count);
    char *rest = NULL;
    if (!failed && !result) return WL_EINPUT;
    for (char *s = strtok_r(f->field[1], " ", &rest); s; s = strtok_r(NULL, " ", &rest)) {
        struct exp_run *r = find_run(p, f->field[0], s);
        bool same = r && machine == config_lasting_hash(r->config);
        if (!r || r->state != RUN_MISSING || (f->known_only && !same)) continue;
        r->state = failed ? RUN_FAILED : RUN_DONE;
        r->result = json_incref(result);
        r->reason = failed ? strdup(f->field[3]) : NULL;
        f->taken++;
        f->changed += !same;
    }
    json_decref(result);
    return 0;
}

/* The rows of a file whose head has been read. */
static int read_rows(struct results_file *f, struct plan *p)
{
    char **column = NULL;
    unsigned count = 0;
    int rc = 0, got = next_line(f);
    if (got <= 0) return bad_line(f, "the names of the columns are missing");
    if (f->fields < 4 || strcmp(f->field[1], "series") != 0) return bad_line(f, "these are no names of columns");
    if (!(column = calloc(f->fields, sizeof *column))) return wl_no_memory(f->e);
    memcpy(column, f->field, (count = f->fields) * sizeof *column);
    while (!rc && (got = next_line(f)) > 0) rc = take_row(p, f, column, count);
    free(column);
    return !rc && got < 0 ? WL_EINPUT : rc;
}

/* Of what a file of known results has to be, and what this one is. */
static int check_same(const struct results_file *f, const struct plan *p, const struct results_head *h)
{
    const char *size = size_names[p->size];
    if (strcmp(h->experiment, p->x->name) != 0 && strcmp(h->experiment, p->x->file) != 0)
        return wl_fail(f->e, WL_EINPUT, "%s has results of %s, not of %s", f->path, h->experiment, p->x->name);
    if (strcmp(h->size, size) != 0)
        return wl_fail(f->e, WL_EINPUT, "%s has results at size %s, not %s", f->path, h->size, size);
    if (h->sample != (unsigned)p->x->sample)
        return wl_fail(f->e, WL_EINPUT, "%s has results with run.sample=%u, not %u: --sample must be as it was",
                       f->path, h->sample, (unsigned)p->x->sample);
    return 0;
}

/* `known`: as results_known; `count`: what it, or results_read, counts. */
static int read_file(struct plan *p, const char *file, bool known, unsigned *count, struct wl_err *e)
{
    struct results_file *f = calloc(1, sizeof *f);
    struct results_head head;
    if (!f) return wl_no_memory(e);
    int rc = open_results(f, file, &head, e);
    f->known_only = known;
    if (!rc && known) rc = check_same(f, p, &head);
    if (!rc) rc = read_rows(f, p);
    *count = known ? f->taken : f->changed;
    free(f->text);
    free(f);
    return rc;
}

int results_read(struct plan *p, const char *file, unsigned *changed, struct wl_err *e)
{
    return read_file(p, file, false, changed, e);
}

int results_known(struct plan *p, const char *file, unsigned *found, struct wl_err *e)
{
    return read_file(p, file, true, found, e);
}
