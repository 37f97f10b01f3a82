/* dacache.c - DaCache: keep the lines of the few oldest warps together.
 *
 * Idea (Wang, Yu, Sun, Wang, ICS 2015): a divergent load asks for up to 32 lines and its warp
 * waits for the last of them, so a cache full of halves of everybody's working sets helps nobody.
 * Under greedy-then-oldest scheduling the oldest warps run most; their lines should stay as a
 * unit and the others should not disturb them. The means, all over the recency chain (position 0
 * is the most recent, ways-1 the least):
 *
 *  - Gauged insertion. A warp of age rank r on each of N schedulers has r * N older warps; if
 *    each spreads `width` lines evenly over the sets, their lines fill the positions below
 *    r * N * width / sets, and that is where a line of this warp enters.
 *  - Loads of one or two requests (coherent) enter at 0 if they are seen to reuse lines, else at
 *    the old end; divergent ones of up to 5 requests enter at 0.
 *  - A hit promotes by a few positions (4), so that one reuse does not undo the gauge.
 *  - Partition. FCW warps of the SM are to be fully cached; their lines are positions 0..p, the
 *    locality region. Large divergent loads of all other warps enter at the old end. Constrained
 *    replacement takes victims only behind p; when all of those are in flight the request waits
 *    (replace=stall) or goes past the cache with just the 32-byte segments it needs (bypass).
 *  - FCW follows what happens: CNT gains 1 for each fully cached divergent load and loses more
 *    for an incomplete one the older its warp is. Full, FCW grows by one; empty, it shrinks.
 *
 * Coherent loads are judged by watching one warp, the oldest of scheduler 0. Its (pc, line) pairs
 * pass through a small FIFO, the paper's victim cache (VC): a pair met again means its pc reuses
 * lines, one that falls out unmet means it does not. The verdict goes to the coherent load profiler
 * (CLP), a FIFO of (pc, flag), and the pc is not watched again while it stays there. Undecided pcs
 * count as reusing. The lines of a load become known one at a time, so the second line of a
 * two-request load can still change the verdict for itself, not for the first.
 *
 * Where the paper leaves a choice there is a parameter; the defaults are argued in its
 * description (thrash_cmp, promote_on_merge, cnt_rank_unit, static0_strict).
 * Decisions that have none: an invalid way is taken wherever it lies; p is at most ways-2, so that
 * there is always a way to replace; a line killed by a store goes to the old end; a merge or bypass
 * makes a load incomplete; FCW and CNT live on from kernel to kernel.
 *
 * A load is latched when its first request meets the tags (load_begin): its class and the verdict
 * on its pc are kept in load->user. Loads meet the tags one after another, so the paper's Div-reg and
 * FCW-reg are load->requests and load->missed at load_end.
 *
 * Storage as the paper counts it: VC 16 * (45 bits of pc + 41 of line) = 1376 bits = 172 bytes, CLP
 * 32 * (45 + 1) = 1472 bits = 184 bytes. Not counted, there or here: CNT (8), FCW (6), two flags,
 * and the chain, which the LRU it replaces had already. No field is added to a line. */
#include <stdlib.h>

#include "warpline/policy.h"

/* ---- parameters and counters ---- */

enum {
    PARTITION,
    STATIC_N,
    REPLACE,
    PROMO,
    FCW_INIT,
    CNT_INIT,
    CMAX,
    WMAX,
    CLP,
    VC_ENTRIES,
    CLP_ENTRIES,
    MRU_REQ_MAX,
    COHERENT_MAX,
    WIDTH,
    THRASH_CMP,
    PROMOTE_ON_MERGE,
    STATIC0_STRICT,
    CNT_RANK_UNIT
};
enum { PARTITION_DYN, PARTITION_STATIC };
enum { REPLACE_UNCON, REPLACE_STALL, REPLACE_BYPASS };
enum { CMP_GE, CMP_GT };
enum { UNIT_SCHED, UNIT_SM };

