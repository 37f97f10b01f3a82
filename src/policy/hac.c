/* hac.c - HAC: in front of a memory that is half phase-change, keep what is dear to lose. And WBAR,
 * on which HAC builds.
 *
 * Idea (Wang, Cai, Ju, Zang, Zhao, Jia, "Shared Last-level Cache Management for GPGPUs with Hybrid
 * Main Memory"): a miss or a write-back costs more when it goes to non-volatile memory (NVM), so
 * lines of NVM should stay longer than lines of DRAM, dirty ones longest. A request that merges many
 * lanes (ea, its effective addresses) is expected to be repeated. And as too much protection of one
 * memory only moves the misses to the other, each set watches which memory it misses in.
 *
 * State: per set a saturating counter mc of log2(A)+1 bits, A being the number of ways, that starts
 * in the middle, loses 2 for a demand miss to NVM and gains 1 for one to DRAM; per line its memory
 * (one bit) and EA = A*(ea-1)/64 of its last request (log2(A/2) bits). Positions count from the old
 * end, the victim's, to A-1. The rules (Algorithms 1 and 2; all divisions round down, one by one):
 *
 *    a miss enters at      NVM                          DRAM
 *      a write             A-1 - mc/8                   A/2 + mc/4
 *      a demand request    A/2 - mc/8 + EA              A/8 + mc/4 + EA - 1      mc already updated
 *    a hit rises by        A-1 - mc/8                   A/2 + mc/4
 *
 * A demand read whose victim would be a dirty line of NVM with a larger EA bypasses the cache instead
 * and changes nothing. There is no ageing: such a line stays until it is written or a request of at
 * least its EA comes. bypass_limit (off) is a way out that is not the paper's; frozen_sets counts.
 *
 * What the paper leaves open: it says "writeback" for requests that dirty a line, a word from CPUs.
 * The L1D of a GPU writes through, so here every store counts (write_class), for else no line would
 * ever become dirty; a store's own ea becomes its line's EA. Atomics are demand requests that dirty
 * their line and cannot bypass. Requests without lanes (write-backs of local memory by an L1D) leave
 * EA alone on a hit and enter with 0; constants count as 32. ea counts lanes, not distinct words
 * (ea_count). A merge with a line in flight promotes like a hit (promote_on_merge), as it does in LRU.
 * An invalid way is filled first, without thought of bypassing, and mc still learns. For 8 and 16 ways
 * no formula leaves the set; for others positions are clamped.
 *
 * WBAR (Zhang et al., DAC 2016) is a reconstruction: its paper is not at hand. HAC's names for its
 * four positions - dirty or clean, NVM or DRAM - suggest that WBAR is HAC without ea and bypass, and
 * that is what `wbar` is. Read what is measured against it with that in mind.
 *
 * Storage as the paper counts it, 384 sets of 16 ways: 384 * 5 + 6144 * (1 + 3) bits = 3312 bytes, 0.42 %
 * of 768 KB; WBAR 384 * 5 + 6144 bits = 1008 bytes. The chain is LRU's and not counted. */
#include "warpline/chain.h"

enum { BYPASS, EA_TERM, EA_COUNT, TYPE, WRITE_CLASS, PROMOTE_ON_MERGE, MC_FIXED, BYPASS_LIMIT, HAC_PARAMS };
enum { COUNT_WORDS = 1 };
enum { ALL_WRITES, L1_WRITEBACKS };

/* clang-format off */
#define PARAM_WRITE_CLASS                                                                               \
    {"write_class", "", 0, 0, 1, "all_writes|l1_wrbk_only", "what the paper's \"writeback\" is: every " \
     "store, or only what an L1D writes back", "ours: else hardly a line would be dirty"}
#define PARAM_PROMOTE                                                                                     \
    {"promote_on_merge", "", 0, 1, 1, "no|yes", "a merge with a line in flight promotes it as a hit does", \
     "GPGPU-Sim"}
#define PARAM_MC_FIXED                                                                                   \
    {"mc_fixed", "", -1, -1, 255, NULL, "freezes the miss counter at this value; -1: it counts", "ablation"}
/* clang-format on */

