/* apcm.c - APCM: treat each load by the locality its lines are seen to have.
 *
 * Idea (Koo, Oh, Ro, Annavaram, ISCA 2017): all warps run the same loads, and the lines of one load
 * behave alike whichever warp runs it. So one warp of each kernel is watched, each of its loads is
 * classified, and the verdict serves all warps: streaming loads bypass the L1D, lines a single warp
 * reuses are pinned until it is done with them, all others are managed by plain LRU.
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
 * that the PSB entry of their warp is off. A request that finds only pinned lines bypasses the cache.
 *
 * Where the paper leaves a choice there is a parameter, and its help line says which way the default
 * goes. Decisions without one:
 *  - The threshold has no value in the paper; 8 is half the counter's range.
 *  - When acc is full, intra stops too: otherwise shared lines would turn into private ones.
 *  - Hits of other warps do not write `last`; before any hit it equals `first`.
 *  - Lines found in the L1D bring their count along only when another warp allocated them
 *    (mta_init=always: also when the watched warp did): the watched warp's own line would look shared otherwise.
 *  - Of a watched load with more than two requests, the third and later ones are not looked at.
 *  - PSB keeps the last load only, so lines are pinned for any load with the same last load and loop
 *    bit. A load that meets the cache after its warp has left the loop pins nothing.
 *  - A load that returns releases the PSB entry only when it was issued after the entry was set.
 *  - With no static loop around a load that reuses its own lines, they are pinned until the warp ends.
 *  - Bypassing the cache takes neither line nor MSHR, also when the line is on its way for others.
 *  - A request that is refused changes nothing, so pins are dropped when the request is accepted.
 *
 * release=pd is the paper's APCM-pN: pinned lines stay so for `pd` accesses to their set, PSB unused. */
#include <string.h>

#include "warpline/chain.h"
#include "warpline/policy_loads.h"

/* ---- parameters and counters ---- */

