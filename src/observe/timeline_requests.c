/* timeline_requests.c - chosen requests on their way through the machine.
 *
 * Every hop is noted while the request is alive and all of it is written when it is done: a memory channel works ahead
 * of the clock, so hops are not heard of in the order of time, but requests end in the same order in both engines. A
 * part holds many requests at once and slices of a track must not overlap, so a part has lanes, each a track. */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "observe/timeline_priv.h"

enum { FOLLOWED = 128, HOPS = 12, LANES = 24, PARTS = 4096 };

struct hop {
    uint32_t pid;
    const char *name;
    uint64_t at; /* cycle */
};

struct one_request {
    const struct req *r; /* NULL: free */
    const struct code_inst *inst;
    uint64_t line;
    uint32_t warp;
    unsigned hops;
    struct hop hop[HOPS];
};

/* Lanes of a part: the cycle up to which each is used. */
struct lanes {
    uint32_t pid;
    unsigned named; /* lanes that have their name */
    bool used;
    uint64_t end[LANES];
};

struct followed {
    struct one_request request[FOLLOWED];
    struct lanes part[PARTS];
};

/* ---- on the way ---- */

static struct one_request *find(struct timeline *t, const struct req *r)
{
    for (unsigned i = 0; i < FOLLOWED; i++)
        if (t->follow->request[i].r == r) return &t->follow->request[i];
    return NULL;
}

static struct timeline *timeline_of(struct req_tracer *t)
{
    return (struct timeline *)(void *)((char *)t - offsetof(struct timeline, tracer));
}

static void add_hop(struct timeline *t, struct one_request *q, uint32_t pid, const char *name, uint64_t tick)
{
    if (q->hops < HOPS) q->hop[q->hops++] = (struct hop){pid, name, tick / t->shape.period};
}

static bool choose(struct req_tracer *self, const struct req *r, uint32_t part, const void *inst, uint64_t at)
{
    struct timeline *t = timeline_of(self);
    uint64_t cycle = at / t->shape.period;
    if (t->waiting || cycle < t->from || cycle >= t->to || part >= t->shape.sms) return false;
    if (part >= TIMELINE_MAX_SMS || !t->sm[part] || r->kind != WL_LOAD || t->seen++ % t->spec.requests) return false;
    struct one_request *q = find(t, NULL);
    if (!q) return false;
    *q = (struct one_request){.r = r, .inst = inst, .line = r->line, .warp = r->warp};
    add_hop(t, q, PID_SM + part, "L1D", at);
    return true;
}

/* Where a part with this number is shown, and what the request does there. */
static uint32_t place_of(const struct timeline *t, uint32_t from, uint32_t to, const char **name)
{
    uint32_t sms = t->shape.sms, slices = sms + 2, channels = slices + t->shape.slices;
    if (to < sms) return *name = "fill", PID_SM + to;
    if (to < slices) return *name = to == sms ? "to the L2" : "to the SM", to == sms ? PID_NETWORK : PID_REPLIES;
    if (to < channels) return *name = from >= channels ? "fill" : "L2", PID_L2 + to - slices;
    return *name = "memory", PID_CHANNEL + to - channels;
}

static void hop(struct req_tracer *self, const struct req *r, uint32_t from, uint32_t to, uint64_t at)
{
    struct timeline *t = timeline_of(self);
    struct one_request *q = find(t, r);
    const char *name;
    if (!q) return;
    uint32_t pid = place_of(t, from, to, &name);
    add_hop(t, q, pid, name, at);
}

/* ---- at the end ---- */

static void name_part(struct timeline *t, uint32_t pid)
{
    if (pid >= PID_CHANNEL) timeline_name(t, pid, 0, "process_name", "memory channel ", pid - PID_CHANNEL);
    else if (pid >= PID_L2) timeline_name(t, pid, 0, "process_name", "L2 slice ", pid - PID_L2);
    else if (pid == PID_NETWORK) timeline_name(t, pid, 0, "process_name", "network to the L2", UINT32_MAX);
    else if (pid == PID_REPLIES) timeline_name(t, pid, 0, "process_name", "network to the SMs", UINT32_MAX);
}

static struct lanes *lanes_of(struct timeline *t, uint32_t pid)
{
    for (uint32_t i = 0; i < PARTS; i++) {
        struct lanes *l = &t->follow->part[(pid + i) % PARTS];
        if (l->used && l->pid == pid) return l;
        if (l->used) continue;
        *l = (struct lanes){.pid = pid, .used = true};
        name_part(t, pid);
        return l;
    }
    return NULL;
}

/* A lane that is free from `since` on; -1: none. */
static int take_lane(struct timeline *t, struct lanes *l, uint64_t since, uint64_t until)
{
    for (unsigned i = 0; l && i < LANES; i++) {
        if (l->end[i] > since) continue;
        if (i >= l->named) {
            l->named = i + 1;
            timeline_name(t, l->pid, TRACK_LANE + i, "thread_name", "requests ", i);
        }
        l->end[i] = until;
        return (int)i;
    }
    return -1;
}

static void write_hop(struct timeline *t, const struct one_request *q, unsigned i, uint64_t until, int lane,
                      uint64_t flow)
{
    const struct hop *h = &q->hop[i];
    if (!timeline_slice(t, h->pid, TRACK_LANE + (uint32_t)lane, h->name, h->at, until)) return;
    fprintf(t->out, ",\"args\":{\"address\":\"0x%" PRIx64 "\",\"warp\":%u", q->line << LINE_SHIFT, q->warp);
    timeline_where(t, t->code, q->inst);
    fputs("}}", t->out);
    const char *phase = i == 0 ? "s" : i + 1 == q->hops ? "f" : "t";
    if (q->hops < 2 || !timeline_event(t)) return;
    fprintf(t->out,
            "\"ph\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"id\":%" PRIu64
            ",\"cat\":\"request\",\"name\":\"request\",\"bp\":\"e\"}",
            phase, h->pid, TRACK_LANE + (uint32_t)lane, h->at, flow);
}

/* A request is shown whole or not at all: half a flow would point nowhere. */
static void write_request(struct timeline *t, const struct one_request *q, uint64_t end)
{
    uint64_t until[HOPS];
    int lane[HOPS];
    if (t->waiting || q->hop[0].at < t->from || end >= t->to || t->events + 6 * HOPS > t->spec.limit) return;
    for (unsigned i = 0; i < q->hops; i++) {
        until[i] = i + 1 < q->hops ? q->hop[i + 1].at : end;
        if (until[i] <= q->hop[i].at) until[i] = q->hop[i].at + 1; /* a slice of no length cannot be seen */
        lane[i] = take_lane(t, lanes_of(t, q->hop[i].pid), q->hop[i].at, until[i]);
        if (lane[i] < 0) return;
    }
    t->flows++;
    for (unsigned i = 0; i < q->hops; i++) write_hop(t, q, i, until[i], lane[i], t->flows);
}

static void done(struct req_tracer *self, const struct req *r, uint64_t at)
{
    struct timeline *t = timeline_of(self);
    struct one_request *q = find(t, r);
    if (!q) return;
    write_request(t, q, at / t->shape.period);
    q->r = NULL;
}

int follow_begin(struct timeline *t)
{
    t->follow = calloc(1, sizeof *t->follow);
    t->tracer = (struct req_tracer){choose, hop, done};
    return t->follow ? 0 : -1;
}

void follow_end(struct timeline *t) { free(t->follow); }

struct req_tracer *timeline_tracer(struct timeline *t, struct machine_shape shape)
{
    t->shape = shape;
    return t->spec.requests ? &t->tracer : NULL;
}
