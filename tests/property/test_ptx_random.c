/* test_ptx_random.c - the PTX executor against an interpreter that shares nothing with it, on random kernels.
 *
 * A seed makes a kernel (ptx_random_gen.h); its PTX text (ptx_random_text.h) runs through parser and executor, its tree
 * through the interpreter (ptx_random_ref.h). Every byte of memory the kernel could write must be equal, where floats
 * are stored NaN being equal to NaN. The streams must tell, thread by thread and in the thread's order, exactly the
 * instructions the interpreter executed and the bytes they touched, and the code table must call them what they are.
 *
 * WL_SEED=n runs only that kernel; WL_LONG=n runs n times as many kernels. */
#include "test.h"

#include "property/ptx_random_ref.h"
#include "property/ptx_random_text.h"
#include "ptx/exec.h"

/* 1: a generic access is in the stream as an access of global memory with its generic address.
 * 0: it is there as an access of the space it touched, with the address in that space. */
#define GENERIC_IS_RECORDED_AS_GLOBAL 0

enum { KERNELS = SLOW_BUILD ? 60 : 1000, MAX_GRID_THREADS = 512 };

static const struct shape {
    uint32_t grid[3], block[3];
} shapes[] = {
    {{1, 1, 1}, {32, 1, 1}}, {{2, 1, 1}, {64, 1, 1}}, {{3, 1, 1}, {40, 1, 1}},  {{1, 1, 1}, {1, 1, 1}},
    {{2, 2, 1}, {8, 4, 2}},  {{1, 2, 1}, {16, 3, 1}}, {{2, 1, 1}, {100, 1, 1}}, {{1, 1, 1}, {256, 1, 1}},
    {{1, 1, 1}, {7, 5, 3}},  {{2, 1, 1}, {33, 1, 1}}, {{3, 1, 1}, {16, 2, 1}},  {{5, 1, 1}, {31, 1, 1}},
};

static const uint32_t area_bytes[AREAS] = {IN_BYTES,
                                           OWN_BYTES *MAX_GRID_THREADS,
                                           4 * MAX_GRID_THREADS,
                                           8 * MAX_GRID_THREADS,
                                           DUMP_BYTES *MAX_GRID_THREADS,
                                           SUMS_BYTES,
                                           VAR_BYTES};
static const char *const area_names[AREAS] = {"in", "own", "word", "longs", "dump", "sums", "gv"};

static struct kernel_gen gen;
static struct ref_run ref;
static struct events events[MAX_GRID_THREADS];

/* The kernel that is being tried, in the executor. */
static struct trial {
    uint64_t seed;
    const struct shape *shape;
    struct dev_mem *mem;
    struct ptx_module *mod;
    struct ptx_image *img;
    struct wl_err err;
    uint64_t addr[AREAS];
    uint32_t cursor[MAX_GRID_THREADS]; /* events of each thread that the stream has told */
} trial;

__attribute__((format(printf, 1, 2))) static void complain(const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    const struct shape *s = trial.shape;
    fwrite(gen.text, 1, gen.length, stderr);
    if (s)
        fprintf(stderr, "grid %u,%u,%u block %u,%u,%u\n", s->grid[0], s->grid[1], s->grid[2], s->block[0], s->block[1],
                s->block[2]);
    fprintf(stderr, "WL_SEED=%llu: %s\n", (unsigned long long)trial.seed, text);
    fail();
}

/* The text of an instruction, by its number. */
static const char *inst_text(uint32_t inst, char *line, size_t size)
{
    const char *p = gen.text;
    for (uint32_t n = 0; *p; p = strchr(p, '\n') + 1) {
        if (strncmp(p, "    ", 4) || p[4] == '.' || n++ != inst) continue;
        snprintf(line, size, "%.*s", (int)strcspn(p + 4, "\n"), p + 4);
        return line;
    }
    return "?";
}

/* ---- memory ---- */

