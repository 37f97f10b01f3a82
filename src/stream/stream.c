#include "stream/stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "stream/slices.h"

enum {
    TAG_UNIFORM = 0,
    TAG_SMALL_MAX = 64,
    TAG_SMALL_BIAS = 33,
    TAG_HALVES_MAX = 128,
    TAG_HALVES_BIAS = 97,
    TAG_HALVES = 253,
    TAG_AFFINE,
    TAG_GATHER
};
enum { HALF = WARP_SIZE / 2 };
#define LOWER_HALF ((UINT32_C(1) << HALF) - 1)

int launch_shape(struct launch_info *info, struct wl_err *e)
{
    uint64_t ctas = 1, threads = 1;
    for (int i = 0; i < 3; i++) {
        if (!info->grid[i] || !info->block[i])
            return wl_fail(e, WL_EINPUT, "kernel %s: grid and block must not have a zero dimension", info->kernel);
        ctas *= info->grid[i];
        threads *= info->block[i];
        if (ctas > UINT32_MAX)
            return wl_fail(e, WL_EINPUT, "kernel %s: grid %ux%ux%u has more than 4294967295 blocks", info->kernel,
                           info->grid[0], info->grid[1], info->grid[2]);
        if (threads > CTA_MAX_WARPS * WARP_SIZE)
            return wl_fail(e, WL_EINPUT, "kernel %s: a block of %ux%ux%u threads is larger than %d", info->kernel,
                           info->block[0], info->block[1], info->block[2], CTA_MAX_WARPS * WARP_SIZE);
    }
    info->ctas = (uint32_t)ctas;
    info->threads_per_cta = (uint32_t)threads;
    info->warps_per_cta = (uint32_t)((threads + WARP_SIZE - 1) / WARP_SIZE);
    return 0;
}

uint32_t launch_cluster(const struct launch_info *i)
{
    return i->cluster[0] ? i->cluster[0] * i->cluster[1] * i->cluster[2] : 1;
}

/* Clusters come with x fastest, and so do the CTAs in them. */
uint32_t launch_nth(const struct launch_info *i, uint32_t n)
{
    const uint32_t *k = i->cluster, *g = i->grid;
    if (!k[0]) return n;
    uint32_t size = launch_cluster(i), c = n / size, rank = n % size, nx = g[0] / k[0], ny = g[1] / k[1];
    uint32_t x = c % nx * k[0] + rank % k[0], y = c / nx % ny * k[1] + rank / k[0] % k[1],
             z = c / nx / ny * k[2] + rank / k[0] / k[1];
    return x + g[0] * (y + g[1] * z);
}

/* ---- writing ---- */

static uint64_t zigzag(int64_t v) { return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63); }
static int64_t unzigzag(uint64_t v) { return (int64_t)(v >> 1) ^ -(int64_t)(v & 1); }

/* Room for one record: the longest is a gather of 32 ten-byte varints. */
enum { RECORD_MAX = 1 + 10 * (WARP_SIZE + 1) };
/* From the first block behind SLICE_BYTES on a writer with a chain wants more room than there is. */
static void set_spare(struct stream_writer *w)
{
    w->spare = w->chain && w->cap > SLICE_BYTES + RECORD_MAX ? w->cap - SLICE_BYTES - RECORD_MAX : 0;
}

static bool reserve(struct stream_writer *w)
{
    if (w->cap - w->size >= RECORD_MAX) return true;
    size_t cap = w->cap ? w->cap * 2 : 4096;
    uint8_t *p = w->failed ? NULL : realloc(w->data, cap);
    if (!p) {
        w->failed = true;
        return false;
    }
    w->data = p;
    w->cap = cap;
    set_spare(w);
    return true;
}

/* The same before a block: only here is a place to cut. */
static bool reserve_block(struct stream_writer *w)
{
    if (w->cap - w->size >= RECORD_MAX + w->spare) return true;
    if (w->chain && w->cap >= SLICE_BYTES && slice_add(w->chain, w->data, w->size)) w->size = 0;
    return reserve(w);
}

