/* sampling.c - which launches of a program are timed.
 *
 * Launches of one kernel with equal blocks form a group. Its first launches are timed. After that one is timed again
 *   - when it is due: after 4, 8, 16, ... launches that were not, to see whether anything has drifted;
 *   - when its size has moved: the number of its CTAs, or the instructions of the launch before it, are further from
 *     those of every timed launch than a step.
 * With each timed launch the one before it is predicted as if it had not been timed. A prediction that misses makes
 * gaps and steps smaller; a group that is missed again and again, or whose sizes cannot be foreseen, is timed from then
 * on: sampling refuses to guess.
 *
 * The machine's caches hold what the last timed launch left. So when a launch is due, the launches of a round of the
 * program's groups are timed with it, and the first of them, which finds old caches, stands for itself only. */
#include "sim/sampling_priv.h"

#include "base/bits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_TIMED = 3,   /* launches of a group that are timed before any is not; the first finds cold caches */
    FIRST_GAP = 4,     /* launches that are not timed before the next look */
    RECENT = 8,        /* launches among which a round of groups is looked for */
    MOST_MISSES = 3,   /* predictions that may miss before a group is refused */
    MOST_SURPRISES = 2 /* launches of another size than foreseen, of those that were timed */
};
static const double FIRST_STEP = 0.25, FORESEEN = 0.1;
static const double STEADY =
    5; /* times the asked error, of the program: a prediction that is further off has missed; */
static const double CHANCE = 1.5; /* what is left to chance within a launch may be as much as what it is doubted by */
static const double GROSS = 0.25; /* and so has one that is so far off, of the launch */

struct sampling *sampling_new(const struct gpu_config *c)
{
    struct sampling *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->config = *c;
    s->asked = (double)c->v[P_RUN_SAMPLE] / 1e4;
    if (c->v[P_STATS_PROFILE]) sampling_refuse(s, "a profile is of every load, so nothing was left out");
    if (c->v[P_STATS_INTERVAL]) sampling_refuse(s, "counters over time are of every cycle, so nothing was left out");
    return s;
}

void sampling_free(struct sampling *s)
{
    if (!s) return;
    for (unsigned i = 0; i < s->launches; i++) free(s->log[i].m);
    for (unsigned i = 0; i < s->groups; i++) {
        free(s->group[i].stand);
        free(s->group[i].marks);
    }
    free(s->log);
    free(s->group);
    free(s);
}

static void give_reason(struct sampling *s, const char *kernel, const char *why)
{
    char text[sizeof s->reason[0]];
    snprintf(text, sizeof text, "%s%s%s", kernel, *kernel ? ": " : "", why);
    for (uint32_t i = 0; i < s->reasons; i++)
        if (strcmp(s->reason[i], text) == 0) return;
    if (s->reasons < SAMPLING_REASONS) memcpy(s->reason[s->reasons++], text, sizeof text);
}

void sampling_refuse(struct sampling *s, const char *why)
{
    s->refused = true;
    give_reason(s, "", why);
}

static void refuse_group(struct sampling *s, struct launch_group *g, const char *why)
{
    if (!g->refused) give_reason(s, g->kernel, why);
    g->refused = true;
}

/* ---- groups ---- */

static bool belongs(const struct launch_group *g, const struct launch_info *l)
{
    return strcmp(g->kernel, l->kernel) == 0 && memcmp(g->block, l->block, sizeof g->block) == 0 &&
           g->shared == l->shared_bytes && g->regs == l->regs_per_thread;
}

/* The group of a launch, made when it is new; NULL: no memory. */
static struct launch_group *group_of(struct sampling *s, const struct launch_info *l)
{
    for (unsigned i = s->groups; i-- > 0;)
        if (belongs(&s->group[i], l)) return &s->group[i];
    if (s->groups == s->groups_room) {
        unsigned room = s->groups_room ? 2 * s->groups_room : 16;
        struct launch_group *p = realloc(s->group, room * sizeof *p);
        if (!p) return NULL;
        s->group = p;
        s->groups_room = room;
    }
    struct launch_group *g = &s->group[s->groups++];
    *g = (struct launch_group){.shared = l->shared_bytes,
                               .regs = l->regs_per_thread,
                               .gap = FIRST_GAP,
                               .step = FIRST_STEP,
                               .first = UINT32_MAX,
                               .last = UINT32_MAX};
    memcpy(g->kernel, l->kernel, sizeof g->kernel);
    memcpy(g->block, l->block, sizeof g->block);
    return g;
}

