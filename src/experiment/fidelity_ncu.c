/* fidelity_ncu.c - what Nsight Compute prints with --csv, as rows of a reference.
 *
 * Two shapes. The long one (the default page, or --metrics) has a line per metric with its name, unit and value; the
 * wide one (--page raw) a line per launch, a column per metric, and a line of units below the head. Both may stand
 * below lines of ncu (==PROF==) and of the program. Only metrics that mean what one of our counters means are taken.
 * A launch is named by its kernel and by which launch of it it is: 'stencil#2'. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "experiment/fidelity.h"

/* The first metric of a counter that a file has is taken. Names: Nsight Compute's, and labels of its details page. */
static const struct ncu_metric {
    const char *metric, *counter;
    double scale;
} metrics[] = {
    {"gpc__cycles_elapsed.max", "cycles", 1},
    {"Elapsed Cycles", "cycles", 1},
    {"sm__cycles_elapsed.max", "cycles", 1},
    {"smsp__inst_executed.sum", "warp_instructions", 1},
    {"sm__inst_executed.sum", "warp_instructions", 1},
    {"Executed Instructions", "warp_instructions", 1},
    {"smsp__thread_inst_executed.sum", "thread_instructions", 1},
    {"sm__thread_inst_executed.sum", "thread_instructions", 1},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "sm.l1d_loads", 1},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1d.sectors.loads", 1},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum", "l1d.sectors.misses", 1},
    {"lts__t_sectors_srcunit_tex_op_read.sum", "l2.data_reads", 1},
    {"dram__bytes_read.sum", "dram.read_bytes", 1},
    {"dram__sectors_read.sum", "dram.read_bytes", 32},
    {"dram__bytes_write.sum", "dram.write_bytes", 1},
    {"dram__sectors_write.sum", "dram.write_bytes", 32},
};
enum { METRICS = sizeof metrics / sizeof metrics[0] };

enum ncu_column { ID, KERNEL, GRID, BLOCK, METRIC, UNIT, VALUE, COLUMNS };
static const char *const titles[COLUMNS] = {"ID",          "Kernel Name", "Grid Size",   "Block Size",
                                            "Metric Name", "Metric Unit", "Metric Value"};

struct ncu_file {
    struct fid_reference *f;
    const char *command, *last; /* the ID of the last row */
    char **head;
    unsigned nfields, line;
    unsigned least;  /* a record needs so many fields to have all columns that are known */
    int at[COLUMNS]; /* -1: no such column */
    unsigned *rank;  /* of the value at [row][counter]: 1 + the metric it is from; 0: none */
    struct wl_err *e;
};

/* The line of the head, or NULL. */
static const char *find_head(const char *text, unsigned *line)
{
    for (*line = 1; text; ++*line) {
        if (strncmp(text, "\"ID\",", 5) == 0 || strncmp(text, "ID,", 3) == 0) return text;
        text = strchr(text, '\n');
        if (text) text++;
    }
    return NULL;
}

bool fid_is_ncu(const char *text)
{
    unsigned line;
    const char *head = find_head(text, &line), *kernel = head ? strstr(head, "Kernel Name") : NULL;
    return kernel && kernel < head + strcspn(head, "\n");
}

/* "1,421,515" and "3.14"; commas stand before three digits only. "27.595.520" is another locale's. */
static bool ncu_number(const char *s, double *out)
{
    char plain[64];
    unsigned n = 0, since = 0;
    bool comma = false, point = false;
    for (; *s; s++) {
        if (*s == ',') {
            if (point || !n || (comma && since != 3)) return false;
            comma = true, since = 0;
            continue;
        }
        if (*s == '.' && ((comma && since != 3) || point)) return false;
        if (*s == '.') point = true;
        since++;
        if (n + 1 >= sizeof plain) return false;
        plain[n++] = *s;
    }
    plain[n] = 0;
    if (!n || (comma && !point && since != 3)) return false;
    char *end;
    *out = text_double(plain, &end);
    return !*end && isfinite(*out) && *out >= 0;
}

/* What a unit is worth: "Mbyte" 1e6. Its digits beyond the second are gone then. */
static double unit_scale(const char *unit, bool *rounded)
{
    static const char *const base[] = {"byte", "cycle", "inst", "sector", "request", "thread"};
    *rounded = false;
    if (!*unit || !strchr("KMGT", *unit)) return 1;
    for (unsigned i = 0; i < sizeof base / sizeof base[0]; i++) {
        if (strncmp(unit + 1, base[i], strlen(base[i])) != 0) continue;
        *rounded = true;
        return *unit == 'K' ? 1e3 : *unit == 'M' ? 1e6 : *unit == 'G' ? 1e9 : 1e12;
    }
    return 1;
}

