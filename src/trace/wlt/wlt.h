/* wlt.h - .wlt traces: saved instruction streams.
 *
 * A trace holds what the functional half of a program produced: its launches with their code
 * tables and warp streams, and the copies from the host in between, in program order. The timing
 * half cannot tell a replayed launch from a live one, so every counter is the same. Nothing in a
 * trace depends on a machine: one recording serves all of them.
 *
 * THE FORMAT, version 5.
 *
 *   8 bytes   89 'W' 'L' 'T' 0d 0a 1a 0a    (damage by text-mode copies shows at once)
 *   u32       version
 *   ...       one zstd frame with a content checksum, to the end of the file; window at most
 *             16 MiB. Its content is a sequence of records.
 *
 * A record is a tag byte and its fields. u32 and u64 are little-endian; `v` is a varint: seven
 * bits per byte, low bits first, the top bit says that another byte follows, at most 10 bytes and
 * 64 bits. Text is v length and bytes, without control characters. A loop reference is v: 0 is no
 * loop, otherwise index + 1.
 *
 *   'H' header    text workload (<= 127), text size (<= 15), text inputs (<= 255), v seed,
 *                 u64 workload hash                             first record, once
 *   'M' copy      v address, v bytes                            the host wrote device memory
 *   'K' code      v nregs, v ninst, v nblock, v nloop;
 *                 each loop:  loop reference parent, v depth
 *                 each block: v first, v count, loop reference
 *                 each instruction: v pc; bytes kind, lat, space, cache_op, width, guarded, ndst,
 *                             nsrc; v for each of ndst + nsrc registers; loop reference
 *                                                    tables number themselves from 0
 *   'S' code      the same, of instructions that a real GPU ran; 'K' is PTX
 *   'N' origins   v files, each a text (<= 1023); for each instruction of the table just before: text (<= 255), v PTX
 *                 line, then v file, v line, v file of the call it was inlined at, v line of that. A line 0 is not
 *                 known, a file 0 is none, otherwise index + 1          optional
 *   'Q' stream    v stream                                      of the launch that follows, which may overlap those
 *                                                               of other streams; optional
 *   'G' cluster   3 v CTAs                                      of a cluster of the launch that follows; optional
 *   'L' launch    v code table, text kernel (1..127), 3 v grid, 3 v block, v registers per thread,
 *                 v shared bytes
 *   'C' CTA       v id; for each warp of the CTA: v size, the bytes of its stream (stream.h)
 *   'E' end of launch   v CTAs, v warp instructions, v thread instructions
 *   'Z' end of trace    v launches, v copies                    last record
 *
 * After 'L' come its CTAs, ids 0, 1, 2 ... to the size of the grid, of a launch with clusters in the order of
 * launch_nth (stream.h), then 'E'. 'M', 'K', 'S', 'N', 'Q', 'G', 'L' and 'Z' stand between launches. A code table is
 * written once and referred to by number: a program that launches one kernel two thousand times does not repeat it.
 * docs/wlt.md says the same at more length.
 *
 * Memory of a reader: the code tables, the CTAs handed out and not released, and a constant. */
#ifndef WL_TRACE_WLT_WLT_H
#define WL_TRACE_WLT_WLT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "stream/stream.h"

/* Three bytes of an instruction carry a second field in their upper bits, which are 0 in older files: the byte lat the
 * old rule above the latency class, the byte width the bytes of a small vector element, the byte guarded in bits 1
 * to 3 the role in asynchronous copies. */
enum { WLT_LAT_BITS = 5, WLT_WIDTH_BITS = 6 };
/* Version 1 did not say where generic accesses went. Versions 2, without 'S', 3, without 'N', 4, without 'Q', and 5,
 * without 'G', are read too. */
enum { WLT_VERSION = 6, WLT_OLDEST = 2 };

/* Which program it was: kept for the record of a replay. Texts end with NUL. */
struct wlt_header {
    char workload[128], size[16], inputs[256];
    uint64_t seed, workload_hash;
};

struct wlt_counts {
    uint64_t warp_instructions, thread_instructions;
};

/* Gets a warning about a trace. `loss`: the machine does less than the program did, which must never be hidden. */
typedef void trace_say(void *arg, const char *text, bool loss);
typedef int trace_each(void *arg, const char *file, struct wl_err *e);

/* What a trace came to, for people. */
struct wlt_totals {
    uint64_t launches, copies, copy_bytes, ctas, warps;
    struct wlt_counts counts;
    uint64_t stream_bytes;  /* of the warp streams alone */
    uint64_t content_bytes; /* of all records, before compression */
    uint64_t file_bytes;
};