static void fill_areas(void)
{
    uint64_t seed = trial.seed ^ UINT64_C(0x5eed);
    for (unsigned i = 0; i < AREAS; i++) {
        ref.area[i].base = trial.addr[i];
        ref.area[i].bytes = area_bytes[i];
        for (uint32_t k = 0; k < area_bytes[i]; k += 4) {
            uint32_t v = i == AREA_VAR ? gen.var[k / 4] : (uint32_t)odd_number(&seed);
            memcpy(ref.area[i].data + k, &v, 4);
        }
        memcpy(dev_ptr(trial.mem, trial.addr[i], area_bytes[i]), ref.area[i].data, area_bytes[i]);
    }
}

/* Whether the floats of `bytes` at p and q are the same number or both none. */
static bool same_float(const uint8_t *p, const uint8_t *q, unsigned bytes)
{
    uint64_t a = 0, b = 0;
    memcpy(&a, p, bytes);
    memcpy(&b, q, bytes);
    if (bytes == 4) return a == b || (isnan(f32(a)) && isnan(f32(b)));
    return a == b || (isnan(f64(a)) && isnan(f64(b)));
}

static void compare_area(unsigned area)
{
    const uint8_t *want = ref.area[area].data, *have = dev_ptr(trial.mem, trial.addr[area], area_bytes[area]);
    if (!memcmp(want, have, area_bytes[area])) return;
    static const uint32_t stride[AREAS] = {1, OWN_BYTES, 4, 8, DUMP_BYTES, 1, 1};
    for (uint32_t k = 0; k < area_bytes[area];) {
        uint32_t at = k % DUMP_BYTES, size = 1;
        bool is_dump = !strcmp(area_names[area], "dump");
        if (is_dump && at >= DUMP_G && at < DUMP_F) size = 8;
        if (is_dump && at >= DUMP_F && at < DUMP_P) size = 4;
        bool same = size > 1 ? same_float(want + k, have + k, size) : want[k] == have[k];
        if (!same)
            complain("%s+%u (thread %u, byte %u): 0x%02x, expected 0x%02x", area_names[area], k, k / stride[area],
                     k % stride[area], have[k], want[k]);
        k += size;
    }
}

/* ---- the code table ---- */

static unsigned kind_of(const struct stmt *s)
{
    switch (s ? s->kind : (uint8_t)ST_OP) {
    case ST_LOAD: return INST_LOAD;
    case ST_STORE: return INST_STORE;
    case ST_ATOM: return INST_ATOMIC;
    case ST_EXIT: return s->sub == OUT_BY_JUMP ? INST_BRANCH : INST_EXIT;
    case ST_BAR: return INST_BARRIER;
    case ST_BREAK:
    case ST_CONTINUE: return INST_BRANCH;
    case ST_WARP: return s->sub == W_SYNC ? INST_NOP : INST_ALU;
    default: return INST_ALU;
    }
}

/* Instructions as the text has them; behind them the table may have forms of generic ones. */
static uint32_t listed(const struct code *c)
{
#if GENERIC_IS_RECORDED_AS_GLOBAL
    return c->ninst;
#else
    return c->ninst - c->nforms;
#endif
}

static void check_code(const struct code *c)
{
    char line[200];
    if (listed(c) != gen.ninst) complain("%u instructions, expected %u", listed(c), gen.ninst);
    for (uint32_t i = 0; i < gen.ninst; i++) {
        const struct stmt *s = gen.inst[i];
        const struct code_inst *in = &c->inst[i];
        if (!s) continue; /* a branch, or what counts a loop */
        if (in->kind != kind_of(s)) complain("%s is of kind %u", inst_text(i, line, sizeof line), in->kind);
        if (!inst_is_mem(in)) continue;
        if (in->width != s->bytes * s->vec) complain("%s moves %u bytes", inst_text(i, line, sizeof line), in->width);
        if (s->space != GENERIC && in->space != s->space)
            complain("%s is in space %u", inst_text(i, line, sizeof line), in->space);
    }
}

/* ---- the streams ---- */

/* A memory instruction of lanes *mask in the stream: the space of its next part, and the lanes of that part. */
#if GENERIC_IS_RECORDED_AS_GLOBAL
static unsigned next_part(struct stream_reader *r, const struct code_inst *in, uint32_t *mask)
{
    (void)r, (void)mask;
    return in->space;
}
static bool has_parts(const struct stream_reader *r) { return (void)r, false; }
#else
static unsigned next_part(struct stream_reader *r, const struct code_inst *in, uint32_t *mask)
{
    return in->space == SPACE_GENERIC ? stream_next_part(r, mask) : in->space;
}
static bool has_parts(const struct stream_reader *r) { return stream_has_parts(r); }
#endif