static const struct wl_param hac_params[] = {
    [BYPASS] = {"bypass", "", 0, 1, 1, "off|on", "low-ea demand reads pass by dirty NVM victims of higher EA",
                "Algorithm 1"},
    [EA_TERM] = {"ea", "", 0, 1, 1, "off|on", "effective addresses count; off: EA is always 0", "Algorithm 1"},
    [EA_COUNT] = {"ea_count", "", 0, 0, 1, "lanes|words", "effective addresses: lanes, or distinct words",
                  "section III.B: references of threads"},
    [TYPE] = {"type", "", 0, 1, 1, "off|on", "memories are distinguished; off: every line is taken for DRAM",
              "section IV.A"},
    [WRITE_CLASS] = PARAM_WRITE_CLASS,
    [PROMOTE_ON_MERGE] = PARAM_PROMOTE,
    [MC_FIXED] = PARAM_MC_FIXED,
    [BYPASS_LIMIT] = {"bypass_limit", "requests", 0, 0, 65535, NULL,
                      "after so many bypasses in a row a set evicts; 0: never", "not in the paper"},
    WL_PARAM_END,
};

enum { IN_DN, IN_DD, IN_CN, IN_CD, IN_CLASSES }; /* {dirty, clean} x {NVM, DRAM} */
/* clang-format off */
enum {
    N_LINES, N_POSITIONS = N_LINES + IN_CLASSES, N_PROMOTED_DRAM = N_POSITIONS + IN_CLASSES, N_PROMOTED_NVM,
    N_BYPASSED_DRAM, N_BYPASSED_NVM, N_FROZEN, N_LIMITED, N_MC_SAMPLES, N_MC_SUM, N_MC_LOW, N_MC_HIGH, N_EA_NONE,
    N_EA /* 8 of them */, N_COUNTERS = N_EA + 8
};
/* clang-format on */
static const struct wl_counter hac_counters[] = {
    [N_LINES + IN_DN] = {"insert_dn", "lines", "NVM lines inserted by a write"},
    [N_LINES + IN_DD] = {"insert_dd", "lines", "DRAM lines inserted by a write"},
    [N_LINES + IN_CN] = {"insert_cn", "lines", "NVM lines inserted by a demand request"},
    [N_LINES + IN_CD] = {"insert_cd", "lines", "DRAM lines inserted by a demand request"},
    [N_POSITIONS + IN_DN] = {"position_dn", "positions", "sum of their positions, 0 = oldest; / insert_dn is the mean"},
    [N_POSITIONS + IN_DD] = {"position_dd", "positions", "the same for insert_dd"},
    [N_POSITIONS + IN_CN] = {"position_cn", "positions", "the same for insert_cn"},
    [N_POSITIONS + IN_CD] = {"position_cd", "positions", "the same for insert_cd"},
    [N_PROMOTED_DRAM] = {"promoted_dram", "requests", "hits and merges that promoted a DRAM line"},
    [N_PROMOTED_NVM] = {"promoted_nvm", "requests", "hits and merges that promoted an NVM line"},
    [N_BYPASSED_DRAM] = {"bypassed_dram", "requests", "requests to DRAM that bypassed the cache"},
    [N_BYPASSED_NVM] = {"bypassed_nvm", "requests", "requests to NVM that bypassed the cache"},
    [N_FROZEN] = {"frozen_sets", "times", "256 bypasses of one set in a row"},
    [N_LIMITED] = {"limited", "lines", "insertions that bypass_limit made instead of a bypass"},
    [N_MC_SAMPLES] = {"mc_samples", "misses", "demand misses that moved mc"},
    [N_MC_SUM] = {"mc_sum", "", "mc after each of them; / mc_samples is its mean"},
    [N_MC_LOW] = {"mc_low", "misses", "of these, with mc at 0"},
    [N_MC_HIGH] = {"mc_high", "misses", "of these, with mc at its maximum"},
    [N_EA_NONE] = {"ea_none", "requests", "accepted requests without lanes"},
    [N_EA] = {"ea_1_4", "requests", "accepted requests that found or took a line or bypassed, of 1 to 4 lanes"},
    {"ea_5_8", "requests", "of 5 to 8 lanes"},
    {"ea_9_12", "requests", "of 9 to 12"},
    {"ea_13_16", "requests", "of 13 to 16"},
    {"ea_17_20", "requests", "of 17 to 20"},
    {"ea_21_24", "requests", "of 21 to 24"},
    {"ea_25_28", "requests", "of 25 to 28"},
    {"ea_29_32", "requests", "of 29 to 32"},
    WL_COUNTER_END,
};

enum { FROZEN_RUN = 256 };

struct hac {
    struct wl_chain chain;
    uint32_t ways;
    bool wbar;
    int64_t v[HAC_PARAMS]; /* parameters; WBAR has three of them */
    uint16_t *ea;          /* [sets * ways] EA of each line */
    uint16_t *mc;          /* [sets] */
    uint16_t *run;         /* [sets] bypasses in a row */
    uint16_t order[];      /* of the chain; behind it ea, mc, run */
};

/* ---- making ---- */

static size_t hac_bytes(const struct wl_geometry *g, const int64_t *param)
{
    (void)param;
    return sizeof(struct hac) + sizeof(uint16_t) * 2 * (wl_chain_entries(g) + g->sets);
}