static const struct wl_param dacache_params[] = {
    [PARTITION] = {"partition", "", 0, 0, 1, "dyn|static", "the locality region follows CNT, or is fixed",
                   "section 4.4: dyn"},
    [STATIC_N] = {"static_n", "warps", 0, 2, 64, NULL, "static: fully cached warps a scheduler",
                  "section 5.4: 2 is the best"},
    [REPLACE] = {"replace", "", 0, 2, 2, "uncon|stall|bypass",
                 "victims from anywhere; or behind p only, else wait or bypass", "section 4.3"},
    [PROMO] = {"promo", "positions", 0, 4, 7, "mru|1|2|3|4|5|6|7", "how far a hit promotes", "section 5.6: 4"},
    [FCW_INIT] = {"fcw_init", "warps", 1, 4, 255, NULL, "dyn: fully cached warps of the SM at the start",
                  "section 4.4"},
    [CNT_INIT] = {"cnt_init", "loads", 0, 128, 65535, NULL, "dyn: CNT at the start", "section 4.4"},
    [CMAX] = {"cmax", "loads", 2, 256, 65536, NULL, "dyn: CNT that makes FCW grow; half of it is the reset value",
              "section 4.4"},
    [WMAX] = {"wmax", "warps", 1, 48, 255, NULL, "dyn: largest FCW", "section 4.4"},
    [CLP] = {"clp", "", 0, 1, 1, "off|on", "judge coherent loads; off: all enter as most recent", "section 4.2"},
    [VC_ENTRIES] = {"vc_entries", "entries", 1, 16, 4096, NULL, "(pc, line) pairs of the victim cache", "section 4.2"},
    [CLP_ENTRIES] = {"clp_entries", "entries", 1, 32, 4096, NULL, "pcs of the coherent load profiler", "section 4.2"},
    [MRU_REQ_MAX] = {"mru_req_max", "requests", 0, 5, 256, NULL, "divergent loads up to this enter as most recent",
                     "section 4.2"},
    [COHERENT_MAX] = {"coherent_max", "requests", 0, 2, 256, NULL, "loads up to this are coherent", "section 2"},
    [WIDTH] = {"width", "lines", 1, 32, 1024, NULL, "lines a divergent load is taken to touch (Width of equation 1)",
               "the example of section 4.2 needs the warp size; Table 2 says 16"},
    [THRASH_CMP] = {"thrash_cmp", "", 0, 0, 1, "ge|gt",
                    "local warps: rank * schedulers < FCW, or rank <= FCW / schedulers",
                    "section 4.3 says gt; Static0 and the size of the region need ge"},
    [PROMOTE_ON_MERGE] = {"promote_on_merge", "", 0, 1, 1, "no|yes", "a merge with a line in flight promotes it",
                          "GPGPU-Sim 3.2.1"},
    [STATIC0_STRICT] = {"static0_strict", "", 0, 0, 1, "no|yes",
                        "with FCW 0 small divergent loads enter at the old end too", "section 4.2: no"},
    [CNT_RANK_UNIT] = {"cnt_rank_unit", "", 0, 0, 1, "sched|sm", "FCW is compared with the rank, or rank * schedulers",
                       "Fig. 7 read literally: sched"},
    WL_PARAM_END,
};

enum {
    N_COHERENT,
    N_COHERENT_FULL,
    N_DIVERGENT,
    N_DIVERGENT_FULL,
    N_PROMOTIONS,
    N_BYPASSES,
    N_GAUGED,
    N_THRASHING,
    N_FCW_UP,
    N_FCW_DOWN,
    N_FCW_SUM,
    N_CLP_REUSE,
    N_CLP_STREAM,
    N_CLP_KNOWN,
    N_VC_FLUSHES,
    N_FCW,
    N_CNT,
    N_INSERT /* 8 of them */,
    N_COUNTERS = N_INSERT + 8
};
static const struct wl_counter dacache_counters[] = {
    [N_COHERENT] = {"coherent_loads", "loads", "loads of up to coherent_max requests"},
    [N_COHERENT_FULL] = {"coherent_full", "loads", "of these, all requests hit"},
    [N_DIVERGENT] = {"divergent_loads", "loads", "loads of more requests"},
    [N_DIVERGENT_FULL] = {"divergent_full", "loads", "of these, all requests hit"},
    [N_PROMOTIONS] = {"promotions", "hits", "hits that moved their line"},
    [N_BYPASSES] = {"bypasses", "requests", "load requests this scheme sent past the cache"},
    [N_GAUGED] = {"gauged", "lines", "lines of large divergent loads inserted by equation 1"},
    [N_THRASHING] = {"thrashing", "lines", "lines of large divergent loads of other warps, inserted at the old end"},
    [N_FCW_UP] = {"fcw_up", "changes", "FCW grew"},
    [N_FCW_DOWN] = {"fcw_down", "changes", "FCW shrank"},
    [N_FCW_SUM] = {"fcw_sum", "warps", "FCW summed over divergent loads; / divergent_loads is its mean"},
    [N_CLP_REUSE] = {"clp_reuse", "decisions", "pcs found to reuse lines"},
    [N_CLP_STREAM] = {"clp_stream", "decisions", "pcs found not to"},
    [N_CLP_KNOWN] = {"clp_known", "loads", "coherent loads whose pc was decided"},
    [N_VC_FLUSHES] = {"vc_flushes", "flushes", "another warp or kernel is watched from here"},
    [N_FCW] = {"fcw", "warps", "FCW at the end, summed over SMs"},
    [N_CNT] = {"cnt", "loads", "CNT at the end, summed over SMs"},
    [N_INSERT] = {"insert_0", "lines", "lines inserted at position 0, the most recent"},
    {"insert_1", "lines", "lines inserted at position 1"},
    {"insert_2", "lines", "lines inserted at position 2"},
    {"insert_3", "lines", "lines inserted at position 3"},
    {"insert_4", "lines", "lines inserted at position 4"},
    {"insert_5", "lines", "lines inserted at position 5"},
    {"insert_6", "lines", "lines inserted at position 6"},
    {"insert_7", "lines", "lines inserted at position 7 or behind it"},
    WL_COUNTER_END,
};

