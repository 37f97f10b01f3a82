/* dacache.c - DaCache: keep the lines of the few oldest warps together.
 *
 * Idea (Wang, Yu, Sun, Wang, ICS 2015): a divergent load asks for up to 32 lines and its warp
 * waits for the last of them, so a cache full of halves of all warps' working sets helps none of them.
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
 *    (replace=stall) or bypasses the cache with just the 32-byte segments it needs (bypass).
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
 * description (thrash_cmp, promote_on_merge, cnt_rank_unit, static0_strict, merge_counts).
 * Who is local (thrash_cmp): section 4.3 calls a warp thrashing whose priority is "higher than (p+1)/N", and
 * 5.4 says that Static3 and Static4 give the same positions to all warps: both mean gt. That local lines go into the
 * region (4.3), that StaticN protects N warps of each scheduler, and that Static0 protects none (5.4) mean ge; with
 * gt it is N+1, and Static0 has to be a case of its own. No test satisfies all five; ge satisfies three.
 * Whether a merge is a miss: the word says no more than the simulator it was written in, and 3.2.1's data cache
 * answers MISS and counts a read miss for a merge (gpu-cache.cc, rd_miss_base); its tag array calls it a pending
 * hit. The warp waits either way, so it counts.
 * Decisions without a parameter: an invalid way is taken wherever it lies; p is at most ways-2, so that
 * there is always a way to replace; a line killed by a store goes to the old end; a bypass
 * makes a load incomplete; FCW and CNT live on from kernel to kernel.
 *
 * A load is latched when its first request meets the tags (loads.begin): its class and the verdict
 * on its pc are kept in load->user. Loads meet the tags one after another, so the paper's Div-reg and
 * FCW-reg are load->requests and load->missed at loads.end.
 *
 * Storage as the paper counts it: VC 16 * (45 bits of pc + 41 of line) = 1376 bits = 172 bytes, CLP
 * 32 * (45 + 1) = 1472 bits = 184 bytes. Not counted, there or here: CNT (8), FCW (6), two flags,
 * and the chain, which the LRU it replaces had already. No field is added to a line. */
#include "warpline/chain.h"
#include "warpline/policy_loads.h"

/* ---- parameters and counters ---- */

/* clang-format off */
enum {
    PARTITION, STATIC_N, REPLACE, PROMO, FCW_INIT, CNT_INIT, CMAX, WMAX, CLP, VC_ENTRIES, CLP_ENTRIES, MRU_REQ_MAX,
    COHERENT_MAX, WIDTH, THRASH_CMP, PROMOTE_ON_MERGE, STATIC0_STRICT, CNT_RANK_UNIT, MERGE_COUNTS
};
/* clang-format on */
enum { PARTITION_DYN, PARTITION_STATIC };
enum { REPLACE_UNCON, REPLACE_STALL, REPLACE_BYPASS };
enum { CMP_GE, CMP_GT };
enum { UNIT_SCHED, UNIT_SM };

static const struct wl_param dacache_params[] = {
    [PARTITION] = {"partition", "", 0, 0, 1, "dyn|static", "the locality region follows CNT, or is fixed",
                   "section 4.4: dyn"},
    [STATIC_N] = {"static_n", "warps", 0, 2, 64, NULL, "static: fully cached warps per scheduler",
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
                    "local warps: rank * schedulers < FCW, or rank <= FCW / schedulers and FCW not 0",
                    "of five statements in sections 4.3 and 5.4 three mean ge, two gt"},
    [PROMOTE_ON_MERGE] = {"promote_on_merge", "", 0, 1, 1, "no|yes", "a merge with a line in flight promotes it",
                          "GPGPU-Sim 3.2.1"},
    [STATIC0_STRICT] = {"static0_strict", "", 0, 0, 1, "no|yes",
                        "with FCW 0 small divergent loads enter at the old end too", "section 4.2: no"},
    [CNT_RANK_UNIT] = {"cnt_rank_unit", "", 0, 0, 1, "sched|sm", "FCW is compared with the rank, or rank * schedulers",
                       "Fig. 7 read literally: sched"},
    [MERGE_COUNTS] = {"merge_counts", "", 0, 1, 1, "no|yes", "a merge with a line in flight makes a load incomplete",
                      "section 4.4: a cache miss sets FCW-reg; GPGPU-Sim 3.2.1's rd_miss_base counts a merge as one"},
    WL_PARAM_END,
};

