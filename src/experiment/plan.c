/* plan.c - from figures and claims to runs with keys. */
#include "experiment/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "run/identity.h"

/* ---- which build this is ---- */

int build_identity(const char *const *plugins, unsigned count, char out[STORE_KEY], struct wl_err *e)
{
    uint64_t h = WL_HASH_INIT;
    int rc = 0;
    for (unsigned i = 0; !rc && i < count; i++) rc = hash_file(plugins[i], &h, e);
    if (count) snprintf(out, STORE_KEY, "%.15s+%016" PRIx64, wl_build_id, h);
    else snprintf(out, STORE_KEY, "%.32s", wl_build_id);
    return rc;
}

/* ---- runs ---- */

static uint64_t hash_text(uint64_t h, const char *t) { return hash_bytes(h, t, strlen(t) + 1); }

static void describe_inputs(struct exp_run *r)
{
    const struct workload *w = r->workload->program;
    size_t at = 0;
    for (unsigned i = 0; w && w->input[i].name && at < sizeof r->inputs; i++) {
        r->input[i] = r->workload->given[r->size][i] ? r->workload->input[r->size][i] : w->input[i].value[r->size];
        at += (size_t)snprintf(r->inputs + at, sizeof r->inputs - at, "%s%s=%" PRId64, at ? " " : "", w->input[i].name,
                               r->input[i]);
    }
}

/* Built-in programs and their PTX are part of the build; only what varies is hashed in addition. */
static void make_key(const struct plan *p, struct exp_run *r)
{
    uint64_t h = hash_text(WL_HASH_INIT, p->build);
    const struct exp_workload *w = r->workload;
    if (w->trace) {
        h = hash_bytes(hash_text(h, ".wlt"), &w->trace_hash, sizeof w->trace_hash);
        if (w->kernel) h = hash_text(h, w->kernel);
    } else {
        h = hash_text(h, w->program->name);
        h = hash_text(h, r->inputs);
        h = hash_bytes(h, &w->seed, sizeof w->seed);
    }
    snprintf(r->key, sizeof r->key, "%016" PRIx64 "%016" PRIx64, h, config_hash(r->config));
}

/* ---- the pool ---- */

static unsigned slot_of(const struct plan *p, const char *key)
{
    unsigned i = (unsigned)hash_text(WL_HASH_INIT, key) & (p->slots - 1);
    while (p->slot[i] && strcmp(p->runs[p->slot[i] - 1]->key, key) != 0) i = (i + 1) & (p->slots - 1);
    return i;
}

/* Room for one more; the table is never more than half full. */
static bool pool_grow(struct plan *p)
{
    if (p->nruns < p->room) return true;
    unsigned room = p->room ? p->room * 2 : 256;
    struct exp_run **runs = realloc(p->runs, room * sizeof *runs);
    if (!runs) return false;
    p->runs = runs;
    unsigned *slot = calloc(room * 2, sizeof *slot);
    if (!slot) return false;
    free(p->slot);
    p->slot = slot;
    p->slots = room * 2;
    p->room = room;
    for (unsigned i = 0; i < p->nruns; i++) p->slot[slot_of(p, p->runs[i]->key)] = i + 1;
    return true;
}

static int need_run(struct plan *p, unsigned series, unsigned workload, struct wl_err *e)
{
    const struct exp_series *s = p->x->series[series];
    struct exp_run **cell = &p->cell[series * p->x->nworkloads + workload];
    if (*cell) return 0;
    struct exp_run *r = calloc(1, sizeof *r);
    if (!r) return wl_fail(e, WL_ERUN, "out of memory");
    *r = (struct exp_run){.workload = p->x->workloads[workload],
                          .config = &s->config,
                          .series_label = s->name,
                          .point = s->point,
                          .size = p->size};
    describe_inputs(r);
    make_key(p, r);
    struct plan *pool = p->pool;
    if (!pool_grow(pool)) return free(r), wl_no_memory(e);
    unsigned slot = slot_of(pool, r->key);
    if (pool->slot[slot]) {
        free(r);
        *cell = pool->runs[pool->slot[slot] - 1];
        return 0;
    }
    *cell = pool->runs[pool->nruns++] = r;
    pool->slot[slot] = pool->nruns;
    return 0;
}