/* ---- state ---- */

enum { PC_BITS = 45, LINE_BITS = 41, NO_WARP = 0xffff };

struct vc_entry {
    uint64_t line;
    uint32_t pc;
    bool used;
};
struct clp_entry {
    uint32_t pc;
    bool used, reuse;
};

struct dacache {
    struct wl_chain chain;
    uint32_t sets, schedulers;
    int64_t v[CNT_RANK_UNIT + 1]; /* parameters */
    uint32_t fcw, cnt;
    int32_t p;                  /* last position of the locality region; -1: there is none */
    uint16_t watched;           /* the warp whose coherent loads pass through the VC */
    uint32_t vc_next, clp_next; /* where the next entry goes */
    struct vc_entry *vc;
    struct clp_entry *clp;
    uint64_t count[N_COUNTERS];
    uint16_t order[]; /* [sets * ways] */
};

/* What load->user says. 0, a load nobody introduced, enters as most recent. */
enum { CLASS_COHERENT = 0, CLASS_SMALL = 1, CLASS_LARGE = 2, CLASS_MASK = 3, STREAMS = 4, WATCHED = 8 };

/* ---- the partition ---- */

static void set_fcw(struct dacache *d, uint32_t fcw)
{
    d->fcw = fcw;
    int64_t ways = ((int64_t)fcw * d->v[WIDTH] + d->sets - 1) / d->sets, most = (int64_t)d->chain.ways - 1;
    d->p = (int32_t)(ways < most ? ways : most) - 1;
}

static bool is_local(const struct dacache *d, uint32_t rank)
{
    if (d->v[THRASH_CMP] == CMP_GT) return rank <= d->fcw / d->schedulers;
    return rank * d->schedulers < d->fcw;
}

static void count_full(struct dacache *d)
{
    if (d->cnt + 1 < d->v[CMAX]) {
        d->cnt++;
    } else if (d->fcw < d->v[WMAX]) {
        d->count[N_FCW_UP]++;
        d->cnt = (uint32_t)d->v[CMAX] / 2;
        set_fcw(d, d->fcw + 1);
    } else {
        d->cnt = (uint32_t)d->v[CMAX] - 1;
    }
}

/* The older the warp, the more an incomplete load tells that too many warps are protected. */
static void count_incomplete(struct dacache *d, uint32_t rank)
{
    uint32_t place = d->v[CNT_RANK_UNIT] == UNIT_SM ? rank * d->schedulers : rank;
    uint32_t loss = place >= d->fcw ? 1 : d->fcw - place;
    if (d->cnt > loss) {
        d->cnt -= loss;
    } else if (d->fcw > 1) {
        d->count[N_FCW_DOWN]++;
        d->cnt = (uint32_t)d->v[CMAX] / 2;
        set_fcw(d, d->fcw - 1);
    } else {
        d->cnt = 0;
    }
}

/* ---- what is known of coherent loads ---- */

static void flush_vc(struct dacache *d, uint16_t watched)
{
    d->watched = watched;
    d->vc_next = 0;
    for (int64_t i = 0; i < d->v[VC_ENTRIES]; i++) d->vc[i].used = false;
    d->count[N_VC_FLUSHES]++;
}

static const struct clp_entry *find_verdict(const struct dacache *d, uint32_t pc)
{
    for (int64_t i = 0; i < d->v[CLP_ENTRIES]; i++)
        if (d->clp[i].used && d->clp[i].pc == pc) return &d->clp[i];
    return NULL;
}

