/* wlt_info.c - what a trace holds, from one pass over it.
 *
 * The footprint is a set of 128-byte lines. Programs touch memory in runs, so the set is kept as
 * 64-line regions with one bit per line: sixteen bytes hold up to 8 KiB of footprint. When a scattered
 * program fills the table, half of the regions, chosen by their hash, are given up, and each one
 * that stays counts twice; then half of those, and so on. The count is exact until that happens
 * and an unbiased estimate afterwards, in a table that never grows beyond MAX_REGIONS. */
#include "trace/trace.h"
#include "trace/wlt/wlt_priv.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_SHIFT = 7, REGION_SHIFT = LINE_SHIFT + 6, FIRST_REGIONS = 1 << 10, MAX_REGIONS = 1 << 22 };

/* ---- the footprint ---- */

struct region {
    uint64_t number, lines; /* lines 0: the slot is free */
};

struct footprint {
    struct region *slot; /* open addressing; size is a power of two */
    uint32_t size, used;
    unsigned halvings;   /* only regions whose hash begins with so many zeros are kept */
    struct region *last; /* most accesses stay where the one before was; NULL: unknown */
    bool failed;
};

static uint64_t hash_region(uint64_t number) { return splitmix64(&number); }

static bool kept(const struct footprint *f, uint64_t hash)
{
    return f->halvings == 0 || hash >> (64 - f->halvings) == 0;
}

static struct region *find_slot(const struct footprint *f, uint64_t number)
{
    uint32_t i = (uint32_t)hash_region(number) & (f->size - 1);
    while (f->slot[i].lines && f->slot[i].number != number) i = (i + 1) & (f->size - 1);
    return &f->slot[i];
}

/* Moves the regions that are still kept to a table of `size` slots. */
static void rebuild(struct footprint *f, uint32_t size)
{
    struct region *old = f->slot, *slot = calloc(size, sizeof *slot);
    uint32_t n = f->size;
    f->last = NULL;
    if (!slot) {
        f->failed = true;
        return;
    }
    f->slot = slot;
    f->size = size;
    f->used = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!old[i].lines || !kept(f, hash_region(old[i].number))) continue;
        *find_slot(f, old[i].number) = old[i];
        f->used++;
    }
    free(old);
}

static void make_room(struct footprint *f)
{
    if (f->used < f->size / 4 * 3) return;
    if (f->size < MAX_REGIONS) {
        rebuild(f, f->size * 2);
        return;
    }
    f->halvings++;
    rebuild(f, f->size);
}

static void touch(struct footprint *f, uint64_t addr)
{
    uint64_t number = addr >> REGION_SHIFT, line = bit64(addr >> LINE_SHIFT & 63);
    if (f->last && f->last->number == number) {
        f->last->lines |= line;
        return;
    }
    if (f->failed || !kept(f, hash_region(number))) return;
    struct region *r = find_slot(f, number);
    if (!r->lines) {
        make_room(f);
        if (f->failed || !kept(f, hash_region(number))) return;
        r = find_slot(f, number);
        r->number = number;
        f->used++;
    }
    r->lines |= line;
    f->last = r;
}

static uint64_t footprint_lines(const struct footprint *f)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < f->size; i++) n += bit_count64(f->slot[i].lines);
    return n << f->halvings;
}

/* ---- the instructions ---- */

struct survey {
    struct wlt_summary *out;
    struct footprint touched;
};

/* Notes every lane's lines; returns whether they are more than two. */
static bool touch_lines(struct footprint *f, const struct warp_addrs *a, unsigned width)
{
    uint64_t line[2] = {0}, before = UINT64_MAX;
    unsigned n = 0; /* distinct lines so far; 3: more than two */
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint64_t addr = warp_addr(a, bit_low32(m)), l = addr >> LINE_SHIFT;
        if ((addr + width - 1) >> LINE_SHIFT != l) touch(f, addr + width - 1);
        if (l == before) continue;
        before = l;
        touch(f, addr);
        if (n == 3 || (n > 0 && l == line[0]) || (n > 1 && l == line[1])) continue;
        if (n < 2) line[n] = l;
        n++;
    }
    return n > 2;
}

static void survey_inst(void *arg, const struct code_inst *in, uint32_t exec, const struct warp_addrs *a)
{
    struct survey *s = arg;
    struct wlt_summary *o = s->out;
    (void)exec;
    if (!a) return;
    uint64_t *by_space = in->kind == INST_LOAD ? o->loads : in->kind == INST_STORE ? o->stores : o->atomics;
    by_space[in->space]++;
    if (in->space != SPACE_GLOBAL && in->space != SPACE_TEX) return;
    bool divergent = touch_lines(&s->touched, a, in->width);
    if (in->kind == INST_LOAD && in->space == SPACE_GLOBAL) o->divergent_loads += divergent;
}

static struct wlt_kernel *find_kernel(struct wlt_summary *o, const char *name)
{
    for (unsigned i = o->kernels; i-- > 0;)
        if (strcmp(o->kernel[i].name, name) == 0) return &o->kernel[i];
    if (o->kernels == WLT_MAX_KERNELS) return NULL;
    struct wlt_kernel *k = &o->kernel[o->kernels++];
    memcpy(k->name, name, sizeof k->name);
    return k;
}

static int survey_launch(struct survey *s, struct trace_reader *r, struct stream_source *src, struct wl_err *e)
{
    struct cta_stream cta;
    const struct launch_info *info = src->info;
    struct wlt_kernel *k = find_kernel(s->out, info->kernel);
    int got;
    while ((got = src->next(src, &cta, e)) > 0) {
        for (uint32_t w = 0; w < cta.nwarps; w++) wlt_walk(info->code, cta.warp[w], survey_inst, s);
        src->release(src, &cta);
    }
    if (got < 0) return -got;
    if (!k) {
        s->out->other_launches++;
        return 0;
    }
    struct wlt_counts n = trace_launch_counts(r);
    k->launches++;
    k->ctas += info->ctas;
    k->counts.warp_instructions += n.warp_instructions;
    k->counts.thread_instructions += n.thread_instructions;
    return 0;
}

static int survey_all(struct survey *s, struct trace_reader *r, struct wl_err *e)
{
    struct wlt_item item;
    int got, rc = 0;
    while (!rc && (got = trace_next(r, &item, e)) != 0) {
        if (got < 0) return -got;
        if (item.kind == WLT_LAUNCH) rc = survey_launch(s, r, item.source, e);
    }
    if (!rc && s->touched.failed) rc = wl_fail(e, WL_ERUN, "out of memory");
    return rc;
}

int wlt_summarize(const char *file, struct wlt_summary *out, trace_say *say, void *arg, struct wl_err *e)
{
    memset(out, 0, sizeof *out);
    struct survey s = {.out = out, .touched = {.size = FIRST_REGIONS}};
    struct trace_reader *r = trace_open(file, e);
    if (!r) return e ? (int)e->code : WL_EINPUT;
    out->header = *trace_header(r);
    s.touched.slot = calloc(FIRST_REGIONS, sizeof *s.touched.slot);
    int rc = s.touched.slot ? survey_all(&s, r, e) : wl_fail(e, WL_ERUN, "out of memory");
    if (!rc) {
        out->totals = trace_totals(r);
        out->lines = footprint_lines(&s.touched);
        out->lines_exact = s.touched.halvings == 0;
        if (say) trace_warnings(r, say, arg);
    }
    free(s.touched.slot);
    trace_close(r);
    return rc;
}