bool stream_end(struct stream_writer *w)
{
    if (!w->chain || !w->chain->first) return !w->failed;
    if (w->size && !slice_add(w->chain, w->data, w->size)) return false;
    free(w->data);
    w->data = NULL;
    w->size = w->cap = 0;
    return slice_prepare(w->chain) && !w->failed;
}

void stream_cut(struct stream_writer *w)
{
    if (w->size && !slice_add(w->chain, w->data, w->size)) w->failed = true;
    w->size = 0;
    slice_cut(w->chain);
}

static uint8_t *put_varint(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

static uint8_t *put_u32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++) *p++ = (uint8_t)(v >> (8 * i));
    return p;
}

void stream_begin(struct stream_writer *w)
{
    w->size = 0;
    w->base = 0;
    w->mask = UINT32_MAX;
    set_spare(w);
}

void stream_block(struct stream_writer *w, uint32_t block, uint32_t mask)
{
    if (!reserve_block(w)) return;
    uint8_t *p = w->data + w->size;
    p = put_varint(p, (uint64_t)block << 1 | (mask != w->mask));
    if (mask != w->mask) p = put_u32(p, mask);
    w->mask = mask;
    w->size = (size_t)(p - w->data);
}

void stream_guard(struct stream_writer *w, uint32_t mask)
{
    if (!reserve(w)) return;
    put_u32(w->data + w->size, mask);
    w->size += 4;
}

static uint8_t *put_base(struct stream_writer *w, uint8_t *p, uint64_t base)
{
    p = put_varint(p, zigzag((int64_t)(base - w->base)));
    w->base = base;
    return p;
}

/* The stride between the two lowest lanes of mask; a single lane has stride 0. */
static bool first_stride(uint32_t mask, const uint64_t *addr, int64_t *stride)
{
    uint32_t rest = mask & (mask - 1);
    *stride = 0;
    if (!rest) return true;
    unsigned first = bit_low32(mask), second = bit_low32(rest);
    int64_t d = (int64_t)(addr[second] - addr[first]), gap = (int64_t)(second - first);
    if (gap == 1) { /* nearly always, and a division saved */
        *stride = d;
        return true;
    }
    *stride = d / gap;
    return d % gap == 0;
}

/* Whether `n` addresses, a number known when this is compiled, lie on base + i * step. */
static inline bool all_lie_on(const uint64_t *addr, unsigned n, uint64_t base, uint64_t step)
{
    uint64_t off = addr[0] ^ base;
    for (unsigned i = 1; i < n; i++) off |= (addr[i] - addr[i - 1]) ^ step;
    return !off;
}

/* Whether the active ones among the lanes from `from` to before `end` lie on base + lane *
 * stride; base is that of lane `from`, active or not. The last lane is asked first: the usual
 * way not to lie there is a warp of several rows. */
static bool lies_on(uint32_t mask, const uint64_t *addr, unsigned from, unsigned end, uint64_t base, int64_t stride)
{
    uint64_t off = 0, step = (uint64_t)stride;
    if (mask >> (end - 1) & 1 && addr[end - 1] != base + (end - 1 - from) * step) return false;
    if (mask == UINT32_MAX)
        return end - from == HALF ? all_lie_on(addr + from, HALF, base, step) : all_lie_on(addr, WARP_SIZE, base, step);
    for (unsigned l = from; l < end; l++)
        if (mask >> l & 1) off |= addr[l] ^ (base + (l - from) * step);
    return !off;
}

/* What the base of lane `from` would be. */
static uint64_t base_at(uint32_t mask, const uint64_t *addr, unsigned from, int64_t stride)
{
    unsigned first = bit_low32(mask);
    return addr[first] - (uint64_t)(first - from) * (uint64_t)stride;
}

