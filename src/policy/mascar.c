/* mascar.c - Mascar: when the memory is saturated, one warp at a time.
 *
 * Idea (Sethia, Jamshidi, Mahlke, HPCA 2015): an SM whose miss resources are exhausted sends a few
 * requests of every warp, and no warp gets all it needs to compute. Mascar then gives one warp, the
 * owner, the sole right to miss: its data is complete first, and its arithmetic runs while the next
 * owner's loads are under way. Requests the L1D refuses step aside into a re-execution queue, so
 * that other warps' hits need not wait behind them (src/sm/reexec.c). `part` switches the two
 * halves: sched, reexec (round robin with the queue, never saturated), both.
 *
 *  - Saturation: MSHRs or miss queue of the L1D, texture or constant cache almost full. Almost has
 *    no number in the paper: 7/8, at least one entry free (sat_mshr, sat_missq). The flag reaches the
 *    schedulers a cycle later. The constant cache with its two MSHRs must be full for 16 cycles.
 *  - Not saturated, equal priority (EP): memory instructions before the others, greedy then oldest.
 *  - Saturated, memory access priority (MP): compute instructions first, oldest first; memory
 *    instructions of the owner only, and of leftovers: warps whose memory instruction was ready when
 *    the mode changed. The paper both stalls all others and lets "non-owner, memory-ready warps"
 *    reach the L1D; leftovers are those for which its reason (they are in the queue already) holds.
 *    nonowner=strict and any are the other readings. A scheduler issues one instruction a cycle, so compute
 *    instructions can keep the owner's loads waiting; the paper's Fig. 3 starts a load and an add of
 *    another warp in the same cycle, which is mp_dual_slot.
 *  - At the L1D another warp than the owner may hit and merge, not miss or store (may_miss). A merge
 *    sends nothing, which is all the paper forbids; nonowner_merge=no refuses it too.
 *  - Release: the owner's next instruction depends on one of its loads, or it waits at a barrier, or has
 *    ended; and all its requests have been accepted (drain), else its own misses would be turned
 *    away. The paper's scoreboard bit is set when a load issues, so one that hits releases as well
 *    (release=any); with miss the owner stays owner while its loads hit. An owner that only computes
 *    keeps it, as no other release is told. owner_timeout takes it away after so many cycles in a row in
 *    which the owner's next instruction is no memory instruction and no request of it is unaccepted:
 *    one that wants memory and is kept out, or waits for an MSHR, is not in an arithmetic stretch.
 *  - Next owner: "one will go ahead and access memory": the warp whose request is at the L1D, if any
 *    (owner_lsu=always; switch: only when the mode changes), else the first to issue a memory
 *    instruction, the oldest of the SM. If nobody can, or the ld/st unit is blocked, the warp of the
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
 * the ld/st unit and the owner has an instruction in the unit or one ready in front of it (src/sm/gate.c).
 *
 * Ownership ends with MP.
 *
 * Storage as the paper's Table II counts it, for 48 warps: the owner's number 6 bits (1 byte), two
 * status bits a warp (12 bytes), queue entries of 64 + 32 * 7 + 6 + 7 = 301 bits, 38 bytes each. Not
 * counted, there or here: the mode, the leftovers, a scoreboard bit for long-latency loads. */
#include <stdlib.h>

#include "warpline/sched.h"

/* ---- parameters and counters ---- */

enum {
    PART,
    ENTRIES,
    MODE,
    NONOWNER,
    DRAIN,
    RELEASE,
    OWNER_LSU,
    QUEUE_HANDOVER,
    SAME_WARP,
    QUEUE_STORES,
    OWNER_FIRST,
    SAT_MSHR,
    SAT_MISSQ,
    SAT_HYST,
    SAT_LATENCY,
    SAT_L1C,
    NONOWNER_MERGE,
    SHARED_IS_MEM,
    MP_DUAL_SLOT,
    OWNER_TIMEOUT,
    TEX_GATE,
    PARAMS
};
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

