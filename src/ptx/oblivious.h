/* oblivious.h - what is known of a kernel whose path and addresses follow from the launch alone (oblivious.c). */
#ifndef WL_PTX_OBLIVIOUS_H
#define WL_PTX_OBLIVIOUS_H

#include "ptx/exec_priv.h"

struct skim_block {
    uint32_t first, body; /* micro-ops of the list; the end instruction follows */
};

/* What is left of a kernel when only some of its results are wanted, by block. */
struct skim_list {
    struct uop *uop;
    struct skim_block *block;
};

struct counted_launch;
struct oblivion {
    bool is;                        /* it is oblivious; else only `leak` means anything */
    bool by_cta;                    /* its path depends on the CTA, */
    bool by_constants;              /* on constant memory, */
    uint8_t *decides;               /* by byte of the parameters: on this one */
    uint32_t leak;                  /* line of an instruction that depends on data, or is not known; 0: there is none */
    struct skim_list path;          /* what decides on the path, for a warp that is only counted */
    struct skim_list way;           /* and on addresses, for one that is moved on and then goes on in full */
    struct counted_launch *counted; /* launches whose instructions are known, */
    unsigned kept;                  /* so many */
};

/* The next CTA of a launch that skims: it is counted, not executed. 0, or -1: a fault. */
int skim_next(struct exec_run *r);
/* The warp instructions of each warp of each CTA, malloc'd, and their sum; NULL: a fault, or no memory. */
uint64_t *skim_lengths(struct exec_run *r, uint64_t *total);
/* on_demand.c: the source can make streams on demand, if it asks for that; hands out a CTA that was started. */
void demand_offer(struct exec_run *r);
int demand_hand_over(struct exec_run *r, struct exec_cta *c, struct cta_stream *out);
/* written.c: streams that are written before they are read can be moved on, if the source is asked for that. A CTA
 * starts, is handed out, is released; false: no memory. */
void written_offer(struct exec_run *r);
bool written_start(struct exec_run *r, struct exec_cta *c);
bool written_hand_over(struct exec_run *r, struct exec_cta *c, struct cta_stream *out);
bool written_waiting(struct exec_run *r, struct cta_stream *out); /* one that came early is handed out */
void written_release(struct exec_run *r, struct cta_out *o);
void written_free(const struct exec_run *r, struct cta_out *o);
void launch_give_back(struct exec_run *r, struct cta_out *o);
/* The launch has ended: one with the same path will not be counted again. */
void skim_remember(struct exec_run *r);

#endif