static bool find_affine(uint32_t mask, const uint64_t *addr, int64_t *stride)
{
    if (!first_stride(mask, addr, stride)) return false;
    return lies_on(mask, addr, 0, WARP_SIZE, base_at(mask, addr, 0, *stride), *stride);
}

static bool find_halves(uint32_t mask, const uint64_t *addr, int64_t *stride)
{
    uint32_t low = mask & LOWER_HALF, high = mask & ~LOWER_HALF;
    if (!low || !high) return false;
    bool single = !(low & (low - 1)); /* then the upper half says what the stride is */
    if (!first_stride(single ? high : low, addr, stride)) return false;
    return lies_on(mask, addr, 0, HALF, base_at(low, addr, 0, *stride), *stride) &&
           lies_on(mask, addr, HALF, WARP_SIZE, base_at(high, addr, HALF, *stride), *stride);
}

static uint8_t *put_gather(struct stream_writer *w, uint8_t *p, uint32_t mask, const uint64_t *addr)
{
    *p++ = TAG_GATHER;
    uint64_t before = addr[bit_low32(mask)];
    p = put_base(w, p, before);
    for (uint32_t m = mask & (mask - 1); m; m &= m - 1) {
        uint64_t a = addr[bit_low32(m)];
        p = put_varint(p, zigzag((int64_t)(a - before)));
        before = a;
    }
    return p;
}

static bool is_small(int64_t stride) { return stride > -TAG_SMALL_BIAS && stride <= TAG_SMALL_MAX - TAG_SMALL_BIAS; }

void stream_addrs(struct stream_writer *w, uint32_t mask, const uint64_t addr[WARP_SIZE])
{
    if (!reserve(w)) return;
    uint8_t *p = w->data + w->size;
    int64_t stride;
    bool affine = find_affine(mask, addr, &stride);
    if (affine || find_halves(mask, addr, &stride)) {
        if (affine && stride == 0) {
            *p++ = TAG_UNIFORM;
        } else if (is_small(stride)) {
            *p++ = (uint8_t)(stride + (affine ? TAG_SMALL_BIAS : TAG_HALVES_BIAS));
        } else {
            *p++ = affine ? TAG_AFFINE : TAG_HALVES;
            p = put_varint(p, zigzag(stride));
        }
        p = put_base(w, p, addr[bit_low32(mask)]);
        if (!affine) p = put_varint(p, zigzag((int64_t)(addr[bit_low32(mask & ~LOWER_HALF)] - w->base)));
    } else {
        p = put_gather(w, p, mask, addr);
    }
    w->size = (size_t)(p - w->data);
}

void stream_affine(struct stream_writer *w, uint64_t base, int64_t stride)
{
    if (!reserve(w)) return;
    uint8_t *p = w->data + w->size;
    if (is_small(stride)) {
        *p++ = (uint8_t)(stride ? stride + TAG_SMALL_BIAS : TAG_UNIFORM);
    } else {
        *p++ = TAG_AFFINE;
        p = put_varint(p, zigzag(stride));
    }
    p = put_base(w, p, base);
    w->size = (size_t)(p - w->data);
}

void stream_generic(struct stream_writer *w, const uint32_t lanes[GENERIC_FORMS], const uint64_t addr[WARP_SIZE])
{
    unsigned spaces = 0;
    for (unsigned k = 0; k < GENERIC_FORMS; k++) spaces |= (lanes[k] ? 1u : 0u) << k;
    if (!reserve(w)) return;
    w->data[w->size++] = (uint8_t)spaces;
    for (unsigned m = spaces; m; m &= m - 1) {
        unsigned k = bit_low32(m);
        if (spaces & (spaces - 1)) stream_guard(w, lanes[k]);
        stream_addrs(w, lanes[k], addr);
    }
}

/* ---- reading: trusted bytes, no checks ---- */

static inline uint64_t get_varint(const uint8_t **pp)
{
    const uint8_t *p = *pp;
    uint64_t v = *p & 0x7f;
    for (unsigned shift = 7; *p++ & 0x80; shift += 7) v |= (uint64_t)(*p & 0x7f) << shift;
    *pp = p;
    return v;
}