/* The warp instructions a launch of the group is likely to have: those of the one before, by its CTAs. */
static double foresee(const struct sampling *s, const struct launch_group *g, uint32_t ctas)
{
    const struct logged *last = &s->log[g->last];
    return (double)last->warp * ctas / last->ctas;
}

/* The cycles that all launches of a group take, from those that were timed. */
static double cycles_of(const struct sampling *s, const struct launch_group *g)
{
    double sum = 0;
    for (uint32_t i = 0; i < g->stands; i++) sum += (double)s->log[g->stand[i]].m->count.stats.cycles;
    return g->stands ? sum / g->stands * g->launches : 0;
}

/* How far the size of a launch may be from that of a timed one. What a short one is missed by matters less: by as much
 * as the last timed one was shorter than the mean. */
static double step_of(const struct sampling *s, const struct launch_group *g)
{
    double last = (double)s->log[g->stand[g->stands - 1]].m->count.stats.cycles;
    return g->step * fmax(1, cycles_of(s, g) / g->launches / fmax(last, 1));
}

/* Whether a launch of this size was timed. */
static bool is_covered(const struct sampling *s, const struct launch_group *g, uint32_t ctas, double warp)
{
    const struct logged *last = &s->log[g->last];
    double lanes = ((double)last->thread + 1) / (double)last->warp; /* they may leave before warps do */
    double step = step_of(s, g);
    for (uint32_t i = 0; i < g->stands; i++) {
        const struct logged *l = &s->log[g->stand[i]];
        if (fabs(log((double)ctas / l->ctas)) <= step && fabs(log(warp / (double)l->warp)) <= step &&
            fabs(log(lanes * warp / ((double)l->thread + 1))) <= step)
            return true;
    }
    return false;
}

static unsigned groups_of_a_round(const struct sampling *s)
{
    uint32_t seen[RECENT];
    unsigned n = 0;
    for (unsigned i = s->launches; i-- > 0 && s->launches - i <= RECENT;) {
        unsigned k = 0;
        while (k < n && seen[k] != s->log[i].group) k++;
        if (k == n) seen[n++] = s->log[i].group;
    }
    return n;
}

/* A group that is timed all the time must find the caches as the launches before it leave them. */
static bool among_refused(const struct sampling *s)
{
    for (unsigned i = s->launches; i-- > 0 && s->launches - i <= RECENT;)
        if (s->group[s->log[i].group].refused) return true;
    return false;
}

enum sampling_choice sampling_choose(struct sampling *s, const struct launch_info *l)
{
    struct launch_group *g = group_of(s, l);
    if (!g || s->refused || g->refused || among_refused(s)) return SAMPLING_TIME;
    bool wanted = g->launches < FIRST_TIMED || g->launches >= g->due || !g->stands;
    if (!wanted) {
        double warp = foresee(s, g, l->ctas);
        wanted = warp < 1 || !is_covered(s, g, l->ctas, warp);
    }
    if (!s->window && !wanted) return SAMPLING_SKIP;
    if (s->window) s->window--;
    else if (s->skipped_last) s->window = groups_of_a_round(s);
    return s->skipped_last && g->launches ? SAMPLING_WARM : SAMPLING_TIME;
}

double sampling_l2_lines(const struct sampling *s)
{
    const int64_t *v = s->config.v;
    return (double)v[P_L2_SETS] * (double)v[P_L2_WAYS] * (double)(v[P_MEM_CHANNELS] * v[P_L2_SLICES]);
}

/* So many CTAs at the end of a launch as fill the L2 twice over, if they fetch as much as those of a timed one. */
static uint32_t ctas_to_fill(const struct sampling *s, const struct launch_group *g)
{
    enum { TIMES = 2 };
    const struct logged *l = &s->log[g->stand[g->stands - 1]];
    double lines = sampling_l2_lines(s);
    double fetched = (double)l->m->count.stats.l2.fetches / l->ctas;
    return fetched * l->ctas > TIMES * lines ? (uint32_t)(TIMES * lines / fetched) + 1 : UINT32_MAX;
}

