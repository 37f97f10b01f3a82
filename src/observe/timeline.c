/* timeline.c - what SMs show: slices of their tracks, counters, and the window in which they are written. */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "observe/timeline_priv.h"

#define NO_VALUE UINT64_MAX

/* What a track shows at the moment; an empty name: nothing. */
struct span {
    char name[64];
    uint64_t since;
};

struct gauge {
    uint64_t value, since;
};

/* What warps do between instructions: one of these at a time. */
enum shown_state { STATE_LOAD, STATE_RESULT, STATE_BARRIER, STATE_FENCE, STATE_READY, WARP_STATES };

struct timeline_sm {
    struct timeline *to;
    uint32_t pid;
    struct span mode, owner, unit;
    uint64_t in[WARP_STATES]; /* sets of warps */
    uint64_t since[WARP_STATES][SM_MAX_WARPS];
    uint64_t named; /* warps whose track has its name */
    uint64_t ctas, ctas_named;
    uint32_t cta[SM_MAX_CTAS];
    uint64_t cta_since[SM_MAX_CTAS];
    struct gauge mshrs, missq, queue;
};

/* ---- events ---- */

bool timeline_event(struct timeline *t)
{
    if (t->events == t->spec.limit) {
        t->cut = true;
        return false;
    }
    fputs(t->events++ ? ",\n{" : "{", t->out);
    return true;
}

void timeline_name(struct timeline *t, uint32_t pid, uint32_t tid, const char *what, const char *name, uint32_t number)
{
    if (!timeline_event(t)) return;
    fprintf(t->out, "\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\",\"args\":{\"name\":\"%s", pid, tid, what, name);
    if (number != UINT32_MAX) fprintf(t->out, "%u", number);
    fputs("\"}}", t->out);
}

bool timeline_slice(struct timeline *t, uint32_t pid, uint32_t tid, const char *name, uint64_t since, uint64_t until)
{
    if (since < t->from) since = t->from;
    if (until > t->to) until = t->to;
    if (since >= until || !timeline_event(t)) return false;
    fprintf(t->out, "\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64 ",\"name\":\"%s\"", pid,
            tid, since, until - since, name);
    return true;
}

static void put_slice(struct timeline *t, uint32_t pid, uint32_t tid, const char *name, uint64_t since, uint64_t until)
{
    if (timeline_slice(t, pid, tid, name, since, until)) fputc('}', t->out);
}

void timeline_where(struct timeline *t, const struct code *code, const struct code_inst *in)
{
    char where[200];
    fprintf(t->out, ",\"pc\":%u", in->pc);
    if (!code_where(code, in, where, sizeof where)) return;
    fputs(",\"where\":\"", t->out);
    for (const char *p = where; *p; p++) { /* texts come from files */
        unsigned char c = (unsigned char)*p;
        if (c == '"' || c == '\\') fprintf(t->out, "\\%c", c);
        else fputc(c < ' ' || c >= 0x7f ? '?' : c, t->out);
    }
    fputc('"', t->out);
}

/* A value is written when it ends, with the cycle since which it was in the window. */
static void show_gauge(struct timeline_sm *t, struct gauge *g, const char *name, uint64_t value, uint64_t cycle)
{
    struct timeline *f = t->to;
    if (g->value == value) return;
    uint64_t since = g->since > f->from ? g->since : f->from;
    if (since < f->to && since < cycle && timeline_event(f))
        fprintf(f->out, "\"ph\":\"C\",\"pid\":%u,\"ts\":%" PRIu64 ",\"name\":\"%s\",\"args\":{\"used\":%" PRIu64 "}}",
                t->pid, since, name, g->value);
    *g = (struct gauge){value, cycle};
}

/* ---- tracks ---- */

static void show(struct timeline_sm *t, struct span *s, uint32_t tid, const char *name, uint64_t cycle)
{
    if (strcmp(s->name, name) == 0) return;
    if (*s->name) put_slice(t->to, t->pid, tid, s->name, s->since, cycle);
    snprintf(s->name, sizeof s->name, "%s", name);
    s->since = cycle;
}

static void name_warp(struct timeline_sm *t, unsigned warp)
{
    if (t->named >> warp & 1) return;
    t->named |= bit64(warp);
    timeline_name(t->to, t->pid, TRACK_WARP + warp, "thread_name", "warp ", warp);
}

static const char *const state_names[WARP_STATES] = {"waits for a load", "waits for a result", "at a barrier",
                                                     "waits for a fence", "ready"};

/* Warps that began or ended to be in a state. */
static void show_state(struct timeline_sm *t, enum shown_state k, uint64_t now, uint64_t cycle)
{
    for (uint64_t m = t->in[k] ^ now; m; m &= m - 1) {
        unsigned w = bit_low64(m);
        if (now >> w & 1) t->since[k][w] = cycle;
        else if (t->since[k][w] < t->to->to && cycle > t->to->from) {
            name_warp(t, w);
            put_slice(t->to, t->pid, TRACK_WARP + w, state_names[k], t->since[k][w], cycle);
        }
    }
    t->in[k] = now;
}