/* "(128, 1, 1)" as "128,1,1". */
static const char *shape_text(struct arena *a, const char *s)
{
    char *out = arena_strndup(a, s, strlen(s)), *to = out;
    for (; out && *s; s++)
        if (isdigit((unsigned char)*s) || *s == ',') *to++ = *s;
    if (to) *to = 0;
    return out ? out : "";
}

/* The name of a function in a declaration: "add" of "void ns::add<256, 1>(float *)". */
static const char *kernel_base(struct arena *a, const char *s)
{
    static const char hidden[] = "(anonymous namespace)::", unnamed[] = "<unnamed>::";
    const char *found;
    while ((found = strstr(s, hidden))) s = found + sizeof hidden - 1;
    while ((found = strstr(s, unnamed))) s = found + sizeof unnamed - 1;
    size_t end = strcspn(s, "<("), start = end;
    while (start && s[start - 1] != ' ' && s[start - 1] != ':') start--;
    return arena_strndup(a, s + start, end - start);
}

static int new_row(struct ncu_file *n, char **field)
{
    struct fid_reference *f = n->f;
    struct fid_row *row = &f->row[f->nrows];
    unsigned which = 1;
    const char *base = kernel_base(&f->arena, field[n->at[KERNEL]]);
    row->reference = ARENA_ARRAY(&f->arena, double, FID_MAX_COUNTERS);
    row->ours = ARENA_ARRAY(&f->arena, double, FID_MAX_COUNTERS);
    if (!base || !row->reference || !row->ours) return wl_no_memory(n->e);
    if (!*base || *base == '#') /* a line that begins so would be a comment in a reference file */
        return wl_fail(n->e, WL_EINPUT, "%s:%u: '%s' is no kernel's name", f->file, n->line, field[n->at[KERNEL]]);
    for (unsigned i = 0; i < FID_MAX_COUNTERS; i++) row->reference[i] = row->ours[i] = NAN;
    for (unsigned i = 0; i < f->nrows; i++) {
        const char *other = f->row[i].launch, *hash = strrchr(other, '#');
        which += strlen(base) == (size_t)(hash - other) && strncmp(base, other, strlen(base)) == 0;
    }
    row->launch = arena_printf(&f->arena, "%s#%u", base, which);
    row->name = row->launch;
    row->command = n->command;
    row->grid = n->at[GRID] < 0 ? "" : shape_text(&f->arena, field[n->at[GRID]]);
    row->block = n->at[BLOCK] < 0 ? "" : shape_text(&f->arena, field[n->at[BLOCK]]);
    row->line = n->line;
    if (!row->launch) return wl_no_memory(n->e);
    f->nrows++;
    return 0;
}

/* One value into the last row. */
static int take_value(struct ncu_file *n, const char *metric, const char *unit, const char *value)
{
    struct fid_reference *f = n->f;
    unsigned m = 0, c = 0;
    double v;
    bool rounded;
    while (m < METRICS && strcmp(metrics[m].metric, metric) != 0) m++;
    if (m == METRICS || !*value || strcmp(value, "n/a") == 0) return 0;
    if (!ncu_number(value, &v))
        return wl_fail(n->e, WL_EINPUT, "%s:%u: '%s' of %s is no number as ncu writes it with LC_ALL=C; run it so",
                       f->file, n->line, value, metric);
    while (c < f->ncounters && strcmp(f->counter[c], metrics[m].counter) != 0) c++;
    if (c == f->ncounters) f->counter[f->ncounters++] = metrics[m].counter;
    unsigned *rank = &n->rank[(size_t)(f->nrows - 1) * FID_MAX_COUNTERS + c];
    if (*rank && *rank <= m + 1) return 0;
    *rank = m + 1;
    f->row[f->nrows - 1].reference[c] = v * unit_scale(unit, &rounded) * metrics[m].scale;
    f->rounded += rounded;
    return 0;
}