/* A series over workloads: what it chooses from, and what it is normalised to. */
static int need(struct plan *p, unsigned series, const struct exp_set *over, int base, struct wl_err *e)
{
    const struct exp_series *s = p->x->series[series];
    int rc = 0;
    for (unsigned i = 0; !rc && i < s->nbest; i++) rc = need(p, s->best[i], over, -1, e);
    for (unsigned i = 0; !rc && !s->best && i < over->count; i++) rc = need_run(p, series, over->item[i], e);
    int to = s->base >= 0 ? s->base : base;
    return rc || to < 0 || to == (int)series ? rc : need(p, (unsigned)to, over, -1, e);
}

/* What a figure needs in addition to its series on its workloads: other seeds, and a scatter of claims the claims. */
static int need_more(struct plan *p, const struct exp_figure *f, struct wl_err *e)
{
    const struct exp_set seeded = {f->seeded, f->nseeds * f->view.workloads.count};
    int rc = 0;
    for (unsigned i = 0; !rc && f->nseeds && i < f->nseries; i++) rc = need(p, f->series[i], &seeded, f->view.base, e);
    bool claims = f->chart == CHART_SCATTER && !f->x;
    for (unsigned i = 0; !rc && claims && i < p->x->nclaims; i++) rc = plan_claim(p, &p->x->claims[i], e);
    return rc;
}

int plan_figure(struct plan *p, const struct exp_figure *f, struct wl_err *e)
{
    unsigned n = f->nseries * (f->npoints ? f->npoints : 1);
    int rc = need_more(p, f, e);
    for (unsigned i = 0; !rc && i < n; i++) rc = need(p, f->series[i], &f->view.workloads, f->view.base, e);
    for (unsigned m = 0; !rc && m < f->nmeans; m++)
        for (unsigned i = 0; !rc && i < n; i++) rc = need(p, f->series[i], &f->means[m].over, f->view.base, e);
    return rc;
}

struct claim_walk {
    struct plan *p;
    const struct exp_claim *claim;
    const struct exp_variant *variant;
    const struct exp_set *over;
    struct wl_err *e;
};

static int need_names(struct claim_walk *w, const struct expr *x)
{
    if (!x) return 0;
    struct claim_walk inner = *w;
    if (x->op == EXPR_NAME) {
        const struct name_binding *b = x->bound;
        const unsigned *there = w->variant ? w->variant->series : NULL;
        int base = w->claim->view.base;
        if (base >= 0 && there) base = (int)there[base];
        return need(w->p, there ? there[b->series->index] : b->series->index, w->over, b->metric ? -1 : base, w->e);
    }
    const struct fold_binding *f = x->op == EXPR_CALL ? x->bound : NULL; /* abs and floor have none */
    if (f && f->fold == FOLD_CELL) return 0;                             /* an example runs when it is asked for */
    if (f && f->fold != FOLD_CHOICE) inner.over = &f->over;
    int rc = f && f->fold != FOLD_CHOICE ? need_names(&inner, w->claim->where) : 0;
    if (!rc) rc = need_names(&inner, x->a);
    return rc ? rc : need_names(&inner, x->b);
}

int plan_claim(struct plan *p, const struct exp_claim *c, struct wl_err *e)
{
    struct claim_walk w = {p, c, NULL, &c->view.workloads, e};
    int rc = c->skip ? 0 : need_names(&w, c->measure);
    for (unsigned i = 0; !rc && !c->skip && i < p->x->nvariants; i++) {
        w.variant = &p->x->variants[i];
        rc = need_names(&w, c->measure);
    }
    return rc;
}

/* ---- life and results ---- */

struct plan *plan_new(const struct experiment *x, enum workload_size size, const char *build, struct wl_err *e)
{
    struct plan *p = calloc(1, sizeof *p);
    size_t cells = (size_t)x->nseries * x->nworkloads;
    if (p) {
        *p = (struct plan){.x = x, .size = size, .build = build, .pool = p};
        p->cell = calloc(cells ? cells : 1, sizeof *p->cell);
        if (p->cell) return p;
    }
    plan_free(p);
    wl_fail(e, WL_ERUN, "out of memory");
    return NULL;
}