enum {
    N_MP_CYCLES,
    N_MP_NO_OWNER,
    N_SWITCHES,
    N_OWNER_ISSUE,
    N_OWNER_LSU,
    N_OWNER_QUEUE,
    N_OWNER_QUEUE_FULL,
    N_RELEASE_DEPENDENCE,
    N_RELEASE_BARRIER,
    N_RELEASE_EXIT,
    N_LEFTOVERS,
    N_RELEASE_TIMEOUT,
    N_DUAL,
    N_COUNTERS
};
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
    [N_DUAL] = {"dual_issues", "instructions", "memory instructions issued beside a compute one of the same scheduler"},
    WL_COUNTER_END,
};

/* ---- state ---- */

enum { NO_OWNER = -1, NO_WARP = 64, MAX_SCHEDULERS = 8 };

struct flag { /* saturation of one cache */
    uint32_t mshr, missq, hyst;
    bool on;
};

struct mascar {
    int64_t value[PARAMS];
    uint32_t warps, schedulers;
    bool mp, owner_gone, busy; /* busy: there were warps */
    bool waited;               /* the owner's next instruction was seen to depend on a load that is not accepted yet */
    int owner;
    uint64_t expires; /* cycle in which an owner that computes loses it; UINT64_MAX: it does not compute, or for ever */
    uint64_t leftover;
    uint64_t shared; /* of the view, what counts as memory: all or nothing */
    struct flag l1d, l1t, l1c;
    uint64_t l1c_since;  /* cycle from which the constant cache has been full */
    uint64_t history;    /* the flag, one bit a cycle, the latest at bit 0, up to the cycle before this */
    bool raw;            /* the flag as last seen */
    uint64_t last_cycle; /* of the last call */
    bool begun;
    uint8_t last[MAX_SCHEDULERS];        /* slot that issued last, or NO_WARP */
    uint64_t last_issue[MAX_SCHEDULERS]; /* and the cycle */
    uint64_t n[N_COUNTERS];
};

static uint32_t almost_full(uint32_t n) { return n < 2 ? 1 : n - (n / 8 ? n / 8 : 1); }

static void *mascar_create(const struct wl_sched_geometry *g, const int64_t *values, const char **why)
{
    struct mascar *m = calloc(1, sizeof *m);
    if (!m || g->schedulers > MAX_SCHEDULERS) {
        *why = m ? "more than 8 schedulers" : "out of memory";
        free(m);
        return NULL;
    }
    for (unsigned i = 0; i < PARAMS; i++) m->value[i] = values[i];
    m->warps = g->warps;
    m->schedulers = g->schedulers;
    m->shared = values[SHARED_IS_MEM] ? UINT64_MAX : 0;
    m->owner = NO_OWNER;
    for (unsigned i = 0; i < MAX_SCHEDULERS; i++) m->last[i] = NO_WARP;
    return m;
}

static bool schedules(const struct mascar *m) { return m->value[PART] != PART_REEXEC; }

static struct wl_reexec mascar_reexec(const void *self)
{
    const struct mascar *m = self;
    if (m->value[PART] == PART_SCHED) return (struct wl_reexec){0};
    return (struct wl_reexec){(uint32_t)m->value[ENTRIES], (uint8_t)m->value[SAME_WARP], m->value[QUEUE_STORES]};
}

static struct wl_gate mascar_gate(const void *self)
{
    const struct mascar *m = self;
    return (struct wl_gate){.merges = !m->value[NONOWNER_MERGE], .readonly = m->value[TEX_GATE]};
}

static uint64_t mascar_storage_bits(const void *self)
{
    enum { ADDRESS = 64, OFFSETS = 32 * 7, REGISTER = 7 };
    const struct mascar *m = self;
    uint32_t id = 1;
    while (1u << id < m->warps) id++;
    uint64_t owner = (id + 7) / 8, status = (2 * m->warps + 7) / 8, entry = (ADDRESS + OFFSETS + id + REGISTER + 7) / 8;
    uint64_t bytes = schedules(m) ? owner + status : 0;
    return 8 * (bytes + mascar_reexec(m).entries * entry);
}

static void mascar_read_counters(const void *self, uint64_t *out)
{
    for (unsigned i = 0; i < N_COUNTERS; i++) out[i] = ((const struct mascar *)self)->n[i];
}

static void mascar_kernel_begin(void *self)
{
    struct mascar *m = self;
    m->mp = m->value[MODE] == FORCE_MP && schedules(m);
    m->raw = m->owner_gone = m->begun = false;
    m->l1d.on = m->l1t.on = m->l1c.on = false;
    m->owner = NO_OWNER;
    m->leftover = m->history = 0;
    m->l1c_since = UINT64_MAX;
}

