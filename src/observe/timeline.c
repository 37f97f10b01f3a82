#include "observe/sm_timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TRACK_MODE = 1, TRACK_OWNER, TRACK_UNIT, TRACK_WARP = 10 };
#define NO_VALUE UINT64_MAX

/* What a track shows at the moment; an empty name: nothing. */
struct span {
    char name[64];
    uint64_t since;
};

struct gauge {
    uint64_t value, since;
};

struct timeline_sm {
    struct timeline *to;
    uint32_t pid;
    struct span mode, owner, unit;
    uint64_t loads, barriers; /* warps that wait */
    uint64_t load_since[SM_MAX_WARPS], barrier_since[SM_MAX_WARPS];
    uint64_t named; /* warps whose track has its name */
    struct gauge mshrs, missq, queue;
};

struct timeline {
    FILE *out;
    uint64_t from, to, events, limit;
    uint64_t end; /* of the last kernel */
    bool cut;
    struct timeline_sm *sm[TIMELINE_MAX_SMS];
};

/* ---- events ---- */

/* Begins an event; the caller writes the rest of the object. */
static bool begin_event(struct timeline *t)
{
    if (t->events == t->limit) {
        t->cut = true;
        return false;
    }
    fputs(t->events++ ? ",\n{" : "{", t->out);
    return true;
}

static void put_name(struct timeline *t, uint32_t pid, uint32_t tid, const char *what, const char *name,
                     uint32_t number)
{
    if (!begin_event(t)) return;
    fprintf(t->out, "\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\",\"args\":{\"name\":\"%s", pid, tid, what, name);
    if (number != UINT32_MAX) fprintf(t->out, "%u", number);
    fputs("\"}}", t->out);
}

/* The part of [since, until) that lies in the window. */
static void put_slice(struct timeline *t, uint32_t pid, uint32_t tid, const char *name, uint64_t since, uint64_t until)
{
    if (since < t->from) since = t->from;
    if (until > t->to) until = t->to;
    if (since >= until || !begin_event(t)) return;
    fprintf(t->out, "\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64 ",\"name\":\"%s\"}", pid,
            tid, since, until - since, name);
}

/* A value is written when it ends, with the cycle since which it was in the window. */
static void show_gauge(struct timeline_sm *t, struct gauge *g, const char *name, uint64_t value, uint64_t cycle)
{
    struct timeline *f = t->to;
    if (g->value == value) return;
    uint64_t since = g->since > f->from ? g->since : f->from;
    if (since < f->to && since < cycle && begin_event(f))
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
    put_name(t->to, t->pid, TRACK_WARP + warp, "thread_name", "warp ", warp);
}

/* Warps that began or ended to wait. */
static void show_waits(struct timeline_sm *t, uint64_t *shown, uint64_t now, uint64_t *since, const char *name,
                       uint64_t cycle)
{
    for (uint64_t m = *shown ^ now; m; m &= m - 1) {
        unsigned w = bit_low64(m);
        if (now >> w & 1) since[w] = cycle;
        else if (since[w] < t->to->to && cycle > t->to->from) {
            name_warp(t, w);
            put_slice(t->to, t->pid, TRACK_WARP + w, name, since[w], cycle);
        }
    }
    *shown = now;
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

static void timeline_cycle(void *self, const struct sm *s)
{
    struct timeline_sm *t = self;
    char text[64] = "";
    struct sm_glance g;
    sm_glance(s, &g);
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
    show_waits(t, &t->loads, g.wait_load, t->load_since, "waits for a load", g.cycle);
    show_waits(t, &t->barriers, g.wait_barrier, t->barrier_since, "at a barrier", g.cycle);
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
    if (cycle < f->from || cycle >= f->to) return;
    name_warp(t, warp);
    if (!begin_event(f)) return;
    fprintf(f->out,
            "\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":1,\"name\":\"%s%s\",\"args\":{\"pc\":%u}}",
            t->pid, TRACK_WARP + warp, cycle, sm_head_is_shared(s, warp) ? "shared " : "", kinds[in->kind], in->pc);
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
    put_name(t, pid, 0, "process_name", "SM ", pid - 1);
    put_name(t, pid, TRACK_MODE, "thread_name", "mode", UINT32_MAX);
    put_name(t, pid, TRACK_OWNER, "thread_name", "owner", UINT32_MAX);
    put_name(t, pid, TRACK_UNIT, "thread_name", "ld/st unit", UINT32_MAX);
}

static void free_all(struct timeline *t)
{
    for (unsigned i = 0; i < TIMELINE_MAX_SMS; i++) free(t->sm[i]);
    free(t);
}

struct timeline *timeline_new(FILE *out, uint64_t from, uint64_t to, const bool sms[TIMELINE_MAX_SMS], uint64_t limit)
{
    struct timeline *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    *t = (struct timeline){.out = out, .from = from, .to = to, .limit = limit};
    fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"unit\":\"a microsecond is a core cycle\"},\"traceEvents\":[\n",
          out);
    put_name(t, 0, 0, "process_name", "GPU", UINT32_MAX);
    put_name(t, 0, 1, "thread_name", "kernels", UINT32_MAX);
    for (unsigned i = 0; i < TIMELINE_MAX_SMS; i++) {
        if (!sms[i]) continue;
        struct timeline_sm *s = calloc(1, sizeof *s);
        if (!s) {
            free_all(t);
            return NULL;
        }
        *s = (struct timeline_sm){.to = t, .pid = i + 1};
        t->sm[i] = s;
        name_tracks(t, s->pid);
    }
    return t;
}

void timeline_attach(struct timeline *t, struct sm *s, uint32_t index)
{
    static const struct sm_observer hooks = {.issue = timeline_issue, .end = timeline_cycle};
    if (index < TIMELINE_MAX_SMS && t->sm[index]) sm_observe(s, &hooks, t->sm[index]);
}

bool timeline_end(struct timeline *t)
{
    for (unsigned i = 0; i < TIMELINE_MAX_SMS; i++) {
        struct timeline_sm *s = t->sm[i];
        if (!s) continue;
        uint64_t end = t->end;
        show(s, &s->mode, TRACK_MODE, "", end);
        show(s, &s->owner, TRACK_OWNER, "", end);
        show(s, &s->unit, TRACK_UNIT, "", end);
        show_gauge(s, &s->mshrs, "MSHRs", NO_VALUE, end);
        show_gauge(s, &s->missq, "miss queue", NO_VALUE, end);
        if (s->queue.since) show_gauge(s, &s->queue, "re-execution queue", NO_VALUE, end);
        show_waits(s, &s->loads, 0, s->load_since, "waits for a load", end);
        show_waits(s, &s->barriers, 0, s->barrier_since, "at a barrier", end);
    }
    bool cut = t->cut;
    fputs("\n]}\n", t->out);
    free_all(t);
    return cut;
}
