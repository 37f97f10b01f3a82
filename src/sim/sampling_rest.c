/* sampling_rest.c - what the rest of a launch would have counted that goes as another one did (sampling_like.c): what
 * that one had still to do, by warp instructions. */
#include "sim/sampling_priv.h"

#include <math.h>

void sampling_note_scatter(struct timed_launch *m, const struct wave_report *w)
{
    double each = 0;
    m->scattered = w->excerpts ? 0 : w->windows;
    for (unsigned j = 0; j < m->scattered; j++) each += (double)w->window[j].stats.sm.warp_instructions / w->windows;
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++)
        if (m->scattered && counter_is_sum(i) && !counter_is_exact(i)) m->scatter[i] = each * sampling_variance(w, i);
}

/* What is left may be as much slower or faster than that of the model as it was behind the first mark, or differ as
 * much as its size does; besides, both scatter by chance. */
static void doubt_rest(struct timed_launch *m, const struct launch_marks *marks, const struct launch_marks *own,
                       const struct sample *rest, const struct timed_launch *model)
{
    struct sample here = own->at[own->n - 1], there;
    const struct sample *begin = &own->at[MARKS_RAMP];
    if (!marks_between(marks, begin->stats.sm.warp_instructions, here.stats.sm.warp_instructions, &there)) there = here;
    stats_subtract(&here, begin, sizeof here);
    m->windows = model->scattered;
    m->missed = (double)there.stats.cycles / (double)here.stats.cycles - 1;
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++) {
        double a = (double)sample_counts(&here)[i], b = (double)sample_counts(&there)[i],
               count = (double)sample_counts(rest)[i];
        if (!counter_is_sum(i) || counter_is_exact(i)) continue;
        m->variance[i] = 2 * (double)rest->stats.sm.warp_instructions * model->scatter[i];
        double share = fabs(m->of_model - 1) + fabs(a - b) / fmax(fmax(a, b), 1);
        m->doubt[i] = (sampling_wave_floor(i) + share) * count;
    }
}

void sampling_add_like(const struct sampling *s, struct timed_launch *m, const struct wave_report *w,
                       const struct launch_marks *marks, struct exec_counts total)
{
    const struct logged *model = &s->log[m->model];
    struct sample begun = w->marks.at[w->marks.n - 1], there, rest;
    uint64_t at = begun.stats.sm.warp_instructions, *to = sample_counts_of(&m->count);
    if (!marks_at(marks, at, &there)) there = begun;
    rest = model->m->count;
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++)
        sample_counts_of(&rest)[i] -=
            sample_counts(&there)[i] < sample_counts(&rest)[i] ? sample_counts(&there)[i] : sample_counts(&rest)[i];
    m->like = true;
    m->of_model = (double)(total.warp_instructions - at) / fmax((double)model->warp - (double)at, 1);
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++) {
        if (!counter_is_sum(i)) continue;
        to[i] = sample_counts(&begun)[i] + (uint64_t)llround(m->of_model * (double)sample_counts(&rest)[i]);
    }
    rest.stats.sm.warp_instructions = total.warp_instructions - at;
    doubt_rest(m, marks, &w->marks, &rest, model->m);
    struct sm_stats *sm = &m->count.stats.sm;
    sm->warp_instructions = total.warp_instructions;
    sm->thread_instructions = total.thread_instructions;
    sm->ctas = w->ctas;
    sm->warps = model->warps;
    m->count.stats.kernels = 1;
    sampling_mend(&s->config, &m->count.stats);
}
