/* source_view.c - `characterize --source`: lines of the source, or of the PTX where no line of a source is known.
 *
 * Instructions are summed by line. One that was inlined from another file is shown at the line of the call, as headers
 * are rarely what one wants to look at. In place, the lines of a file that can be read are shown with what stands
 * between them; far from any executed line they are left out. */
#include "cli/source_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A line and what its instructions did. */
struct source_row {
    const char *file; /* "": a trace that has lines and no files; NULL: lines of PTX */
    const char *kernel, *text;
    uint32_t line, insts;
    uint64_t issued, stalls, awaited, stall[INST_STALLS];
    uint64_t loads, requests, answered[4]; /* by the L1D, by a fetch in flight, by the L2, by the memory */
};

struct source_table {
    struct source_row *row;
    unsigned rows;
    uint64_t stalls, stall[INST_STALLS], awaited;
    enum source_order order;
};

int source_order(const char *word, enum source_order *out, struct wl_err *e)
{
    static const char *const words[] = {"line", "stalls", "awaited", "instructions", "requests"};
    *out = SOURCE_IN_PLACE;
    for (unsigned i = 0; word && i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0) return *out = (enum source_order)i, 0;
    return word ? wl_fail(e, WL_EINPUT, "--sort is line, stalls, awaited, instructions or requests, not '%s'", word)
                : 0;
}

/* ---- sums ---- */

