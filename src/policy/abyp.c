/* abyp.c - adaptive bypassing by PC, with a second look from the L2.
 *
 * Idea (after Tian, Puthoor, Greathouse, Beckmann, Jimenez, GPGPU-8 2015; only the idea is at hand, so
 * this is a reconstruction): a table of counters, indexed by a hash of the load's PC, learns which
 * loads bring lines that die without being used again. A line evicted unused counts its PC up, the first
 * hit on a line counts it down, and loads whose counter has reached `threshold` go past the L1D. A
 * bypassed load would never be tried again, so the L2 remembers who bypassed to a line: when the same
 * SM reads that line again, the L1D would have had a hit, and the reply says so: the counter of the PC
 * that bypassed goes down. Needs --l1 abyp --l2 abyp; without the latter there is no second look.
 *
 * Sizes are decisions: 128 counters of 4 bits; the hash xors the 7-bit pieces of pc / 8. A merge
 * counts as a hit; lines killed by a store teach nothing. In the L2 the mark is set when the read is
 * accepted, also when its data is still on the way, and an unmarked read that finds the mark takes it.
 * Both caches are LRU otherwise.
 * Storage: 512 bits of counters and 8 bits a line in the L1D (hash, reused); 12 bits a line in the L2
 * (mark, hash, SM). */
#include <stdlib.h>

#include "warpline/policy.h"

enum { THRESHOLD };
static const struct wl_param abyp_params[] = {
    [THRESHOLD] = {"threshold", "", 1, 8, 15, NULL, "counter from which a load bypasses", "a decision; to be swept"},
    WL_PARAM_END,
};

enum { N_TABLE, N_BYPASSED, N_UP, N_DOWN, N_CORRECTED, N_FLAGGED, N_COUNTERS };
static const struct wl_counter abyp_counters[] = {
    [N_TABLE] = {"table_accesses", "accesses", "accesses to the counters; priced by the energy model"},
    [N_BYPASSED] = {"bypassed", "requests", "L1D: loads sent past the cache"},
    [N_UP] = {"unused_lines", "lines", "L1D: lines evicted without a hit"},
    [N_DOWN] = {"first_hits", "lines", "L1D: lines hit for the first time"},
    [N_CORRECTED] = {"corrections", "replies", "L1D: replies that said a bypassed line was read again"},
    [N_FLAGGED] = {"flagged", "reads", "L2: reads of a line the same SM had bypassed to"},
    WL_COUNTER_END,
};

enum { ENTRIES = 128, COUNTER_MAX = 15, MARK = 128 /* of a note: a hash is in it */ };

struct line {
    uint8_t hash, sm;
    bool reused; /* L2: marked */
};

struct abyp {
    struct wl_chain chain;
    bool is_l2;
    uint32_t sets;
    uint8_t threshold;
    uint8_t note; /* for the read just accepted: L1, with its request; L2, with its reply */
    uint8_t counter[ENTRIES];
    uint64_t count[N_COUNTERS];
    struct line *line;
    uint16_t order[];
};

static void abyp_destroy(void *self)
{
    struct abyp *s = self;
    free(s->line);
    free(s);
}

static void *abyp_create(const struct wl_geometry *g, const int64_t *values, const char **why)
{
    size_t lines = (size_t)g->sets * g->ways;
    struct abyp *s = calloc(1, sizeof *s + lines * sizeof s->order[0]);
    *why = "out of memory";
    if (!s) return NULL;
    s->is_l2 = g->level == WL_L2;
    s->sets = g->sets;
    s->threshold = (uint8_t)values[THRESHOLD];
    s->line = calloc(lines, sizeof *s->line);
    if (!s->line) return abyp_destroy(s), NULL;
    wl_chain_init(&s->chain, s->order, g->sets, g->ways);
    return s;
}

static uint64_t abyp_storage_bits(const void *self)
{
    const struct abyp *s = self;
    uint64_t lines = (uint64_t)s->sets * s->chain.ways;
    return s->is_l2 ? 12 * lines : 4 * ENTRIES + 8 * lines;
}

static void abyp_read_counters(const void *self, uint64_t *out)
{
    for (unsigned i = 0; i < N_COUNTERS; i++) out[i] = ((const struct abyp *)self)->count[i];
}

static uint8_t hash_of(uint32_t pc)
{
    uint32_t h = 0;
    for (pc >>= 3; pc; pc >>= 7) h ^= pc & (ENTRIES - 1);
    return (uint8_t)h;
}