/* ---- saturation ---- */

static uint32_t lowered(uint32_t limit, uint32_t by) { return limit > by ? limit - by : 1; } /* empty always clears */

static bool flag_now(struct flag *f, const struct wl_fill *c)
{
    uint32_t by = f->on ? f->hyst : 0;
    f->on = c->mshr_used >= lowered(f->mshr, by) || c->missq_used >= lowered(f->missq, by);
    return f->on;
}

/* Thresholds are known when the first view comes. */
static void begin(struct mascar *m, const struct wl_sched_view *v)
{
    const int64_t *p = m->value;
    uint32_t hyst = (uint32_t)p[SAT_HYST];
    m->l1d = (struct flag){p[SAT_MSHR] ? (uint32_t)p[SAT_MSHR] : almost_full(v->mshr_total),
                           p[SAT_MISSQ] ? (uint32_t)p[SAT_MISSQ] : almost_full(v->missq_total), hyst, false};
    m->l1t = (struct flag){almost_full(v->l1t.mshr_total), almost_full(v->l1t.missq_total), hyst, false};
    m->l1c = (struct flag){almost_full(v->l1c.mshr_total), almost_full(v->l1c.missq_total), hyst, false};
    m->last_cycle = v->cycle - 1;
    m->begun = true;
}

/* The flag of this cycle. *again: when the constant cache will have been full long enough. */
static bool saturated(struct mascar *m, const struct wl_sched_view *v, uint64_t *again)
{
    const struct wl_fill data = {v->mshr_used, v->mshr_total, v->missq_used, v->missq_total};
    bool flag = flag_now(&m->l1d, &data);
    flag |= flag_now(&m->l1t, &v->l1t);
    if (!flag_now(&m->l1c, &v->l1c)) {
        m->l1c_since = UINT64_MAX;
        return flag;
    }
    if (m->l1c_since == UINT64_MAX) m->l1c_since = v->cycle;
    uint64_t enough = m->l1c_since + (uint64_t)m->value[SAT_L1C] - 1;
    if (v->cycle >= enough) return true;
    *again = enough;
    return flag;
}

static void count_mp(struct mascar *m, uint64_t cycles)
{
    if (!m->mp || !m->busy) return;
    m->n[N_MP_CYCLES] += cycles;
    if (m->owner == NO_OWNER) m->n[N_MP_NO_OWNER] += cycles;
}

/* The cycles since the last call, in which nothing changed. */
static void pass_time(struct mascar *m, uint64_t cycle)
{
    uint64_t passed = cycle - m->last_cycle;
    m->history = passed > 63 ? 0 : m->history << passed;
    if (m->raw) m->history |= passed > 63 ? UINT64_MAX : (UINT64_C(1) << passed) - 1;
    count_mp(m, passed - 1);
    m->last_cycle = cycle;
}

/* ---- mode and owner ---- */

/* Warps whose head counts as a memory instruction; those of them that could go to the ld/st unit. */
static uint64_t memory_heads(const struct mascar *m, const struct wl_sched_view *v)
{
    return v->memory | (v->shared & m->shared);
}
static uint64_t memory_ready(const struct mascar *m, const struct wl_sched_view *v)
{
    return v->ready & memory_heads(m, v) & ~v->queued;
}

static void own(struct mascar *m, int warp, unsigned counter)
{
    if (warp < 0) return;
    m->owner = warp;
    m->waited = false;
    m->expires = UINT64_MAX;
    m->n[counter]++;
}

static void set_mode(struct mascar *m, const struct wl_sched_view *v)
{
    bool mp = m->history >> (m->value[SAT_LATENCY] - 1) & 1;
    if (mp == m->mp || m->value[MODE] != FORCE_AUTO) return;
    m->mp = mp;
    m->owner = NO_OWNER;
    m->owner_gone = false;
    m->leftover = 0;
    if (!mp) return;
    m->n[N_SWITCHES]++;
    if (m->value[OWNER_LSU] != LSU_NO) own(m, v->lsu_warp, N_OWNER_LSU);
    if (m->value[NONOWNER] == NONOWNER_SNAPSHOT) m->leftover = memory_ready(m, v);
}

