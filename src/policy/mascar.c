/* mascar.c - Mascar: when the memory is saturated, one warp at a time.
 *
 * Idea (Sethia, Jamshidi, Mahlke, HPCA 2015): an SM whose miss resources are exhausted sends a few
 * requests of every warp, and no warp gets all it needs to compute. Mascar then gives one warp, the
 * owner, the sole right to miss: its data is complete first, and its arithmetic runs while the next
 * owner's loads are under way. Requests the L1D refuses step aside into a re-execution queue, so
 * that other warps' hits need not wait behind them. `part` switches the two halves: sched, reexec
 * (round robin with the queue, never saturated), both.
 *
 * The paper adds three structures to an SM (its Fig. 6 and section III-C):
 *  - the warp readiness checker, WRC (struct wrc): holds the owner and decides when it loses its right
 *    and who is next;
 *  - the warp status table, WST (struct wst): two bits per warp, "the next instruction accesses memory"
 *    and "stall". Both follow from the warps' heads and the WRC, so they are computed when asked for;
 *    the part of the stall bit that is the scoreboard's is the SM's own (wl_sched_view.ready);
 *  - the re-execution queue, which is part of the ld/st unit: src/sm/ext_reexec.c. The L1D's refusal of
 *    other warps' misses is there too, in src/sm/ext_gate.c; this file says who may miss (may_miss).
 *
 *  - Saturation: MSHRs or miss queue of the L1D, texture or constant cache almost full. Almost has
 *    no number in the paper: 7/8, at least one entry free (sat_mshr, sat_missq). The flag reaches the
 *    schedulers a cycle later. The constant cache with its two MSHRs must be full for 16 cycles.
 *  - Not saturated, equal priority (EP): memory instructions before the others, greedy then oldest.
 *  - Saturated, memory access priority (MP): compute instructions first, oldest first; memory
 *    instructions of the owner only, and of leftovers: warps whose memory instruction was ready when
 *    the mode changed. The paper both stalls all others and lets "non-owner, memory-ready warps"
 *    reach the L1D; leftovers are those for which its reason (they are in the queue already) holds.
 *    nonowner=strict and any are the other readings. A scheduler issues one instruction per cycle, so compute
 *    instructions can keep the owner's loads waiting; the paper's Fig. 3 starts a load and an add of
 *    another warp in the same cycle, which is mp_dual_slot.
 *  - At the L1D another warp than the owner may hit and merge, not miss or store (may_miss). A merge
 *    sends nothing, which is all the paper forbids; nonowner_merge=no refuses it too.
 *  - Release: the owner's next instruction depends on one of its loads, or it waits at a barrier, or has
 *    ended; and all its requests have been accepted (drain), else its own misses would be turned
 *    away. The paper's scoreboard bit is set when a load issues, so one that hits releases as well
 *    (release=any); with miss the owner stays owner while its loads hit. An owner that only computes
 *    keeps it, as the paper names no other release. owner_timeout takes it away after so many cycles in a row in
 *    which the owner's next instruction is no memory instruction and no request of it is unaccepted:
 *    one that wants memory and is kept out, or waits for an MSHR, is not in an arithmetic stretch.
 *  - Next owner: "one will go ahead and access memory": the warp whose request is at the L1D, if any
 *    (owner_lsu=always; switch: only when the mode changes), else the first to issue a memory
 *    instruction, the oldest of the SM. If no warp can, or the ld/st unit is blocked, the warp of the
 *    queue's head. An owner with nothing in the queue hands over to the queue's head too while
 *    the unit is blocked (queue_handover): the unit then serves the queue only. The paper is silent,
 *    and nothing would move until the flag clears.
 *  - The owner's scheduler issues first; compute instructions of any warp may issue anywhere.
 *
 * Shared-memory instructions count as compute: they take no miss resource. With shared_is_mem they
 * come in the order of memory instructions, wait for ownership and take it; the rule for a warp with
 * queued requests (it issues no other memory instruction, same_warp) is about lines of memory and leaves
 * them alone. A shared-memory load that still waits for the ld/st unit looks like a long-latency one.
 *
 * Texture and constant accesses are held back at issue only (tex_gate=issue); their pipes are in order
 * and have no queue to step aside to. With tex_gate=cache these caches refuse a miss of another warp than
 * the owner too. That alone can hang: the owner's access stands behind the refused one, and the owner
 * keeps its right until that access is accepted. Only the end of saturation would part them, which costs
 * the time until nearly everything under way is back, and with mode=mp never comes. So the refusal
 * ends while it holds the owner up: a request of it is behind in that pipe, or the full pipe has stopped
 * the ld/st unit and the owner has an instruction in the unit or one ready in front of it (src/sm/ext_gate.c).
 *
 * Ownership ends with MP.
 *
 * Storage as the paper's Table II counts it, for 48 warps: WRC 6 bits (1 byte), WST two bits per warp
 * (12 bytes), queue entries of 64 + 32 * 7 + 6 + 7 = 301 bits, 38 bytes each. Not
 * counted, there or here: the mode, the leftovers, a scoreboard bit for long-latency loads. */