static bool is_subject(const struct wl_access *a) { return a->kind == WL_LOAD && a->space == WL_GLOBAL; }

static int abyp_victim(void *self, const struct wl_access *a, const struct wl_set *set)
{
    const struct abyp *s = self;
    if (!s->is_l2 && is_subject(a) && s->counter[hash_of(a->pc)] >= s->threshold) return WL_NO_WAY_BYPASS;
    int way = wl_chain_victim(&s->chain, a->set, set, 0);
    return way < 0 ? WL_NO_WAY_STALL : way;
}

/* ---- the L1D learns ---- */

static void count_down(struct abyp *s, uint8_t hash)
{
    s->count[N_TABLE]++;
    if (s->counter[hash]) s->counter[hash]--;
}

static void l1_hit(struct abyp *s, struct line *l)
{
    if (l->reused) return;
    l->reused = true;
    s->count[N_DOWN]++;
    count_down(s, l->hash);
}

static void abyp_on_evict(void *self, const struct wl_access *a, uint32_t way, uint64_t line, uint8_t state)
{
    (void)line, (void)state;
    struct abyp *s = self;
    struct line *l = &s->line[a->set * s->chain.ways + way];
    if (s->is_l2 || l->reused) return;
    s->count[N_UP]++;
    s->count[N_TABLE]++;
    if (s->counter[l->hash] < COUNTER_MAX) s->counter[l->hash]++;
}

static void abyp_on_bypass(void *self, const struct wl_access *a)
{
    struct abyp *s = self;
    s->count[N_BYPASSED]++;
    if (is_subject(a)) s->note = (uint8_t)(MARK | hash_of(a->pc));
}

/* Bypassed reads carry their hash, those that take a line nothing. */
static uint8_t abyp_request_note(void *self, const struct wl_access *a)
{
    (void)a;
    struct abyp *s = self;
    uint8_t note = s->note;
    s->count[N_TABLE]++;
    s->note = 0;
    return note;
}

static void abyp_on_reply(void *self, uint8_t note)
{
    struct abyp *s = self;
    s->count[N_CORRECTED]++;
    count_down(s, note & (ENTRIES - 1));
}

/* ---- the L2 remembers ---- */

static void l2_read(struct abyp *s, const struct wl_access *a, struct line *l, bool hit)
{
    s->note = 0;
    if (a->kind != WL_LOAD) return;
    if (hit && l->reused && l->sm == a->sm) {
        s->note = (uint8_t)(MARK | l->hash);
        s->count[N_FLAGGED]++;
        l->reused = false;
    }
    if (a->note & MARK) *l = (struct line){.hash = a->note & (ENTRIES - 1), .sm = a->sm, .reused = true};
}

static uint8_t abyp_reply_note(void *self, const struct wl_access *a)
{
    (void)a;
    return ((struct abyp *)self)->note;
}

/* ---- both ---- */

static void abyp_on_hit(void *self, const struct wl_access *a, uint32_t way, bool merged)
{
    (void)merged;
    struct abyp *s = self;
    struct line *l = &s->line[a->set * s->chain.ways + way];
    wl_chain_touch(&s->chain, a->set, way);
    if (s->is_l2) l2_read(s, a, l, true);
    else l1_hit(s, l);
}

static void abyp_on_insert(void *self, const struct wl_access *a, uint32_t way)
{
    struct abyp *s = self;
    struct line *l = &s->line[a->set * s->chain.ways + way];
    wl_chain_touch(&s->chain, a->set, way);
    *l = (struct line){.hash = hash_of(a->pc)};
    if (s->is_l2) l2_read(s, a, l, false);
}

extern const struct wl_cache_policy abyp_policy;
const struct wl_cache_policy abyp_policy = {
    .abi = WL_ABI,
    .name = "abyp",
    .help = "adaptive bypassing by PC (reconstructed): loads whose lines die unused bypass; --l2 abyp corrects it",
    .levels = 1u << WL_L1 | 1u << WL_L2,
    .params = abyp_params,
    .counters = abyp_counters,
    .create = abyp_create,
    .destroy = abyp_destroy,
    .storage_bits = abyp_storage_bits,
    .read_counters = abyp_read_counters,
    .victim = abyp_victim,
    .on_hit = abyp_on_hit,
    .on_evict = abyp_on_evict,
    .on_insert = abyp_on_insert,
    .on_bypass = abyp_on_bypass,
    .request_note = abyp_request_note,
    .on_reply = abyp_on_reply,
    .reply_note = abyp_reply_note,
};