/* The owner has done nothing but compute for owner_timeout cycles. */
static bool timed_out(struct mascar *m, const struct wl_sched_view *v, uint64_t owner)
{
    if (!m->value[OWNER_TIMEOUT]) return false;
    if ((memory_heads(m, v) | v->lsu_holds) & owner) m->expires = UINT64_MAX;
    else if (m->expires == UINT64_MAX) m->expires = v->cycle + (uint64_t)m->value[OWNER_TIMEOUT];
    return v->cycle >= m->expires;
}

static void release(struct mascar *m, const struct wl_sched_view *v)
{
    uint64_t bit = UINT64_C(1) << m->owner;
    bool drained = !(v->lsu_holds & bit);
    unsigned cause;
    if (m->owner_gone || (v->ended & bit && drained)) cause = N_RELEASE_EXIT;
    else if (v->barrier & bit && drained) cause = N_RELEASE_BARRIER;
    else if ((v->long_stall & bit || m->waited) && (drained || !m->value[DRAIN])) cause = N_RELEASE_DEPENDENCE;
    else if (timed_out(m, v, bit)) cause = N_RELEASE_TIMEOUT;
    else {
        m->waited = m->value[RELEASE] == RELEASE_ANY && v->long_stall & bit;
        return;
    }
    m->n[cause]++;
    m->owner = NO_OWNER;
    m->owner_gone = false;
}

static void find_owner(struct mascar *m, const struct wl_sched_view *v)
{
    if (v->queue_used && v->lsu_blocked) own(m, v->queue_head, N_OWNER_QUEUE);
    else if (v->lsu_warp >= 0 && m->value[OWNER_LSU] == LSU_ALWAYS) own(m, v->lsu_warp, N_OWNER_LSU);
    else if (v->queue_used && !memory_ready(m, v)) own(m, v->queue_head, N_OWNER_QUEUE);
}

static void manage_owner(struct mascar *m, const struct wl_sched_view *v)
{
    if (m->owner != NO_OWNER) release(m, v);
    if (m->owner == NO_OWNER) find_owner(m, v);
    else if (m->value[QUEUE_HANDOVER] && v->lsu_blocked && v->queue_used && !(v->queued >> m->owner & 1))
        own(m, v->queue_head, N_OWNER_QUEUE_FULL);
}

static uint64_t mascar_cycle(void *self, const struct wl_sched_view *v)
{
    struct mascar *m = self;
    if (!schedules(m)) return UINT64_MAX;
    if (!m->begun) begin(m, v);
    pass_time(m, v->cycle);
    bool mp = m->mp;
    int owner = m->owner;
    set_mode(m, v);
    if (m->mp) manage_owner(m, v);
    m->busy = v->live;
    count_mp(m, 1);
    uint64_t again = UINT64_MAX;
    m->raw = saturated(m, v, &again);
    if (m->owner != NO_OWNER && m->expires < again) again = m->expires;
    if (mp != m->mp || owner != m->owner) return v->cycle + 1;
    if (m->mp && !m->value[DRAIN]) return v->cycle + 1; /* ownership may go round every cycle */
    uint64_t coming = m->history << 1 | m->raw, mask = (UINT64_C(1) << m->value[SAT_LATENCY]) - 1;
    bool steady = m->value[MODE] != FORCE_AUTO || (coming & mask) == (m->mp ? mask : 0);
    return steady ? again : v->cycle + 1;
}

static bool mascar_may_miss(void *self, unsigned warp)
{
    const struct mascar *m = self;
    return !m->mp || m->owner == NO_OWNER || m->owner == (int)warp;
}

/* ---- issue ---- */

/* Warps whose memory instruction may issue in MP. */
static uint64_t may_issue_memory(const struct mascar *m)
{
    if (m->owner == NO_OWNER || m->value[NONOWNER] == NONOWNER_ANY) return UINT64_MAX;
    return m->leftover | UINT64_C(1) << m->owner;
}

static uint64_t mascar_allowed(void *self, const struct wl_sched_view *v)
{
    const struct mascar *m = self;
    return m->mp ? ~memory_heads(m, v) | may_issue_memory(m) : UINT64_MAX;
}