struct wave_limits sampling_limits(const struct sampling *s, const struct launch_info *l, enum sampling_choice c)
{
    if (c == SAMPLING_FULL || s->refused) return (struct wave_limits){.tolerance = 0};
    struct wave_limits w = {.tolerance = s->asked, .error = CHANCE * s->asked, .moves = true};
    for (unsigned i = 0; i < s->groups; i++) {
        const struct launch_group *g = &s->group[i];
        w.before += cycles_of(s, g);
        if (!belongs(g, l)) continue;
        w.moves = g->launches < FIRST_TIMED; /* later whole launches are left out, which is more exact */
        w.error *= sqrt(g->stands + 1.0);    /* chance is independent in each: their mean is as exact as was asked */
        if (c == SAMPLING_WARM && g->stands) w.fill = ctas_to_fill(s, g);
        if (c == SAMPLING_TIME && g->marks && !g->refused && s->log[g->model].ctas == l->ctas) w.like = g->marks;
    }
    return w;
}

/* ---- the log ---- */

static struct logged *add_launch(struct sampling *s, const struct launch_info *l, struct exec_counts total)
{
    struct launch_group *g = group_of(s, l);
    if (!g) return NULL;
    if (s->launches == s->room) {
        unsigned room = s->room ? 2 * s->room : 256;
        struct logged *p = realloc(s->log, room * sizeof *p);
        if (!p) return NULL;
        s->log = p;
        s->room = room;
    }
    struct logged *to = &s->log[s->launches];
    *to = (struct logged){.group = (uint32_t)(g - s->group),
                          .ordinal = g->launches++,
                          .ctas = l->ctas,
                          .warps = l->warps_per_cta * l->ctas,
                          .warp = total.warp_instructions,
                          .thread = total.thread_instructions,
                          .next_in_group = UINT32_MAX};
    if (g->first == UINT32_MAX) g->first = s->launches;
    else s->log[g->last].next_in_group = s->launches;
    g->last = s->launches++;
    return to;
}

static int add_stand(struct sampling *s, struct launch_group *g, const struct logged *l)
{
    if (g->stands == g->stands_room) {
        uint32_t room = g->stands_room ? 2 * g->stands_room : 8;
        uint32_t *p = realloc(g->stand, room * sizeof *p);
        if (!p) return -1;
        g->stand = p;
        g->stands_room = room;
    }
    g->stand[g->stands++] = (uint32_t)(l - s->log);
    return 0;
}

/* The share of the program's cycles that the group takes. */
static double share_of(const struct sampling *s, const struct launch_group *g)
{
    double all = 0;
    for (unsigned i = 0; i < s->groups; i++) all += cycles_of(s, &s->group[i]);
    return all > 0 ? cycles_of(s, g) / all : 1;
}

/* Whether what was missed so far leaves the program's cycles as exact as was asked: each launch by itself, as a rule,
 * or their mean. */
static bool is_exact(const struct sampling *s, const struct launch_group *g)
{
    double mean = g->miss / g->checks, spread = fmax(g->miss_square / g->checks - mean * mean, 0);
    if (sqrt(g->miss_square / g->checks) * share_of(s, g) <= s->asked) return true;
    double open =
        g->checks < 2 ? sqrt(spread) : fabs(mean) + sampling_student(g->checks) * sqrt(spread / (g->checks - 1));
    return open * share_of(s, g) <= s->asked;
}

/* Whether what predictions of the group miss by is more than was asked of the program. */
static bool matters(const struct sampling *s, const struct launch_group *g)
{
    return share_of(s, g) * sqrt(g->miss_square / g->checks) > s->asked;
}

/* A prediction was right: the next gap may be longer, if one of this length was tried (a launch that is timed because
 * another group was due tries less), and sizes may differ by more again. */
static void follow_hit(const struct sampling *s, struct launch_group *g)
{
    uint32_t tried = s->log[g->stand[g->stands - 1]].ordinal - s->log[g->stand[g->stands - 2]].ordinal;
    if (!is_exact(s, g)) {
        g->gap = FIRST_GAP;
        return;
    }
    if (tried >= g->gap) g->gap *= 2;
    g->step = fmin(2 * g->step, FIRST_STEP);
}