static void end_cta(struct timeline_sm *t, unsigned slot, uint64_t cycle)
{
    char name[32];
    snprintf(name, sizeof name, "CTA %u", t->cta[slot]);
    if (t->cta_since[slot] >= t->to->to || cycle <= t->to->from) return;
    if (!(t->ctas_named >> slot & 1)) timeline_name(t->to, t->pid, TRACK_CTA + slot, "thread_name", "CTA slot ", slot);
    t->ctas_named |= bit64(slot);
    put_slice(t->to, t->pid, TRACK_CTA + slot, name, t->cta_since[slot], cycle);
}

static void show_ctas(struct timeline_sm *t, const struct sm *s, uint64_t now, uint64_t cycle)
{
    for (uint64_t m = t->ctas | now; m; m &= m - 1) {
        unsigned slot = bit_low64(m);
        bool was = t->ctas >> slot & 1, is = now >> slot & 1;
        uint32_t id = is ? sm_cta(s, slot) : 0;
        if (was && is && t->cta[slot] == id) continue;
        if (was) end_cta(t, slot, cycle);
        t->cta[slot] = id;
        t->cta_since[slot] = cycle;
    }
    t->ctas = now;
}

static const char *reason(enum l1_outcome why)
{
    switch (why) {
    case L1_NO_MSHR: return "no MSHR";
    case L1_NO_MERGE: return "no room to merge";
    case L1_NO_LINE: return "no line";
    case L1_NO_QUEUE: return "miss queue full";
    case L1_GATED: return "not the owner";
    case L1_ORDER: return "its turn in the queue";
    default: return "refused";
    }
}

static void unit_state(const struct sm_glance *g, char *out, size_t size)
{
    static const char *const cache[] = {[L1_DATA] = "", [L1_TEXTURE] = "texture ", [L1_CONSTANT] = "constant "};
    out[0] = 0;
    if (l1_refused(g->refused))
        snprintf(out, size, "W%d stalls: %s%s", g->unit_warp, cache[g->refused_by], reason(g->refused));
    else if (g->unit_warp >= 0) snprintf(out, size, "W%d", g->unit_warp);
    else if (g->queued) snprintf(out, size, "re-execution");
}

static bool stalls_so(enum l1_outcome refused, enum timeline_stall stall)
{
    static const enum l1_outcome why[] = {[STALL_NO_MSHR] = L1_NO_MSHR,
                                          [STALL_NO_MERGE] = L1_NO_MERGE,
                                          [STALL_NO_LINE] = L1_NO_LINE,
                                          [STALL_NO_QUEUE] = L1_NO_QUEUE,
                                          [STALL_NOT_OWNER] = L1_GATED};
    return l1_refused(refused) && (stall == STALL_ANY || refused == why[stall]);
}

/* The window begins here. */
static void pull_trigger(struct timeline *t, uint64_t cycle)
{
    t->waiting = false;
    t->from = cycle + t->spec.from;
    t->to = cycle + t->spec.to;
}

static void timeline_cycle(void *self, const struct sm *s)
{
    struct timeline_sm *t = self;
    char text[64] = "";
    struct sm_glance g;
    sm_glance(s, &g);
    const struct timeline_spec *spec = &t->to->spec;
    if (t->to->waiting && spec->trigger == TIMELINE_STALL && stalls_so(g.refused, spec->stall))
        pull_trigger(t->to, g.cycle);
    if (g.has_state) {
        show(t, &t->mode, TRACK_MODE, g.sched.mode ? g.sched.mode : "", g.cycle);
        if (g.sched.owner >= 0) snprintf(text, sizeof text, "W%d", g.sched.owner);
        show(t, &t->owner, TRACK_OWNER, text, g.cycle);
    }
    unit_state(&g, text, sizeof text);
    show(t, &t->unit, TRACK_UNIT, text, g.cycle);
    show_gauge(t, &t->mshrs, "MSHRs", g.l1d.mshr_used, g.cycle);
    show_gauge(t, &t->missq, "miss queue", g.l1d.missq_used, g.cycle);
    if (g.has_queue) show_gauge(t, &t->queue, "re-execution queue", g.queued, g.cycle);
    show_state(t, STATE_LOAD, g.wait_load, g.cycle);
    show_state(t, STATE_RESULT, g.wait_result, g.cycle);
    show_state(t, STATE_BARRIER, g.wait_barrier, g.cycle);
    show_state(t, STATE_FENCE, g.wait_fence, g.cycle);
    show_state(t, STATE_READY, g.ready, g.cycle);
    show_ctas(t, s, g.ctas, g.cycle);
}