#include "warpline/lsu.h"

/* ---- parameters and counters ---- */

/* clang-format off */
enum {
    PART, ENTRIES, MODE, NONOWNER, DRAIN, RELEASE, OWNER_LSU, QUEUE_HANDOVER, SAME_WARP, QUEUE_STORES, OWNER_FIRST,
    SAT_MSHR, SAT_MISSQ, SAT_HYST, SAT_LATENCY, SAT_L1C, NONOWNER_MERGE, SHARED_IS_MEM, MP_DUAL_SLOT, OWNER_TIMEOUT,
    TEX_GATE
};
/* clang-format on */
enum { PART_BOTH, PART_SCHED, PART_REEXEC };
enum { FORCE_AUTO, FORCE_EP, FORCE_MP };
enum { NONOWNER_SNAPSHOT, NONOWNER_STRICT, NONOWNER_ANY };
enum { RELEASE_ANY, RELEASE_MISS };
enum { LSU_NO, LSU_SWITCH, LSU_ALWAYS };

static const struct wl_param mascar_params[] = {
    [PART] = {"part", "", 0, 0, 2, "both|sched|reexec", "scheduling, re-execution (with round robin), or both",
              "Fig. 9 shows the parts"},
    [ENTRIES] = {"entries", "requests", 1, 32, 1024, NULL, "re-execution queue", "Table II"},
    [MODE] = {"mode", "", 0, 0, 2, "auto|ep|mp",
              "follow the saturation flag, or stay in one mode (mp for ever may hang without the queue)",
              "section III"},
    [NONOWNER] = {"nonowner", "", 0, 0, 2, "snapshot|strict|any",
                  "other warps' memory instructions in MP: those ready at the switch, none, all",
                  "section III-A, both said"},
    [DRAIN] = {"drain", "", 0, 1, 1, "no|yes", "ownership lasts until all requests are accepted", "Fig. 3"},
    [RELEASE] = {"release", "", 0, 0, 1, "any|miss", "loads whose dependents release: all, or those that missed",
                 "section III-A: the scoreboard cannot tell"},
    [OWNER_LSU] = {"owner_lsu", "", 0, 2, 2, "no|switch|always",
                   "without an owner, the warp at the L1D is it: never, when MP begins, always", "section III-A"},
    [QUEUE_HANDOVER] = {"queue_handover", "", 0, 1, 1, "no|yes",
                        "an owner kept out by a blocked ld/st unit hands over to the queue's head", "silent"},
    [SAME_WARP] =
        {"same_warp", "", 0, 0, 2, "all|stores|push",
         "what waits while the warp has queued requests: every memory instruction, if one writes, only queueing",
         "section III-C: order of a warp's stores and loads"},
    [QUEUE_STORES] = {"queue_stores", "", 0, 1, 1, "no|yes", "stores and atomics may be queued", "section III-C"},
    [OWNER_FIRST] = {"owner_first", "", 0, 0, 1, "no|yes", "the owner's memory instruction before an older leftover's",
                     "section III-A: oldest"},
    [SAT_MSHR] = {"sat_mshr", "entries", 0, 0, 65536, NULL, "L1D MSHRs in use that mean saturation; 0: 7/8", "silent"},
    [SAT_MISSQ] = {"sat_missq", "entries", 0, 0, 65536, NULL, "L1D miss-queue entries likewise; 0: 7/8", "silent"},
    [SAT_HYST] = {"sat_hyst", "entries", 0, 0, 65536, NULL, "how far below both must fall again", "none mentioned"},
    [SAT_LATENCY] = {"sat_latency", "cycles", 1, 1, 32, NULL, "from the caches to the schedulers",
                     "section III-A: via the LSU"},
    [SAT_L1C] = {"sat_l1c", "cycles", 1, 16, 65536, NULL, "how long the constant cache must be full", "ours"},
    [NONOWNER_MERGE] = {"nonowner_merge", "", 0, 1, 1, "no|yes",
                        "another warp than the owner may join a fetch on its way",
                        "section III-A: it may not travel to the L2"},
    [SHARED_IS_MEM] = {"shared_is_mem", "", 0, 0, 1, "no|yes",
                       "shared-memory instructions are memory instructions for priority and ownership", "silent"},
    [MP_DUAL_SLOT] = {"mp_dual_slot", "", 0, 0, 1, "no|yes",
                      "in MP a scheduler may issue a compute and a memory instruction of two warps in a cycle",
                      "Fig. 3"},
    [OWNER_TIMEOUT] = {"owner_timeout", "cycles", 0, 0, 1 << 20, NULL,
                       "an owner that only computes that long loses it; 0: never",
                       "section III-A knows no such release"},
    [TEX_GATE] = {"tex_gate", "", 0, 0, 1, "issue|cache",
                  "another warp's texture and constant accesses: held back at issue only, or misses refused too",
                  "silent"},
    WL_PARAM_END,
};

