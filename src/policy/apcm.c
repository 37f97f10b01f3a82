/* apcm.c - APCM: treat each load by the locality its lines are seen to have.
 *
 * Idea (Koo, Oh, Ro, Annavaram, ISCA 2017): all warps run the same loads, and the lines of one load
 * behave alike whichever warp runs it. So one warp of each kernel is watched, each of its loads is
 * classified, and the verdict serves all warps: streaming loads go past the L1D, lines a single warp
 * reuses are pinned until it is done with them, all others are managed by LRU as ever.
 *
 * State, all of it per SM, with the bits of the default machine (3536 in all; the paper's Table 3):
 *   LAT   16 load PCs; the index of a PC is its load ID (32 bits each). First come, never replaced.
 *   MTA   32 tags of lines the watched warp touched: first and last load, requests of all warps and
 *         of the watched one, 4 bits each (36 bits with the tag). acc == 0: invalid.
 *   CAIT  a verdict for each load ID: valid, method, acc, last load (11 bits).
 *   PSB   for each warp: protects or not, until a loop or until a load is done, which load (6 bits).
 *   L1D   for each line: pinned, warp that allocated it, requests since (11 bits).
 * An MTA entry goes to CAIT when it is displaced, when its count passes `threshold`, and when the
 * watched warp ends; a larger count wins. Seen once: bypass; all requests by the watched warp:
 * protect; else normal. A protected load pins the lines it allocates and sets its warp's PSB entry;
 * the entry is reset when the last load that uses such lines has returned, or, when that is the load
 * itself, when the warp has left its loop. Lines are unpinned when the search for a victim finds
 * that the PSB entry of their warp is off. A request that finds only pinned lines goes past the cache.
 *
 * Where the paper leaves a choice there is a parameter, and its help line says which way the default
 * goes. Decisions without one:
 *  - The threshold has no value in the paper; 8 is half the counter's range.
 *  - When acc is full, intra stops too: otherwise shared lines would turn into private ones.
 *  - Hits of other warps do not write `last`; before any hit it equals `first`.
 *  - Lines found in the L1D bring their count along only when another warp allocated them
 *    (mta_init=always: whoever did): the watched warp's own line would look shared otherwise.
 *  - Of a watched load with more than two requests, the third and later ones are not looked at.
 *  - PSB keeps the last load only, so lines are pinned for any load with the same last load and loop
 *    bit. A load that meets the cache after its warp has left the loop pins nothing.
 *  - A load that returns releases the PSB entry only when it was issued after the entry was set.
 *  - With no static loop around a load that reuses its own lines, they are pinned until the warp ends.
 *  - Going past the cache takes neither line nor MSHR, also when the line is on its way for others.
 *  - A request that is refused changes nothing, so pins are dropped when the request is accepted.
 *
 * release=pd is the paper's APCM-pN: pinned lines stay so for `pd` accesses to their set, PSB unused. */
#include <stdlib.h>
#include <string.h>

#include "warpline/policy.h"

/* ---- parameters and counters ---- */

/* clang-format off */
enum {
    MODE, THRESHOLD, LOADS, LOAD_ID, MTA_ENTRIES, MTA_WAYS, MTA_INIT, MONITOR, KERNEL_STATE, VICTIM, UNPIN,
    LOOP, RELEASE, PD, N_PARAMS
};
/* clang-format on */
enum { MODE_BOTH, MODE_BYPASS, MODE_PROTECT, MODE_WATCH };
enum { ID_INDEX, ID_XORFOLD };
enum { INIT_FOREIGN, INIT_ALWAYS };
enum { MONITOR_ONCE, MONITOR_EVERY, MONITOR_UNCLASSIFIED };
enum { STATE_LAUNCH, STATE_FUNCTION, STATE_NEVER };
enum { VICTIM_UNPINNED, VICTIM_STRICT };
enum { UNPIN_LAZY, UNPIN_EAGER };
enum { LOOP_INNER, LOOP_OUTER };
enum { RELEASE_PSB, RELEASE_PD };

