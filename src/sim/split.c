/* split.c - a split machine is built: clocks, pools, and ports with two ends. */
#include "sim/split_priv.h"

#include <stdlib.h>
#include <string.h>

/* ---- which machines ---- */

/* Core cycles, rounded down, from the request network to the tags of the L2. */
static int64_t cycles_to_l2(const int64_t *v)
{
    int64_t clock = v[P_MEM_DELAY_CLOCK] ? v[P_CLOCK_CORE] : v[P_CLOCK_L2];
    int64_t network = v[P_ICNT_LATENCY] * v[P_CLOCK_CORE] / v[P_CLOCK_ICNT];
    return network + (v[P_L2_ENTRY] ? 0 : v[P_L2_ROP] * v[P_CLOCK_CORE] / clock);
}

const char *split_refuses(const struct gpu_config *c, const struct gpu_options *o)
{
    const int64_t *v = c->v;
    if (o->tick) return "the reference engine visits all parts in one thread";
    if (o->shuffle) return "--shuffle is about the order of parts in one thread";
    if (o->timeline) return "a timeline looks at all parts in the order of time";
    if (v[P_STATS_PROFILE]) return "a profile looks at all SMs in the order of time";
    if (c->l1.foreign || c->l2.foreign || c->sched.foreign) return "a plugin may not be made for several threads";
    if (v[P_ICNT_IN_FLITS] || v[P_ICNT_OUT_FLITS]) return "the machine counts the queues of its networks in flits";
    if (v[P_NVM_MAP] == NVM_ALLOC) return "with nvm.map = alloc a kernel may change the map of memory";
    /* Two are enough, but periods are rounded: two that are a tick short would make either side wait for the other. */
    if (cycles_to_l2(v) < 3) return "the machine's L2 is less than three core cycles away from the SMs";
    bool meets = v[P_RUN_SAMPLE] || v[P_STATS_INTERVAL]; /* all pieces, where counters are read */
    if (meets && cycles_to_l2(v) > WAVES_NOTICE / 2)
        return "all counters are read at one time, and the machine's L2 is too far from its SMs";
    if (meets && v[P_CLOCK_ICNT] != v[P_CLOCK_CORE])
        return "all counters are read at an edge of the core, and the machine's network has other edges";
    return NULL;
}

const char *split_refuses_threads(const struct gpu_config *c, const struct gpu_options *o)
{
    if (c->v[P_RUN_SAMPLE] || c->v[P_STATS_INTERVAL]) return "the counters of all parts are read while a kernel runs";
    return split_refuses(c, o);
}

/* ---- clocks ---- */

static int make_piece(struct piece *p, unsigned parts, tick_t period)
{
    p->driven = calloc(parts, sizeof *p->driven);
    if (!p->driven || clock_init(&p->clock, parts, &p->breach) || clock_init(&p->nowhere, 1, &p->breach)) return -1;
    int domain = clock_domain(&p->nowhere, period);
    if (domain < 0) return -1;
    p->far = part_of(&p->nowhere, 0, (unsigned)domain);
    return 0;
}

static void destroy_piece(struct piece *p)
{
    clock_destroy(&p->clock);
    clock_destroy(&p->nowhere);
    free(p->driven);
}

static int make_lane(struct lane *l, struct sm *sm, tick_t period)
{
    l->sm = sm;
    if (clock_init(&l->clock, 2, &l->breach)) return -1;
    int domain = clock_domain(&l->clock, period);
    if (domain < 0) return -1;
    l->sm->part = part_of(&l->clock, 0, (unsigned)domain);
    l->network = part_of(&l->clock, 1, (unsigned)domain);
    return 0;
}

static int piece_add(struct piece *p, struct part *part, tick_t period, part_tick *tick, void *self)
{
    int domain = clock_domain(&p->clock, period);
    if (domain < 0) return -1;
    *part = part_of(&p->clock, p->parts, (unsigned)domain);
    p->driven[p->parts++] = (struct driven){.part = part, .tick = tick, .self = self};
    return 0;
}

static tick_t tick_channel(void *self, tick_t now) { return dram_tick(self, now); }

static int make_clocks(struct split *x, const tick_t period[4])
{
    struct gpu *g = x->g;
    int bad = make_piece(&x->hub, 1, period[0]) || make_piece(&x->back, 1 + g->slices + g->channels, period[0]);
    for (uint32_t i = 0; !bad && i < g->sms; i++) bad = make_lane(&x->lane[i], &g->sm[i], period[0]);
    if (bad) return -1;
    g->dispatch.part = x->hub.far;
    x->hub_next = NEVER;
    bad = piece_add(&x->hub, &g->net[0].part, period[1], NULL, NULL);
    bad |= piece_add(&x->back, &g->net[1].part, period[1], split_tick_replies, x);
    for (uint32_t i = 0; i < g->slices; i++) {
        x->to_slice[i].l2 = &g->l2[i];
        bad |= piece_add(&x->back, &g->l2[i].part, period[2], split_tick_slice, &x->to_slice[i]);
    }
    for (uint32_t i = 0; i < g->channels; i++)
        bad |= piece_add(&x->back, &g->dram[i].part, period[3], tick_channel, &g->dram[i]);
    return bad;
}