/* clang-format off */
enum {
    N_MP_CYCLES, N_MP_NO_OWNER, N_SWITCHES, N_OWNER_ISSUE, N_OWNER_LSU, N_OWNER_QUEUE, N_OWNER_QUEUE_FULL,
    N_RELEASE_DEPENDENCE, N_RELEASE_BARRIER, N_RELEASE_EXIT, N_LEFTOVERS, N_RELEASE_TIMEOUT, N_DUAL
};
/* clang-format on */
static const struct wl_counter mascar_counters[] = {
    [N_MP_CYCLES] = {"mp_cycles", "SM cycles", "cycles in memory access priority mode; the other active ones are EP"},
    [N_MP_NO_OWNER] = {"mp_no_owner", "SM cycles", "of these, without an owner when issue began"},
    [N_SWITCHES] = {"mode_switches", "switches", "from EP to MP"},
    [N_OWNER_ISSUE] = {"owner_by_issue", "changes", "a warp became owner by issuing a memory instruction"},
    [N_OWNER_LSU] = {"owner_by_lsu", "changes", "by having its request at the L1D"},
    [N_OWNER_QUEUE] = {"owner_by_queue", "changes", "by being at the head of the re-execution queue"},
    [N_OWNER_QUEUE_FULL] = {"owner_by_full_queue", "changes", "the same, taken from an owner that was kept out"},
    [N_RELEASE_DEPENDENCE] = {"released_dependence", "changes", "the owner waited for its loads"},
    [N_RELEASE_BARRIER] = {"released_barrier", "changes", "the owner waited at a barrier or membar"},
    [N_RELEASE_EXIT] = {"released_exit", "changes", "the owner had ended"},
    [N_LEFTOVERS] = {"leftovers", "instructions", "memory instructions issued in MP by others than the owner"},
    [N_RELEASE_TIMEOUT] = {"released_timeout", "changes", "the owner had only computed for owner_timeout cycles"},
    [N_DUAL] = {"dual_issues", "instructions",
                "memory instructions issued in the cycle of a compute one of the same scheduler"},
    WL_COUNTER_END,
};

/* ---- state ---- */

enum { NO_OWNER = -1 };

/* Saturation of one cache. */
struct flag {
    uint32_t mshr, missq; /* entries in use from which it is saturated */
    bool on;
};

/* The warp readiness checker. */
struct wrc {
    int owner;         /* NO_OWNER: any warp may become it */
    bool gone;         /* the owner has ended, and its slot may be another warp's */
    bool waited;       /* the owner's next instruction was seen to depend on a load that is not accepted yet */
    uint64_t expires;  /* cycle in which an owner that computes loses its right; UINT64_MAX: it does not only compute */
    uint64_t leftover; /* warps whose memory instruction was ready when MP began and has not issued since */
};