static inline uint32_t get_u32(const uint8_t **pp)
{
    const uint8_t *p = *pp;
    *pp = p + 4;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

void stream_open(struct stream_reader *r, struct warp_stream s)
{
    const uint8_t *end = s.size ? s.data + s.size : s.data; /* a warp that did nothing has no data */
    *r = (struct stream_reader){.p = s.data, .end = end, .mask = UINT32_MAX};
}

void stream_continue(struct stream_reader *r, struct warp_stream next)
{
    r->p = next.data;
    r->end = next.data + next.size;
}

void stream_remember(const struct stream_reader *r, uint8_t out[STREAM_MEMORY])
{
    memcpy(out, &r->base, sizeof r->base);
    memcpy(out + sizeof r->base, &r->mask, sizeof r->mask);
}

void stream_jump(struct stream_reader *r, struct warp_stream next)
{
    memcpy(&r->base, next.data, sizeof r->base);
    memcpy(&r->mask, next.data + sizeof r->base, sizeof r->mask);
    stream_continue(r, (struct warp_stream){next.data + STREAM_MEMORY, next.size - STREAM_MEMORY});
}

bool stream_done(const struct stream_reader *r) { return r->p == r->end; }

uint32_t stream_next_block(struct stream_reader *r)
{
    uint64_t v = get_varint(&r->p);
    if (v & 1) r->mask = get_u32(&r->p);
    return (uint32_t)(v >> 1);
}

uint32_t stream_next_guard(struct stream_reader *r) { return get_u32(&r->p); }

enum mem_space stream_next_part(struct stream_reader *r, uint32_t *mask)
{
    if (!r->spaces) {
        r->spaces = *r->p++;
        r->split = r->spaces & (r->spaces - 1);
    }
    unsigned k = bit_low32(r->spaces);
    r->spaces &= (uint8_t)(r->spaces - 1);
    if (r->split) *mask = get_u32(&r->p);
    return (enum mem_space)(SPACE_GLOBAL + k);
}

static bool is_halves(unsigned tag) { return (tag > TAG_SMALL_MAX && tag <= TAG_HALVES_MAX) || tag == TAG_HALVES; }
static bool has_stride(unsigned tag) { return tag == TAG_AFFINE || tag == TAG_HALVES; }

static int64_t small_stride(unsigned tag)
{
    if (tag == TAG_UNIFORM || tag == TAG_GATHER) return 0;
    return (int64_t)tag - (tag > TAG_SMALL_MAX ? TAG_HALVES_BIAS : TAG_SMALL_BIAS);
}

/* From the lowest active lane of each half to its first lane. */
static void set_halves(struct warp_addrs *a, uint64_t upper)
{
    uint64_t stride = (uint64_t)a->stride;
    a->half[0] = a->base - bit_low32(a->mask) * stride;
    a->half[1] = upper - (bit_low32(a->mask & ~LOWER_HALF) - HALF) * stride;
}

void stream_next_addrs(struct stream_reader *r, uint32_t mask, struct warp_addrs *out)
{
    unsigned tag = *r->p++;
    out->mask = mask;
    out->halves = is_halves(tag);
    out->affine = tag != TAG_GATHER && !out->halves;
    out->stride = has_stride(tag) ? unzigzag(get_varint(&r->p)) : small_stride(tag);
    r->base += (uint64_t)unzigzag(get_varint(&r->p));
    out->base = r->base;
    if (out->affine) return;
    if (out->halves) {
        set_halves(out, out->base + (uint64_t)unzigzag(get_varint(&r->p)));
        return;
    }
    uint64_t a = out->base;
    out->lane[bit_low32(mask)] = a;
    for (uint32_t m = mask & (mask - 1); m; m &= m - 1) {
        a += (uint64_t)unzigzag(get_varint(&r->p));
        out->lane[bit_low32(m)] = a;
    }
}

/* A line that is among the last few is not told again. */
static void note_line(struct stream_recent *r, uint64_t line)
{
    enum { FEW = 4 };
    for (uint32_t i = 1; i <= FEW && i <= r->n; i++)
        if (r->line[(r->n - i) % STREAM_RECENT] == line) return;
    r->line[r->n++ % STREAM_RECENT] = line;
}

static void note_lines(struct stream_recent *r, const struct code_inst *in, const struct warp_addrs *a)
{
    enum { LINE_SHIFT = 7 };
    if (in->space != SPACE_GLOBAL && in->space != SPACE_TEX) return;
    for (uint32_t m = a->mask; m; m &= m - 1) note_line(r, warp_addr(a, bit_low32(m)) >> LINE_SHIFT);
}

/* The last byte of each has its highest bit clear: eight bytes at a time. */
static void skip_varints(struct stream_reader *r, unsigned n)
{
    while (n && r->end - r->p >= 8) {
        uint64_t bytes;
        memcpy(&bytes, r->p, sizeof bytes);
        uint64_t last = ~bytes & UINT64_C(0x8080808080808080);
        unsigned here = (unsigned)__builtin_popcountll(last);
        if (here < n) {
            n -= here;
            r->p += 8;
            continue;
        }
        while (--n) last &= last - 1;
        r->p += __builtin_ctzll(last) / 8 + 1;
    }
    while (n) n -= !(*r->p++ & 0x80);
}

/* The same as stream_next_addrs, when nobody wants to know them: the next addresses need the first of these only. */
static void skip_addrs(struct stream_reader *r, uint32_t mask)
{
    unsigned tag = *r->p++;
    if (has_stride(tag)) skip_varints(r, 1);
    r->base += (uint64_t)unzigzag(get_varint(&r->p));
    if (is_halves(tag)) skip_varints(r, 1);
    else if (tag == TAG_GATHER) skip_varints(r, (unsigned)bit_count32(mask) - 1);
}

void stream_skip_block(struct stream_reader *r, const struct code *c, struct stream_counts *n,
                       struct stream_recent *recent)
{
    struct warp_addrs a;
    const struct code_block *b = &c->block[stream_next_block(r)];
    const struct code_inst *in = &c->inst[b->first], *end = in + b->count;
    for (; in < end; in++) {
        uint32_t exec = in->guarded ? stream_next_guard(r) : r->mask;
        bool addresses = inst_is_mem(in) && exec, generic = addresses && in->space == SPACE_GENERIC;
        do {
            const struct code_inst *what = in;
            uint32_t lanes = exec;
            if (generic) what = code_form(c, in, stream_next_part(r, &lanes));
            if (addresses && recent) {
                stream_next_addrs(r, lanes, &a);
                note_lines(recent, what, &a);
            } else if (addresses) skip_addrs(r, lanes);
            n->warp++;
            n->thread += bit_count32(lanes);
        } while (stream_has_parts(r));
    }
}

/* ---- checking untrusted bytes ---- */

static bool skip_varint(const uint8_t **p, const uint8_t *end, uint64_t *v)
{
    *v = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (*p == end) return false;
        uint8_t b = *(*p)++;
        if (shift == 63 && (b & 0x7e)) return false;
        *v |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80)) return true;
    }
    return false;
}

