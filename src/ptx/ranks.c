/* ranks.c - warps of an SM go as fast as their rank among those that run there. */
#include "ptx/ranks.h"

#include "base/bits.h"

#include <math.h>
#include <string.h>

static const double FORGET = 0.75; /* what was seen before counts so much with each look */
static const double FAVOUR = 0.1;  /* ranks that differ by less of what warps do, in the root mean square, are one */

enum { LEAST_SMS = 8 }; /* of fewer it is not known how they wander apart */

/* Nobody has ended on the SM in the last period, so that everybody had one rank. */
static bool is_whole(const struct rank_book *k, uint32_t first, uint32_t crew) { return k->warp[first].crew == crew; }

static uint32_t at_most(uint32_t n, uint32_t most) { return n < most ? n : most; }

/* The warps that run on the SM of warp `first`. */
static uint32_t crew_of(const struct rank_book *k, uint32_t first)
{
    uint32_t n = 0;
    while (first + n < k->n && k->warp[first + n].sm == k->warp[first].sm) n++;
    return n;
}

static double *of_rank(rank_table t, uint32_t crew, uint32_t rank)
{
    return &t[at_most(crew, RANKS)][at_most(rank, RANKS - 1)];
}

/* What the warps of each rank did in the last period, or in the one before, in the mean. */
static void find_means(const struct rank_book *k, bool before, rank_table seen, rank_table did)
{
    memset(seen, 0, sizeof(rank_table));
    memset(did, 0, sizeof(rank_table));
    for (uint32_t i = 0, crew; i < k->n; i += crew) {
        crew = crew_of(k, i);
        for (uint32_t r = 0; r < crew && is_whole(k, i, crew); r++) {
            double one = before ? k->warp[i + r].before : k->warp[i + r].did, *mean = of_rank(did, crew, r);
            *mean += (one - *mean) / ++*of_rank(seen, crew, r);
        }
    }
}

/* What is known is as much as was done in the last period by those of whom it is known. */
static void scale_known(struct rank_book *k)
{
    double did = 0, known = 0;
    for (uint32_t a = 0; a <= RANKS; a++)
        for (uint32_t b = 0; b < RANKS; b++) {
            if (!(k->weight[a][b] > 0)) continue;
            did += k->seen[a][b] * k->did[a][b];
            known += k->seen[a][b] * k->known[a][b];
        }
    for (uint32_t a = 0; a <= RANKS && known > 0; a++)
        for (uint32_t b = 0; b < RANKS; b++) k->known[a][b] *= did / known;
}

/* Of what a rank was known to come ahead by so much lasts: the slope of the line from what was known of all warps to
 * what they did. Where nobody is left to tell it is what it was. Where ranks hardly differ warps are in step, because
 * they wait for one another's lines: to part them by what is chance would cost them these (`corr`). */
static void find_what_lasts(struct rank_book *k, double mean)
{
    double both = 0, square = 0, n = 0;
    for (uint32_t a = 0; a <= RANKS; a++)
        for (uint32_t b = 0; b < RANKS; b++) {
            if (!(k->weight[a][b] > 0)) continue;
            n += k->seen[a][b];
            double ahead = k->known[a][b] - mean;
            both += k->seen[a][b] * ahead * (k->did[a][b] - mean);
            square += k->seen[a][b] * ahead * ahead;
        }
    if (!(n > 0)) return;
    double least = fmax(k->grain, FAVOUR * mean);
    k->lasting = square > n * least * least ? fmin(fmax(both / square, 0), 1) : 0;
}

/* What is known of the rank where as many warps run, or else nearly as many; `none` if nothing is. */
static double rate_near(struct rank_book *k, uint32_t crew, uint32_t rank, double none)
{
    for (uint32_t off = 0; off <= RANKS; off++) {
        uint32_t more = crew + off, fewer = crew > off ? crew - off : 0;
        if (more <= RANKS && k->weight[more][rank] > 0) return k->known[more][rank];
        if (k->weight[fewer][rank] > 0) return k->known[fewer][rank];
    }
    return none;
}

static void find_rates(struct rank_book *k, double mean)
{
    for (uint32_t a = 0; a <= RANKS; a++)
        for (uint32_t b = 0; b < RANKS; b++) {
            double *known = &k->known[a][b], *weight = &k->weight[a][b];
            *weight = FORGET * *weight + k->seen[a][b];
            if (k->seen[a][b] > 0) *known += (k->did[a][b] - *known) * k->seen[a][b] / *weight;
        }
    for (uint32_t a = 0; a <= RANKS; a++)
        for (uint32_t b = 0; b < RANKS; b++) k->rate[a][b] = mean + k->lasting * (rate_near(k, a, b, mean) - mean);
}

static void wander_add(struct wander *w, double square, double length)
{
    w->square = FORGET * w->square + square;
    w->length = FORGET * w->length + length;
}

/* The variance that comes with each unit of length. */
static double wander_of(const struct wander *w) { return w->square > 0 ? w->square / w->length : 0; }

/* An SM was ahead of what its ranks say by so many periods in the last two. How far SMs came apart in them says how
 * fast they wander. */