/* Thread `thread` executed an instruction; a is NULL, or what its warp accessed in space `in_space`. */
static void check_event(uint32_t thread, unsigned lane, uint32_t inst, const struct warp_addrs *a, unsigned in_space)
{
    char line[200], other[200];
    const struct events *e = &events[thread];
    uint32_t at = trial.cursor[thread]++;
    if (at >= e->count) {
        complain("thread %u executed '%s' after its end", thread, inst_text(inst, line, sizeof line));
        return;
    }
    const struct event *want = &e->event[at];
    if (want->inst != inst)
        complain("thread %u, instruction %u: executed '%s', expected '%s'", thread, at,
                 inst_text(inst, line, sizeof line), inst_text(want->inst, other, sizeof other));
    if (!a) return;
    bool raw = GENERIC_IS_RECORDED_AS_GLOBAL && gen.inst[inst]->space == GENERIC;
    unsigned space = raw ? SPACE_GLOBAL : want->space;
    uint64_t addr = raw ? want->raw : want->addr;
    if (in_space != space || warp_addr(a, lane) != addr)
        complain("thread %u, '%s': space %u address 0x%llx, expected space %u address 0x%llx", thread,
                 inst_text(inst, line, sizeof line), in_space, (unsigned long long)warp_addr(a, lane), space,
                 (unsigned long long)addr);
}

/* One instruction of a warp, which counts once for each of its parts. */
static uint64_t check_inst(struct stream_reader *r, const struct code *c, uint32_t inst, uint32_t exec, uint32_t first)
{
    const struct code_inst *in = &c->inst[inst];
    bool accesses = inst_is_mem(in) && exec;
    uint64_t parts = 0;
    do {
        struct warp_addrs a;
        uint32_t lanes = exec;
        unsigned space = accesses ? next_part(r, in, &lanes) : (unsigned)SPACE_NONE;
        if (accesses) stream_next_addrs(r, lanes, &a);
        for (uint32_t m = lanes; m; m &= m - 1)
            check_event(first + bit_low32(m), bit_low32(m), inst, accesses ? &a : NULL, space);
        parts++;
    } while (has_parts(r));
    return parts;
}

/* `first` is the thread of the grid that is the warp's lane 0. Returns the warp instructions. */
static uint64_t check_stream(const struct code *c, struct warp_stream s, uint32_t first)
{
    struct stream_reader r;
    uint64_t n = 0;
    if (stream_check(c, s, &trial.err)) complain("%s", trial.err.text);
    for (stream_open(&r, s); !stream_done(&r);) {
        const struct code_block *b = &c->block[stream_next_block(&r)];
        for (uint32_t i = b->first; i < b->first + b->count; i++) {
            uint32_t exec = c->inst[i].guarded ? stream_next_guard(&r) : r.mask;
            n += check_inst(&r, c, i, exec, first);
        }
    }
    return n;
}

/* ---- one kernel ---- */

static void load(bool scheduled)
{
    trial.mod =
        ptx_parse_for("random.ptx", gen.text, gen.length, 0, (struct ptx_target){.scheduled = scheduled}, &trial.err);
    if (trial.mod) trial.img = ptx_load(trial.mod, trial.mem, &trial.err);
    if (!trial.mod || !trial.img) complain("%s", trial.err.text);
    uint64_t bytes;
    assert_non_null(ptx_symbol(trial.img, "gv", &trial.addr[AREA_VAR], &bytes));
    assert_int_equal(bytes, VAR_BYTES);
}

static void unload(void)
{
    ptx_unload(trial.img);
    ptx_free(trial.mod);
}