/* ---- pools ---- */

struct sm_common split_common(struct split *x, uint32_t sm)
{
    struct gpu *g = x->g;
    return (struct sm_common){&g->map, &x->worker[0].pool, &x->worker[0].ops, g->kernels, &x->lane[sm].starving};
}

struct req_pool *split_back_pool(struct split *x) { return &x->back_pool; }
const struct part *split_dispatcher(struct split *x, uint32_t sm) { return &x->lane[sm].network; }

int split_begin(struct gpu *g, const tick_t period[4])
{
    g->split = aligned_alloc(_Alignof(struct split), sizeof *g->split);
    if (!g->split) return -1;
    struct split *x = g->split;
    memset(x, 0, sizeof *x);
    x->g = g;
    bool alone = g->options.threads < 2 || split_refuses_threads(&g->config, &g->options);
    x->threads = alone ? 1 : g->options.threads < TEAM_MAX ? g->options.threads : TEAM_MAX;
    x->meeting = NEVER;
    x->window_cycles = x->threads > 1 ? WINDOW_CYCLES : ALONE_WINDOW_CYCLES;
    x->back_cycles = x->threads > 1 ? BACK_CYCLES : ALONE_BACK_CYCLES;
    x->slice_words = (g->slices + 63) / 64;
    x->sm_words = (g->sms + 63) / 64;
    x->lane = aligned_alloc(_Alignof(struct lane), g->sms * sizeof *x->lane);
    x->worker = aligned_alloc(_Alignof(struct split_worker), x->threads * sizeof *x->worker);
    x->todo = calloc(g->sms, sizeof *x->todo);
    x->calendar = calloc(CALENDAR, sizeof *x->calendar);
    x->reached = calloc(g->sms, sizeof *x->reached);
    x->next = calloc(g->sms, sizeof *x->next);
    x->in_network = calloc(g->sms, sizeof *x->in_network);
    x->to_slice = aligned_alloc(_Alignof(struct to_slice), g->slices * sizeof *x->to_slice);
    x->to_sm = aligned_alloc(_Alignof(struct to_sm), g->sms * sizeof *x->to_sm);
    if (x->to_slice) memset(x->to_slice, 0, g->slices * sizeof *x->to_slice);
    if (x->to_sm) memset(x->to_sm, 0, g->sms * sizeof *x->to_sm);
    if (x->lane) memset(x->lane, 0, g->sms * sizeof *x->lane);
    if (x->worker) memset(x->worker, 0, x->threads * sizeof *x->worker);
    bool made = x->lane && x->worker && x->todo && x->calendar && x->reached && x->next && x->in_network &&
                x->to_slice && x->to_sm;
    if (!made) return -1;
    for (uint32_t i = 0; i < g->sms; i++) x->next[i] = NEVER;
    for (unsigned i = 0; i < CALENDAR; i++) list_init(&x->calendar[i]);
    x->spare.pool.alive = x->back_pool.alive = ALIVE_ZERO;
    for (unsigned i = 0; i < x->threads; i++) x->worker[i].pool.alive = ALIVE_ZERO;
    const struct team_work work = {x, split_lane, split_background};
    x->closed = true;
    return make_clocks(x, period) || !(x->team = team_new(x->threads, &work)) ? -1 : 0;
}

/* ---- ports ---- */

static int make_dates(struct dates *d, uint32_t room)
{
    uint32_t size = 2;
    while (size < room) size *= 2;
    d->mask = d->to_mask = size - 1;
    d->at = d->to = calloc(size, sizeof *d->at);
    return d->at ? 0 : -1;
}

int split_grow(struct handover *h, uint32_t count)
{
    uint32_t room = h->room ? h->room : 512;
    while (room < count) room *= 2;
    struct req **at = realloc(h->at, room * sizeof *at);
    if (!at) return -1;
    h->at = at;
    h->room = room;
    return 0;
}

/* The producer's end of a port across a cut; `far` stands for the consumer. */
static void cut_port(struct port *near, const struct port *p, const struct part *far, uint64_t *filled, uint32_t bit)
{
    port_init(near, p->capacity, p->producer, far);
    near->delay = p->delay;
    near->cut = true;
    near->filled = filled;
    near->filled_bit = bit64(bit);
}

