/* abyp.c - adaptive bypassing by PC, with a second look from the L2.
 *
 * Idea (after Tian, Puthoor, Greathouse, Beckmann, Jimenez, GPGPU-8 2015; only the idea is at hand, so
 * this is a reconstruction): a table of counters, indexed by a hash of the load's PC, learns which
 * loads bring lines that die without being used again. A line evicted unused counts its PC up, the first
 * hit on a line counts it down, and loads whose counter has reached `threshold` bypass the L1D. A
 * bypassed load would never be tried again, so the L2 remembers who bypassed to a line: when the same
 * SM reads that line again, the L1D would have had a hit, and the reply says so: the counter of the PC
 * that bypassed goes down. Needs --l1 abyp --l2 abyp; without the latter there is no second look.
 *
 * Sizes are decisions: 128 counters of 4 bits; the hash xors the 7-bit pieces of pc / 8. A merge
 * counts as a hit; lines killed by a store teach nothing. In the L2 the mark is set when the read is
 * accepted, also when its data is still on the way, and an unmarked read that finds the mark takes it.
 * Both caches are LRU otherwise.
 * Storage: 512 bits of counters and 8 bits per line in the L1D (hash, reused); 12 bits per line in the L2
 * (mark, hash, SM). */
#include "warpline/chain.h"
#include "warpline/policy_notes.h"

enum { THRESHOLD };
static const struct wl_param abyp_params[] = {
    [THRESHOLD] = {"threshold", "", 1, 8, 15, NULL, "counter from which a load bypasses", "a decision; to be swept"},
    WL_PARAM_END,
};

enum { N_TABLE, N_BYPASSED, N_UP, N_DOWN, N_CORRECTED, N_FLAGGED };
static const struct wl_counter abyp_counters[] = {
    [N_TABLE] = {"table_accesses", "accesses", "accesses to the counters; priced by the energy model"},
    [N_BYPASSED] = {"bypassed", "requests", "L1D: loads that bypassed the cache"},
    [N_UP] = {"unused_lines", "lines", "L1D: lines evicted without a hit"},
    [N_DOWN] = {"first_hits", "lines", "L1D: lines hit for the first time"},
    [N_CORRECTED] = {"corrections", "replies", "L1D: replies that said a bypassed line was read again"},
    [N_FLAGGED] = {"flagged", "reads", "L2: reads of a line the same SM had bypassed to"},
    WL_COUNTER_END,
};

enum { ENTRIES = 128, COUNTER_MAX = 15, MARK = 128 /* of a note: a hash is in it */ };

struct abyp_line {
    uint8_t hash, sm;
    bool reused; /* L2: marked */
};

struct abyp {
    struct wl_chain chain;
    uint8_t note; /* for the read just accepted: L1, with its request; L2, with its reply */
    uint8_t counter[ENTRIES];
    struct abyp_line *line; /* [sets * max_ways] */
    uint16_t order[];       /* of the chain; behind it the lines */
};

static size_t abyp_bytes(const struct wl_geometry *g, const int64_t *param)
{
    (void)param;
    return sizeof(struct abyp) + wl_chain_entries(g) * (sizeof(uint16_t) + sizeof(struct abyp_line));
}

static bool abyp_init(struct wl_cache *c, const char **why)
{
    (void)why;
    struct abyp *s = c->self;
    s->line = (struct abyp_line *)(s->order + wl_chain_entries(&c->g));
    wl_chain_init(&s->chain, s->order, &c->g);
    return true;
}

static uint64_t abyp_storage_bits(const struct wl_cache *c)
{
    uint64_t lines = wl_chain_entries(&c->g);
    return c->g.level == WL_L2 ? 12 * lines : 4 * ENTRIES + 8 * lines;
}

static uint8_t hash_of(uint32_t pc)
{
    uint32_t h = 0;
    for (pc >>= 3; pc; pc >>= 7) h ^= pc & (ENTRIES - 1);
    return (uint8_t)h;
}

static bool is_subject(const struct wl_access *a) { return a->kind == WL_LOAD && a->space == WL_GLOBAL; }

