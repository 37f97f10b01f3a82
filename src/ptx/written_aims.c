/* written_aims.c - where the warps of a CTA go that is moved on (written.c).
 *
 * Each is wanted at some place of its life. Warps wait for one another at barriers, so as many barriers have to be left
 * out of each of them; of all such plans the one is taken that is nearest to what is wanted in the mean. */
#include "ptx/pace.h"
#include "ptx/written.h"

#include <math.h>
#include <string.h>

enum { LATELY = 4 }; /* phases: the time to settle behind a stretch, or a window */

uint64_t told_most(const struct told_warp *t) { return t->done + PACE_END < t->total ? t->total - PACE_END : t->done; }

/* Where the warp stops that leaves out what is before `wanted`, and stands behind so many barriers. False: there is no
 * such place, or the last of these barriers is in one block with the next. */
static bool find_place(const struct told_warp *t, uint64_t barriers, uint64_t wanted, uint64_t *place)
{
    uint64_t n = t->marks.n, most = told_most(t);
    if (barriers > n || (barriers && barriers < n && t->marks.at[barriers] == t->marks.at[barriers - 1])) return false;
    uint64_t begin = barriers ? t->marks.at[barriers - 1] + 1 : 0, end = barriers < n ? t->marks.at[barriers] : most;
    if (begin < t->done) begin = t->done;
    if (end > most) end = most;
    if (begin > end && barriers > t->barriers) return false;
    *place = begin > end ? t->done : wanted < begin ? begin : wanted > end ? end : wanted;
    return true;
}

/* As many barriers are left out of each warp as of the others: `before` are those that it stands behind now. */
static bool try_plan(const struct exec_run *r, const struct told_warp *to, const uint32_t *before, int64_t more,
                     const uint64_t *wanted, struct aims *p)
{
    double sum = 0, n = 0;
    for (uint32_t i = 0; i < r->nwarps; i++) {
        p->place[i] = to[i].done;
        p->barriers[i] = to[i].barriers;
        if (!told_runs(&to[i])) continue;
        if (before[i] + more < to[i].barriers || before[i] + more > UINT32_MAX) return false;
        p->barriers[i] = (uint32_t)(before[i] + more);
        if (!find_place(&to[i], p->barriers[i], wanted[i], &p->place[i])) return false;
        sum += (double)p->place[i] - (double)wanted[i];
        n++;
    }
    p->off = n > 0 ? sum / n : 0;
    return n > 0;
}

bool barrier_is_familiar(const struct exec_run *r, uint32_t inst)
{
    return r->met[inst] && r->met[inst] + LATELY >= r->phase;
}

/* The first barrier from here to which no machine has come lately: nobody is moved beyond. */
static uint32_t first_unmet(const struct exec_run *r, const struct told_warp *t, uint32_t until)
{
    uint32_t k = t->barriers;
    while (k < until && barrier_is_familiar(r, t->marks.inst[k])) k++;
    return k < until ? k : until;
}

bool aims_find(const struct exec_run *r, const struct told_warp *to, const uint32_t *before, const uint64_t *wanted,
               struct aims *best)
{
    enum { AROUND = 2 };
    struct aims p;
    uint32_t i = 0, k = 0;
    bool any = false;
    while (i < r->nwarps && !told_runs(&to[i])) i++;
    if (i == r->nwarps) return false;
    for (uint32_t step = to[i].marks.n; step; step /= 2)
        while (k + step <= to[i].marks.n && to[i].marks.at[k + step - 1] < wanted[i]) k += step;
    uint32_t most = first_unmet(r, &to[i], k + AROUND < to[i].marks.n ? k + AROUND : to[i].marks.n);
    if (k > most) k = most;
    for (int64_t more = (int64_t)k - before[i] - AROUND; more <= (int64_t)most - before[i]; more++) {
        if (!try_plan(r, to, before, more, wanted, &p) || (any && fabs(p.off) >= fabs(best->off))) continue;
        *best = p;
        any = true;
    }
    return any;
}

bool aims_of_way(const struct exec_run *r, const struct cta_out *o, uint64_t way, struct aims *p)
{
    uint64_t wanted[CTA_MAX_WARPS];
    uint32_t before[CTA_MAX_WARPS];
    for (uint32_t i = 0; i < r->nwarps; i++) {
        wanted[i] = o->told[i].done + way;
        before[i] = o->told[i].barriers;
    }
    return aims_find(r, o->told, before, wanted, p);
}

bool aims_of_end(const struct exec_run *r, const struct cta_out *o, struct aims *p)
{
    enum { TRIES = 256 }; /* the last barriers may be too near to the end */
    uint64_t wanted[CTA_MAX_WARPS] = {0};
    uint32_t before[CTA_MAX_WARPS] = {0}, more = UINT32_MAX;
    bool runs = false;
    for (uint32_t i = 0; i < r->nwarps; i++) {
        const struct told_warp *t = &o->told[i];
        wanted[i] = told_most(t);
        before[i] = t->barriers;
        if (!told_runs(t)) continue;
        runs = true;
        if (t->marks.n - t->barriers < more) more = t->marks.n - t->barriers;
    }
    for (unsigned i = 0; i < TRIES && runs; i++) {
        if (try_plan(r, o->told, before, more, wanted, p)) return true;
        if (!more--) return false;
    }
    if (runs) return false;
    for (uint32_t i = 0; i < r->nwarps; i++) p->place[i] = o->told[i].done, p->barriers[i] = before[i];
    return true;
}