static bool make(struct wl_cache *c, const int64_t v[HAC_PARAMS], const char **why)
{
    struct hac *h = c->self;
    size_t lines = wl_chain_entries(&c->g);
    *why = "the formulas need at least 8 ways, a power of two";
    h->ways = c->g.ways;
    for (unsigned i = 0; i < HAC_PARAMS; i++) h->v[i] = v[i];
    wl_chain_init(&h->chain, h->order, &c->g);
    h->ea = h->order + lines;
    h->mc = h->ea + lines;
    h->run = h->mc + c->g.sets;
    for (uint32_t s = 0; s < c->g.sets; s++) h->mc[s] = (uint16_t)(v[MC_FIXED] >= 0 ? v[MC_FIXED] : (int64_t)h->ways);
    return h->ways >= 8 && !(h->ways & (h->ways - 1));
}

static bool hac_init(struct wl_cache *c, const char **why) { return make(c, c->param, why); }

static uint64_t hac_storage_bits(const struct wl_cache *c)
{
    const struct hac *h = c->self;
    uint64_t per_line = 1 + (h->wbar ? 0 : wl_bits_for(h->ways / 2));
    return c->g.sets * (wl_bits_for(h->ways) + 1) + wl_chain_entries(&c->g) * per_line;
}

/* ---- requests ---- */

/* Distinct 4-byte words among the touched bytes of a line; one at least, 32 at most. */
static uint32_t count_words(const uint64_t bytes[2])
{
    uint32_t n = 0;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t b = bytes[i] | bytes[i] >> 1;
        n += (uint32_t)__builtin_popcountll((b | b >> 2) & UINT64_C(0x1111111111111111));
    }
    return n ? n : 1;
}

/* 1 to 32, or 0: the request has none. */
static uint32_t effective_addresses(const struct hac *h, const struct wl_access *a)
{
    if (a->space == WL_CONST) return 32;
    return a->lanes && a->bytes && h->v[EA_COUNT] == COUNT_WORDS ? count_words(a->bytes) : a->lanes;
}

static uint32_t ea_group(const struct hac *h, const struct wl_access *a)
{
    uint32_t ea = effective_addresses(h, a);
    return ea && h->v[EA_TERM] ? h->ways * (ea - 1) / 64 : 0;
}

static bool is_writeback(const struct hac *h, const struct wl_access *a)
{
    return a->kind == WL_WRITEBACK || (a->kind == WL_STORE && h->v[WRITE_CLASS] == ALL_WRITES);
}

static bool is_nvm(const struct hac *h, const struct wl_access *a) { return a->nvm && h->v[TYPE]; }

static void count_request(struct wl_cache *c, const struct wl_access *a)
{
    uint32_t ea = effective_addresses(c->self, a);
    c->count[ea ? N_EA + (ea - 1) / 4 : N_EA_NONE]++;
}

/* ---- positions ---- */

/* How far a hit rises, and where a write enters. */
static int64_t high_place(const struct hac *h, uint32_t mc, bool nvm)
{
    return nvm ? (int64_t)h->ways - 1 - mc / 8 : h->ways / 2 + mc / 4;
}

static int64_t demand_place(const struct hac *h, uint32_t mc, bool nvm, uint32_t ea)
{
    return nvm ? (int64_t)(h->ways / 2) - mc / 8 + ea : (int64_t)(h->ways / 8) + mc / 4 + ea - 1;
}

/* A demand miss is about to take a line. */
static uint32_t learn(struct wl_cache *c, uint32_t set, bool nvm)
{
    struct hac *h = c->self;
    uint32_t mc = h->mc[set], top = 2 * h->ways - 1;
    if (h->v[MC_FIXED] < 0) mc = nvm ? (mc < 2 ? 0 : mc - 2) : (mc < top ? mc + 1 : top);
    h->mc[set] = (uint16_t)mc;
    c->count[N_MC_SAMPLES]++;
    c->count[N_MC_SUM] += mc;
    c->count[N_MC_LOW] += mc == 0;
    c->count[N_MC_HIGH] += mc == top;
    return mc;
}

/* ---- the cache asks ---- */

/* Whether the read should leave this line alone and bypass the cache. */
static bool prefers_bypass(const struct hac *h, const struct wl_access *a, uint32_t way, uint8_t state)
{
    if (!h->v[BYPASS] || !h->v[TYPE] || is_writeback(h, a) || a->kind == WL_ATOMIC) return false;
    if (state != (WL_VALID | WL_DIRTY | WL_NVM)) return false;
    return h->ea[(size_t)a->set * h->ways + way] > ea_group(h, a);
}