static int abyp_victim(const struct wl_cache *c, const struct wl_access *a, const struct wl_set *set)
{
    const struct abyp *s = c->self;
    if (c->g.level == WL_L1 && is_subject(a) && s->counter[hash_of(a->pc)] >= c->param[THRESHOLD])
        return WL_NO_WAY_BYPASS;
    return wl_chain_victim(&s->chain, a->set, set, 0);
}

/* ---- the L1D learns ---- */

static void count_down(struct wl_cache *c, uint8_t hash)
{
    struct abyp *s = c->self;
    c->count[N_TABLE]++;
    if (s->counter[hash]) s->counter[hash]--;
}

static void l1_hit(struct wl_cache *c, struct abyp_line *l)
{
    if (l->reused) return;
    l->reused = true;
    c->count[N_DOWN]++;
    count_down(c, l->hash);
}

static void abyp_on_leave(struct wl_cache *c, const struct wl_line *gone, enum wl_leave why, const struct wl_access *by)
{
    (void)by;
    struct abyp *s = c->self;
    const struct abyp_line *l = &s->line[(size_t)gone->set * c->g.max_ways + gone->way];
    if (why != WL_EVICTED || c->g.level == WL_L2 || l->reused) return;
    c->count[N_UP]++;
    c->count[N_TABLE]++;
    if (s->counter[l->hash] < COUNTER_MAX) s->counter[l->hash]++;
}

/* Bypassed reads carry their hash, those that take a line nothing. */
static uint8_t abyp_request(struct wl_cache *c, const struct wl_access *a)
{
    (void)a;
    struct abyp *s = c->self;
    uint8_t note = s->note;
    c->count[N_TABLE]++;
    s->note = 0;
    return note;
}

static void abyp_arrived(struct wl_cache *c, uint8_t note)
{
    c->count[N_CORRECTED]++;
    count_down(c, note & (ENTRIES - 1));
}

/* ---- the L2 remembers ---- */

static void l2_read(struct wl_cache *c, const struct wl_access *a, struct abyp_line *l, bool hit)
{
    struct abyp *s = c->self;
    s->note = 0;
    if (a->kind != WL_LOAD) return;
    if (hit && l->reused && l->sm == a->sm) {
        s->note = (uint8_t)(MARK | l->hash);
        c->count[N_FLAGGED]++;
        l->reused = false;
    }
    if (a->note & MARK) *l = (struct abyp_line){.hash = a->note & (ENTRIES - 1), .sm = a->sm, .reused = true};
}

static uint8_t abyp_reply(struct wl_cache *c, const struct wl_access *a)
{
    (void)a;
    return ((struct abyp *)c->self)->note;
}

/* ---- both ---- */

static void abyp_on_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    struct abyp *s = c->self;
    if (outcome == WL_BYPASSED) {
        c->count[N_BYPASSED]++;
        if (is_subject(a)) s->note = (uint8_t)(MARK | hash_of(a->pc));
    }
    if (outcome > WL_MISSED) return;
    struct abyp_line *l = &s->line[(size_t)a->set * c->g.max_ways + (uint32_t)way];
    bool hit = outcome != WL_MISSED;
    wl_chain_touch(&s->chain, a->set, (uint32_t)way);
    if (!hit) *l = (struct abyp_line){.hash = hash_of(a->pc)};
    if (c->g.level == WL_L2) l2_read(c, a, l, hit);
    else if (hit) l1_hit(c, l);
}

static const struct wl_note_hooks abyp_notes = {abyp_request, abyp_reply, abyp_arrived};

extern const struct wl_cache_policy abyp_policy;
const struct wl_cache_policy abyp_policy = {
    .abi = WL_ABI,
    .name = "abyp",
    .help = "adaptive bypassing by PC (reconstructed): loads whose lines die unused bypass; --l2 abyp corrects it",
    .levels = 1u << WL_L1 | 1u << WL_L2,
    .params = abyp_params,
    .counters = abyp_counters,
    .answers_drift = true, /* a reply counts down */
    .bytes = abyp_bytes,
    .init = abyp_init,
    .storage_bits = abyp_storage_bits,
    .victim = abyp_victim,
    .on_access = abyp_on_access,
    .on_leave = abyp_on_leave,
    .on_kernel = wl_chain_on_kernel,
    .notes = &abyp_notes,
};