static void check_counts(const struct stream_source *s, uint64_t streamed)
{
    struct exec_counts n = ptx_counts(s);
    if (n.thread_instructions != ref.thread_instructions)
        complain("%llu thread instructions, expected %llu", (unsigned long long)n.thread_instructions,
                 (unsigned long long)ref.thread_instructions);
    if (streamed != n.warp_instructions)
        complain("%llu warp instructions, but %llu in the streams", (unsigned long long)n.warp_instructions,
                 (unsigned long long)streamed);
    uint64_t expected = ref.warp_instructions + (GENERIC_IS_RECORDED_AS_GLOBAL ? 0 : ref.extra_parts);
    if (!gen.irregular && (n.warp_instructions < expected || n.warp_instructions - expected > ref.early_rets))
        complain("%llu warp instructions, expected %llu and at most %llu more", (unsigned long long)n.warp_instructions,
                 (unsigned long long)expected, (unsigned long long)ref.early_rets);
}

static void execute(const struct ptx_launch *l)
{
    struct stream_source *s = ptx_open(l, &trial.err);
    if (!s) complain("%s", trial.err.text);
    uint64_t streamed = 0;
    struct cta_stream c;
    int rc;
    memset(trial.cursor, 0, sizeof trial.cursor);
    while ((rc = s->next(s, &c, &trial.err)) > 0) {
        for (uint32_t i = 0; i < c.nwarps && !l->no_streams; i++)
            streamed += check_stream(s->info->code, c.warp[i], c.cta * ref.threads + i * WARP_SIZE);
        s->release(s, &c);
    }
    if (rc) complain("%s", trial.err.text);
    for (uint32_t i = 0; i < ref.first + ref.threads && !l->no_streams; i++)
        if (trial.cursor[i] != events[i].count)
            complain("thread %u executed %u instructions, expected %u", i, trial.cursor[i], events[i].count);
    if (!l->no_streams) check_counts(s, streamed);
    ptx_close(s);
}

static void try_shape(const struct shape *shape, bool no_streams)
{
    trial.shape = shape;
    memcpy(ref.grid, shape->grid, sizeof ref.grid);
    memcpy(ref.block, shape->block, sizeof ref.block);
    fill_areas();
    ref_launch(&ref);
    struct ptx_launch l = {
        .image = trial.img, .kernel = ptx_find_kernel(trial.mod, "k"), .params = trial.addr, .no_streams = no_streams};
    memcpy(l.grid, shape->grid, sizeof l.grid);
    memcpy(l.block, shape->block, sizeof l.block);
    execute(&l);
    for (unsigned i = 0; i < AREAS; i++) compare_area(i);
    trial.shape = NULL;
}

static void try_kernel(uint64_t seed)
{
    uint64_t more = seed;
    trial.seed = seed;
    generate(&gen, seed);
    print_kernel(&gen);
    load(false);
    check_code(&trial.mod->code);
    try_shape(&shapes[draw(&more, COUNT(shapes))], false);
    try_shape(&shapes[draw(&more, COUNT(shapes))], draw(&more, 4) == 0);
    unload();
    load(true); /* the order of an assembler: results are the same, streams tell of another order */
    try_shape(&shapes[draw(&more, COUNT(shapes))], true);
    unload();
}

/* ---- */

static int open_trial(void **state)
{
    (void)state;
    trial.mem = dev_mem_new(64 << 20);
    if (!trial.mem) return -1;
    ref.g = &gen;
    ref.events = events;
    for (unsigned i = 0; i < AREAS; i++) {
        ref.area[i].data = malloc(area_bytes[i]);
        if (i < PARAMS) trial.addr[i] = dev_alloc(trial.mem, area_bytes[i]);
        if (!ref.area[i].data || (i < PARAMS && !trial.addr[i])) return -1;
    }
    return 0;
}

static int close_trial(void **state)
{
    (void)state;
    for (unsigned i = 0; i < AREAS; i++) free(ref.area[i].data);
    for (unsigned i = 0; i < MAX_GRID_THREADS; i++) free(events[i].event);
    dev_mem_free(trial.mem);
    return 0;
}

TEST_WITH(random_kernels_do_what_the_interpreter_says, open_trial, close_trial)
{
    const char *seed = getenv("WL_SEED"), *times = getenv("WL_LONG");
    if (seed) {
        try_kernel(strtoull(seed, NULL, 0));
        return;
    }
    uint64_t n = (uint64_t)KERNELS * (times ? strtoull(times, NULL, 0) : 1);
    for (uint64_t i = 1; i <= n; i++) try_kernel(i);
}