int split_cut(struct gpu *g)
{
    struct split *x = g->split;
    int bad = 0;
    x->lookahead = NEVER;
    x->core = g->sm[0].part;
    x->passes = g->net[0].kind != NET_ANY && g->net[0].part.period <= x->core.period;
    for (uint32_t i = 0; i < g->sms; i++) {
        struct lane *l = &x->lane[i];
        cut_port(&l->request, &g->net[0].in[i], &l->network, NULL, 0);
        l->sm->request = &l->request;
        cut_port(&x->to_sm[i].port, &l->sm->reply, &x->back.far, &x->reply_filled[i >> 6], i & 63);
        g->net[1].out[i] = &x->to_sm[i].port;
        bad |= make_dates(&x->to_sm[i].taken, l->sm->reply.capacity);
        l->sm->reply.capacity = UINT32_MAX; /* the other end counts */
    }
    for (uint32_t i = 0; i < g->slices; i++) {
        struct port *in = &g->l2[i].in;
        cut_port(&x->to_slice[i].port, in, &x->hub.far, &x->filled[i >> 6], i & 63);
        g->net[0].out[i] = &x->to_slice[i].port;
        bad |= make_dates(&x->to_slice[i].popped, in->capacity);
        x->lookahead = tick_min(x->lookahead, g->net[0].latency + in->delay);
    }
    return bad || split_parts_init(x);
}

/* ---- sources ---- */

static int source_next(struct stream_source *s, struct cta_stream *out, struct wl_err *e)
{
    struct split_source *x = (struct split_source *)s;
    split_release(x);
    return x->from->next(x->from, out, e);
}

/* Every CTA that ends is one that was given, so there is room. */
static void source_release(struct stream_source *s, struct cta_stream *c)
{
    struct split_source *x = (struct split_source *)s;
    team_lock(&x->lock);
    WL_ASSERT(x->count < x->room);
    x->released[x->count++] = (struct released){c->cta, c->nwarps, c->owner};
    team_unlock(&x->lock);
    c->owner = NULL;
}

static void source_pass(struct stream_source *s, uint32_t until)
{
    const struct split_source *x = (const struct split_source *)s;
    x->from->pass(x->from, until);
}

static int source_more(struct stream_source *s, struct cta_stream *cta, unsigned warp, struct warp_stream *out)
{
    const struct split_source *x = (const struct split_source *)s;
    return x->from->more(x->from, cta, warp, out);
}

static int source_feed(struct stream_source *s, struct cta_stream *cta, unsigned warp, uint64_t cycle, struct wl_err *e)
{
    const struct split_source *x = (const struct split_source *)s;
    return x->from->feed(x->from, cta, warp, cycle, e);
}

void split_release(struct split_source *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const struct released *r = &s->released[i];
        struct cta_stream c = {.cta = r->cta, .nwarps = r->nwarps, .owner = r->owner};
        s->from->release(s->from, &c);
    }
    s->count = 0;
}

struct stream_source *split_source(struct split *x, unsigned number, struct stream_source *from)
{
    struct split_source *s = &x->source[number];
    uint32_t room = x->g->sms * (SM_MAX_CTAS + 1);
    split_release(s);
    if (!s->released && !(s->released = calloc(room, sizeof *s->released))) return NULL;
    s->room = room;
    s->from = from;
    s->source = (struct stream_source){.info = from->info,
                                       .next = source_next,
                                       .release = source_release,
                                       .pass = from->pass ? source_pass : NULL,
                                       .more = from->more ? source_more : NULL,
                                       .feed = from->feed ? source_feed : NULL};
    return &s->source;
}

/* ---- the end ---- */

void split_free(struct split *x)
{
    if (!x) return;
    team_free(x->team);
    for (uint32_t i = 0; x->lane && i < x->g->sms; i++) clock_destroy(&x->lane[i].clock);
    for (uint32_t i = 0; x->to_sm && i < x->g->sms; i++) free(x->to_sm[i].taken.at);
    for (uint32_t i = 0; x->to_slice && i < x->g->slices; i++) free(x->to_slice[i].popped.at);
    for (unsigned i = 0; x->worker && i < x->threads; i++) {
        req_pool_destroy(&x->worker[i].pool);
        memop_pool_destroy(&x->worker[i].ops);
    }
    for (unsigned i = 0; i < SM_MAX_KERNELS; i++) free(x->source[i].released);
    req_pool_destroy(&x->spare.pool);
    memop_pool_destroy(&x->spare.ops);
    req_pool_destroy(&x->back_pool);
    destroy_piece(&x->hub);
    destroy_piece(&x->back);
    free(x->lane);
    free(x->worker);
    free(x->todo);
    free(x->calendar);
    free(x->reached);
    free(x->next);
    free(x->in_network);
    free(x->to_slice);
    free(x->to_sm);
    free(x->part_next);
    struct handover *all[] = {&x->sent, &x->came, &x->down, &x->up, &x->replies, &x->arrived};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) free(all[i]->at);
    free(x);
}