static void place_row(struct source_row *r, const struct inst_record *i)
{
    const struct source_place *at = &i->at;
    bool other_file = at->caller_line && strcmp(at->caller, at->file) != 0;
    r->kernel = i->kernel;
    r->text = at->text;
    if (at->line || other_file) {
        r->file = other_file ? at->caller : at->file;
        r->line = other_file ? at->caller_line : at->line;
    } else {
        r->line = at->ptx_line;
    }
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

/* Lines of a file are one whatever kernel runs them; those of PTX belong to a kernel. */
static bool same_line(const struct source_row *a, const struct source_row *b)
{
    bool named = a->file && *a->file;
    return a->line == b->line && same_text(a->file, b->file) && (named || strcmp(a->kernel, b->kernel) == 0);
}

static const struct load_record *load_of(const struct profile_report *p, const struct inst_record *i)
{
    for (unsigned k = 0; k < p->loads; k++)
        if (p->load[k].pc == i->pc && strcmp(p->load[k].kernel, i->kernel) == 0) return &p->load[k];
    return NULL;
}

static void add_inst(struct source_row *r, const struct inst_record *i, const struct load_record *l)
{
    r->insts++;
    r->issued += i->issued;
    r->awaited += i->awaited;
    for (unsigned k = 0; k < INST_STALLS; k++) r->stall[k] += i->stall[k], r->stalls += i->stall[k];
    if (!l) return;
    r->loads += l->loads;
    r->requests += l->requests;
    r->answered[0] += l->outcome[0];
    r->answered[1] += l->outcome[1];
    r->answered[2] += l->l2[0];
    r->answered[3] += l->l2[1] + l->l2[2];
}

static int make_table(struct source_table *t, const struct profile_report *p)
{
    t->row = calloc(p->insts ? p->insts : 1, sizeof *t->row);
    if (!t->row) return -1;
    for (unsigned i = 0; i < p->insts; i++) {
        const struct inst_record *in = &p->inst[i];
        struct source_row at = {0};
        place_row(&at, in);
        unsigned k = t->rows; /* the line of the instruction before, mostly */
        while (k > 0 && !same_line(&t->row[k - 1], &at)) k--;
        struct source_row *r = k ? &t->row[k - 1] : &t->row[t->rows++];
        if (!k) *r = at;
        bool load = in->kind == INST_LOAD || in->kind == INST_ATOMIC;
        add_inst(r, in, load ? load_of(p, in) : NULL);
        t->awaited += in->awaited;
        for (unsigned w = 0; w < INST_STALLS; w++) t->stall[w] += in->stall[w], t->stalls += in->stall[w];
    }
    return 0;
}

static int compare_place(const void *a, const void *b)
{
    const struct source_row *x = a, *y = b;
    if (!x->file != !y->file) return x->file ? -1 : 1;
    int order = x->file ? strcmp(x->file, y->file) : 0;
    if (!order && (!x->file || !*x->file)) order = strcmp(x->kernel, y->kernel);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

#define COMPARE_BY(field)                                                                                              \
    static int compare_##field(const void *a, const void *b)                                                           \
    {                                                                                                                  \
        const struct source_row *x = a, *y = b;                                                                        \
        return x->field != y->field ? (x->field < y->field ? 1 : -1) : compare_place(a, b);                            \
    }
COMPARE_BY(stalls)
COMPARE_BY(awaited)
COMPARE_BY(issued)
COMPARE_BY(requests)

static void sort_rows(struct source_table *t)
{
    static int (*const by[])(const void *, const void *) = {compare_place, compare_stalls, compare_awaited,
                                                            compare_issued, compare_requests};
    if (t->rows) qsort(t->row, t->rows, sizeof *t->row, by[t->order]);
}

/* ---- text ---- */

static void write_head(const struct source_table *t, FILE *out)
{
    char a[32];
    double all = t->stalls ? (double)t->stalls / 100 : 1;
    fprintf(out,
            "warps stood for %s cycles in all: %.1f %% until a load came, %.1f %% for a result, %.1f %% at a barrier, "
            "fence or atomic, %.1f %% for their turn\n",
            with_commas(t->stalls, a), (double)t->stall[STALL_LOAD] / all, (double)t->stall[STALL_COMPUTE] / all,
            (double)t->stall[STALL_BARRIER] / all, (double)t->stall[STALL_TURN] / all);
    fprintf(out, "stalls: cycles that warps stood at the line. awaited: cycles that warps stood until a result of the "
                 "line came.\n");
}

static void write_columns(FILE *out)
{
    fprintf(out, "%6s %12s %8s %6s %6s %6s %6s %14s %6s %14s %6s  %s\n", "", "warp", "requests", "from", "in", "from",
            "from", "stall", "", "awaited", "", "");
    fprintf(out, "%6s %12s %8s %6s %6s %6s %6s %14s %6s %14s %6s  %s\n", "line", "instr.", "per load", "L1 %", "flight",
            "L2 %", "DRAM %", "cycles", "%", "cycles", "%", "source");
}

static void write_row(const struct source_table *t, const struct source_row *r, const char *text, FILE *out)
{
    char a[32], b[32], c[32];
    fprintf(out, "%6u %12s ", r->line, with_commas(r->issued, a));
    if (r->loads) fprintf(out, "%8.2f ", (double)r->requests / (double)r->loads);
    else fprintf(out, "%8s ", "");
    for (unsigned k = 0; k < 4; k++)
        if (r->requests) fprintf(out, "%6.1f ", 100 * (double)r->answered[k] / (double)r->requests);
        else fprintf(out, "%6s ", "");
    fprintf(out, "%14s %6.1f %14s %6.1f  %s\n", with_commas(r->stalls, b),
            t->stalls ? 100 * (double)r->stalls / (double)t->stalls : 0, with_commas(r->awaited, c),
            t->awaited ? 100 * (double)r->awaited / (double)t->awaited : 0, text);
}

/* ---- the lines of a file ---- */

struct source_text {
    char *bytes;
    const char **line; /* [lines], from 0 */
    uint32_t lines;
};

static void drop_text(struct source_text *s)
{
    free(s->bytes);
    free(s->line);
    *s = (struct source_text){0};
}

/* What cannot be read has no lines: the rows are shown without. */
static void read_text(struct source_text *s, const char *file)
{
    enum { MOST = 16 << 20 };
    FILE *f = *file ? fopen(file, "rb") : NULL;
    s->bytes = f ? malloc(MOST + 1) : NULL;
    size_t n = s->bytes ? fread(s->bytes, 1, MOST, f) : 0;
    if (f) fclose(f);
    uint32_t count = 0;
    for (size_t i = 0; i < n; i++) count += s->bytes[i] == '\n';
    s->line = n ? calloc(count + 1, sizeof *s->line) : NULL;
    if (!s->line) return;
    s->bytes[n] = 0;
    for (char *p = s->bytes; p < s->bytes + n;) {
        char *end = strchr(p, '\n');
        s->line[s->lines++] = p;
        for (char *q = p; *q && *q != '\n'; q++)
            if ((unsigned char)*q < ' ') *q = ' ';
        if (!end) break;
        *end = 0;
        p = end + 1;
    }
}

static const char *text_line(const struct source_text *s, uint32_t line)
{
    return line && line <= s->lines ? s->line[line - 1] : NULL;
}

/* The lines between two rows, or dots where they are many. */
static void write_between(const struct source_text *s, uint32_t from, uint32_t to, FILE *out)
{
    enum { NEAR = 8, AROUND = 2, MARGIN = 93 };
    if (from >= to || !s->lines) return;
    bool far = to - from > NEAR;
    for (uint32_t i = from; i < to; i++) {
        if (far && i == from + AROUND) {
            fprintf(out, "%6s\n", "...");
            i = to - AROUND;
        }
        const char *text = text_line(s, i);
        if (text) fprintf(out, "%6u %*s%s\n", i, MARGIN - 7, "", text);
    }
}

static void write_in_place(const struct source_table *t, FILE *out)
{
    struct source_text s = {0};
    const struct source_row *before = NULL;
    for (unsigned i = 0; i < t->rows; i++) {
        const struct source_row *r = &t->row[i];
        bool named = r->file && *r->file;
        if (!before || !same_text(before->file, r->file) || (!named && strcmp(before->kernel, r->kernel) != 0)) {
            drop_text(&s);
            if (named) read_text(&s, r->file);
            if (named) fprintf(out, "\n%s%s\n", r->file, s.lines ? "" : " (cannot be read here)");
            else fprintf(out, "\nkernel %s, %s\n", r->kernel, r->file ? "lines of its source" : "lines of its PTX");
            write_columns(out);
            write_between(&s, r->line > 2 ? r->line - 2 : 1, r->line, out);
        } else {
            write_between(&s, before->line + 1, r->line, out);
        }
        const char *text = text_line(&s, r->line);
        write_row(t, r, text ? text : r->text, out);
        before = r;
    }
    drop_text(&s);
}

static void write_sorted(const struct source_table *t, FILE *out)
{
    enum { ROWS = 20 };
    struct source_text s = {0};
    const char *open = NULL;
    write_columns(out);
    for (unsigned i = 0; i < t->rows && i < ROWS; i++) {
        const struct source_row *r = &t->row[i];
        if (r->file && *r->file && !same_text(open, r->file)) {
            drop_text(&s);
            read_text(&s, open = r->file);
        }
        const char *text = same_text(open, r->file) ? text_line(&s, r->line) : NULL, *slash;
        char words[256];
        slash = r->file ? strrchr(r->file, '/') : NULL;
        snprintf(words, sizeof words, "%s: %s", r->file && *r->file ? (slash ? slash + 1 : r->file) : r->kernel,
                 text ? text + strspn(text, " \t") : r->text);
        write_row(t, r, words, out);
    }
    if (t->rows > ROWS) fprintf(out, "... and %u more lines (--json and --csv have all)\n", t->rows - ROWS);
    drop_text(&s);
}

int source_write(const struct run_result *r, enum source_order order, FILE *out, struct wl_err *e)
{
    struct source_table t = {.order = order};
    if (make_table(&t, &r->profile)) return wl_fail(e, WL_ERUN, "out of memory");
    sort_rows(&t);
    write_head(&t, out);
    if (order == SOURCE_IN_PLACE) write_in_place(&t, out);
    else write_sorted(&t, out);
    free(t.row);
    return 0;
}

/* ---- CSV ---- */

static void write_quoted(const char *s, FILE *out)
{
    fputs(",\"", out);
    for (; *s; s++) fputs(*s == '"' ? "\"\"" : (char[]){*s, 0}, out);
    fputc('"', out);
}

void source_write_csv(const struct run_result *r, FILE *out)
{
    fputs("workload,kernel,pc,ptx_line,text,file,line,inlined_at_file,inlined_at_line,warp_instructions,"
          "thread_instructions,stall_load,stall_compute,stall_barrier,stall_turn,awaited_cycles,loads,requests,hits,"
          "merged,misses,bypasses,l2_hits,l2_merged,l2_misses\n",
          out);
    for (unsigned i = 0; i < r->profile.insts; i++) {
        const struct inst_record *in = &r->profile.inst[i];
        const struct load_record none = {0}, *l = load_of(&r->profile, in);
        if (!l) l = &none;
        fprintf(out, "%s", r->workload);
        write_quoted(in->kernel, out);
        fprintf(out, ",%u,%u", in->pc, in->at.ptx_line);
        write_quoted(in->at.text, out);
        write_quoted(in->at.file, out);
        fprintf(out, ",%u", in->at.line);
        write_quoted(in->at.caller, out);
        fprintf(out, ",%u,%" PRIu64 ",%" PRIu64, in->at.caller_line, in->issued, in->lanes);
        for (unsigned k = 0; k < INST_STALLS; k++) fprintf(out, ",%" PRIu64, in->stall[k]);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, in->awaited, l->loads, l->requests);
        for (unsigned k = 0; k < 4; k++) fprintf(out, ",%" PRIu64, l->outcome[k]);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", l->l2[0], l->l2[1], l->l2[2]);
    }
}