/* clang-format off */
enum {
    N_COHERENT, N_COHERENT_FULL, N_DIVERGENT, N_DIVERGENT_FULL, N_PROMOTIONS, N_BYPASSES, N_GAUGED, N_THRASHING,
    N_FCW_UP, N_FCW_DOWN, N_FCW_SUM, N_CLP_REUSE, N_CLP_STREAM, N_CLP_KNOWN, N_VC_FLUSHES, N_FCW, N_CNT,
    N_INSERT /* 8 of them */
};
/* clang-format on */
static const struct wl_counter dacache_counters[] = {
    [N_COHERENT] = {"coherent_loads", "loads", "loads of up to coherent_max requests"},
    [N_COHERENT_FULL] = {"coherent_full", "loads", "of these, all requests hit"},
    [N_DIVERGENT] = {"divergent_loads", "loads", "loads of more requests"},
    [N_DIVERGENT_FULL] = {"divergent_full", "loads", "of these, all requests hit"},
    [N_PROMOTIONS] = {"promotions", "hits", "hits that moved their line"},
    [N_BYPASSES] = {"bypasses", "requests", "load requests that this scheme let bypass the cache"},
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
    uint32_t schedulers;
    uint32_t fcw, cnt;
    int32_t p;                  /* last position of the locality region; -1: there is none */
    uint16_t watched;           /* the warp whose coherent loads pass through the VC */
    uint32_t vc_next, clp_next; /* where the next entry goes */
    struct vc_entry *vc;        /* [vc_entries] = room */
    struct clp_entry *clp;      /* [clp_entries] */
    struct vc_entry room[];     /* vc; behind it clp and the chain */
};

/* What load->user says. 0, which also a load without load_begin has, enters as most recent. */
enum { CLASS_COHERENT = 0, CLASS_SMALL = 1, CLASS_LARGE = 2, CLASS_MASK = 3, STREAMS = 4, WATCHED = 8 };

/* ---- the partition ---- */

static void set_fcw(struct wl_cache *c, uint32_t fcw)
{
    struct dacache *d = c->self;
    d->fcw = fcw;
    int64_t ways = ((int64_t)fcw * c->param[WIDTH] + c->g.sets - 1) / c->g.sets, most = (int64_t)c->g.ways - 1;
    d->p = (int32_t)(ways < most ? ways : most) - 1;
}

static bool is_local(const struct wl_cache *c, uint32_t rank)
{
    const struct dacache *d = c->self;
    if (c->param[THRASH_CMP] == CMP_GT) return d->fcw && rank <= d->fcw / d->schedulers; /* Static0 has no region */
    return rank * d->schedulers < d->fcw;
}

static void count_full(struct wl_cache *c)
{
    struct dacache *d = c->self;
    if (d->cnt + 1 < c->param[CMAX]) {
        d->cnt++;
    } else if (d->fcw < c->param[WMAX]) {
        c->count[N_FCW_UP]++;
        d->cnt = (uint32_t)c->param[CMAX] / 2;
        set_fcw(c, d->fcw + 1);
    } else {
        d->cnt = (uint32_t)c->param[CMAX] - 1;
    }
}

/* The older the warp, the stronger the sign of an incomplete load that too many warps are protected. */
static void count_incomplete(struct wl_cache *c, uint32_t rank)
{
    struct dacache *d = c->self;
    uint32_t place = c->param[CNT_RANK_UNIT] == UNIT_SM ? rank * d->schedulers : rank;
    uint32_t loss = place >= d->fcw ? 1 : d->fcw - place;
    if (d->cnt > loss) {
        d->cnt -= loss;
    } else if (d->fcw > 1) {
        c->count[N_FCW_DOWN]++;
        d->cnt = (uint32_t)c->param[CMAX] / 2;
        set_fcw(c, d->fcw - 1);
    } else {
        d->cnt = 0;
    }
}

/* ---- what is known of coherent loads ---- */

static void flush_vc(struct wl_cache *c, uint16_t watched)
{
    struct dacache *d = c->self;
    d->watched = watched;
    d->vc_next = 0;
    for (int64_t i = 0; i < c->param[VC_ENTRIES]; i++) d->vc[i].used = false;
    c->count[N_VC_FLUSHES]++;
}

static const struct clp_entry *find_verdict(const struct wl_cache *c, uint32_t pc)
{
    const struct dacache *d = c->self;
    for (int64_t i = 0; i < c->param[CLP_ENTRIES]; i++)
        if (d->clp[i].used && d->clp[i].pc == pc) return &d->clp[i];
    return NULL;
}

/* A pc is decided only while it has no verdict, so there is never one to overwrite. */
static void give_verdict(struct wl_cache *c, uint32_t pc, bool reuse)
{
    struct dacache *d = c->self;
    d->clp[d->clp_next] = (struct clp_entry){.pc = pc, .used = true, .reuse = reuse};
    d->clp_next = (d->clp_next + 1) % (uint32_t)c->param[CLP_ENTRIES];
    for (int64_t i = 0; i < c->param[VC_ENTRIES]; i++)
        if (d->vc[i].pc == pc) d->vc[i].used = false;
    c->count[reuse ? N_CLP_REUSE : N_CLP_STREAM]++;
}

