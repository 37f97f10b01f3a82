/* session_sampled.c - launches of a sampled session: which are timed, and what all of them would have counted. */
#include "sim/sampling_waves.h"
#include "sim/session_priv.h"

#include <string.h>

static struct exec_counts minus(struct exec_counts a, struct exec_counts b)
{
    return (struct exec_counts){a.warp_instructions - b.warp_instructions,
                                a.thread_instructions - b.thread_instructions};
}

static void read_machine(const struct session *s, struct sample *out)
{
    struct policy_stats p;
    gpu_read_stats(s->gpu, &out->stats);
    gpu_read_policy_stats(s->gpu, &p);
    memcpy(out->l1, p.l1, sizeof p.l1);
    memcpy(out->l2, p.l2, sizeof p.l2);
    memcpy(out->sched, p.sched, sizeof p.sched);
}

int session_sample(struct session *s, struct stream_source *src, struct launch_total total, struct timed *t,
                   struct wl_err *e)
{
    struct sample before, own;
    enum sampling_choice c = src->feed ? SAMPLING_FULL : sampling_choose(s->sampling, src->info);
    if (c == SAMPLING_SKIP) {
        if (src->pass) src->pass(src, UINT32_MAX);
        int rc = session_execute(src, e);
        t->executed = total.read(total.arg);
        if (!rc && sampling_skipped(s->sampling, src->info, t->executed, &t->cycles)) rc = wl_no_memory(e);
        return rc;
    }
    gpu_sample_waves(s->gpu, sampling_limits(s->sampling, src->info, c));
    read_machine(s, &before);
    int rc = session_time(s, src, t, e);
    if (rc) return rc;
    t->executed = total.read(total.arg);
    read_machine(s, &own);
    stats_subtract(&own, &before, sizeof own);
    if (sampling_timed(s->sampling, src->info, c, t->executed, &own, gpu_waves(s->gpu))) return wl_no_memory(e);
    t->cycles = sampling_last_cycles(s->sampling);
    return 0;
}

static struct exec_counts count_source(void *src) { return ptx_counts(src); }

int session_look(struct session *s, struct wl_err *e)
{
    if (!s->stale) return 0;
    s->was_stale = true;
    return wl_fail(e, WL_ERUN,
                   "device memory was asked for, but what was not timed was not executed either; "
                   "--set run.sample_execute=all executes everything");
}

bool session_was_stale(const struct session *s) { return s->was_stale; }

int session_sample_launch(struct session *s, struct stream_source *src, struct timed *t, struct wl_err *e)
{
    bool foreseen = s->opt.may_move && ptx_foresee(src, s->opt.may_skim);
    if (!foreseen && session_look(s, e)) return WL_ERUN;
    int rc = session_sample(s, src, (struct launch_total){count_source, src}, t, e);
    uint64_t skimmed = ptx_skimmed(src).warp_instructions;
    s->stale |= skimmed != 0;
    s->skimmed += skimmed;
    return rc ? rc : session_audit(src->info->kernel, t->issued, minus(t->executed, ptx_passed(src)), e);
}

static void split(const struct session *s, const struct sample *from, struct run_stats *stats, struct policy_stats *p)
{
    struct policy_stats now;
    gpu_read_policy_stats(s->gpu, &now);
    *stats = from->stats;
    *p = now; /* the sizes of the policies */
    memcpy(p->l1, from->l1, sizeof p->l1);
    memcpy(p->l2, from->l2, sizeof p->l2);
    memcpy(p->sched, from->sched, sizeof p->sched);
}

int session_read(const struct session *s, struct run_stats *stats, struct policy_stats *p,
                 struct sampling_report *report, struct wl_err *e)
{
    struct sample machine, all;
    report->on = 0;
    if (!s->sampling) {
        gpu_read_stats(s->gpu, stats);
        gpu_read_policy_stats(s->gpu, p);
        return 0;
    }
    read_machine(s, &machine);
    int rc = sampling_read(s->sampling, &machine, &all, report, e);
    report->skimmed = s->skimmed;
    split(s, &all, stats, p);
    return rc;
}

bool session_read_launch(struct session *s, unsigned launch, struct run_stats *stats, struct policy_stats *p)
{
    struct sample one;
    if (!s->sampling || launch >= sampling_launches(s->sampling)) return false;
    sampling_launch(s->sampling, launch, &one);
    split(s, &one, stats, p);
    if (launch < s->kernels) s->kernel[launch].cycles = one.stats.cycles;
    return true;
}