static const struct wl_param apcm_params[] = {
    [MODE] = {"mode", "", 0, 0, 3, "both|bypass|protect|watch", "what the verdicts may do; watch: nothing", "Fig. 12"},
    [THRESHOLD] = {"threshold", "requests", 1, 8, 15, NULL, "an MTA entry with more goes to CAIT at once",
                   "the paper has none: half of 4 bits"},
    [LOADS] = {"loads", "entries", 1, 16, 64, NULL, "depth of LAT and CAIT", "Table 5"},
    [LOAD_ID] = {"load_id", "", 0, 0, 1, "index|xorfold", "load ID: place in the LAT, or a hash of the PC",
                 "Table 3: the LAT keeps 32 bits, a PC"},
    [MTA_ENTRIES] = {"mta", "entries", 1, 32, 4096, NULL, "monitor tags", "Table 5"},
    [MTA_WAYS] = {"mta_ways", "ways", 1, 1, 4096, NULL, "their ways, LRU; as many as entries: fully associative",
                  "Table 5: direct mapped"},
    [MTA_INIT] = {"mta_init", "", 0, 0, 1, "foreign|always", "lines found in the L1D start with its count",
                  "section 5.1 speaks of lines of other warps"},
    [MONITOR] = {"monitor", "", 0, 0, 2, "once|every|unclassified",
                 "watch one warp a kernel; every warp of its slot; until all loads have a verdict", "section 5.1"},
    [KERNEL_STATE] = {"kernel_state", "", 0, 0, 2, "launch|function|never",
                      "forget verdicts at each launch, when the kernel changes, never", "section 5.1"},
    [VICTIM] = {"victim", "", 0, 0, 1, "unpinned|strict", "LRU among unpinned lines; strict: the LRU line or none",
                "Fig. 11 is direct mapped"},
    [UNPIN] = {"unpin", "", 0, 0, 1, "lazy|eager", "unpin lines when met, or with the PSB entry", "Fig. 11d"},
    [LOOP] = {"loop", "", 0, 0, 1, "inner|outer", "which loop must be left", "section 5.2"},
    [RELEASE] = {"release", "", 0, 0, 1, "psb|pd", "pinned until the PSB says so, or for pd accesses to the set",
                 "section 5.2; pd: Fig. 18"},
    [PD] = {"pd", "accesses", 1, 16, 65535, NULL, "release=pd: how long", "the values of Fig. 18 are not in the text"},
    WL_PARAM_END,
};

/* clang-format off */
enum {
    N_TABLE, N_BYPASSED, N_PBYPASS_PROTECT, N_PBYPASS_NORMAL, N_PBYPASS_HOLDER, N_PINS, N_UNPINS, N_STALE,
    N_SECOND, N_LATE, N_PSB_SETS, N_REL_LOOP, N_REL_LOAD, N_REL_EXIT, N_PINNED_SUM, N_REQUESTS, N_MTA_ALLOCS,
    N_MTA_HITS, N_MTA_EVICTIONS, N_MTA_DROPPED, N_UNTRACKED, N_LOADS_NORMAL /* + method */, N_LOADS_BYPASS, N_LOADS_PROTECT,
    N_LOADS_UNKNOWN, N_COUNTERS
};
/* clang-format on */
static const struct wl_counter apcm_counters[] = {
    [N_TABLE] = {"table_accesses", "accesses", "accesses to LAT, CAIT and MTA; priced by the energy model"},
    [N_BYPASSED] = {"bypassed", "requests", "requests of loads called streaming, sent past the cache"},
    [N_PBYPASS_PROTECT] = {"pbypass_protect", "requests", "requests of protected loads that found only pinned lines"},
    [N_PBYPASS_NORMAL] = {"pbypass_normal", "requests", "requests of other loads that did"},
    [N_PBYPASS_HOLDER] = {"pbypass_holder", "requests", "of both, those of a warp that has lines pinned itself"},
    [N_PINS] = {"pins", "lines", "lines allocated and pinned"},
    [N_UNPINS] = {"unpins", "lines", "pins dropped because their PSB entry was off"},
    [N_STALE] = {"stale_repins", "lines", "old lines pinned again because their warp set its PSB entry anew"},
    [N_SECOND] = {"second_loads", "lines", "lines not pinned: the warp protects another load"},
    [N_LATE] = {"late_loads", "lines", "lines not pinned: the warp had left the loop"},
    [N_PSB_SETS] = {"psb_sets", "times", "a warp began to protect"},
    [N_REL_LOOP] = {"released_loop", "times", "it ended: the warp left the loop"},
    [N_REL_LOAD] = {"released_load", "times", "it ended: the last load returned"},
    [N_REL_EXIT] = {"released_exit", "times", "it ended: the warp ended"},
    [N_PINNED_SUM] = {"pinned_sum", "lines", "pinned lines summed over requests; / requests is the mean"},
    [N_REQUESTS] = {"requests", "requests", "requests of global loads accepted"},
    [N_MTA_ALLOCS] = {"mta_allocs", "entries", "lines of the watched warp taken into the MTA"},
    [N_MTA_HITS] = {"mta_hits", "requests", "requests of any warp that found their line there"},
    [N_MTA_EVICTIONS] = {"mta_evictions", "entries", "of mta_allocs, those that displaced another"},
    [N_MTA_DROPPED] = {"mta_dropped", "requests", "third and later requests of watched loads"},
    [N_UNTRACKED] = {"untracked", "loads", "loads executed without a place in the LAT"},
    [N_LOADS_NORMAL] = {"loads_normal", "loads", "LAT entries with this verdict at the end of a kernel, over SMs"},
    [N_LOADS_BYPASS] = {"loads_bypass", "loads", "the same, streaming"},
    [N_LOADS_PROTECT] = {"loads_protect", "loads", "the same, protected"},
    [N_LOADS_UNKNOWN] = {"loads_unknown", "loads", "the same, without verdict"},
    WL_COUNTER_END,
};