static int pick_mp(const struct mascar *m, const struct wl_sched_view *v, uint64_t candidates)
{
    uint64_t memory = candidates & memory_heads(m, v), compute = candidates & ~memory;
    memory &= may_issue_memory(m);
    if (compute) return (int)wl_oldest(v, compute);
    if (!memory) return -1; /* the other scheduler has just found an owner */
    bool owner_first = m->value[OWNER_FIRST] || m->value[NONOWNER] == NONOWNER_ANY;
    if (owner_first && m->owner != NO_OWNER && memory >> m->owner & 1) return m->owner;
    return (int)wl_oldest(v, memory);
}

static int mascar_pick(void *self, const struct wl_sched_view *v, unsigned scheduler, uint64_t candidates)
{
    const struct mascar *m = self;
    unsigned last = m->last[scheduler];
    if (!schedules(m)) return (int)wl_next_slot(last == NO_WARP ? 0 : last + 1, candidates);
    if (m->mp) return pick_mp(m, v, candidates);
    uint64_t memory = candidates & memory_heads(m, v);
    return (int)wl_greedy_oldest(v, last, memory ? memory : candidates);
}

static void mascar_issued(void *self, const struct wl_sched_view *v, unsigned scheduler, unsigned warp)
{
    struct mascar *m = self;
    m->last[scheduler] = (uint8_t)warp;
    m->n[N_DUAL] += m->last_issue[scheduler] == v->cycle;
    m->last_issue[scheduler] = v->cycle;
    if (!m->mp || !(memory_heads(m, v) >> warp & 1)) return;
    m->leftover &= ~(UINT64_C(1) << warp);
    if (m->owner == NO_OWNER) own(m, (int)warp, N_OWNER_ISSUE);
    else m->n[N_LEFTOVERS] += m->owner != (int)warp;
}

/* MP picks compute first, so what may come beside it is memory. */
static uint64_t mascar_beside(void *self, const struct wl_sched_view *v, unsigned scheduler, unsigned warp)
{
    (void)scheduler;
    const struct mascar *m = self;
    uint64_t memory = memory_heads(m, v);
    return m->mp && m->value[MP_DUAL_SLOT] && !(memory >> warp & 1) ? memory : 0;
}

static unsigned mascar_first(void *self, const struct wl_sched_view *v)
{
    const struct mascar *m = self;
    unsigned turn = (unsigned)(v->cycle % m->schedulers);
    if (!m->mp) return turn;
    if (m->owner != NO_OWNER) return (unsigned)m->owner % m->schedulers;
    uint64_t memory = memory_ready(m, v);
    return memory ? wl_oldest(v, memory) % m->schedulers : turn;
}

static struct wl_sched_state mascar_state(const void *self)
{
    const struct mascar *m = self;
    return (struct wl_sched_state){!schedules(m) ? NULL : m->mp ? "MP" : "EP", m->owner};
}

/* ---- warps come and go ---- */

static void forget(struct mascar *m, unsigned warp)
{
    m->leftover &= ~(UINT64_C(1) << warp);
    if (m->owner == (int)warp) m->owner_gone = true;
}

static void mascar_warp_launch(void *self, const struct wl_sched_view *v, unsigned warp)
{
    (void)v;
    forget(self, warp);
}

static void mascar_warp_exit(void *self, const struct wl_sched_view *v, unsigned warp)
{
    (void)v;
    forget(self, warp);
}

extern const struct wl_sched_policy mascar_policy;
const struct wl_sched_policy mascar_policy = {
    .abi = WL_ABI,
    .name = "mascar",
    .help = "Mascar: one warp owns the saturated memory; refused requests are re-executed",
    .params = mascar_params,
    .counters = mascar_counters,
    .create = mascar_create,
    .destroy = free,
    .storage_bits = mascar_storage_bits,
    .read_counters = mascar_read_counters,
    .pick = mascar_pick,
    .issued = mascar_issued,
    .allowed = mascar_allowed,
    .cycle = mascar_cycle,
    .first = mascar_first,
    .may_miss = mascar_may_miss,
    .gate = mascar_gate,
    .beside = mascar_beside,
    .reexec = mascar_reexec,
    .state = mascar_state,
    .warp_launch = mascar_warp_launch,
    .warp_exit = mascar_warp_exit,
    .kernel_begin = mascar_kernel_begin,
};