static bool met_before(const struct wl_cache *c, uint32_t pc, uint64_t line)
{
    const struct dacache *d = c->self;
    for (int64_t i = 0; i < c->param[VC_ENTRIES]; i++)
        if (d->vc[i].used && d->vc[i].pc == pc && d->vc[i].line == line) return true;
    return false;
}

/* One request of a watched load was accepted. */
static void dacache_watch(struct wl_cache *c, const struct wl_access *a)
{
    struct dacache *d = c->self;
    struct wl_load *l = a->load;
    if (!l || !(l->user & WATCHED)) return;
    if (met_before(c, l->pc, a->line)) {
        give_verdict(c, l->pc, true);
        l->user &= ~(uint64_t)WATCHED;
        return;
    }
    struct vc_entry out = d->vc[d->vc_next];
    d->vc[d->vc_next] = (struct vc_entry){.line = a->line, .pc = l->pc, .used = true};
    d->vc_next = (d->vc_next + 1) % (uint32_t)c->param[VC_ENTRIES];
    if (!out.used) return;
    give_verdict(c, out.pc, false);
    if (out.pc == l->pc) l->user = (l->user & ~(uint64_t)WATCHED) | STREAMS;
}

/* ---- loads ---- */

static void judge_coherent(struct wl_cache *c, struct wl_load *l)
{
    struct dacache *d = c->self;
    const struct clp_entry *known = find_verdict(c, l->pc);
    if (known) {
        c->count[N_CLP_KNOWN]++;
        if (!known->reuse) l->user |= STREAMS;
    } else if (l->rank == 0 && l->warp % d->schedulers == 0) {
        if (d->watched != l->warp) flush_vc(c, l->warp);
        l->user |= WATCHED;
    }
}

static void dacache_load_begin(struct wl_cache *c, struct wl_load *l)
{
    if (l->requests > c->param[COHERENT_MAX]) {
        l->user = l->requests <= c->param[MRU_REQ_MAX] ? CLASS_SMALL : CLASS_LARGE;
    } else {
        l->user = CLASS_COHERENT;
        if (c->param[CLP]) judge_coherent(c, l);
    }
}

static void dacache_load_end(struct wl_cache *c, const struct wl_load *l)
{
    struct dacache *d = c->self;
    bool full = c->param[MERGE_COUNTS] ? !l->missed : l->missed == l->merged;
    if (l->requests <= c->param[COHERENT_MAX]) {
        c->count[N_COHERENT]++;
        c->count[N_COHERENT_FULL] += full;
        return;
    }
    c->count[N_DIVERGENT]++;
    c->count[N_DIVERGENT_FULL] += full;
    c->count[N_FCW_SUM] += d->fcw;
    if (c->param[PARTITION] == PARTITION_STATIC) return;
    if (full) count_full(c);
    else count_incomplete(c, l->rank);
    c->count[N_FCW] = d->fcw;
    c->count[N_CNT] = d->cnt;
}

static void dacache_warp_gone(struct wl_cache *c, unsigned warp)
{
    if (((const struct dacache *)c->self)->watched == warp) flush_vc(c, NO_WARP);
}

/* Verdicts stay good from kernel to kernel, as pcs are unique in the program; the region depends on the ways. */
static void dacache_on_kernel(struct wl_cache *c, enum wl_phase phase, const struct wl_kernel *k)
{
    if (phase != WL_BEGIN) return;
    wl_chain_on_kernel(c, phase, k);
    set_fcw(c, ((const struct dacache *)c->self)->fcw);
    flush_vc(c, NO_WARP);
}

/* ---- insertion, promotion, replacement ---- */

static uint32_t gauge(const struct wl_cache *c, uint32_t rank)
{
    const struct dacache *d = c->self;
    uint64_t at = (uint64_t)rank * d->schedulers * (uint64_t)c->param[WIDTH] / c->g.sets, last = c->g.ways - 1;
    return (uint32_t)(at < last ? at : last);
}

static uint32_t insertion_position(struct wl_cache *c, const struct wl_load *l)
{
    struct dacache *d = c->self;
    uint32_t last = c->g.ways - 1;
    if (!l) return 0;
    switch (l->user & CLASS_MASK) {
    case CLASS_SMALL: return c->param[STATIC0_STRICT] && d->fcw == 0 ? last : 0;
    case CLASS_LARGE: break;
    default: return l->user & STREAMS ? last : 0;
    }
    bool local = is_local(c, l->rank);
    c->count[local ? N_GAUGED : N_THRASHING]++;
    return local ? gauge(c, l->rank) : last;
}