/* ---- state ---- */

enum { COUNT_MAX = 15, WATCHED_REQUESTS = 2, MAX_WARPS = 64, MAX_LOADS = 64, NO_LOOP = 0xffff };
enum method { NORMAL, BYPASS, PROTECT };

struct line {
    bool pinned;
    uint8_t warp, acc;
    uint64_t until; /* release=pd: the set's access from which it is free again */
};
struct mta_entry {
    uint64_t line, used;
    uint8_t first, last, acc, intra; /* acc 0: invalid */
};
struct cait_entry {
    bool valid;
    uint8_t method, acc, last;
};
struct psb_entry {
    bool on, loop;
    uint8_t last;
    uint16_t in; /* loop to leave, or NO_LOOP */
    uint64_t seq;
};

struct apcm {
    struct wl_chain chain;
    uint32_t sets, warps;
    int64_t v[N_PARAMS];
    uint32_t lat_used, mta_sets;
    uint32_t lat[MAX_LOADS];
    struct cait_entry cait[MAX_LOADS];
    struct psb_entry psb[MAX_WARPS];
    uint32_t pinned_by[MAX_WARPS], pinned; /* lines with the bit set; of these, with the PSB entry on */
    bool armed, watching;
    uint8_t watched;
    int32_t wanted; /* slot the next watched warp must have, -1: any */
    uint64_t kernel, mta_clock;
    uint64_t count[N_COUNTERS];
    struct mta_entry *mta;
    struct line *line;   /* [sets * ways] */
    uint64_t *set_clock; /* [sets] accesses; release=pd */
    uint16_t order[];    /* [sets * ways] */
};

/* load->user: what load_begin found. 0: not tracked, normal. */
static uint64_t latch(uint32_t id, enum method m) { return (uint64_t)(id + 1) << 8 | m; }
static bool tracked(const struct wl_load *l) { return l->user >> 8 != 0; }
static uint32_t id_of(const struct wl_load *l) { return (uint32_t)(l->user >> 8) - 1; }
static enum method method_of(const struct wl_load *l) { return (enum method)(l->user & 255); }

/* ---- CAIT and MTA: what the watched warp tells ---- */

static enum method verdict(uint8_t acc, uint8_t intra)
{
    if (acc == 1) return BYPASS;
    return intra == acc ? PROTECT : NORMAL;
}

static void update_cait(struct apcm *s, const struct mta_entry *e)
{
    struct cait_entry *c = &s->cait[e->first];
    s->count[N_TABLE]++;
    if (c->valid && e->acc <= c->acc) return;
    *c = (struct cait_entry){true, (uint8_t)verdict(e->acc, e->intra), e->acc, e->last};
}

