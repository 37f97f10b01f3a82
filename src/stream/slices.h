/* slices.h - a warp's stream in packed slices: what a long stream is kept as until it is read.
 *
 * A CTA is executed long before its last instruction issues, and a long loop leaves many bytes; but nearly all of them
 * repeat what came a loop before. So the writer of a long stream packs it slice by slice (stream.h), and the reader
 * unpacks a slice when it has read the one before. A slice is whole blocks. What is more than SLICES_IN_MEMORY goes to
 * a file without a name in the folder for temporary files, so that memory is bounded however long CTAs run; if there
 * can be no such file, all stays in memory. */
#ifndef WL_STREAM_SLICES_H
#define WL_STREAM_SLICES_H

#include "stream/stream.h"

enum { SLICE_BYTES = 8192 }; /* a writer with this much room packs what it has when that is full */

#define SLICES_IN_MEMORY (UINT64_C(24) << 20)

struct slice;

/* What the slices of a launch take. Begins as {.fd = -1}. */
enum { SLOT_CLASSES = 5 }; /* of 1, 2, 4, 8 and 16 KiB */
struct slice_store {
    uint64_t limit;                     /* packed bytes in memory; above it slices go to the file */
    uint64_t in_memory;                 /* packed bytes of chains that were not cleared */
    int fd;                             /* the file; -1: not made yet, -2: there can be none */
    uint64_t end;                       /* its length */
    struct slice *unused[SLOT_CLASSES]; /* places in it that can be used again */
};
void slice_store_free(struct slice_store *s);

/* The slices of one warp, oldest first. Begins as zeros but for the store. */
struct slice_chain {
    struct slice_store *store;
    struct slice *first, *last;
    struct slice *read; /* those that were read from the file: their places there are free when the chain is cleared */
    uint64_t kept;      /* packed bytes in memory, read or not */
    uint64_t raw;       /* bytes of the stream in slices so far, read or not */
    uint8_t *open;      /* the slice that is being read, unpacked */
    size_t open_cap;    /* room there */
    size_t longest;     /* bytes of the longest slice */
    /* Of a stream with gaps (stream_cut): */
    struct slice *mark;      /* the last slice of the last window; NULL: there is none */
    struct slice *window[2]; /* the last slice of the window before that, and the first of that; NULL: there is none */
    uint64_t passed;         /* what the windows stand for that were taken, of all streams that the chain has held */
};

/* Appends `size` bytes. False: no memory, nothing has changed. */
bool slice_add(struct slice_chain *c, const uint8_t *data, size_t size);
/* What was added since the last call is a window. */
void slice_cut(struct slice_chain *c);
/* The last window stands for so many instructions that were left out, and the one before it for so many more. */
void slice_stand_for(struct slice_chain *c, uint64_t before, uint64_t last);
/* Makes room for reading any slice of the chain. False: no memory. */
bool slice_prepare(struct slice_chain *c);
/* The next slice, valid until the next call, is dropped from the chain: 1. 0: there is none. -1: it cannot be read
 * back. Takes no memory and touches nothing but the chain. */
int slice_take(struct slice_chain *c, struct warp_stream *out);
/* Forgets all slices; the room for reading stays. */
void slice_clear(struct slice_chain *c);
void slice_free(struct slice_chain *c);

#endif