/* The warp status table: sets of warps. */
struct wst {
    uint64_t memory; /* the next instruction accesses memory */
    uint64_t stall;  /* the next instruction may not issue, for the sake of the owner */
};

struct mascar {
    struct wrc wrc;
    bool mp;   /* the mode: memory access priority; else equal priority */
    bool busy; /* there were warps in the cycle of the last call, so that the time since counts */
    struct flag l1d, l1t, l1c;
    uint64_t l1c_since;  /* cycle from which the constant cache has been full */
    uint64_t history;    /* the saturation flag, one bit per cycle, bit 0 being the cycle before this one */
    bool raw;            /* the saturation flag as last seen */
    uint64_t last_cycle; /* of the last call */
    bool begun;
    uint8_t last[WL_MAX_SCHEDULERS];        /* slot + 1 of the warp that issued last; 0 at first */
    uint64_t last_issue[WL_MAX_SCHEDULERS]; /* the cycle in which it did */
};

static size_t mascar_bytes(const struct wl_sched_geometry *g, const int64_t *param)
{
    (void)g, (void)param;
    return sizeof(struct mascar);
}

static bool mascar_init(struct wl_sched *s, const char **why)
{
    (void)why;
    ((struct mascar *)s->self)->wrc.owner = NO_OWNER;
    return true;
}

static bool schedules(const struct wl_sched *s) { return s->param[PART] != PART_REEXEC; }

static struct wl_reexec mascar_reexec(const struct wl_sched *s)
{
    const int64_t *p = s->param;
    if (p[PART] == PART_SCHED) return (struct wl_reexec){0};
    return (struct wl_reexec){(uint32_t)p[ENTRIES], (uint8_t)p[SAME_WARP], p[QUEUE_STORES]};
}

static struct wl_gate mascar_gate(const struct wl_sched *s)
{
    return (struct wl_gate){.merges = !s->param[NONOWNER_MERGE], .readonly = s->param[TEX_GATE]};
}

static uint64_t mascar_storage_bits(const struct wl_sched *s)
{
    enum { ADDRESS = 64, OFFSETS = 32 * 7, REGISTER = 7 };
    uint64_t id = wl_bits_for(s->g.warps > 1 ? s->g.warps : 2), wrc = (id + 7) / 8, wst = (2 * s->g.warps + 7) / 8,
             entry = (ADDRESS + OFFSETS + id + REGISTER + 7) / 8;
    return 8 * ((schedules(s) ? wrc + wst : 0) + mascar_reexec(s).entries * entry);
}

static void mascar_on_kernel(struct wl_sched *s, enum wl_phase phase, const struct wl_kernel *k)
{
    (void)k;
    struct mascar *m = s->self;
    if (phase != WL_BEGIN) return;
    m->mp = s->param[MODE] == FORCE_MP && schedules(s);
    m->raw = m->begun = m->wrc.gone = false;
    m->wrc.owner = NO_OWNER;
    m->wrc.leftover = m->history = 0;
    m->l1c_since = UINT64_MAX;
}

/* ---- saturation ---- */

static uint32_t almost_full(uint32_t n) { return n < 2 ? 1 : n - (n / 8 ? n / 8 : 1); }

static uint32_t lowered(uint32_t limit, uint32_t by) { return limit > by ? limit - by : 1; } /* empty always clears */

static bool flag_now(struct flag *f, const struct wl_fill *c, uint32_t hysteresis)
{
    uint32_t by = f->on ? hysteresis : 0;
    f->on = c->mshr_used >= lowered(f->mshr, by) || c->missq_used >= lowered(f->missq, by);
    return f->on;
}

/* The sizes of the caches are known when the first view comes. */
static void set_thresholds(struct mascar *m, const int64_t *p, const struct wl_sched_view *v)
{
    const struct wl_fill *l1t = &v->lsu->l1t, *l1c = &v->lsu->l1c;
    m->l1d = (struct flag){p[SAT_MSHR] ? (uint32_t)p[SAT_MSHR] : almost_full(v->l1d.mshr_total),
                           p[SAT_MISSQ] ? (uint32_t)p[SAT_MISSQ] : almost_full(v->l1d.missq_total), false};
    m->l1t = (struct flag){almost_full(l1t->mshr_total), almost_full(l1t->missq_total), false};
    m->l1c = (struct flag){almost_full(l1c->mshr_total), almost_full(l1c->missq_total), false};
    m->last_cycle = v->cycle - 1;
    m->begun = true;
}