/* ---- writing ---- */

struct wlt_writer;

/* Creates or empties the file. NULL on failure: WL_EINPUT when it cannot be opened. Control
 * characters in the header's texts become '?'. */
struct wlt_writer *wlt_create(const char *file, const struct wlt_header *h, struct wl_err *e);
/* A copy from the host happened here. A failure is remembered and comes with the next call that
 * can report one. */
void wlt_write_copy(struct wlt_writer *w, uint64_t addr, uint64_t bytes);
/* The next launch is of this stream, not 0, and may overlap launches of others. */
void wlt_write_stream(struct wlt_writer *w, uint64_t stream);
/* Takes all CTAs of the source and writes the launch. */
int wlt_write_launch(struct wlt_writer *w, struct stream_source *s, struct wl_err *e);
/* The file's name until it is finished; NULL: it has none, so that nothing is left of a process that is killed. */
const char *wlt_part(const struct wlt_writer *w);
/* Ends the trace and frees the writer. `rc` is the status so far and comes back: when it is not 0,
 * or when the end cannot be written, there is no new file, and an older one of the name stays. *totals may be NULL. A
 * NULL w is allowed. */
int wlt_finish(struct wlt_writer *w, int rc, struct wlt_totals *totals, struct wl_err *e);
/* The same for a writer that must not replace: when x.wlt is there it becomes x.2.wlt, x.3.wlt, ...; `name` says which.
 */
int wlt_finish_new(struct wlt_writer *w, char *name, size_t size, struct wlt_totals *totals, struct wl_err *e);

/* ---- reading ---- */

/* Everything in a file is suspect: counts are bounded before they are believed, memory grows
 * only as data arrives, every table and stream is checked before it is handed out. Damage is
 * WL_EINPUT with file, record and byte. */
struct wlt_reader;

struct wlt_reader *wlt_open(const char *file, struct wl_err *e);
void wlt_close(struct wlt_reader *r);
void wlt_keep_named(struct wlt_reader *r); /* as trace_keep_named */
const struct wlt_header *wlt_header(const struct wlt_reader *r);

/* Where a launch stands among others. Launches of one stream come one after the other. */
struct wlt_order {
    bool given;      /* false: it comes after all before it, and all after it come after it */
    uint64_t stream; /* of the program */
};

enum wlt_kind { WLT_COPY, WLT_LAUNCH };
struct wlt_item {
    enum wlt_kind kind;
    uint64_t addr, bytes;         /* WLT_COPY */
    struct stream_source *source; /* WLT_LAUNCH: valid until the next wlt_next or wlt_close */
    struct wlt_order order;       /* WLT_LAUNCH */
    bool unwanted;                /* WLT_LAUNCH: of a kernel that trace_only excludes, known by its name alone */
};

/* 1: *out is what the program did next. 0: the trace is over, and was whole. < 0: -(error code),
 * *e filled. CTAs left in the launch before are read over; those handed out must have been
 * released. The source fails in its next() the same way. */
int wlt_next(struct wlt_reader *r, struct wlt_item *out, struct wl_err *e);

/* Instructions in the CTAs of the current launch that were handed out so far. Once its source
 * said that none are left, they are known to be those the trace was recorded with. */
struct wlt_counts wlt_launch_counts(const struct wlt_reader *r);
/* Of all that was read so far. */
struct wlt_totals wlt_totals(const struct wlt_reader *r);

/* ---- a summary ---- */

enum { WLT_SPACES = SPACE_TEX + 1, WLT_MAX_KERNELS = 256 };

struct wlt_kernel {
    char name[128];
    uint64_t launches, ctas;
    struct wlt_counts counts;
};

/* Memory instructions that no lane executes are not counted as such. */
struct wlt_summary {
    struct wlt_header header;
    struct wlt_totals totals;
    uint64_t loads[WLT_SPACES], stores[WLT_SPACES], atomics[WLT_SPACES]; /* warp instructions by space */
    uint64_t divergent_loads; /* of the global loads: those that touch more than two 128-byte lines */
    uint64_t lines;           /* distinct 128-byte lines of global and texture memory */
    bool lines_exact;         /* false: estimated, the footprint is very large and scattered */
    unsigned kernels;         /* by name, in order of appearance */
    uint64_t other_launches;  /* launches of kernels that found no room in the list */
    struct wlt_kernel kernel[WLT_MAX_KERNELS];
};

/* Reads a trace of any kind (trace.h) from its first to its last byte. `say`, which may be NULL, gets the
 * trace's warnings. */
int wlt_summarize(const char *file, struct wlt_summary *out, trace_say *say, void *arg, struct wl_err *e);

#endif
