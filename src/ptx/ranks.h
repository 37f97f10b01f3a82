/* ranks.h - how far warps go in a time that nobody looks at.
 *
 * Of the warps of an SM some may be served first: by age, where schedulers are greedy. How fast a warp goes is then a
 * matter of its rank, and it goes faster as those before it end. So warps are moved on by rank: not all alike, as if a
 * scheduler had no favourites, nor each by its own pace of late, in which there is chance. Else what is timed behind a
 * stretch is a state that the machine never comes to. What a rank came ahead by in earlier periods counts in so far as
 * it did in the last one: where nothing of that lasts, because warps wait for one another or take turns, all go alike.
 *
 * Chance goes on too: SMs, and the warps of one rank, wander apart as the root of the time, and machines in which all
 * are in step are slower (or faster) than others. How far they do is measured like the rates, and drawn. */
#ifndef WL_PTX_RANKS_H
#define WL_PTX_RANKS_H

#include <stdbool.h>
#include <stdint.h>

struct exec_warp;

/* A warp that runs. */
struct ranked {
    struct exec_warp *warp;
    uint32_t sm, crew;     /* where it runs; with how many when the last period began, itself one */
    double before, did;    /* instructions in the last two periods */
    double left;           /* until it ends */
    double way;            /* how far it goes */
    double luck, sms_luck; /* drawn, of a standard deviation of 1: its own, and that of its SM */
};

enum { RANKS = 64 }; /* older warps than so many make no difference any more */

/* By warps on the SM and rank. */
typedef double rank_table[RANKS + 1][RANKS];

/* Squares of what came apart, without what the grain makes of it, in so long a time. */
struct wander {
    double square, length;
};

struct rank_book {
    struct ranked *warp; /* [n] by SM, the oldest of each first */
    uint32_t n;
    double grain;         /* instructions that streams are made of at a time: differences of that size mean nothing */
    rank_table seen, did; /* warps of the last period, if none on their SM ended, and instructions of one in the mean */
    rank_table known;     /* the same of all periods, the later ones more, in proportion to one another, */
    rank_table weight;    /* and of how many warps that is known; 0: none */
    double lasting;       /* so much of what a rank comes ahead by lasts */
    rank_table rate;      /* instructions of a warp in a period that follows */
    bool learned;         /* something is known */
    struct wander sms;    /* of periods, by period; */
    struct wander warps;  /* of instructions, by instruction */
};

/* What becomes of the warps in a time. */
struct outlook {
    uint32_t ends;       /* so many end in it, */
    uint32_t sms, empty; /* and this many of the SMs have no warp any more */
};

/* Finds the rates, and draws. Equal seeds draw the same. */
void ranks_learn(struct rank_book *k, uint64_t seed);
struct outlook ranks_go(struct rank_book *k, double periods); /* sets every way */

#endif