/* The flag of this cycle. *again: when the constant cache will have been full long enough. */
static bool saturated(struct mascar *m, const int64_t *p, const struct wl_sched_view *v, uint64_t *again)
{
    uint32_t hysteresis = (uint32_t)p[SAT_HYST];
    bool flag = flag_now(&m->l1d, &v->l1d, hysteresis);
    flag |= flag_now(&m->l1t, &v->lsu->l1t, hysteresis);
    if (!flag_now(&m->l1c, &v->lsu->l1c, hysteresis)) {
        m->l1c_since = UINT64_MAX;
        return flag;
    }
    if (m->l1c_since == UINT64_MAX) m->l1c_since = v->cycle;
    uint64_t enough = m->l1c_since + (uint64_t)p[SAT_L1C] - 1;
    if (v->cycle >= enough) return true;
    *again = enough;
    return flag;
}

static void count_mp(struct wl_sched *s, uint64_t cycles)
{
    const struct mascar *m = s->self;
    if (!m->mp || !m->busy) return;
    s->count[N_MP_CYCLES] += cycles;
    if (m->wrc.owner == NO_OWNER) s->count[N_MP_NO_OWNER] += cycles;
}

/* The cycles since the last call, in which nothing changed. */
static void pass_time(struct wl_sched *s, uint64_t cycle)
{
    struct mascar *m = s->self;
    uint64_t passed = cycle - m->last_cycle;
    m->history = passed > 63 ? 0 : m->history << passed;
    if (m->raw) m->history |= passed > 63 ? UINT64_MAX : (UINT64_C(1) << passed) - 1;
    count_mp(s, passed - 1);
    m->last_cycle = cycle;
}

/* ---- WST ---- */

/* Warps whose head counts as a memory instruction; those of them that could go to the ld/st unit. */
static uint64_t memory_heads(const struct wl_sched *s, const struct wl_sched_view *v)
{
    return v->memory | (s->param[SHARED_IS_MEM] ? v->shared : 0);
}
static uint64_t memory_ready(const struct wl_sched *s, const struct wl_sched_view *v)
{
    return v->ready & memory_heads(s, v) & ~v->lsu->queued;
}

static struct wst wst_of(const struct wl_sched *s, const struct wl_sched_view *v)
{
    const struct mascar *m = s->self;
    struct wst t = {.memory = memory_heads(s, v)};
    if (m->mp && m->wrc.owner != NO_OWNER && s->param[NONOWNER] != NONOWNER_ANY)
        t.stall = t.memory & ~(m->wrc.leftover | UINT64_C(1) << m->wrc.owner);
    return t;
}

/* ---- WRC: mode and owner ---- */

static void set_owner(struct wl_sched *s, int warp, unsigned counter)
{
    struct wrc *w = &((struct mascar *)s->self)->wrc;
    if (warp < 0) return;
    w->owner = warp;
    w->waited = false;
    w->expires = UINT64_MAX;
    s->count[counter]++;
}

static void set_mode(struct wl_sched *s, const struct wl_sched_view *v)
{
    struct mascar *m = s->self;
    bool mp = m->history >> (s->param[SAT_LATENCY] - 1) & 1;
    if (mp == m->mp || s->param[MODE] != FORCE_AUTO) return;
    m->mp = mp;
    m->wrc.owner = NO_OWNER;
    m->wrc.gone = false;
    m->wrc.leftover = 0;
    if (!mp) return;
    s->count[N_SWITCHES]++;
    if (s->param[OWNER_LSU] != LSU_NO) set_owner(s, v->lsu->warp, N_OWNER_LSU);
    if (s->param[NONOWNER] == NONOWNER_SNAPSHOT) m->wrc.leftover = memory_ready(s, v);
}

