#include "sim/launch_queue.h"

#include <stdlib.h>
#include <string.h>

/* ---- adding ---- */

static void free_work(struct queued *w)
{
    if (!w) return;
    kept_free(w->kept);
    free(w->after);
    free(w);
}

static bool grow(struct launch_queue *q)
{
    if (q->count == q->cap) {
        unsigned cap = q->cap ? 2 * q->cap : 64;
        struct queued **p = realloc(q->work, cap * sizeof(struct queued *));
        if (!p) return false;
        q->work = p;
        q->cap = cap;
    }
    if (q->numbers < q->ended_cap) return true;
    uint64_t cap = q->ended_cap ? 2 * q->ended_cap : 64;
    uint64_t *p = realloc(q->ended_at, cap * sizeof *p);
    if (!p) return false;
    q->ended_at = p;
    q->ended_cap = cap;
    return true;
}

/* New work behind all other; NULL: no memory. */
static struct queued *add(struct launch_queue *q, const struct launch_order *o, uint64_t *number)
{
    struct queued *w = calloc(1, sizeof *w);
    uint64_t *after = malloc((o->afters ? o->afters : 1) * sizeof *after);
    if (!w || !after || !grow(q)) {
        free(w);
        free(after);
        return NULL;
    }
    if (o->afters) memcpy(after, o->after, o->afters * sizeof *after);
    w->after = after;
    w->afters = o->afters;
    w->stream = o->stream;
    w->launch.priority = o->priority;
    q->work[q->count++] = w;
    q->ended_at[q->numbers] = 0;
    *number = ++q->numbers;
    return w;
}

int queue_launch(struct launch_queue *q, struct kept *k, const struct launch_order *o, uint64_t *number,
                 struct wl_err *e)
{
    struct queued *w = add(q, o, number);
    if (!w) {
        kept_free(k);
        return wl_no_memory(e);
    }
    w->kept = k;
    w->launch.source = kept_source(k);
    w->launch.ctas = kept_ctas(k);
    q->bytes += kept_bytes(k);
    return 0;
}

int queue_copy(struct launch_queue *q, uint64_t addr, uint64_t bytes, const struct launch_order *o, uint64_t *number,
               struct wl_err *e)
{
    struct queued *w = add(q, o, number);
    if (!w) return wl_no_memory(e);
    w->addr = addr;
    w->bytes = bytes;
    return 0;
}

/* ---- who waits for whom ---- */

/* The place of work in the queue by its number; -1: it is not there any more. */
static int64_t place_of(const struct launch_queue *q, uint64_t number)
{
    uint64_t first = q->numbers - q->count + 1;
    return number >= first && number <= q->numbers ? (int64_t)(number - first) : -1;
}

static bool may_begin(const struct launch_queue *q, const struct queued *w)
{
    for (unsigned i = 0; i < w->afters; i++) {
        int64_t at = place_of(q, w->after[i]);
        if (at >= 0 && q->work[at]->state != QUEUE_ENDED) return false;
    }
    return true;
}

bool queue_covers(const struct launch_queue *q, const uint64_t *number, unsigned numbers)
{
    unsigned covered = 0;
    bool *over = calloc(q->count ? q->count : 1, 1);
    if (!over) return false;
    for (unsigned i = 0; i < numbers; i++) {
        int64_t at = place_of(q, number[i]);
        if (at >= 0) over[at] = true;
    }
    for (unsigned i = q->count; i-- > 0;) { /* work waits for earlier work only */
        if (!over[i]) continue;
        covered++;
        for (unsigned k = 0; k < q->work[i]->afters; k++) {
            int64_t at = place_of(q, q->work[i]->after[k]);
            if (at >= 0) over[at] = true;
        }
    }
    free(over);
    return covered == q->count;
}

uint64_t queue_ended_at(const struct launch_queue *q, uint64_t number)
{
    return number && number <= q->numbers ? q->ended_at[number - 1] : 0;
}

/* ---- running ---- */

static void note_end(struct launch_queue *q, unsigned at, uint64_t cycle)
{
    q->work[at]->state = QUEUE_ENDED;
    q->ended_at[q->numbers - q->count + at] = cycle;
}

static struct gpu_launch *show_next(void *arg)
{
    struct launch_queue *q = arg;
    while (q->first_left < q->count && q->work[q->first_left]->state != QUEUE_WAITS) q->first_left++;
    for (unsigned i = q->first_left; i < q->count; i++) {
        struct queued *w = q->work[i];
        if (w->state != QUEUE_WAITS || !may_begin(q, w)) continue;
        q->shown = i;
        if (w->kept) return &w->launch;
        gpu_host_copy(q->gpu, w->addr, w->bytes);
        note_end(q, i, gpu_cycle(q->gpu));
    }
    return NULL;
}

static void begin_shown(void *arg)
{
    struct launch_queue *q = arg;
    q->work[q->shown]->state = QUEUE_RUNS;
    q->work[q->shown]->group = q->group;
}

static void end_launch(void *arg, struct gpu_launch *l)
{
    struct launch_queue *q = arg;
    unsigned at = 0;
    while (&q->work[at]->launch != l) at++;
    note_end(q, at, l->end);
}

/* Forgets what waits: the machine has failed. */
static void queue_drop(struct launch_queue *q)
{
    for (unsigned i = 0; i < q->count; i++) free_work(q->work[i]);
    q->count = q->first_left = 0;
    q->bytes = 0;
}

void queue_destroy(struct launch_queue *q)
{
    queue_drop(q);
    free(q->work);
    free(q->ended_at);
    *q = (struct launch_queue){0};
}

static int report_group(struct launch_queue *q, queue_group *group, void *arg, struct wl_err *e)
{
    struct queued **ran = malloc((q->count ? q->count : 1) * sizeof(struct queued *));
    unsigned n = 0;
    if (!ran) return wl_no_memory(e);
    for (unsigned i = 0; i < q->count; i++)
        if (q->work[i]->kept && q->work[i]->group == q->group) ran[n++] = q->work[i];
    int rc = n ? group(arg, ran, n, e) : 0;
    for (unsigned i = 0; i < n; i++) { /* the memory of what was reported */
        q->bytes -= kept_bytes(ran[i]->kept);
        kept_free(ran[i]->kept);
        ran[i]->kept = NULL;
    }
    free(ran);
    return rc;
}

int queue_run(struct launch_queue *q, queue_group *group, void *arg, struct wl_err *e)
{
    const struct gpu_queue feed = {q, show_next, begin_shown, end_launch};
    q->group++;
    int rc = gpu_run_queue(q->gpu, &feed, e);
    if (!rc) rc = report_group(q, group, arg, e);
    bool left = false;
    for (unsigned i = q->first_left; i < q->count; i++) left |= q->work[i]->state != QUEUE_ENDED;
    if (rc || !left) queue_drop(q);
    return rc;
}
