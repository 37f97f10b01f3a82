/* written.h - what is known of streams that were written and can be moved on: written.c tells the machine of them,
 * written_aims.c finds where their warps go. */
#ifndef WL_PTX_WRITTEN_H
#define WL_PTX_WRITTEN_H

#include "ptx/exec_priv.h"

struct told_warp {
    struct stream_reader at; /* behind what the machine was told, or what was left out */
    uint64_t done, total;    /* instructions before that; of the warp's life */
    uint64_t noted;          /* `done` at the note */
    uint32_t barriers;       /* before that, */
    uint32_t known;          /* and of these, those that count in `met`, or were left out */
    bool jumps;              /* something was left out since the last piece */
    uint64_t threads;        /* thread instructions of its life */
    struct barrier_marks marks;
    struct stream_counts told,
        gaps; /* what the machine was told, and not told; not counted when nothing is moved any more */
    struct stream_recent recent; /* lines that were touched in what was left out last */
    uint8_t *piece;
    size_t room;
};

/* The warps of a CTA: where each goes, and behind which barrier. */
struct aims {
    uint64_t place[CTA_MAX_WARPS];
    uint32_t barriers[CTA_MAX_WARPS];
    double off; /* how far that is from what was wanted, in the mean */
};

static inline bool told_runs(const struct told_warp *t) { return t->done < t->total; }
/* How far a warp may be moved on, of its life. */
uint64_t told_most(const struct told_warp *t);
/* Whether a machine has come to the barrier lately. What is behind another one may be like nothing that was timed, or
 * like what was timed long ago. */
bool barrier_is_familiar(const struct exec_run *r, uint32_t inst);
/* The aims that bring the warps of a CTA nearest to where they are `wanted`: as many barriers are left out of each as
 * of the others, which stand behind so many `before`. False: there are none. */
bool aims_find(const struct exec_run *r, const struct told_warp *to, const uint32_t *before, const uint64_t *wanted,
               struct aims *best);
/* All warps of a CTA go on by so many instructions. */
bool aims_of_way(const struct exec_run *r, const struct cta_out *o, uint64_t way, struct aims *p);
/* All go on until little before their ends. */
bool aims_of_end(const struct exec_run *r, const struct cta_out *o, struct aims *p);

#endif