static void clear_mta(struct apcm *s) { memset(s->mta, 0, (size_t)s->v[MTA_ENTRIES] * sizeof *s->mta); }

/* The entry of the line, else the one to take for it with *found false. */
static struct mta_entry *find_mta(struct apcm *s, uint64_t line, bool *found)
{
    uint32_t ways = (uint32_t)s->v[MTA_WAYS];
    struct mta_entry *set = s->mta + line % s->mta_sets * ways, *victim = set;
    *found = true;
    for (uint32_t i = 0; i < ways; i++) {
        if (set[i].acc && set[i].line == line) return &set[i];
        if (victim->acc && (!set[i].acc || set[i].used < victim->used)) victim = &set[i];
    }
    *found = false;
    return victim;
}

/* One accepted request; `l` is the line it hit in the L1D, or NULL. */
static void watch(struct apcm *s, const struct wl_access *a, const struct line *l)
{
    if (!s->watching || !tracked(a->load)) return;
    bool own = a->warp == s->watched, found;
    if (own && a->load->requests > WATCHED_REQUESTS && a->number >= WATCHED_REQUESTS) {
        s->count[N_MTA_DROPPED]++;
        return;
    }
    struct mta_entry *e = find_mta(s, a->line, &found);
    s->count[N_TABLE]++;
    uint8_t id = (uint8_t)id_of(a->load);
    if (found) {
        s->count[N_MTA_HITS]++;
        if (e->acc < COUNT_MAX) {
            e->acc++;
            if (own) e->intra++;
        }
        if (own) e->last = id;
    } else if (own) {
        s->count[N_MTA_ALLOCS]++;
        s->count[N_MTA_EVICTIONS] += e->acc != 0;
        if (e->acc) update_cait(s, e);
        bool known = l && (l->warp != s->watched || s->v[MTA_INIT] == INIT_ALWAYS);
        *e = (struct mta_entry){a->line, 0, id, id, known ? l->acc : 1, 1};
    } else {
        return;
    }
    e->used = ++s->mta_clock;
    if (e->acc > s->v[THRESHOLD]) update_cait(s, e);
}

/* ---- the watched warp ---- */

static bool all_classified(const struct apcm *s)
{
    for (uint32_t i = 0; i < s->lat_used; i++)
        if (!s->cait[i].valid) return false;
    return true;
}

static void end_watching(struct apcm *s)
{
    for (int64_t i = 0; i < s->v[MTA_ENTRIES]; i++)
        if (s->mta[i].acc) update_cait(s, &s->mta[i]);
    clear_mta(s);
    s->watching = false;
    if (s->v[MONITOR] == MONITOR_EVERY) s->armed = true, s->wanted = s->watched;
    if (s->v[MONITOR] == MONITOR_UNCLASSIFIED) s->armed = !all_classified(s);
}

static void apcm_warp_launch(void *self, unsigned warp)
{
    struct apcm *s = self;
    if (!s->armed || (s->wanted >= 0 && (unsigned)s->wanted != warp)) return;
    s->armed = false;
    s->watching = true;
    s->watched = (uint8_t)warp;
}

/* ---- pins and the PSB ---- */

static bool is_pinned(const struct apcm *s, uint32_t set, const struct line *l)
{
    if (!l->pinned) return false;
    return s->v[RELEASE] == RELEASE_PD ? l->until > s->set_clock[set] : s->psb[l->warp].on;
}

static void drop_pin(struct apcm *s, struct line *l)
{
    if (!l->pinned) return;
    l->pinned = false;
    s->pinned_by[l->warp]--;
    if (s->v[RELEASE] == RELEASE_PD || s->psb[l->warp].on) s->pinned--;
}

/* The search for a victim passed the set's lines: those whose warp is done are free. */
static void drop_stale_pins(struct apcm *s, uint32_t set)
{
    for (uint32_t w = 0; w < s->chain.ways; w++) {
        struct line *l = &s->line[set * s->chain.ways + w];
        if (!l->pinned || is_pinned(s, set, l)) continue;
        drop_pin(s, l);
        s->count[N_UNPINS]++;
    }
}

