/* stream.h - the seam between the functional and the timing half.
 *
 * A warp's stream is a byte string. It is a sequence of block records; a block record is
 *
 *   varint  block << 1 | new_mask       the basic block entered
 *   u32     mask                        only if new_mask; else as in the record before
 *                                       (the mask before the first record is all ones)
 *   ...     one item per instruction of the block that needs one, in program order:
 *             guarded instruction       u32 execution mask (a subset of the block's mask)
 *             memory instruction with a non-empty execution mask
 *                                       an address record of its lanes
 *             generic memory instruction with a non-empty execution mask
 *                                       a byte, the set of spaces its lanes went to: bit k is space
 *                                       SPACE_GLOBAL + k; then for each of them, lowest bit first:
 *                                         u32 its lanes, only where there are several spaces
 *                                         an address record of these lanes
 *
 * An address record begins with a tag byte:
 *   0         affine, stride 0:      varint zigzag(base - previous base)
 *   1..64     affine, small stride:  stride = tag - 33 ... never 0; then the base as above
 *   65..128   two halves:            lanes 0-15 and 16-31, both with active lanes, are affine
 *                                    with one stride = tag - 97; the base of the lower half,
 *                                    then varint zigzag(base of the upper half - that base)
 *   253       two halves, any stride: varint zigzag(stride), then as above
 *   254       affine, any stride:    varint zigzag(stride), then the base
 *   255       gather:                base of the lowest lane, then for each further active
 *                                    lane varint zigzag(address - address of the lane before)
 * A lane's affine address is base + (lane - lowest active lane) * stride, the lowest active
 * lane of its half where there are two. "Previous base" is the base of the warp's previous
 * address record (the lower half's), 0 at first. Two halves are what the warps of thread
 * blocks 16 wide make.
 *
 * The stream ends after the block whose last instruction ends the warp. Writers and readers
 * never fail on memory they own; a reader of untrusted bytes (a trace) validates the stream
 * once with stream_check before the timing half sees it. */
#ifndef WL_STREAM_STREAM_H
#define WL_STREAM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stream/code.h"
#include "stream/registers_from.h"
#include "stream/spaces.h"

enum { CTA_MAX_WARPS = 32, EXCERPT_WINDOW = 4096 /* warp instructions */ };

/* ---- one launch and where its CTAs come from ---- */

struct launch_info {
    char kernel[128];
    uint32_t grid[3], block[3];
    uint32_t ctas, threads_per_cta, warps_per_cta; /* derived from grid and block */
    uint32_t regs_per_thread, shared_bytes;        /* what limits residency */
    uint8_t regs_from;                             /* enum registers_from */
    uint32_t cluster[3];                           /* CTAs of a cluster; all 0: there are none */
    const struct code *code;
};

struct warp_stream {
    const uint8_t *data;
    size_t size;
};

struct cta_stream {
    uint32_t cta;   /* linear id, x fastest */
    uint32_t order; /* its place in the order in which the launch's CTAs are given out: the dispatcher's */
    uint32_t sm;    /* where it runs: the dispatcher's */
    uint32_t nwarps;
    struct warp_stream warp[CTA_MAX_WARPS];
    void *owner; /* private to the source */
};

/* A source yields the CTAs of one launch in increasing id, each exactly once; of a launch with clusters one cluster
 * after another (launch_nth). */