/* The owner has done nothing but compute for owner_timeout cycles. */
static bool timed_out(const struct wl_sched *s, const struct wl_sched_view *v, uint64_t owner)
{
    struct wrc *w = &((struct mascar *)s->self)->wrc;
    if (!s->param[OWNER_TIMEOUT]) return false;
    if ((memory_heads(s, v) | v->lsu->holds) & owner) w->expires = UINT64_MAX;
    else if (w->expires == UINT64_MAX) w->expires = v->cycle + (uint64_t)s->param[OWNER_TIMEOUT];
    return v->cycle >= w->expires;
}

static void check_release(struct wl_sched *s, const struct wl_sched_view *v)
{
    struct wrc *w = &((struct mascar *)s->self)->wrc;
    uint64_t bit = UINT64_C(1) << w->owner;
    bool drained = !(v->lsu->holds & bit);
    unsigned cause;
    if (w->gone || (v->ended & bit && drained)) cause = N_RELEASE_EXIT;
    else if (v->barrier & bit && drained) cause = N_RELEASE_BARRIER;
    else if ((v->long_stall & bit || w->waited) && (drained || !s->param[DRAIN])) cause = N_RELEASE_DEPENDENCE;
    else if (timed_out(s, v, bit)) cause = N_RELEASE_TIMEOUT;
    else {
        w->waited = s->param[RELEASE] == RELEASE_ANY && v->long_stall & bit;
        return;
    }
    s->count[cause]++;
    w->owner = NO_OWNER;
    w->gone = false;
}

static void find_owner(struct wl_sched *s, const struct wl_sched_view *v)
{
    const struct wl_lsu_view *u = v->lsu;
    if (u->queue_used && u->blocked) set_owner(s, u->queue_head, N_OWNER_QUEUE);
    else if (u->warp >= 0 && s->param[OWNER_LSU] == LSU_ALWAYS) set_owner(s, u->warp, N_OWNER_LSU);
    else if (u->queue_used && !memory_ready(s, v)) set_owner(s, u->queue_head, N_OWNER_QUEUE);
}

static void manage_owner(struct wl_sched *s, const struct wl_sched_view *v)
{
    const struct wrc *w = &((struct mascar *)s->self)->wrc;
    const struct wl_lsu_view *u = v->lsu;
    if (w->owner != NO_OWNER) check_release(s, v);
    if (w->owner == NO_OWNER) find_owner(s, v);
    else if (s->param[QUEUE_HANDOVER] && u->blocked && u->queue_used && !(u->queued >> w->owner & 1))
        set_owner(s, u->queue_head, N_OWNER_QUEUE_FULL);
}

static uint64_t mascar_on_cycle(struct wl_sched *s, const struct wl_sched_view *v)
{
    struct mascar *m = s->self;
    if (!schedules(s)) return UINT64_MAX;
    if (!m->begun) set_thresholds(m, s->param, v);
    pass_time(s, v->cycle);
    bool mp = m->mp;
    int owner = m->wrc.owner;
    set_mode(s, v);
    if (m->mp) manage_owner(s, v);
    m->busy = v->live;
    count_mp(s, 1);
    uint64_t again = UINT64_MAX;
    m->raw = saturated(m, s->param, v, &again);
    if (m->wrc.owner != NO_OWNER && m->wrc.expires < again) again = m->wrc.expires;
    if (mp != m->mp || owner != m->wrc.owner) return v->cycle + 1;
    if (m->mp && !s->param[DRAIN]) return v->cycle + 1; /* ownership may go round every cycle */
    uint64_t coming = m->history << 1 | m->raw, mask = (UINT64_C(1) << s->param[SAT_LATENCY]) - 1;
    bool steady = s->param[MODE] != FORCE_AUTO || (coming & mask) == (m->mp ? mask : 0);
    return steady ? again : v->cycle + 1;
}

static bool mascar_may_miss(const struct wl_sched *s, unsigned warp)
{
    const struct mascar *m = s->self;
    return !m->mp || m->wrc.owner == NO_OWNER || m->wrc.owner == (int)warp;
}

static void mascar_on_warp(struct wl_sched *s, const struct wl_sched_view *v, enum wl_warp_event event, unsigned warp)
{
    (void)v, (void)event;
    struct wrc *w = &((struct mascar *)s->self)->wrc;
    w->leftover &= ~(UINT64_C(1) << warp);
    if (w->owner == (int)warp) w->gone = true;
}