/* A pc is decided only while it has no verdict, so there is never one to overwrite. */
static void give_verdict(struct dacache *d, uint32_t pc, bool reuse)
{
    d->clp[d->clp_next] = (struct clp_entry){.pc = pc, .used = true, .reuse = reuse};
    d->clp_next = (d->clp_next + 1) % (uint32_t)d->v[CLP_ENTRIES];
    for (int64_t i = 0; i < d->v[VC_ENTRIES]; i++)
        if (d->vc[i].pc == pc) d->vc[i].used = false;
    d->count[reuse ? N_CLP_REUSE : N_CLP_STREAM]++;
}

static bool met_before(const struct dacache *d, uint32_t pc, uint64_t line)
{
    for (int64_t i = 0; i < d->v[VC_ENTRIES]; i++)
        if (d->vc[i].used && d->vc[i].pc == pc && d->vc[i].line == line) return true;
    return false;
}

/* One request of a watched load was accepted. */
static void watch(struct dacache *d, const struct wl_access *a)
{
    struct wl_load *l = a->load;
    if (!l || !(l->user & WATCHED)) return;
    if (met_before(d, l->pc, a->line)) {
        give_verdict(d, l->pc, true);
        l->user &= ~(uint64_t)WATCHED;
        return;
    }
    struct vc_entry out = d->vc[d->vc_next];
    d->vc[d->vc_next] = (struct vc_entry){.line = a->line, .pc = l->pc, .used = true};
    d->vc_next = (d->vc_next + 1) % (uint32_t)d->v[VC_ENTRIES];
    if (!out.used) return;
    give_verdict(d, out.pc, false);
    if (out.pc == l->pc) l->user = (l->user & ~(uint64_t)WATCHED) | STREAMS;
}

/* ---- loads ---- */

static void judge_coherent(struct dacache *d, struct wl_load *l)
{
    const struct clp_entry *known = find_verdict(d, l->pc);
    if (known) {
        d->count[N_CLP_KNOWN]++;
        if (!known->reuse) l->user |= STREAMS;
    } else if (l->rank == 0 && l->warp % d->schedulers == 0) {
        if (d->watched != l->warp) flush_vc(d, l->warp);
        l->user |= WATCHED;
    }
}

static void dacache_load_begin(void *self, struct wl_load *l)
{
    struct dacache *d = self;
    if (l->requests > d->v[COHERENT_MAX]) {
        l->user = l->requests <= d->v[MRU_REQ_MAX] ? CLASS_SMALL : CLASS_LARGE;
    } else {
        l->user = CLASS_COHERENT;
        if (d->v[CLP]) judge_coherent(d, l);
    }
}

static void dacache_load_end(void *self, const struct wl_load *l)
{
    struct dacache *d = self;
    bool full = !l->missed;
    if (l->requests <= d->v[COHERENT_MAX]) {
        d->count[N_COHERENT]++;
        d->count[N_COHERENT_FULL] += full;
        return;
    }
    d->count[N_DIVERGENT]++;
    d->count[N_DIVERGENT_FULL] += full;
    d->count[N_FCW_SUM] += d->fcw;
    if (d->v[PARTITION] == PARTITION_STATIC) return;
    if (full) count_full(d);
    else count_incomplete(d, l->rank);
}

static void dacache_warp_gone(void *self, unsigned warp)
{
    struct dacache *d = self;
    if (d->watched == warp) flush_vc(d, NO_WARP);
}

static void dacache_kernel_begin(void *self, uint64_t kernel_hash)
{
    (void)kernel_hash; /* pcs are unique in the program, so verdicts stay good */
    flush_vc(self, NO_WARP);
}

/* ---- insertion, promotion, replacement ---- */

static uint32_t gauge(const struct dacache *d, uint32_t rank)
{
    uint64_t at = (uint64_t)rank * d->schedulers * (uint64_t)d->v[WIDTH] / d->sets, last = d->chain.ways - 1;
    return (uint32_t)(at < last ? at : last);
}

static uint32_t insertion_position(struct dacache *d, const struct wl_load *l)
{
    uint32_t last = d->chain.ways - 1;
    if (!l) return 0;
    switch (l->user & CLASS_MASK) {
    case CLASS_SMALL: return d->v[STATIC0_STRICT] && d->fcw == 0 ? last : 0;
    case CLASS_LARGE: break;
    default: return l->user & STREAMS ? last : 0;
    }
    bool local = is_local(d, l->rank);
    d->count[local ? N_GAUGED : N_THRASHING]++;
    return local ? gauge(d, l->rank) : last;
}

static void dacache_on_insert(void *self, const struct wl_access *a, uint32_t way)
{
    struct dacache *d = self;
    watch(d, a);
    uint32_t to = insertion_position(d, a->load);
    d->count[N_INSERT + (to < 7 ? to : 7)]++;
    wl_chain_move(&d->chain, a->set, wl_chain_position(&d->chain, a->set, way), to);
}