static void timeline_issue(void *self, const struct sm *s, unsigned warp)
{
    static const char *const kinds[] = {
        [INST_ALU] = "compute",   [INST_BRANCH] = "branch",   [INST_LOAD] = "load",     [INST_STORE] = "store",
        [INST_ATOMIC] = "atomic", [INST_BARRIER] = "barrier", [INST_MEMBAR] = "membar", [INST_NOP] = "nop",
        [INST_EXIT] = "exit",     [INST_COMMIT] = "commit",   [INST_WAIT] = "wait"};
    struct timeline_sm *t = self;
    struct timeline *f = t->to;
    const struct code_inst *in = sm_head(s, warp);
    uint64_t cycle = sm_cycle(s);
    if (f->waiting && f->spec.trigger == TIMELINE_PC && in->pc == f->spec.pc) pull_trigger(f, cycle);
    if (f->waiting || cycle < f->from || cycle >= f->to) return;
    name_warp(t, warp);
    if (!timeline_event(f)) return;
    fprintf(f->out,
            "\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":1,\"name\":\"%s%s\",\"args\":{\"lanes\":%u",
            t->pid, TRACK_WARP + warp, cycle, sm_head_is_shared(s, warp) ? "shared " : "", kinds[in->kind],
            sm_head_lanes(s, warp));
    timeline_where(f, sm_code(s), in);
    fputs("}}", f->out);
}

void timeline_begin(struct timeline *t, const char *name, const struct code *code, uint64_t from)
{
    const struct timeline_spec *spec = &t->spec;
    t->code = code;
    if (!t->waiting || spec->trigger != TIMELINE_KERNEL || fnmatch(spec->kernel, name, 0) != 0) return;
    if (++t->launches == (spec->launch ? spec->launch : 1)) pull_trigger(t, from);
}

void timeline_kernel(struct timeline *t, const char *name, uint64_t from, uint64_t to)
{
    char clean[64]; /* names come from files */
    size_t n = 0;
    for (; *name && n + 1 < sizeof clean; name++)
        clean[n++] = *name < ' ' || *name == '"' || *name == '\\' ? '_' : *name;
    clean[n] = 0;
    put_slice(t, 0, 1, clean, from, to);
    t->end = to;
}

/* ---- beginning and end ---- */

static void name_tracks(struct timeline *t, uint32_t pid)
{
    timeline_name(t, pid, 0, "process_name", "SM ", pid - 1);
    timeline_name(t, pid, TRACK_MODE, "thread_name", "mode", UINT32_MAX);
    timeline_name(t, pid, TRACK_OWNER, "thread_name", "owner", UINT32_MAX);
    timeline_name(t, pid, TRACK_UNIT, "thread_name", "ld/st unit", UINT32_MAX);
}

static void free_all(struct timeline *t)
{
    for (unsigned i = 0; i < TIMELINE_MAX_SMS; i++) free(t->sm[i]);
    follow_end(t);
    free(t);
}

struct timeline *timeline_new(FILE *out, const struct timeline_spec *spec)
{
    struct timeline *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    *t = (struct timeline){.out = out, .spec = *spec, .from = spec->from, .to = spec->to};
    if (spec->trigger != TIMELINE_CYCLE) t->waiting = true, t->from = t->to = UINT64_MAX;
    fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"unit\":\"a microsecond is a core cycle\"},\"traceEvents\":[\n",
          out);
    timeline_name(t, PID_GPU, 0, "process_name", "GPU", UINT32_MAX);
    timeline_name(t, PID_GPU, 1, "thread_name", "kernels", UINT32_MAX);
    bool ok = follow_begin(t) == 0;
    for (unsigned i = 0; ok && i < TIMELINE_MAX_SMS; i++) {
        if (!spec->sms[i]) continue;
        struct timeline_sm *s = calloc(1, sizeof *s);
        if (!(ok = s != NULL)) break;
        s->to = t;
        s->pid = PID_SM + i;
        t->sm[i] = s;
        name_tracks(t, s->pid);
    }
    if (ok) return t;
    free_all(t);
    return NULL;
}

void timeline_attach(struct timeline *t, struct sm *s, uint32_t index)
{
    static const struct sm_observer hooks = {.issue = timeline_issue, .end = timeline_cycle};
    if (index < TIMELINE_MAX_SMS && t->sm[index]) sm_observe(s, &hooks, t->sm[index]);
}

static void end_sm(struct timeline_sm *s, uint64_t end)
{
    show(s, &s->mode, TRACK_MODE, "", end);
    show(s, &s->owner, TRACK_OWNER, "", end);
    show(s, &s->unit, TRACK_UNIT, "", end);
    show_gauge(s, &s->mshrs, "MSHRs", NO_VALUE, end);
    show_gauge(s, &s->missq, "miss queue", NO_VALUE, end);
    if (s->queue.since) show_gauge(s, &s->queue, "re-execution queue", NO_VALUE, end);
    for (unsigned k = 0; k < WARP_STATES; k++) show_state(s, (enum shown_state)k, 0, end);
    for (uint64_t m = s->ctas; m; m &= m - 1) end_cta(s, bit_low64(m), end);
}

bool timeline_end(struct timeline *t, bool *seen)
{
    for (unsigned i = 0; i < TIMELINE_MAX_SMS; i++)
        if (t->sm[i]) end_sm(t->sm[i], t->end);
    bool cut = t->cut;
    *seen = !t->waiting;
    fputs("\n]}\n", t->out);
    free_all(t);
    return cut;
}