/* clang-format off */
enum {
    MODE, THRESHOLD, LOADS, LOAD_ID, MTA_ENTRIES, MTA_WAYS, MTA_INIT, MONITOR, KERNEL_STATE, VICTIM, UNPIN,
    LOOP, RELEASE, PD
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
                 "watch one warp per kernel; every warp of its slot; until all loads have a verdict", "section 5.1"},
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
    N_MTA_HITS, N_MTA_EVICTIONS, N_MTA_DROPPED, N_UNTRACKED,
    N_LOADS_NORMAL /* + method */, N_LOADS_BYPASS, N_LOADS_PROTECT,
    N_LOADS_UNKNOWN
};
/* clang-format on */
static const struct wl_counter apcm_counters[] = {
    [N_TABLE] = {"table_accesses", "accesses", "accesses to LAT, CAIT and MTA; priced by the energy model"},
    [N_BYPASSED] = {"bypassed", "requests", "requests of loads called streaming, which bypassed the cache"},
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

enum { COUNT_MAX = 15, WATCHED_REQUESTS = 2, MAX_LOADS = 64, NO_LOOP = 0xffff };
enum method { NORMAL, BYPASS, PROTECT };

struct apcm_line {
    bool pinned;    /* stays so until the victim search meets it, also when its warp protects no more */
    uint8_t warp;   /* the warp that allocated the line */
    uint8_t acc;    /* requests since */
    uint64_t until; /* release=pd: the set's access from which it is free again */
};
struct mta_entry {
    uint64_t line;
    uint64_t used;       /* mta_clock of its last use */
    uint8_t first, last; /* IDs of the loads that touched it first and last */
    uint8_t acc;         /* requests of all warps; 0: the entry is invalid */
    uint8_t intra;       /* requests of the watched warp */
};
struct cait_entry {
    bool valid;
    uint8_t method, acc, last;
};
struct psb_entry {
    bool on;      /* the warp protects lines */
    bool loop;    /* until it leaves a loop; else until load `last` has returned */
    uint8_t last; /* ID of the last load that uses the lines */
    uint16_t in;  /* the loop to leave, or NO_LOOP */
    uint32_t seq; /* number of the instruction that set the entry, modulo 2^32 */
};

struct apcm {
    struct wl_chain chain;
    uint32_t lat_used, mta_sets;
    uint32_t lat[MAX_LOADS];
    struct cait_entry cait[MAX_LOADS];
    struct psb_entry psb[WL_MAX_WARPS];
    uint32_t pinned_by[WL_MAX_WARPS]; /* lines of the warp that are `pinned` */
    uint32_t pinned;                  /* pinned lines of all warps whose PSB entry is on */
    bool armed;                       /* the next warp that is launched will be watched */
    bool watching;                    /* warp `watched` is being watched */
    uint8_t watched;
    int32_t wanted;         /* the slot the next watched warp must have; -1: any */
    uint64_t kernel;        /* hash of the kernel that ran last */
    uint64_t mta_clock;     /* uses of the MTA so far */
    struct apcm_line *line; /* [sets * max_ways] */
    uint64_t *set_clock;    /* [sets] accesses; release=pd */
    struct mta_entry mta[]; /* [mta]; behind it line, set_clock and the chain */
};

/* load->user: what loads.begin found. 0: not tracked, normal. */
static uint64_t latch(uint32_t id, enum method m) { return (uint64_t)(id + 1) << 8 | m; }
static bool tracked(const struct wl_load *l) { return l->user >> 8 != 0; }
static uint32_t id_of(const struct wl_load *l) { return (uint32_t)(l->user >> 8) - 1; }
static enum method method_of(const struct wl_load *l) { return (enum method)(l->user & 255); }

/* ---- CAIT and MTA: what the watched warp shows ---- */

static enum method verdict(uint8_t acc, uint8_t intra)
{
    if (acc == 1) return BYPASS;
    return intra == acc ? PROTECT : NORMAL;
}

static void update_cait(struct wl_cache *c, const struct mta_entry *e)
{
    struct apcm *s = c->self;
    struct cait_entry *known = &s->cait[e->first];
    c->count[N_TABLE]++;
    if (known->valid && e->acc <= known->acc) return;
    *known = (struct cait_entry){true, (uint8_t)verdict(e->acc, e->intra), e->acc, e->last};
}

static void clear_mta(struct wl_cache *c)
{
    struct apcm *s = c->self;
    memset(s->mta, 0, (size_t)c->param[MTA_ENTRIES] * sizeof *s->mta);
}

/* The entry of the line, else the one to take for it with *found false. */
static struct mta_entry *find_mta(struct wl_cache *c, uint64_t line, bool *found)
{
    struct apcm *s = c->self;
    uint32_t ways = (uint32_t)c->param[MTA_WAYS];
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
static void apcm_watch(struct wl_cache *c, const struct wl_access *a, const struct apcm_line *l)
{
    struct apcm *s = c->self;
    if (!s->watching || !tracked(a->load)) return;
    bool own = a->warp == s->watched, found;
    if (own && a->load->requests > WATCHED_REQUESTS && a->number >= WATCHED_REQUESTS) {
        c->count[N_MTA_DROPPED]++;
        return;
    }
    struct mta_entry *e = find_mta(c, a->line, &found);
    c->count[N_TABLE]++;
    uint8_t id = (uint8_t)id_of(a->load);
    if (found) {
        c->count[N_MTA_HITS]++;
        if (e->acc < COUNT_MAX) {
            e->acc++;
            if (own) e->intra++;
        }
        if (own) e->last = id;
    } else if (own) {
        c->count[N_MTA_ALLOCS]++;
        c->count[N_MTA_EVICTIONS] += e->acc != 0;
        if (e->acc) update_cait(c, e);
        bool known = l && (l->warp != s->watched || c->param[MTA_INIT] == INIT_ALWAYS);
        *e = (struct mta_entry){a->line, 0, id, id, known ? l->acc : 1, 1};
    } else {
        return;
    }
    e->used = ++s->mta_clock;
    if (e->acc > c->param[THRESHOLD]) update_cait(c, e);
}

/* ---- the watched warp ---- */

static bool all_classified(const struct wl_cache *c)
{
    const struct apcm *s = c->self;
    for (uint32_t i = 0; i < s->lat_used; i++)
        if (!s->cait[i].valid) return false;
    return true;
}

static void end_watching(struct wl_cache *c)
{
    struct apcm *s = c->self;
    for (int64_t i = 0; i < c->param[MTA_ENTRIES]; i++)
        if (s->mta[i].acc) update_cait(c, &s->mta[i]);
    clear_mta(c);
    s->watching = false;
    if (c->param[MONITOR] == MONITOR_EVERY) s->armed = true, s->wanted = s->watched;
    if (c->param[MONITOR] == MONITOR_UNCLASSIFIED) s->armed = !all_classified(c);
}

static void apcm_warp_launch(struct wl_cache *c, unsigned warp)
{
    struct apcm *s = c->self;
    if (!s->armed || (s->wanted >= 0 && (unsigned)s->wanted != warp)) return;
    s->armed = false;
    s->watching = true;
    s->watched = (uint8_t)warp;
}

/* ---- pins and the PSB ---- */

static bool is_pinned(const struct wl_cache *c, uint32_t set, const struct apcm_line *l)
{
    const struct apcm *s = c->self;
    if (!l->pinned) return false;
    return c->param[RELEASE] == RELEASE_PD ? l->until > s->set_clock[set] : s->psb[l->warp].on;
}

static void drop_pin(struct wl_cache *c, struct apcm_line *l)
{
    struct apcm *s = c->self;
    if (!l->pinned) return;
    l->pinned = false;
    s->pinned_by[l->warp]--;
    if (c->param[RELEASE] == RELEASE_PD || s->psb[l->warp].on) s->pinned--;
}

static struct apcm_line *line_at(const struct wl_cache *c, uint32_t set, uint32_t way)
{
    struct apcm *s = c->self;
    return &s->line[(size_t)set * c->g.max_ways + way];
}

/* The search for a victim passed the set's lines: those whose warp is done are free. */
static void drop_stale_pins(struct wl_cache *c, uint32_t set)
{
    for (uint32_t w = 0; w < c->g.ways; w++) {
        struct apcm_line *l = line_at(c, set, w);
        if (!l->pinned || is_pinned(c, set, l)) continue;
        drop_pin(c, l);
        c->count[N_UNPINS]++;
    }
}

static void apcm_release(struct wl_cache *c, unsigned warp, unsigned why)
{
    struct apcm *s = c->self;
    if (!s->psb[warp].on) return;
    c->count[why]++;
    s->psb[warp].on = false;
    s->pinned -= s->pinned_by[warp];
    if (c->param[UNPIN] == UNPIN_LAZY) return;
    for (size_t i = 0; i < wl_chain_entries(&c->g) && s->pinned_by[warp]; i++)
        if (s->line[i].warp == warp) drop_pin(c, &s->line[i]);
}

/* Whether lines of this load may be pinned now; begins to protect if the warp does not yet. */
static bool may_pin(struct wl_cache *c, const struct wl_load *l)
{
    struct apcm *s = c->self;
    const struct cait_entry *known = &s->cait[id_of(l)];
    struct psb_entry *p = &s->psb[l->warp];
    bool loop = known->last == id_of(l);
    if (loop && l->left_loop && c->param[LOOP] == LOOP_INNER) {
        c->count[N_LATE]++;
        return false;
    }
    if (p->on) {
        bool same = p->last == known->last && p->loop == loop;
        c->count[N_SECOND] += !same;
        return same;
    }
    uint16_t in = !loop ? NO_LOOP : c->param[LOOP] == LOOP_OUTER ? l->outer_loop : l->loop;
    *p = (struct psb_entry){true, loop, known->last, in, l->seq};
    c->count[N_PSB_SETS]++;
    c->count[N_STALE] += s->pinned_by[l->warp];
    s->pinned += s->pinned_by[l->warp];
    return true;
}

static void apcm_pin(struct wl_cache *c, struct apcm_line *l, const struct wl_access *a)
{
    struct apcm *s = c->self;
    if (c->param[RELEASE] == RELEASE_PD) l->until = s->set_clock[a->set] + (uint64_t)c->param[PD];
    else if (!may_pin(c, a->load)) return;
    l->pinned = true;
    s->pinned_by[l->warp]++;
    s->pinned++;
    c->count[N_PINS]++;
}

/* ---- loads ---- */

static uint32_t fold(uint32_t pc, uint32_t ids)
{
    uint32_t bits = (uint32_t)wl_bits_for(ids > 2 ? ids : 2), id = 0;
    for (pc >>= 3; pc; pc >>= bits) id ^= pc & ((1u << bits) - 1);
    return id % ids;
}

/* Returns MAX_LOADS when the load has no place. */
static uint32_t load_id(struct wl_cache *c, uint32_t pc)
{
    struct apcm *s = c->self;
    uint32_t ids = (uint32_t)c->param[LOADS];
    if (c->param[LOAD_ID] == ID_XORFOLD) {
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

static enum method allowed_method(const struct wl_cache *c, uint8_t m)
{
    int64_t mode = c->param[MODE];
    if (m == BYPASS) return mode == MODE_BOTH || mode == MODE_BYPASS ? BYPASS : NORMAL;
    if (m == PROTECT) return mode == MODE_BOTH || mode == MODE_PROTECT ? PROTECT : NORMAL;
    return NORMAL;
}

static void apcm_load_begin(struct wl_cache *c, struct wl_load *l)
{
    struct apcm *s = c->self;
    l->user = 0;
    if (l->space != WL_GLOBAL) return;
    uint32_t id = load_id(c, l->pc);
    c->count[N_TABLE]++;
    if (id == MAX_LOADS) {
        c->count[N_UNTRACKED]++;
        return;
    }
    c->count[N_TABLE]++;
    l->user = latch(id, s->cait[id].valid ? allowed_method(c, s->cait[id].method) : NORMAL);
}

static void apcm_load_done(struct wl_cache *c, const struct wl_load *l)
{
    struct apcm *s = c->self;
    const struct psb_entry *p = &s->psb[l->warp];
    bool later = (int32_t)(l->seq - p->seq) > 0;
    if (p->on && !p->loop && tracked(l) && id_of(l) == p->last && later) apcm_release(c, l->warp, N_REL_LOAD);
}

static void apcm_leave_loop(struct wl_cache *c, unsigned warp, uint16_t loop)
{
    struct apcm *s = c->self;
    if (s->psb[warp].on && s->psb[warp].loop && s->psb[warp].in == loop) apcm_release(c, warp, N_REL_LOOP);
}

static void apcm_warp_exit(struct wl_cache *c, unsigned warp)
{
    struct apcm *s = c->self;
    apcm_release(c, warp, N_REL_EXIT);
    if (s->watching && s->watched == warp) end_watching(c);
}

/* ---- requests ---- */

static enum wl_decision apcm_decide(const struct wl_cache *c, const struct wl_access *a)
{
    (void)c;
    return a->load && method_of(a->load) == BYPASS ? WL_BYPASS : WL_NORMAL;
}

static int apcm_victim(const struct wl_cache *c, const struct wl_access *a, const struct wl_set *set)
{
    const struct apcm *s = c->self;
    const uint16_t *order = s->chain.order + (size_t)a->set * c->g.max_ways;
    const struct apcm_line *lines = line_at(c, a->set, 0);
    int best = -1;
    bool pinned = false, blocked = false;
    for (uint32_t p = c->g.ways; p-- > 0;) { /* from the old end */
        uint32_t way = order[p];
        unsigned state = WL_STATE(set->state[way]);
        if (state == WL_INVALID) return (int)way;
        if (is_pinned(c, a->set, &lines[way])) {
            pinned = true;
            blocked |= best < 0 && state == WL_VALID;
        } else if (state == WL_VALID && best < 0) {
            best = (int)way;
            if (set->full) break;
        }
    }
    if (best >= 0 && !(blocked && c->param[VICTIM] == VICTIM_STRICT)) return best;
    return pinned ? WL_NO_WAY_BYPASS : WL_NO_WAY_STALL;
}

static void count_request(struct wl_cache *c, const struct wl_access *a)
{
    struct apcm *s = c->self;
    s->set_clock[a->set]++;
    if (a->space != WL_GLOBAL) return;
    c->count[N_REQUESTS]++;
    c->count[N_PINNED_SUM] += s->pinned;
}

static void apcm_hit(struct wl_cache *c, const struct wl_access *a, uint32_t way)
{
    struct apcm *s = c->self;
    struct apcm_line *l = line_at(c, a->set, way);
    wl_chain_touch(&s->chain, a->set, way);
    count_request(c, a);
    if (a->space != WL_GLOBAL) return;
    if (l->acc < COUNT_MAX) l->acc++;
    if (l->pinned && c->param[RELEASE] == RELEASE_PD) l->until = s->set_clock[a->set] + (uint64_t)c->param[PD];
    apcm_watch(c, a, l);
}

static void apcm_insert(struct wl_cache *c, const struct wl_access *a, uint32_t way)
{
    struct apcm *s = c->self;
    struct apcm_line *l = line_at(c, a->set, way);
    drop_stale_pins(c, a->set);
    wl_chain_touch(&s->chain, a->set, way);
    count_request(c, a);
    bool global = a->space == WL_GLOBAL;
    *l = (struct apcm_line){.warp = (uint8_t)a->warp, .acc = global};
    if (!global) return;
    if (method_of(a->load) == PROTECT) apcm_pin(c, l, a);
    apcm_watch(c, a, NULL);
}

/* Bypassed as streaming, or because the victim search found only pinned lines. */
static void apcm_bypass(struct wl_cache *c, const struct wl_access *a)
{
    struct apcm *s = c->self;
    if (!a->load || a->space != WL_GLOBAL) return;
    enum method m = method_of(a->load);
    if (m == BYPASS) {
        c->count[N_BYPASSED]++;
    } else {
        drop_stale_pins(c, a->set);
        count_request(c, a);
        c->count[m == PROTECT ? N_PBYPASS_PROTECT : N_PBYPASS_NORMAL]++;
        c->count[N_PBYPASS_HOLDER] += s->psb[a->warp].on;
    }
    apcm_watch(c, a, NULL);
}

static void apcm_on_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    if (outcome == WL_MISSED) apcm_insert(c, a, (uint32_t)way);
    else if (outcome == WL_BYPASSED) apcm_bypass(c, a);
    else if (outcome != WL_STORED) apcm_hit(c, a, (uint32_t)way);
}

static void apcm_on_leave(struct wl_cache *c, const struct wl_line *gone, enum wl_leave why, const struct wl_access *by)
{
    (void)by;
    struct apcm_line *l = line_at(c, gone->set, gone->way);
    if (why == WL_EVICTED) return;
    drop_pin(c, l);
    l->acc = 0;
}

/* ---- kernels ---- */

static void kernel_begin(struct wl_cache *c, uint64_t hash)
{
    struct apcm *s = c->self;
    int64_t keep = c->param[KERNEL_STATE];
    if (keep == STATE_LAUNCH || (keep == STATE_FUNCTION && s->kernel != hash)) {
        s->lat_used = 0;
        memset(s->cait, 0, sizeof s->cait);
    }
    s->kernel = hash;
    clear_mta(c);
    memset(s->psb, 0, sizeof s->psb);
    memset(s->pinned_by, 0, sizeof s->pinned_by);
    s->pinned = 0;
    for (size_t i = 0; i < wl_chain_entries(&c->g); i++) s->line[i].pinned = false;
    s->watching = false;
    s->armed = true;
    s->wanted = -1;
}

static void apcm_on_kernel(struct wl_cache *c, enum wl_phase phase, const struct wl_kernel *k)
{
    struct apcm *s = c->self;
    wl_chain_on_kernel(c, phase, k);
    if (phase == WL_BEGIN) kernel_begin(c, k->hash);
    if (phase != WL_END) return;
    for (uint32_t i = 0; i < s->lat_used; i++)
        c->count[s->cait[i].valid ? N_LOADS_NORMAL + s->cait[i].method : N_LOADS_UNKNOWN]++;
}

/* ---- the table ---- */

static size_t apcm_bytes(const struct wl_geometry *g, const int64_t *param)
{
    return sizeof(struct apcm) + (size_t)param[MTA_ENTRIES] * sizeof(struct mta_entry) + g->sets * sizeof(uint64_t) +
           wl_chain_entries(g) * (sizeof(struct apcm_line) + sizeof(uint16_t));
}

static bool apcm_init(struct wl_cache *c, const char **why)
{
    struct apcm *s = c->self;
    size_t lines = wl_chain_entries(&c->g);
    *why = "mta must be a multiple of mta_ways";
    s->mta_sets = (uint32_t)(c->param[MTA_ENTRIES] / c->param[MTA_WAYS]);
    s->line = (struct apcm_line *)(s->mta + c->param[MTA_ENTRIES]);
    s->set_clock = (uint64_t *)(s->line + lines);
    wl_chain_init(&s->chain, (uint16_t *)(s->set_clock + c->g.sets), &c->g);
    return c->param[MTA_ENTRIES] % c->param[MTA_WAYS] == 0;
}

/* With 32-bit addresses and PCs, as the paper counts. */
static uint64_t apcm_storage_bits(const struct wl_cache *c)
{
    const struct apcm *s = c->self;
    uint64_t loads = (uint64_t)c->param[LOADS], id = wl_bits_for(loads), warps = c->g.warps;
    uint64_t tag = 25 - wl_bits_for(s->mta_sets);
    return wl_chain_entries(&c->g) * (1 + wl_bits_for(warps) + 4) +
           (uint64_t)c->param[MTA_ENTRIES] * (tag + 2 * id + 4 + 4) + loads * (1 + 2 + 4 + id) + loads * 32 +
           warps * (1 + 1 + id);
}

static const struct wl_load_hooks apcm_loads = {
    .begin = apcm_load_begin,
    .done = apcm_load_done,
    .warp_launch = apcm_warp_launch,
    .warp_exit = apcm_warp_exit,
    .leave_loop = apcm_leave_loop,
};

extern const struct wl_cache_policy apcm_policy;
const struct wl_cache_policy apcm_policy = {
    .abi = WL_ABI,
    .name = "apcm",
    .help = "APCM: by load, bypass what streams and pin what one warp reuses, as one watched warp shows",
    .levels = 1u << WL_L1,
    .answers_drift = true, /* pins are dropped with loads that return, loops that are left and warps that end */
    .params = apcm_params,
    .counters = apcm_counters,
    .bytes = apcm_bytes,
    .init = apcm_init,
    .storage_bits = apcm_storage_bits,
    .decide = apcm_decide,
    .victim = apcm_victim,
    .on_access = apcm_on_access,
    .on_leave = apcm_on_leave,
    .on_kernel = apcm_on_kernel,
    .loads = &apcm_loads,
};