static void dacache_on_hit(void *self, const struct wl_access *a, uint32_t way, bool merged)
{
    struct dacache *d = self;
    watch(d, a);
    if (merged && !d->v[PROMOTE_ON_MERGE]) return;
    uint32_t step = (uint32_t)d->v[PROMO], at = wl_chain_position(&d->chain, a->set, way);
    if (at == 0) return;
    wl_chain_move(&d->chain, a->set, at, step == 0 || step > at ? 0 : at - step);
    d->count[N_PROMOTIONS]++;
}

static void dacache_on_bypass(void *self, const struct wl_access *a)
{
    struct dacache *d = self;
    watch(d, a);
    d->count[N_BYPASSES]++;
}

static void dacache_on_kill(void *self, uint32_t set, uint32_t way)
{
    struct dacache *d = self;
    wl_chain_move(&d->chain, set, wl_chain_position(&d->chain, set, way), d->chain.ways - 1);
}

static int dacache_victim(void *self, const struct wl_access *a, const struct wl_set *s)
{
    const struct dacache *d = self;
    uint32_t lowest = d->v[REPLACE] == REPLACE_UNCON ? 0 : (uint32_t)(d->p + 1);
    int way = wl_chain_victim(&d->chain, a->set, s, lowest);
    if (way >= 0) return way;
    return d->v[REPLACE] == REPLACE_BYPASS ? WL_NO_WAY_BYPASS : WL_NO_WAY_STALL;
}

/* ---- life ---- */

static void dacache_destroy(void *self)
{
    struct dacache *d = self;
    free(d->vc);
    free(d->clp);
    free(d);
}

static void *dacache_create(const struct wl_geometry *g, const int64_t *values, const char **why)
{
    if (values[FCW_INIT] > values[WMAX] || values[CNT_INIT] >= values[CMAX]) {
        *why = values[FCW_INIT] > values[WMAX] ? "fcw_init is larger than wmax" : "cnt_init must be smaller than cmax";
        return NULL;
    }
    struct dacache *d = calloc(1, sizeof *d + sizeof d->order[0] * g->sets * g->ways);
    if (!d || !(d->vc = calloc((size_t)values[VC_ENTRIES], sizeof *d->vc)) ||
        !(d->clp = calloc((size_t)values[CLP_ENTRIES], sizeof *d->clp))) {
        *why = "out of memory";
        if (d) dacache_destroy(d);
        return NULL;
    }
    d->sets = g->sets;
    d->schedulers = g->schedulers ? g->schedulers : 1;
    for (unsigned i = 0; dacache_params[i].name; i++) d->v[i] = values[i];
    d->watched = NO_WARP;
    d->cnt = (uint32_t)values[CNT_INIT];
    wl_chain_init(&d->chain, d->order, g->sets, g->ways);
    bool fixed = values[PARTITION] == PARTITION_STATIC;
    set_fcw(d, fixed ? (uint32_t)values[STATIC_N] * d->schedulers : (uint32_t)values[FCW_INIT]);
    return d;
}

static uint64_t dacache_storage_bits(const void *self)
{
    const struct dacache *d = self;
    if (!d->v[CLP]) return 0;
    return (uint64_t)d->v[VC_ENTRIES] * (PC_BITS + LINE_BITS) + (uint64_t)d->v[CLP_ENTRIES] * (PC_BITS + 1);
}

static void dacache_read_counters(const void *self, uint64_t *out)
{
    const struct dacache *d = self;
    for (unsigned i = 0; i < N_COUNTERS; i++) out[i] = d->count[i];
    out[N_FCW] = d->fcw;
    out[N_CNT] = d->cnt;
}

extern const struct wl_cache_policy dacache_policy;
const struct wl_cache_policy dacache_policy = {
    .abi = WL_ABI,
    .name = "dacache",
    .help = "divergence-aware: gauged insertion, small promotions, a protected region, bypass",
    .levels = 1u << WL_L1,
    .params = dacache_params,
    .counters = dacache_counters,
    .create = dacache_create,
    .destroy = dacache_destroy,
    .storage_bits = dacache_storage_bits,
    .read_counters = dacache_read_counters,
    .victim = dacache_victim,
    .on_hit = dacache_on_hit,
    .on_insert = dacache_on_insert,
    .on_bypass = dacache_on_bypass,
    .on_kill = dacache_on_kill,
    .load_begin = dacache_load_begin,
    .load_end = dacache_load_end,
    .warp_launch = dacache_warp_gone, /* a slot reused: the warp watched there is another now */
    .warp_exit = dacache_warp_gone,
    .kernel_begin = dacache_kernel_begin,
};