static bool check_addrs(const uint8_t **p, const uint8_t *end, uint32_t mask)
{
    uint64_t v;
    if (*p == end) return false;
    unsigned tag = *(*p)++;
    bool halves = is_halves(tag);
    if (tag > TAG_HALVES_MAX && tag < TAG_HALVES) return false;
    if (halves && (!(mask & LOWER_HALF) || !(mask & ~LOWER_HALF))) return false;
    if (has_stride(tag) && !skip_varint(p, end, &v)) return false;
    if (!skip_varint(p, end, &v)) return false;
    if (halves) return skip_varint(p, end, &v);
    if (tag != TAG_GATHER) return true;
    for (uint32_t m = mask & (mask - 1); m; m &= m - 1)
        if (!skip_varint(p, end, &v)) return false;
    return true;
}

/* Every lane goes to one space, and no space is named in vain. */
static bool check_generic(const struct code_inst *in, const uint8_t **p, const uint8_t *end, uint32_t mask)
{
    if (*p == end) return false;
    unsigned spaces = *(*p)++;
    bool split = spaces & (spaces - 1);
    if (!spaces || spaces & ~generic_reach((enum inst_kind)in->kind)) return false;
    uint32_t left = mask;
    for (unsigned m = spaces; m; m &= m - 1) {
        uint32_t lanes = mask;
        if (split) {
            if (end - *p < 4) return false;
            lanes = get_u32(p);
        }
        if (!lanes || lanes & ~left || !check_addrs(p, end, lanes)) return false;
        left &= ~lanes;
    }
    return !left;
}

