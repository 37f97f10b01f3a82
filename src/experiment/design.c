/* design.c - one point after another, each balanced against all before it.
 *
 * A new point takes, of each factor, one of the values used least so far; where several are, chance proposes. Of a
 * number of proposals the one wins whose pairs of values have met least: two factors then vary independently of each
 * other, as far as so few points allow. Chance is a counter put through a hash, the same everywhere. */
#include "experiment/design.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PROPOSALS = 64 };

struct balance {
    const unsigned *levels;
    unsigned factors;
    unsigned used[DESIGN_FACTORS][DESIGN_LEVELS];
    unsigned met[DESIGN_FACTORS][DESIGN_LEVELS][DESIGN_FACTORS][DESIGN_LEVELS];
    uint64_t chance;
};

/* Steele, Lea and Flood's SplitMix64. */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static unsigned propose(struct balance *b, unsigned factor)
{
    unsigned least = 0, n = 0, pick = 0;
    for (unsigned v = 1; v < b->levels[factor]; v++)
        if (b->used[factor][v] < b->used[factor][least]) least = v;
    for (unsigned v = 0; v < b->levels[factor]; v++)
        if (b->used[factor][v] == b->used[factor][least] && draw(&b->chance) % ++n == 0) pick = v;
    return pick;
}

/* How often the pairs of this point have met; a pair of factors with many values meets the less often. */
static uint64_t meetings(const struct balance *b, const unsigned *point)
{
    uint64_t sum = 0;
    for (unsigned f = 0; f < b->factors; f++)
        for (unsigned g = 0; g < f; g++)
            sum += (uint64_t)b->met[f][point[f]][g][point[g]] * b->levels[f] * b->levels[g];
    return sum;
}

static void add_point(struct balance *b, const unsigned *point)
{
    for (unsigned f = 0; f < b->factors; f++) {
        b->used[f][point[f]]++;
        for (unsigned g = 0; g < f; g++) b->met[f][point[f]][g][point[g]]++;
    }
}

int design_make(const unsigned *levels, unsigned factors, unsigned points, unsigned *out, struct wl_err *e)
{
    static const unsigned origin[DESIGN_FACTORS];
    for (unsigned f = 0; f < factors; f++)
        if (factors > DESIGN_FACTORS || levels[f] < 1 || levels[f] > DESIGN_LEVELS)
            return wl_fail(e, WL_EINPUT, "a design has up to %d factors of 1 to %d values", DESIGN_FACTORS,
                           DESIGN_LEVELS);
    struct balance *b = calloc(1, sizeof *b);
    if (!b) return wl_no_memory(e);
    b->levels = levels;
    b->factors = factors;
    add_point(b, origin);
    for (unsigned p = 0; p < points; p++) {
        uint64_t best = UINT64_MAX;
        unsigned *keep = out + (size_t)p * factors;
        for (unsigned i = 0; i < PROPOSALS; i++) {
            unsigned point[DESIGN_FACTORS] = {0};
            for (unsigned f = 0; f < factors; f++) point[f] = propose(b, f);
            uint64_t sum = meetings(b, point);
            if (sum < best) memcpy(keep, point, factors * sizeof *keep);
            if (sum < best) best = sum;
        }
        add_point(b, keep);
    }
    free(b);
    return 0;
}