static int hac_victim(const struct wl_cache *c, const struct wl_access *a, const struct wl_set *s)
{
    const struct hac *h = c->self;
    int way = wl_chain_victim(&h->chain, a->set, s, 0);
    if (way < 0 || !prefers_bypass(h, a, (uint32_t)way, s->state[way])) return way;
    return h->v[BYPASS_LIMIT] && h->run[a->set] >= h->v[BYPASS_LIMIT] ? way : WL_NO_WAY_BYPASS;
}

/* ---- events of the cache ---- */

static void hac_hit(struct wl_cache *c, const struct wl_access *a, uint32_t way, bool merged)
{
    struct hac *h = c->self;
    bool nvm = is_nvm(h, a);
    if (effective_addresses(h, a)) h->ea[(size_t)a->set * h->ways + way] = (uint16_t)ea_group(h, a);
    if (merged && !h->v[PROMOTE_ON_MERGE]) return;
    int64_t rise = high_place(h, h->mc[a->set], nvm);
    wl_chain_promote(&h->chain, a->set, way, rise < 0 ? 0 : (uint32_t)rise);
    c->count[nvm ? N_PROMOTED_NVM : N_PROMOTED_DRAM]++;
}

static void hac_insert(struct wl_cache *c, const struct wl_access *a, uint32_t way)
{
    struct hac *h = c->self;
    bool nvm = is_nvm(h, a), write = is_writeback(h, a);
    uint32_t ea = ea_group(h, a);
    int64_t place = write ? high_place(h, h->mc[a->set], nvm) : demand_place(h, learn(c, a->set, nvm), nvm, ea);
    int64_t last = (int64_t)h->ways - 1;
    unsigned class = (write ? IN_DN : IN_CN) + (nvm ? 0u : 1u);
    if (place < 0) place = 0;
    if (place > last) place = last;
    wl_chain_put_above_oldest(&h->chain, a->set, way, place);
    h->ea[(size_t)a->set * h->ways + way] = (uint16_t)ea;
    c->count[N_LIMITED] += h->v[BYPASS_LIMIT] && h->run[a->set] >= h->v[BYPASS_LIMIT];
    h->run[a->set] = 0;
    c->count[N_LINES + class]++;
    c->count[N_POSITIONS + class] += (uint64_t)place;
}

static void bypass(struct wl_cache *c, const struct wl_access *a)
{
    struct hac *h = c->self;
    c->count[a->nvm ? N_BYPASSED_NVM : N_BYPASSED_DRAM]++;
    if (h->run[a->set] < UINT16_MAX) h->run[a->set]++;
    c->count[N_FROZEN] += h->run[a->set] == FROZEN_RUN;
}

static void hac_on_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    count_request(c, a);
    if (outcome == WL_MISSED) hac_insert(c, a, (uint32_t)way);
    else if (outcome == WL_BYPASSED) bypass(c, a);
    else hac_hit(c, a, (uint32_t)way, outcome == WL_MERGED);
}

extern const struct wl_cache_policy hac_policy;
const struct wl_cache_policy hac_policy = {
    .abi = WL_ABI,
    .name = "hac",
    .help = "hybrid-memory aware: NVM and many-lane lines stay longer, balanced by a miss counter per set",
    .levels = 1u << WL_L2,
    .params = hac_params,
    .counters = hac_counters,
    .bytes = hac_bytes,
    .init = hac_init,
    .storage_bits = hac_storage_bits,
    .victim = hac_victim,
    .on_access = hac_on_access,
};

/* ---- WBAR ---- */

static const struct wl_param wbar_params[] = {PARAM_WRITE_CLASS, PARAM_PROMOTE, PARAM_MC_FIXED, WL_PARAM_END};

static bool wbar_init(struct wl_cache *c, const char **why)
{
    const int64_t all[HAC_PARAMS] = {
        [TYPE] = 1, [WRITE_CLASS] = c->param[0], [PROMOTE_ON_MERGE] = c->param[1], [MC_FIXED] = c->param[2]};
    ((struct hac *)c->self)->wbar = true;
    return make(c, all, why);
}

extern const struct wl_cache_policy wbar_policy;
const struct wl_cache_policy wbar_policy = {
    .abi = WL_ABI,
    .name = "wbar",
    .help = "write-back aware, for hybrid memory (a reconstruction): HAC without effective addresses and bypass",
    .levels = 1u << WL_L2,
    .params = wbar_params,
    .counters = hac_counters,
    .bytes = hac_bytes,
    .init = wbar_init,
    .storage_bits = hac_storage_bits,
    .victim = hac_victim,
    .on_access = hac_on_access,
};