struct stream_source {
    const struct launch_info *info;
    /* 1: *out is the next CTA, valid until released. 0: none left. < 0: failed, *e filled. */
    int (*next)(struct stream_source *, struct cta_stream *out, struct wl_err *e);
    void (*release)(struct stream_source *, struct cta_stream *);
    /* NULL: every stream is whole. Else a warp's stream comes in slices of whole blocks, and this is asked when the
     * bytes given so far, at first those of *cta, have been read: 1: the next ones, in *out, until it is asked again;
     * 0: the stream is over; < 0: there are none before feed() was called; 2: next ones, and others before them were
     * left out (stream_jump). Touches nothing but this CTA. */
    int (*more)(struct stream_source *, struct cta_stream *cta, unsigned warp, struct warp_stream *out);
    /* NULL: it makes no difference. Else: nobody wants the streams of the CTAs below this id; they still come, empty.
     */
    void (*pass)(struct stream_source *, uint32_t until);
    /* NULL: more() never asks for it. Else lets the warp go on: `cycle` is that in which the last instruction it was
     * given has issued, which is what a clock it has read shows. Called between two ticks, so that the order in which
     * parts work within one makes no difference. 1: more() has something new to say. 0: not before another warp of the
     * CTA was fed. < 0: failed, *e filled. */
    int (*feed)(struct stream_source *, struct cta_stream *cta, unsigned warp, uint64_t cycle, struct wl_err *e);
    /* NULL: every stream is whole. Else: of warps that execute much, excerpts are enough; asked before the first
     * next(); they are EXCERPT_WINDOW long. gaps: the warp instructions in the gaps between them that stand behind what
     * was read so far. */
    void (*excerpt)(struct stream_source *);
    uint64_t (*gaps)(struct stream_source *);
    /* NULL: streams are what they are. Else, asked before the first next(), whether the streams of the CTAs that run
     * can be moved on. foreseen: the warp instructions of the launch, as far as is known; 0 before the first next().
     * note: from here on it is counted what each warp does. made: instructions so far. move: leaves out, of each warp,
     * so many 256ths of what warps like it do in the time since the note, but less near its end, and as many barriers
     * as of the others of its CTA; what was left out of all, or < 0: failed. *ctas: so many more have ended in it;
     * others are in their place. leave: they are not moved on any more; NULL: streams are made on demand, and moved on
     * as a full run would. finish: leaves out all that the CTAs that run have still to do, but for a little before
     * their ends, and no more is asked for; 0: it cannot; < 0: failed. */
    bool (*on_demand)(struct stream_source *);
    uint64_t (*foreseen)(const struct stream_source *);
    void (*note)(struct stream_source *);
    uint64_t (*made)(struct stream_source *);
    int64_t (*move)(struct stream_source *, uint64_t parts, uint32_t *ctas);
    void (*leave)(struct stream_source *);
    int (*finish)(struct stream_source *);
    /* NULL: nobody knows. Else tells the lines that were touched last in what was left out, the latest last. */
    void (*touched)(struct stream_source *, void (*touch)(void *arg, uint64_t line), void *arg);
};

/* Fills the derived fields of *info; fails when the shape is empty or too large. */
int launch_shape(struct launch_info *info, struct wl_err *e);

/* CTAs of a cluster; 1: there are none. The id of the n-th CTA that a source yields. */
uint32_t launch_cluster(const struct launch_info *info);
uint32_t launch_nth(const struct launch_info *info, uint32_t n);

/* ---- writing ---- */

struct stream_writer {
    uint8_t *data;
    size_t size, cap;
    uint64_t base; /* previous address base */
    uint32_t mask; /* previous block mask */
    bool failed;   /* out of memory: sticky, checked once per CTA */
    size_t spare;  /* before a block: so much room beyond that for a record, or what is there becomes a slice */
    struct slice_chain *chain; /* where a long stream goes, slice by slice (slices.h); NULL: it stays here */
};

void stream_begin(struct stream_writer *w); /* keeps the buffer and the chain */
/* The stream is complete. If part of it is in slices the rest goes there too and the buffer is freed. False: no memory.
 */
bool stream_end(struct stream_writer *w);
/* Something is left out behind what was written: that is a window, and what follows is the next one (slice_cut). Only
 * with a chain. */
void stream_cut(struct stream_writer *w);
void stream_block(struct stream_writer *w, uint32_t block, uint32_t mask);
void stream_guard(struct stream_writer *w, uint32_t mask);
/* addr[lane] is read for the lanes of mask; mask is not 0. */
void stream_addrs(struct stream_writer *w, uint32_t mask, const uint64_t addr[WARP_SIZE]);
/* The same of all lanes, with addresses base + lane * stride. */
void stream_affine(struct stream_writer *w, uint64_t base, int64_t stride);
/* A generic instruction: lanes[k] are those that went to space SPACE_GLOBAL + k, not all of them 0; addresses
 * are those of that space. */