static void release(struct apcm *s, unsigned warp, unsigned why)
{
    if (!s->psb[warp].on) return;
    s->count[why]++;
    s->psb[warp].on = false;
    s->pinned -= s->pinned_by[warp];
    if (s->v[UNPIN] == UNPIN_LAZY) return;
    for (uint32_t i = 0; i < s->sets * s->chain.ways && s->pinned_by[warp]; i++)
        if (s->line[i].warp == warp) drop_pin(s, &s->line[i]);
}

/* Whether lines of this load may be pinned now; begins to protect if the warp does not yet. */
static bool may_pin(struct apcm *s, const struct wl_load *l)
{
    const struct cait_entry *c = &s->cait[id_of(l)];
    struct psb_entry *p = &s->psb[l->warp];
    bool loop = c->last == id_of(l);
    if (loop && l->left_loop && s->v[LOOP] == LOOP_INNER) {
        s->count[N_LATE]++;
        return false;
    }
    if (p->on) {
        bool same = p->last == c->last && p->loop == loop;
        s->count[N_SECOND] += !same;
        return same;
    }
    uint16_t in = !loop ? NO_LOOP : s->v[LOOP] == LOOP_OUTER ? l->outer_loop : l->loop;
    *p = (struct psb_entry){true, loop, c->last, in, l->seq};
    s->count[N_PSB_SETS]++;
    s->count[N_STALE] += s->pinned_by[l->warp];
    s->pinned += s->pinned_by[l->warp];
    return true;
}

static void pin(struct apcm *s, struct line *l, const struct wl_access *a)
{
    if (s->v[RELEASE] == RELEASE_PD) l->until = s->set_clock[a->set] + (uint64_t)s->v[PD];
    else if (!may_pin(s, a->load)) return;
    l->pinned = true;
    s->pinned_by[l->warp]++;
    s->pinned++;
    s->count[N_PINS]++;
}

/* ---- loads ---- */

static uint32_t fold(uint32_t pc, uint32_t ids)
{
    uint32_t bits = 1, id = 0;
    while ((1u << bits) < ids) bits++;
    for (pc >>= 3; pc; pc >>= bits) id ^= pc & ((1u << bits) - 1);
    return id % ids;
}

/* Returns MAX_LOADS when the load has no place. */
static uint32_t load_id(struct apcm *s, uint32_t pc)
{
    uint32_t ids = (uint32_t)s->v[LOADS];
    if (s->v[LOAD_ID] == ID_XORFOLD) {
        uint32_t id = fold(pc, ids);
        if (s->lat_used <= id) s->lat_used = id + 1;
        return id;
    }
    for (uint32_t i = 0; i < s->lat_used; i++)
        if (s->lat[i] == pc) return i;
    if (s->lat_used == ids) return MAX_LOADS;
    s->lat[s->lat_used] = pc;
    return s->lat_used++;
}

static enum method allowed_method(const struct apcm *s, uint8_t m)
{
    int64_t mode = s->v[MODE];
    if (m == BYPASS) return mode == MODE_BOTH || mode == MODE_BYPASS ? BYPASS : NORMAL;
    if (m == PROTECT) return mode == MODE_BOTH || mode == MODE_PROTECT ? PROTECT : NORMAL;
    return NORMAL;
}

static void apcm_load_begin(void *self, struct wl_load *l)
{
    struct apcm *s = self;
    l->user = 0;
    if (l->space != WL_GLOBAL) return;
    uint32_t id = load_id(s, l->pc);
    s->count[N_TABLE]++;
    if (id == MAX_LOADS) {
        s->count[N_UNTRACKED]++;
        return;
    }
    s->count[N_TABLE]++;
    l->user = latch(id, s->cait[id].valid ? allowed_method(s, s->cait[id].method) : NORMAL);
}

static void apcm_load_done(void *self, const struct wl_load *l)
{
    struct apcm *s = self;
    const struct psb_entry *p = &s->psb[l->warp];
    if (p->on && !p->loop && tracked(l) && id_of(l) == p->last && l->seq > p->seq) release(s, l->warp, N_REL_LOAD);
}

static void apcm_leave_loop(void *self, unsigned warp, uint16_t loop)
{
    struct apcm *s = self;
    if (s->psb[warp].on && s->psb[warp].loop && s->psb[warp].in == loop) release(s, warp, N_REL_LOOP);
}