static void find_sms_wander(struct rank_book *k, double earlier)
{
    double n = 0, sum = 0, square = 0, grain = 0;
    for (uint32_t i = 0, crew; i < k->n; i += crew) {
        double did = 0, rate = 0;
        crew = crew_of(k, i);
        for (uint32_t r = 0; r < crew; r++) {
            did += k->warp[i + r].did + k->warp[i + r].before;
            rate += *of_rank(k->rate, crew, r);
        }
        if (!is_whole(k, i, crew) || !(rate > 0)) continue;
        double ahead = did / rate;
        n++, sum += ahead, square += ahead * ahead;
        grain += crew * k->grain * k->grain / (rate * rate); /* each warp is somewhere in its own */
    }
    if (n < LEAST_SMS) return;
    wander_add(&k->sms, (square - sum * sum / n) / (n - 1) - grain / n, 1 + earlier);
}

/* By how much warps differ from what their ranks, and their SM in this period, say. What was made good in the next
 * period is no wandering, and what went on in it is more. */
static void find_warp_wander(struct rank_book *k)
{
    double square = 0, work = 0, n = 0;
    for (uint32_t i = 0, crew; i < k->n; i += crew) {
        double did = 0, before = 0, mean = 0;
        crew = crew_of(k, i);
        for (uint32_t r = 0; r < crew; r++) {
            did += k->warp[i + r].did;
            before += k->warp[i + r].before;
            mean += *of_rank(k->rate, crew, r);
        }
        if (!is_whole(k, i, crew) || !(mean > 0)) continue;
        for (uint32_t r = 0; r < crew; r++) {
            double share = *of_rank(k->rate, crew, r) / mean, off = k->warp[i + r].did - did * share;
            square += off * off + 2 * off * (k->warp[i + r].before - before * share);
        }
        n += crew, work += did;
    }
    wander_add(&k->warps, square - n * k->grain * k->grain, work);
}

/* Nearly of the normal distribution. */
static double draw(uint64_t *seed)
{
    double sum = -6;
    for (unsigned i = 0; i < 12; i++) sum += (double)(splitmix64(seed) >> 11) / (double)(UINT64_C(1) << 53);
    return sum;
}

void ranks_learn(struct rank_book *k, uint64_t seed)
{
    double did = 0, before = 0;
    for (uint32_t i = 0; i < k->n; i++) did += k->warp[i].did, before += k->warp[i].before;
    double mean = k->n ? did / k->n : 0;
    find_means(k, true, k->seen, k->did);
    if (!k->learned) memcpy(k->known, k->did, sizeof k->known), memcpy(k->weight, k->seen, sizeof k->weight);
    k->learned = true;
    find_means(k, false, k->seen, k->did);
    scale_known(k);
    find_what_lasts(k, mean);
    find_rates(k, mean);
    if (mean > 0) find_sms_wander(k, before / did);
    find_warp_wander(k);
    for (uint32_t i = 0, crew; i < k->n; i += crew) {
        double sms = draw(&seed);
        crew = crew_of(k, i);
        for (uint32_t r = 0; r < crew; r++) k->warp[i + r].luck = draw(&seed), k->warp[i + r].sms_luck = sms;
    }
}

/* The warps of one SM, from the end of one of them to that of the next; how many end. */
static uint32_t crew_goes(struct rank_book *k, struct ranked *w, uint32_t n, double periods)
{
    uint32_t ends = 0;
    for (uint32_t i = 0; i < n; i++) w[i].way = 0;
    while (periods > 0 && ends < n) {
        uint32_t crew = n - ends, rank = 0;
        double step = periods;
        for (uint32_t i = 0; i < n; i++) {
            if (w[i].way >= w[i].left) continue;
            double rate = *of_rank(k->rate, crew, rank++);
            if (rate * step > w[i].left - w[i].way) step = (w[i].left - w[i].way) / rate;
        }
        rank = 0;
        for (uint32_t i = 0; i < n; i++) {
            if (w[i].way >= w[i].left) continue;
            w[i].way += *of_rank(k->rate, crew, rank++) * step;
            if (w[i].way < w[i].left - 0.5) continue;
            w[i].way = w[i].left;
            ends++;
        }
        periods -= step;
    }
    return ends;
}

struct outlook ranks_go(struct rank_book *k, double periods)
{
    struct outlook o = {0, 0, 0};
    /* Where no rank is favoured warps take turns, or share what one of them fetches, and what tears them apart is
     * mended: they stay together. */
    double sms = k->lasting * wander_of(&k->sms), warps = k->lasting * wander_of(&k->warps);
    for (uint32_t i = 0, crew; i < k->n; i += crew) {
        struct ranked *w = k->warp + i;
        crew = crew_of(k, i);
        uint32_t ends = crew_goes(k, w, crew, periods + sqrt(sms * periods) * w->sms_luck);
        for (uint32_t r = 0; r < crew; r++) {
            double off = sqrt(warps * w[r].way) * w[r].luck;
            if (w[r].way < w[r].left) w[r].way = fmin(w[r].way + fmax(fmin(off, w[r].way), -w[r].way), w[r].left);
        }
        o.ends += ends;
        o.sms++;
        o.empty += ends == crew;
    }
    return o;
}