void stream_generic(struct stream_writer *w, const uint32_t lanes[GENERIC_FORMS], const uint64_t addr[WARP_SIZE]);

/* ---- reading ---- */

struct stream_reader {
    const uint8_t *p, *end;
    uint64_t base;
    uint32_t mask;  /* active lanes of the current block */
    uint8_t spaces; /* spaces of the current generic instruction whose part was not read yet, one bit per space */
    bool split;     /* the current generic instruction has several parts */
    uint8_t note;   /* the reader's owner's: nothing else looks at it */
    uint8_t kernel; /* so is this */
};

/* Addresses of one warp memory instruction. Only a gather's are written out: there are shortcuts for
 * the others, so ask warp_addr for a lane's. */
struct warp_addrs {
    bool affine, halves;
    uint32_t mask;
    uint64_t base; /* address of the lowest active lane */
    int64_t stride;
    uint64_t half[2];         /* halves: addresses of lanes 0 and 16, active or not */
    uint64_t lane[WARP_SIZE]; /* gathers: address of each active lane */
};

static inline uint64_t warp_addr(const struct warp_addrs *a, unsigned lane)
{
    if (a->affine) return a->base + (uint64_t)(lane - (unsigned)__builtin_ctz(a->mask)) * (uint64_t)a->stride;
    return a->halves ? a->half[lane / 16] + lane % 16 * (uint64_t)a->stride : a->lane[lane];
}

/* What is not part of the address of one lane of an instruction of this role (code.h). */
uint64_t warp_addr_note(const struct warp_addrs *a, unsigned lane, unsigned async);
/* Takes it out of the addresses of all lanes and returns the first one's. */
uint64_t warp_addrs_note(struct warp_addrs *a, unsigned async);

void stream_open(struct stream_reader *r, struct warp_stream s);
void stream_continue(struct stream_reader *r, struct warp_stream next); /* all was read: goes on in `next` */
/* The same behind a part that was left out: what a reader remembers of what it has read, STREAM_MEMORY bytes, comes
 * first (stream_remember). */
enum { STREAM_MEMORY = 12 };
void stream_jump(struct stream_reader *r, struct warp_stream next);
void stream_remember(const struct stream_reader *r, uint8_t out[STREAM_MEMORY]);
bool stream_done(const struct stream_reader *r);
uint32_t stream_next_block(struct stream_reader *r); /* updates r->mask */
uint32_t stream_next_guard(struct stream_reader *r);
void stream_next_addrs(struct stream_reader *r, uint32_t mask, struct warp_addrs *out);
/* A generic instruction that lanes *mask execute, part by part: the space of the next part, whose lanes *mask
 * becomes; its addresses follow. stream_has_parts says whether there is a further one. */
enum mem_space stream_next_part(struct stream_reader *r, uint32_t *mask);
static inline bool stream_has_parts(const struct stream_reader *r) { return r->spaces != 0; }

/* Reads a block, of a stream whose blocks begin here; adds what it executes. */
struct stream_counts {
    uint64_t warp, thread; /* instructions */
};
/* The lines of global memory and textures that a warp touched last. */
enum { STREAM_RECENT = 64 };
struct stream_recent {
    uint64_t line[STREAM_RECENT];
    uint32_t n; /* in all: the last one is at (n - 1) % STREAM_RECENT */
};
void stream_skip_block(struct stream_reader *r, const struct code *c, struct stream_counts *n,
                       struct stream_recent *recent); /* which may be NULL */

/* Walks untrusted bytes once: every record complete, every block id in range, guard masks
 * subsets. 0, or WL_EINPUT with the byte offset in the text. */
int stream_check(const struct code *c, struct warp_stream s, struct wl_err *e);

#endif