static void apcm_warp_exit(void *self, unsigned warp)
{
    struct apcm *s = self;
    release(s, warp, N_REL_EXIT);
    if (s->watching && s->watched == warp) end_watching(s);
}

/* ---- requests ---- */

static enum wl_decision apcm_decide(void *self, const struct wl_access *a)
{
    (void)self;
    return a->load && method_of(a->load) == BYPASS ? WL_BYPASS : WL_NORMAL;
}

static int apcm_victim(void *self, const struct wl_access *a, const struct wl_set *set)
{
    const struct apcm *s = self;
    const uint16_t *order = s->chain.order + (size_t)a->set * s->chain.ways;
    const struct line *lines = s->line + (size_t)a->set * s->chain.ways;
    int best = -1;
    bool pinned = false, blocked = false;
    for (uint32_t p = s->chain.ways; p-- > 0;) { /* from the old end */
        uint32_t way = order[p];
        unsigned state = WL_STATE(set->state[way]);
        if (state == WL_INVALID) return (int)way;
        if (is_pinned(s, a->set, &lines[way])) {
            pinned = true;
            blocked |= best < 0 && state == WL_VALID;
        } else if (state == WL_VALID && best < 0) {
            best = (int)way;
            if (set->full) break;
        }
    }
    if (best >= 0 && !(blocked && s->v[VICTIM] == VICTIM_STRICT)) return best;
    return pinned ? WL_NO_WAY_BYPASS : WL_NO_WAY_STALL;
}

static void count_request(struct apcm *s, const struct wl_access *a)
{
    s->set_clock[a->set]++;
    if (a->space != WL_GLOBAL) return;
    s->count[N_REQUESTS]++;
    s->count[N_PINNED_SUM] += s->pinned;
}

static void apcm_on_hit(void *self, const struct wl_access *a, uint32_t way, bool merged)
{
    (void)merged;
    struct apcm *s = self;
    struct line *l = &s->line[a->set * s->chain.ways + way];
    wl_chain_touch(&s->chain, a->set, way);
    count_request(s, a);
    if (a->space != WL_GLOBAL) return;
    if (l->acc < COUNT_MAX) l->acc++;
    if (l->pinned && s->v[RELEASE] == RELEASE_PD) l->until = s->set_clock[a->set] + (uint64_t)s->v[PD];
    watch(s, a, l);
}

static void apcm_on_insert(void *self, const struct wl_access *a, uint32_t way)
{
    struct apcm *s = self;
    struct line *l = &s->line[a->set * s->chain.ways + way];
    drop_stale_pins(s, a->set);
    wl_chain_touch(&s->chain, a->set, way);
    count_request(s, a);
    bool global = a->space == WL_GLOBAL;
    *l = (struct line){.warp = (uint8_t)a->warp, .acc = global};
    if (!global) return;
    if (method_of(a->load) == PROTECT) pin(s, l, a);
    watch(s, a, NULL);
}

/* Bypassed as streaming, or because the victim search found only pinned lines. */
static void apcm_on_bypass(void *self, const struct wl_access *a)
{
    struct apcm *s = self;
    if (!a->load || a->space != WL_GLOBAL) return;
    enum method m = method_of(a->load);
    if (m == BYPASS) {
        s->count[N_BYPASSED]++;
    } else {
        drop_stale_pins(s, a->set);
        count_request(s, a);
        s->count[m == PROTECT ? N_PBYPASS_PROTECT : N_PBYPASS_NORMAL]++;
        s->count[N_PBYPASS_HOLDER] += s->psb[a->warp].on;
    }
    watch(s, a, NULL);
}

static void apcm_on_kill(void *self, uint32_t set, uint32_t way)
{
    struct apcm *s = self;
    struct line *l = &s->line[set * s->chain.ways + way];
    drop_pin(s, l);
    l->acc = 0;
}

/* ---- kernels ---- */

