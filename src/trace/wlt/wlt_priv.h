/* wlt_priv.h - what the files of this folder share: tags, limits, the byte input, the checks. */
#ifndef WL_TRACE_WLT_WLT_PRIV_H
#define WL_TRACE_WLT_WLT_PRIV_H

#include "base/arena.h"
#include "base/bits.h"
#include "trace/trace_file.h"
#include "trace/wlt/wlt.h"

#define WLT_MAGIC "\x89WLT\r\n\x1a\n"
enum { WLT_MAGIC_BYTES = 8, WLT_PREFIX_BYTES = 12, WLT_WINDOW_LOG = 24 };

enum wlt_tag {
    WLT_TAG_HEADER = 'H',
    WLT_TAG_COPY = 'M',
    WLT_TAG_CODE = 'K',
    WLT_TAG_MACHINE = 'S',
    WLT_TAG_ORIGINS = 'N',
    WLT_TAG_STREAM = 'Q',
    WLT_TAG_CLUSTER = 'G',
    WLT_TAG_LAUNCH = 'L',
    WLT_TAG_CTA = 'C',
    WLT_TAG_END_LAUNCH = 'E',
    WLT_TAG_END = 'Z'
};

/* Limits that bound what a small file can ask for. The tables' are sums over the file. A copy is
 * bounded because its lines are walked one by one, registers because they are multiplied. */
enum {
    WLT_MAX_TABLES = 1 << 16,
    WLT_MAX_INSTS = 1 << 22,
    WLT_MAX_BLOCKS = 1 << 22,
    WLT_MAX_LOOPS = 1 << 20,
    WLT_MAX_CODE_REGS = 1 << 16,
    WLT_MAX_THREAD_REGS = 65535,
    WLT_MAX_SHARED = 1 << 24,
    WLT_MAX_FILES = 1 << 12,
    WLT_MAX_NAME = 1023, /* bytes of a file's name */
    WLT_MAX_WORDS = 255  /* bytes of an instruction's text */
};
#define WLT_MAX_CTA_BYTES  (UINT64_C(1) << 30)
#define WLT_MAX_COPY_BYTES (UINT64_C(1) << 38)
/* First addresses that are too high: of device memory, and of offsets in all other spaces. */
#define WLT_ADDRESS_END TRACE_DEVICE_END
#define WLT_OFFSET_END  SPACE_OFFSET_END

/* ---- wlt_in.c: the content of a trace as a byte string ----
 *
 * Errors stick: after the first, every read gives zeros and `failed` is set, so that a record is
 * read without a test behind each field. Loops over counts must look at `failed`. */

struct wlt_in {
    const char *name;
    struct trace_file file;
    struct ZSTD_DCtx_s *z; /* NULL: the file is the content itself */
    uint8_t *packed;       /* a piece of the compressed file */
    size_t packed_at, packed_size;
    uint8_t *buf; /* a piece of the content: [at, size) is not yet read */
    size_t at, size;
    uint64_t base;         /* place of buf[0] in the content */
    uint64_t limit;        /* refuse content beyond this; tests lower it */
    bool more, frame_over; /* the decoder may hold back output; the zstd frame is complete */
    uint64_t record;       /* number of the current record, from 1 */
    const char *what;      /* kind of the current record, for messages */
    bool failed;
    struct wl_err err;
};

int wlt_in_file(struct wlt_in *in, const char *file);
/* A file's bytes, or with `raw` the records alone, uncompressed: what the fuzzer can shape. */
int wlt_in_memory(struct wlt_in *in, const void *data, size_t size, bool raw);
void wlt_in_close(struct wlt_in *in);
void wlt_in_fail(struct wlt_in *in, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void wlt_in_no_memory(struct wlt_in *in);

uint8_t wlt_u8(struct wlt_in *in);
uint64_t wlt_u64(struct wlt_in *in);
uint64_t wlt_varint(struct wlt_in *in, uint64_t max, const char *field);
void wlt_text(struct wlt_in *in, char *out, size_t size, const char *field);
/* Up to `most` bytes that are already here, at least one: 0 only on failure. */
size_t wlt_piece(struct wlt_in *in, size_t most, const uint8_t **data);
bool wlt_in_at_end(struct wlt_in *in); /* nothing follows, and the frame's checksum was right */

/* ---- wlt_write.c: a growing byte string ---- */

struct wlt_bytes {
    uint8_t *data;
    size_t size, cap;
    bool failed;
};

void wlt_put_u8(struct wlt_bytes *b, uint8_t v);
void wlt_put_varint(struct wlt_bytes *b, uint64_t v);
void wlt_put_text(struct wlt_bytes *b, const char *s, size_t longest); /* cut where it is longer */

/* ---- wlt_code.c: one code table ---- */

/* Whether the timing half can use it: what the reader holds a table to, and so the writer too. */
int wlt_check_code(const struct code *c, struct wl_err *e);
struct code *wlt_read_code(struct wlt_in *in, bool machine); /* NULL on failure */
void wlt_free_code(struct code *c);
/* wlt_origin.c: the record behind a table that says where its instructions were written. Texts and numbers are only
 * shown, never used. */
void wlt_read_origins(struct wlt_in *in, struct code *c, struct arena *a);
void wlt_put_origins(struct wlt_bytes *b, const struct code *c);
/* Registers, shared memory and the shape, whose derived fields it fills. */
int wlt_check_launch(struct launch_info *info, struct wl_err *e);

/* ---- wlt_read.c ---- */

struct wlt_reader *wlt_open_memory(const void *data, size_t size, bool raw, uint64_t limit, struct wl_err *e);

/* ---- streams that were checked ---- */

/* A warp's part of its CTA's buffer; a warp that did nothing needs no buffer. */
static inline struct warp_stream warp_part(const uint8_t *data, size_t from, size_t to)
{
    return from == to ? (struct warp_stream){(const uint8_t *)"", 0} : (struct warp_stream){data + from, to - from};
}

typedef void wlt_visit(void *arg, const struct code_inst *in, uint32_t exec, const struct warp_addrs *a);

/* Every instruction of a warp; `a` is NULL where there are no addresses. A generic instruction is visited as
 * its forms, once per space its lanes went to. */
static inline __attribute__((always_inline)) void wlt_walk(const struct code *c, struct warp_stream s, wlt_visit *visit,
                                                           void *arg)
{
    struct stream_reader r;
    struct warp_addrs a;
    stream_open(&r, s);
    while (!stream_done(&r)) {
        const struct code_block *b = &c->block[stream_next_block(&r)];
        for (uint32_t i = 0; i < b->count; i++) {
            const struct code_inst *in = &c->inst[b->first + i];
            uint32_t exec = in->guarded ? stream_next_guard(&r) : r.mask;
            bool addresses = inst_is_mem(in) && exec, generic = addresses && in->space == SPACE_GENERIC;
            do {
                const struct code_inst *what = in;
                uint32_t lanes = exec;
                if (generic) what = code_form(c, in, stream_next_part(&r, &lanes));
                if (addresses) stream_next_addrs(&r, lanes, &a);
                visit(arg, what, lanes, addresses ? &a : NULL);
            } while (stream_has_parts(&r));
        }
    }
}

/* Adds the instructions of a warp to *n. False when an address is where no memory is: the timing
 * half adds to addresses and does not expect them to wrap. */
bool wlt_count(const struct code *c, struct warp_stream s, struct wlt_counts *n);

#endif