static int read_long(struct ncu_file *n, char **field)
{
    int rc = 0;
    if (!n->f->nrows || strcmp(n->last, field[n->at[ID]]) != 0) rc = new_row(n, field);
    n->last = field[n->at[ID]];
    const char *unit = n->at[UNIT] < 0 ? "" : field[n->at[UNIT]];
    return rc ? rc : take_value(n, field[n->at[METRIC]], unit, field[n->at[VALUE]]);
}

static int read_wide(struct ncu_file *n, char **field, char **unit)
{
    int rc = new_row(n, field);
    for (unsigned i = 0; !rc && i < n->nfields; i++) rc = take_value(n, n->head[i], unit ? unit[i] : "", field[i]);
    return rc;
}

static int read_records(struct ncu_file *n, char *p)
{
    char *field[FID_MAX_FIELDS], **unit = NULL;
    int rc = 0;
    while (!rc && *p) {
        unsigned line = n->line, count = fid_record(&p, field, FID_MAX_FIELDS, &line);
        bool own = count == n->nfields || (n->at[METRIC] >= 0 && count >= n->least);
        if (own && n->at[METRIC] < 0 && !*field[n->at[ID]]) {
            unit = ARENA_ARRAY(&n->f->arena, char *, count);
            if (!unit) return wl_no_memory(n->e);
            memcpy(unit, field, sizeof *unit * count);
        } else if (own) {
            rc = n->at[METRIC] < 0 ? read_wide(n, field, unit) : read_long(n, field);
        } else if (count > 1 && isdigit((unsigned char)field[0][0])) {
            rc = wl_fail(n->e, WL_EINPUT, "%s:%u: %u fields below a head of %u; is the file cut off?", n->f->file,
                         n->line, count, n->nfields);
        }
        n->line = line;
    }
    return rc;
}

static int read_ncu_head(struct ncu_file *n, char **p)
{
    char *field[FID_MAX_FIELDS];
    n->nfields = fid_record(p, field, FID_MAX_FIELDS, &n->line);
    n->head = ARENA_ARRAY(&n->f->arena, char *, n->nfields);
    if (!n->head) return wl_no_memory(n->e);
    memcpy(n->head, field, sizeof *field * n->nfields);
    for (unsigned c = 0; c < COLUMNS; c++) {
        n->at[c] = -1;
        for (unsigned i = 0; i < n->nfields && n->at[c] < 0; i++)
            if (strcmp(field[i], titles[c]) == 0) n->at[c] = (int)i;
        if (n->at[c] >= (int)n->least) n->least = (unsigned)n->at[c] + 1;
    }
    if (n->at[ID] < 0 || n->at[KERNEL] < 0)
        return wl_fail(n->e, WL_EINPUT, "%s:%u: no column \"%s\"", n->f->file, n->line,
                       titles[n->at[ID] < 0 ? ID : KERNEL]);
    if (n->at[METRIC] >= 0 && n->at[VALUE] < 0)
        return wl_fail(n->e, WL_EINPUT, "%s:%u: a column \"Metric Name\" but no \"Metric Value\"", n->f->file, n->line);
    return 0;
}

int fid_read_ncu(struct fid_reference *f, const char *file, const char *text, const char *command, struct wl_err *e)
{
    *f = (struct fid_reference){.file = file, .title = file, .options = ""};
    struct ncu_file n = {.f = f, .command = command, .last = "", .e = e};
    const char *head = find_head(text, &n.line);
    unsigned lines = 1;
    if (!fid_is_ncu(text)) return wl_fail(e, WL_EINPUT, "%s: no output of 'ncu --csv'", file);
    for (const char *c = head; *c; c++) lines += *c == '\n';
    char *p = arena_strndup(&f->arena, head, strlen(head));
    f->row = ARENA_ARRAY(&f->arena, struct fid_row, lines);
    n.rank = calloc((size_t)lines * FID_MAX_COUNTERS, sizeof *n.rank);
    int rc = p && f->row && n.rank ? 0 : wl_no_memory(e);
    if (!rc) rc = read_ncu_head(&n, &p);
    if (!rc) rc = read_records(&n, p);
    free(n.rank);
    if (!rc && !f->nrows) rc = wl_fail(e, WL_EINPUT, "%s: no launch was profiled", file);
    if (!rc && !f->ncounters)
        rc = wl_fail(e, WL_EINPUT,
                     "%s: none of its metrics has a counter of ours; profile with ncu --metrics "
                     "gpc__cycles_elapsed.max,smsp__inst_executed.sum,dram__bytes_read.sum",
                     file);
    return rc;
}