static void apcm_kernel_begin(void *self, uint64_t kernel_hash)
{
    struct apcm *s = self;
    bool forget =
        s->v[KERNEL_STATE] == STATE_LAUNCH || (s->v[KERNEL_STATE] == STATE_FUNCTION && s->kernel != kernel_hash);
    if (forget) {
        s->lat_used = 0;
        memset(s->cait, 0, sizeof s->cait);
    }
    s->kernel = kernel_hash;
    clear_mta(s);
    memset(s->psb, 0, sizeof s->psb);
    memset(s->pinned_by, 0, sizeof s->pinned_by);
    s->pinned = 0;
    for (uint32_t i = 0; i < s->sets * s->chain.ways; i++) s->line[i].pinned = false;
    s->watching = false;
    s->armed = true;
    s->wanted = -1;
}

static void apcm_kernel_end(void *self)
{
    struct apcm *s = self;
    for (uint32_t i = 0; i < s->lat_used; i++)
        s->count[s->cait[i].valid ? N_LOADS_NORMAL + s->cait[i].method : N_LOADS_UNKNOWN]++;
}

/* ---- the table ---- */

static void apcm_destroy(void *self)
{
    struct apcm *s = self;
    free(s->mta);
    free(s->line);
    free(s->set_clock);
    free(s);
}

static void *apcm_create(const struct wl_geometry *g, const int64_t *values, const char **why)
{
    size_t lines = (size_t)g->sets * g->ways;
    *why = "out of memory";
    if (values[MTA_ENTRIES] % values[MTA_WAYS]) {
        *why = "mta must be a multiple of mta_ways";
        return NULL;
    }
    struct apcm *s = calloc(1, sizeof *s + lines * sizeof s->order[0]);
    if (!s) return NULL;
    s->sets = g->sets;
    s->warps = g->warps;
    memcpy(s->v, values, sizeof s->v);
    s->mta_sets = (uint32_t)(values[MTA_ENTRIES] / values[MTA_WAYS]);
    s->mta = calloc((size_t)values[MTA_ENTRIES], sizeof *s->mta);
    s->line = calloc(lines, sizeof *s->line);
    s->set_clock = calloc(g->sets, sizeof *s->set_clock);
    if (!s->mta || !s->line || !s->set_clock) return apcm_destroy(s), NULL;
    wl_chain_init(&s->chain, s->order, g->sets, g->ways);
    return s;
}

static uint64_t bits_for(uint64_t values)
{
    uint64_t bits = 0;
    while ((UINT64_C(1) << bits) < values) bits++;
    return bits;
}

/* With 32-bit addresses and PCs, as the paper counts. */
static uint64_t apcm_storage_bits(const void *self)
{
    const struct apcm *s = self;
    uint64_t id = bits_for((uint64_t)s->v[LOADS]), loads = (uint64_t)s->v[LOADS],
             lines = (uint64_t)s->sets * s->chain.ways;
    uint64_t tag = 25 - bits_for(s->mta_sets);
    return lines * (1 + bits_for(s->warps) + 4) + (uint64_t)s->v[MTA_ENTRIES] * (tag + 2 * id + 4 + 4) +
           loads * (1 + 2 + 4 + id) + loads * 32 + s->warps * (1 + 1 + id);
}

static void apcm_read_counters(const void *self, uint64_t *out)
{
    memcpy(out, ((const struct apcm *)self)->count, sizeof((const struct apcm *)self)->count);
}

extern const struct wl_cache_policy apcm_policy;
const struct wl_cache_policy apcm_policy = {
    .abi = WL_ABI,
    .name = "apcm",
    .help = "APCM: by load, bypass what streams and pin what one warp reuses, as one watched warp tells",
    .levels = 1u << WL_L1,
    .params = apcm_params,
    .counters = apcm_counters,
    .create = apcm_create,
    .destroy = apcm_destroy,
    .storage_bits = apcm_storage_bits,
    .read_counters = apcm_read_counters,
    .decide = apcm_decide,
    .victim = apcm_victim,
    .on_hit = apcm_on_hit,
    .on_insert = apcm_on_insert,
    .on_bypass = apcm_on_bypass,
    .on_kill = apcm_on_kill,
    .load_begin = apcm_load_begin,
    .load_done = apcm_load_done,
    .warp_launch = apcm_warp_launch,
    .warp_exit = apcm_warp_exit,
    .leave_loop = apcm_leave_loop,
    .kernel_begin = apcm_kernel_begin,
    .kernel_end = apcm_kernel_end,
};