/* With each timed launch the one before it is predicted from its neighbours and compared with what it took. */
static void check_prediction(struct sampling *s, struct launch_group *g)
{
    double out[SAMPLED_COUNTERS];
    if (g->stands < 3) return;
    uint32_t at = g->stand[g->stands - 2];
    const struct logged *l = &s->log[at];
    double cycles = (double)l->m->count.stats.cycles;
    if (!sampling_predict(s, l, at, out)) return;
    double mean = cycles_of(s, g) / g->launches; /* what a small launch is missed by matters less */
    double miss = (out[SAMPLED_CYCLES] - cycles) / fmax(cycles, mean);
    if (l->m->like) miss = l->m->missed * cycles / fmax(cycles, mean); /* what follows is the same in both */
    g->checks++;
    g->miss += miss;
    g->miss_square += miss * miss;
    if (fabs(miss) * share_of(s, g) <= STEADY * s->asked && fabs(miss) <= GROSS) {
        if (g->launches > FIRST_TIMED) follow_hit(s, g);
        return;
    }
    g->misses++;
    g->gap = g->gap > 4 ? g->gap / 4 : 1;
    g->step /= 2;
    if (g->misses >= MOST_MISSES && 2 * g->misses > g->checks && matters(s, g))
        refuse_group(s, g, "its launches take times that do not follow from their sizes");
}

/* Later launches may be like this one, if what chance leaves open of it is less than is asked: what is wrong with it is
 * wrong with them. */
static int be_model(struct sampling *s, struct launch_group *g, struct logged *l, const struct wave_report *w)
{
    enum { LEAST = MARKS_RAMP + 3 };
    static const double part = 0.5; /* half of an interval is two deviations */
    double off = sqrt(l->m->variance[SAMPLED_CYCLES]) / fmax((double)l->m->count.stats.cycles, 1);
    if (w->like || w->marks.n < LEAST || off * share_of(s, g) > part * s->asked) return 0;
    if (!g->marks && !(g->marks = malloc(sizeof *g->marks))) return -1;
    *g->marks = w->marks;
    g->model = (uint32_t)(l - s->log);
    sampling_note_scatter(l->m, w);
    return 0;
}

int sampling_timed(struct sampling *s, const struct launch_info *l, enum sampling_choice c, struct exec_counts total,
                   const struct sample *own, const struct wave_report *w)
{
    struct launch_group *g = group_of(s, l);
    if (!g) return -1;
    bool known = g->launches != 0;
    double foreseen = known ? foresee(s, g, l->ctas) : 0;
    struct logged *to = add_launch(s, l, total);
    struct timed_launch *m = calloc(1, sizeof *m);
    if (!to || !m) {
        free(m);
        return -1;
    }
    to->m = m;
    m->count = *own;
    m->timed_warp = own->stats.sm.warp_instructions;
    stats_add(&s->inside, own, sizeof *own);
    if (w->why) give_reason(s, l->kernel, w->why);
    m->skipped_ctas = w->skipped;
    bool partly = m->timed_warp < total.warp_instructions;
    if (w->like) {
        m->model = g->model;
        sampling_add_like(s, m, w, g->marks, total);
    } else {
        if (partly) sampling_add_left_out(s, m, w, total);
        if (partly || s->left_out) sampling_stray(m, w, (double)(m->timed_warp - (s->left_out ? 0 : w->ahead)));
    }
    if (s->moved_last) sampling_doubt(m);
    if (s->passed_last) sampling_doubt_l2(s, m);
    s->passed_last = w->skipped && c != SAMPLING_WARM; /* that one filled the L2 at its end */
    s->left_out |= partly;
    s->moved_last = w->moved;
    if (known && fabs(foreseen - (double)to->warp) > FORESEEN * (double)to->warp && ++g->surprises >= MOST_SURPRISES &&
        2 * g->surprises >= g->launches)
        refuse_group(s, g, "its launches do amounts of work that cannot be foreseen");
    if (c != SAMPLING_WARM) {
        to->stands = true;
        if (add_stand(s, g, to) || be_model(s, g, to, w)) return -1;
        check_prediction(s, g);
    }
    /* Programs have periods, of rows in a line for example: looks must not keep step with them. */
    uint64_t seed = s->launches;
    g->due = g->launches + g->gap + (uint32_t)(splitmix64(&seed) % FIRST_GAP);
    s->skipped_last = false;
    return 0;
}

int sampling_skipped(struct sampling *s, const struct launch_info *l, struct exec_counts total, uint64_t *cycles)
{
    double out[SAMPLED_COUNTERS];
    struct logged *to = add_launch(s, l, total);
    if (!to) return -1;
    s->skipped_last = s->left_out = true;
    s->passed_last = false;
    *cycles = 0;
    if (sampling_predict(s, to, UINT32_MAX, out)) *cycles = (uint64_t)llround(out[SAMPLED_CYCLES]);
    return 0;
}

unsigned sampling_launches(const struct sampling *s) { return s->launches; }
uint64_t sampling_last_cycles(const struct sampling *s) { return s->log[s->launches - 1].m->count.stats.cycles; }
