/* pace.h - how far the warps of a CTA are moved on (on_demand.c); the constants are those of written.c too.
 *
 * All of them as far: where they are, one ahead of the other, is part of the state, and what they have come ahead by in
 * one window is chance. So it is with CTAs, unless one is faster or slower than its warps' scatter explains: it shares
 * its SM with fewer, or more. */
#ifndef WL_PTX_PACE_H
#define WL_PTX_PACE_H

#include <math.h>
#include <stdint.h>

enum {
    PACE_CHUNK = 64,   /* instructions that a warp is ahead of the machine */
    PACE_END = 256,    /* so many at the end of a warp are never left out */
    PACE_BEHIND = 2,   /* windows behind a stretch that are to be like those before it */
    PACE_LONG = 16384, /* instructions of a warp; where CTAs come later, and streams were written, no shorter ones */
    PACE_CROWD = 8     /* one of so many warps may be stopped before its end; if more would be, all go less far */
};

/* What warps have done since the note: how many, the sum, the sum of squares. */
struct done {
    double n, sum, square;
};

static inline void done_add(struct done *d, uint64_t instructions)
{
    double x = (double)instructions;
    d->n++;
    d->sum += x;
    d->square += x * x;
}

static inline double done_mean(const struct done *d) { return d->n > 0 ? d->sum / d->n : 0; }

/* How fast all go, and by how much the warps of a CTA scatter about their mean: of CTAs in an order of their own. */
struct pace {
    double n, sum, squares;
};

static inline void pace_add(struct pace *p, const struct done *cta)
{
    p->n += cta->n;
    p->sum += cta->sum;
    p->squares += fmax(cta->square - cta->sum * done_mean(cta), 0);
}

/* How far the warps of a CTA go in a part, of which a window has 256. */
static inline double pace_rate(const struct pace *p, const struct done *cta)
{
    static const double deviations = 3;
    double all = p->n > 0 ? p->sum / p->n : 0, mean = done_mean(cta), deviation = sqrt(p->squares / fmax(p->n, 1));
    if (fabs(mean - all) <= deviations * deviation / sqrt(fmax(cta->n, 1))) mean = all;
    return mean / 256;
}

#endif