static void dacache_insert(struct wl_cache *c, const struct wl_access *a, uint32_t way)
{
    struct dacache *d = c->self;
    uint32_t to = insertion_position(c, a->load);
    c->count[N_INSERT + (to < 7 ? to : 7)]++;
    wl_chain_put(&d->chain, a->set, way, to);
}

static void dacache_promote(struct wl_cache *c, uint32_t set, uint32_t way)
{
    struct dacache *d = c->self;
    uint32_t step = (uint32_t)c->param[PROMO], at = wl_chain_position(&d->chain, set, way);
    if (at == 0) return;
    wl_chain_move(&d->chain, set, at, step == 0 || step > at ? 0 : at - step);
    c->count[N_PROMOTIONS]++;
}

static void dacache_on_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    if (outcome == WL_STORED) return;
    dacache_watch(c, a);
    if (outcome == WL_BYPASSED) c->count[N_BYPASSES]++;
    else if (outcome == WL_MISSED) dacache_insert(c, a, (uint32_t)way);
    else if (outcome == WL_HIT || c->param[PROMOTE_ON_MERGE]) dacache_promote(c, a->set, (uint32_t)way);
}

static void dacache_on_leave(struct wl_cache *c, const struct wl_line *gone, enum wl_leave why,
                             const struct wl_access *by)
{
    (void)by;
    struct dacache *d = c->self;
    if (why != WL_EVICTED) wl_chain_put(&d->chain, gone->set, gone->way, c->g.ways - 1);
}

static int dacache_victim(const struct wl_cache *c, const struct wl_access *a, const struct wl_set *s)
{
    const struct dacache *d = c->self;
    uint32_t lowest = c->param[REPLACE] == REPLACE_UNCON ? 0 : (uint32_t)(d->p + 1);
    int way = wl_chain_victim(&d->chain, a->set, s, lowest);
    if (way >= 0) return way;
    return c->param[REPLACE] == REPLACE_BYPASS ? WL_NO_WAY_BYPASS : WL_NO_WAY_STALL;
}

/* ---- life ---- */

static size_t dacache_bytes(const struct wl_geometry *g, const int64_t *param)
{
    return sizeof(struct dacache) + (size_t)param[VC_ENTRIES] * sizeof(struct vc_entry) +
           (size_t)param[CLP_ENTRIES] * sizeof(struct clp_entry) + wl_chain_entries(g) * sizeof(uint16_t);
}

static bool dacache_init(struct wl_cache *c, const char **why)
{
    struct dacache *d = c->self;
    const int64_t *v = c->param;
    *why = v[FCW_INIT] > v[WMAX] ? "fcw_init is larger than wmax" : "cnt_init must be smaller than cmax";
    d->schedulers = c->g.schedulers ? c->g.schedulers : 1;
    d->watched = NO_WARP;
    d->vc = d->room;
    d->clp = (struct clp_entry *)(d->vc + v[VC_ENTRIES]);
    wl_chain_init(&d->chain, (uint16_t *)(d->clp + v[CLP_ENTRIES]), &c->g);
    set_fcw(c, (uint32_t)(v[PARTITION] == PARTITION_STATIC ? v[STATIC_N] * d->schedulers : v[FCW_INIT]));
    c->count[N_FCW] = d->fcw;
    c->count[N_CNT] = d->cnt = (uint32_t)v[CNT_INIT];
    return v[FCW_INIT] <= v[WMAX] && v[CNT_INIT] < v[CMAX];
}

static uint64_t dacache_storage_bits(const struct wl_cache *c)
{
    const int64_t *v = c->param;
    return v[CLP] ? (uint64_t)(v[VC_ENTRIES] * (PC_BITS + LINE_BITS) + v[CLP_ENTRIES] * (PC_BITS + 1)) : 0;
}

static const struct wl_load_hooks dacache_loads = {
    .begin = dacache_load_begin,
    .end = dacache_load_end,
    .warp_launch = dacache_warp_gone, /* a slot reused: the warp watched there is another now */
    .warp_exit = dacache_warp_gone,
};

extern const struct wl_cache_policy dacache_policy;
const struct wl_cache_policy dacache_policy = {
    .abi = WL_ABI,
    .name = "dacache",
    .help = "divergence-aware: gauged insertion, small promotions, a protected region, bypass",
    .levels = 1u << WL_L1,
    .params = dacache_params,
    .counters = dacache_counters,
    .bytes = dacache_bytes,
    .init = dacache_init,
    .storage_bits = dacache_storage_bits,
    .victim = dacache_victim,
    .on_access = dacache_on_access,
    .on_leave = dacache_on_leave,
    .on_kernel = dacache_on_kernel,
    .loads = &dacache_loads,
};