static bool check_block(const struct code *c, const uint8_t **p, const uint8_t *end, uint32_t block, uint32_t mask)
{
    const struct code_block *b = &c->block[block];
    for (uint32_t i = b->first; i < b->first + b->count; i++) {
        const struct code_inst *in = &c->inst[i];
        uint32_t exec = mask;
        if (in->guarded) {
            if (end - *p < 4) return false;
            exec = get_u32(p);
            if (exec & ~mask) return false;
        }
        if (!inst_is_mem(in) || !exec) continue;
        if (in->space == SPACE_GENERIC ? !check_generic(in, p, end, exec) : !check_addrs(p, end, exec)) return false;
    }
    return true;
}

int stream_check(const struct code *c, struct warp_stream s, struct wl_err *e)
{
    const uint8_t *p = s.data, *end = s.data + s.size;
    uint32_t mask = UINT32_MAX;
    while (p != end) {
        const uint8_t *record = p;
        uint64_t v;
        bool ok = skip_varint(&p, end, &v) && (v >> 1) < c->nblock;
        if (ok && (v & 1)) {
            ok = end - p >= 4;
            if (ok) mask = get_u32(&p);
        }
        ok = ok && mask && check_block(c, &p, end, (uint32_t)(v >> 1), mask);
        if (!ok)
            return wl_fail(e, WL_EINPUT, "damaged instruction stream: the record at byte %td is not valid",
                           record - s.data);
    }
    return 0;
}

/* ---- notes of mbarriers ---- */

/* What of an address of this role is one. */
static uint64_t note_addresses(unsigned async)
{
    return (UINT64_C(1) << (async == ASYNC_AWAIT ? MBAR_COUNT_SHIFT : MBAR_RANKS_SHIFT)) - 1;
}

static void write_out(struct warp_addrs *a)
{
    uint64_t lane[WARP_SIZE] = {0};
    for (uint32_t m = a->mask; m; m &= m - 1) lane[__builtin_ctz(m)] = warp_addr(a, (unsigned)__builtin_ctz(m));
    memcpy(a->lane, lane, sizeof lane);
    a->affine = a->halves = false;
}

uint64_t warp_addr_note(const struct warp_addrs *a, unsigned lane, unsigned async)
{
    return warp_addr(a, lane) & ~note_addresses(async);
}

uint64_t warp_addrs_note(struct warp_addrs *a, unsigned async)
{
    uint64_t address = note_addresses(async);
    if (async < ASYNC_BULK) return 0;
    uint64_t note = warp_addr(a, (unsigned)__builtin_ctz(a->mask)) & ~address;
    for (uint32_t m = a->affine || a->halves ? a->mask : 0; m; m &= m - 1)
        if ((warp_addr(a, (unsigned)__builtin_ctz(m)) & ~address) != note) write_out(a);
    a->base &= address;
    a->half[0] &= address;
    a->half[1] &= address;
    for (uint32_t m = a->affine || a->halves ? 0 : a->mask; m; m &= m - 1) a->lane[__builtin_ctz(m)] &= address;
    return note;
}