/* ---- issue ---- */

static uint64_t mascar_allowed(const struct wl_sched *s, const struct wl_sched_view *v) { return ~wst_of(s, v).stall; }

static int pick_mp(const struct wl_sched *s, const struct wl_sched_view *v, uint64_t candidates)
{
    int owner = ((const struct mascar *)s->self)->wrc.owner;
    struct wst t = wst_of(s, v);
    uint64_t compute = candidates & ~t.memory, memory = candidates & t.memory & ~t.stall;
    if (compute) return (int)wl_oldest(v, compute);
    if (!memory) return -1; /* the other scheduler has just found an owner */
    bool owner_first = s->param[OWNER_FIRST] || s->param[NONOWNER] == NONOWNER_ANY;
    if (owner_first && owner != NO_OWNER && memory >> owner & 1) return owner;
    return (int)wl_oldest(v, memory);
}

static int mascar_pick(const struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler, uint64_t candidates)
{
    const struct mascar *m = s->self;
    if (!schedules(s)) return (int)wl_next_slot(m->last[scheduler], candidates);
    if (m->mp) return pick_mp(s, v, candidates);
    uint64_t memory = candidates & memory_heads(s, v);
    return (int)wl_greedy_oldest(v, m->last[scheduler] - 1u, memory ? memory : candidates);
}

static void mascar_on_issue(struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler, unsigned warp)
{
    struct mascar *m = s->self;
    m->last[scheduler] = (uint8_t)(warp + 1);
    s->count[N_DUAL] += m->last_issue[scheduler] == v->cycle;
    m->last_issue[scheduler] = v->cycle;
    if (!m->mp || !(memory_heads(s, v) >> warp & 1)) return;
    m->wrc.leftover &= ~(UINT64_C(1) << warp);
    if (m->wrc.owner == NO_OWNER) set_owner(s, (int)warp, N_OWNER_ISSUE);
    else s->count[N_LEFTOVERS] += m->wrc.owner != (int)warp;
}

/* MP picks compute first, so a second instruction accesses memory. */
static uint64_t mascar_second(const struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler,
                              unsigned warp)
{
    uint64_t memory = memory_heads(s, v);
    bool may = ((const struct mascar *)s->self)->mp && s->param[MP_DUAL_SLOT] && !(memory >> warp & 1);
    return may ? memory & v->owned[scheduler] : 0;
}

static unsigned mascar_first(const struct wl_sched *s, const struct wl_sched_view *v)
{
    const struct mascar *m = s->self;
    unsigned turn = (unsigned)(v->cycle % s->g.schedulers);
    if (!m->mp) return turn;
    if (m->wrc.owner != NO_OWNER) return (unsigned)m->wrc.owner % s->g.schedulers;
    uint64_t memory = memory_ready(s, v);
    return memory ? wl_oldest(v, memory) % s->g.schedulers : turn;
}

static struct wl_sched_state mascar_state(const struct wl_sched *s)
{
    const struct mascar *m = s->self;
    return (struct wl_sched_state){!schedules(s) ? NULL : m->mp ? "MP" : "EP", m->wrc.owner};
}

static const struct wl_order_hooks mascar_order = {.first = mascar_first, .second = mascar_second};
static const struct wl_lsu_hooks mascar_lsu = {
    .reexec = mascar_reexec, .gate = mascar_gate, .may_miss = mascar_may_miss};

extern const struct wl_sched_policy mascar_policy;
const struct wl_sched_policy mascar_policy = {
    .abi = WL_ABI,
    .name = "mascar",
    .help = "Mascar: one warp owns the saturated memory; refused requests are re-executed",
    .params = mascar_params,
    .counters = mascar_counters,
    .bytes = mascar_bytes,
    .init = mascar_init,
    .storage_bits = mascar_storage_bits,
    .pick = mascar_pick,
    .allowed = mascar_allowed,
    .on_issue = mascar_on_issue,
    .on_cycle = mascar_on_cycle,
    .on_warp = mascar_on_warp,
    .on_kernel = mascar_on_kernel,
    .state = mascar_state,
    .order = &mascar_order,
    .lsu = &mascar_lsu,
};