struct plan *plan_share(struct plan *pool, const struct experiment *x, struct wl_err *e)
{
    struct plan *p = plan_new(x, pool->size, pool->build, e);
    if (p) p->pool = pool;
    return p;
}

void plan_free(struct plan *p)
{
    if (!p) return;
    for (unsigned i = 0; i < p->nruns; i++) {
        json_decref(p->runs[i]->result);
        free(p->runs[i]->reason);
        free(p->runs[i]);
    }
    free(p->cell);
    free(p->runs);
    free(p->slot);
    free(p);
}

/* `whole`: the result too, not only whether there is one. */
static int fetch_one(struct exp_run *r, struct store *s, bool whole, struct wl_err *e)
{
    bool failed = false;
    char *json = NULL;
    free(r->reason);
    r->reason = NULL;
    int found = store_get(s, r->key, &failed, &json, &r->reason, e);
    if (found < 0) return e->code ? (int)e->code : WL_ERUN;
    r->state = !found ? RUN_MISSING : failed ? RUN_FAILED : RUN_DONE;
    if (r->state == RUN_DONE && whole) r->result = json_loads(json, 0, NULL);
    free(json);
    if (r->state == RUN_DONE && whole && !r->result && memory_was_short()) return wl_no_memory(e);
    if (r->state == RUN_DONE && whole && !r->result)
        return wl_fail(e, WL_ERUN, "the stored result %s of %s is no JSON", r->key, r->workload->name);
    return 0;
}

int plan_fetch(struct plan *p, struct store *s, struct wl_err *e)
{
    int rc = 0;
    for (unsigned i = 0; !rc && i < p->nruns; i++)
        if (!p->runs[i]->result) rc = fetch_one(p->runs[i], s, true, e);
    return rc;
}

int plan_look(struct plan *p, struct store *s, struct wl_err *e)
{
    int rc = 0;
    for (unsigned i = 0; !rc && i < p->nruns; i++)
        if (p->runs[i]->state != RUN_DONE) rc = fetch_one(p->runs[i], s, false, e);
    return rc;
}

static unsigned cell_count(const struct plan *p) { return p->x->nseries * p->x->nworkloads; }

int plan_fetch_cells(struct plan *p, struct store *s, struct wl_err *e)
{
    int rc = 0;
    for (unsigned i = 0; !rc && i < cell_count(p); i++)
        if (p->cell[i] && !p->cell[i]->result) rc = fetch_one(p->cell[i], s, true, e);
    return rc;
}

void plan_drop_cells(struct plan *p)
{
    for (unsigned i = 0; i < cell_count(p); i++) {
        if (!p->cell[i]) continue;
        json_decref(p->cell[i]->result);
        p->cell[i]->result = NULL;
    }
}

unsigned plan_count(const struct plan *p, enum run_state state)
{
    unsigned n = 0;
    for (unsigned i = 0; i < p->nruns; i++) n += p->runs[i]->state == state;
    return n;
}

void plan_row(const struct plan *p, const struct exp_run *r, struct plan_row_room *room, struct store_row *out)
{
    const struct gpu_config *c = r->config;
    policy_spec(c->l1.policy->name, c->l1.policy->params, c->l1.values, room->l1, sizeof room->l1);
    policy_spec(c->l2.policy->name, c->l2.policy->params, c->l2.values, room->l2, sizeof room->l2);
    policy_spec(c->sched.policy->name, c->sched.policy->params, c->sched.values, room->sched, sizeof room->sched);
    *out = (struct store_row){.key = r->key,
                              .build = p->build,
                              .workload = r->workload->trace ? r->workload->name : r->workload->program->name,
                              .size = size_names[r->size],
                              .inputs = r->inputs,
                              .gpu = c->name,
                              .l1 = room->l1,
                              .l2 = room->l2,
                              .sched = room->sched,
                              .seed = r->workload->seed,
                              .config_hash = config_hash(c),
                              .reason = "",
                              .json = ""};
}
