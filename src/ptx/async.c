/* async.c - asynchronous copies and mbarriers; copies of tensors are in async_tensor.c.
 *
 * A copy is done at once: PTX lets nobody look before it has waited, so nobody can tell. Groups exist for the timing
 * half alone, which makes a cp.async a load without registers and lets wait_group hold the warp until it is back; of a
 * bulk copy it makes several (bulk.h).
 *
 * An mbarrier is 64 bits of shared memory whose meaning PTX leaves open. Here, from the lowest: 20 bits of arrivals
 * that a phase expects, 20 of arrivals still to come, 22 of bytes still to come (they may come before they are
 * expected, so 2^21 stands for none), and in the highest bit the parity of the phase. A phase is complete when nothing
 * is still to come; then the parity turns and the next phase expects as many arrivals. */
#include "ptx/async_copy.h"
#include "ptx/cluster.h"
#include "ptx/half.h"

#include <string.h>

/* ---- mbarrier ---- */

enum { COUNT_BITS = 20, TX_ZERO = 1 << 21 };
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)

struct mbar {
    uint32_t expected, pending;
    int32_t bytes;
    bool parity;
};

static struct mbar unpack(uint64_t v)
{
    return (struct mbar){.expected = (uint32_t)(v & COUNT_MASK),
                         .pending = (uint32_t)(v >> COUNT_BITS & COUNT_MASK),
                         .bytes = (int32_t)(v >> 40 & 0x3fffff) - TX_ZERO,
                         .parity = v >> 63};
}

static uint64_t pack(const struct mbar *b)
{
    return b->expected | (uint64_t)b->pending << COUNT_BITS | (uint64_t)(uint32_t)(b->bytes + TX_ZERO) << 40 |
           (uint64_t)b->parity << 63;
}

/* Whose an mbarrier is, and where in its shared memory. */
static struct exec_cta *owner_of(struct exec_warp *w, const struct uop *at, uint64_t addr, uint32_t *offset)
{
    uint64_t o = at->space == PTX_SPACE_NONE ? addr - GENERIC_SHARED : addr;
    uint32_t above = (uint32_t)(o >> CLUSTER_RANK_SHIFT);
    *offset = (uint32_t)(o & ((1u << CLUSTER_RANK_SHIFT) - 1));
    struct exec_cta *other = above && o < SPACE_OFFSET_END ? cluster_cta(w, above - 1) : NULL;
    return other ? other : w->cta; /* one that is not there is a fault when it is used */
}

/* The number of the mbarrier there; 0: it is nowhere, or there are too many. */
static unsigned number_of(const struct exec_run *r, struct exec_cta *c, uint32_t at)
{
    struct mbar_names *f = cluster_names(r, c);
    if (at >= r->shared_bytes) return 0;
    for (unsigned i = 1; i <= f->count; i++)
        if (f->at[i] == at) return i;
    if (f->count + 1 == MBAR_CLUSTER) return 0;
    f->at[++f->count] = at;
    return f->count;
}

/* An mbarrier as an event or a wait finds it. */
struct mbar_place {
    struct exec_cta *cta;
    unsigned number;
};

static struct mbar_place where_is(struct exec_warp *w, const struct uop *at, uint64_t addr)
{
    uint32_t offset;
    struct exec_cta *c = owner_of(w, at, addr, &offset);
    return (struct mbar_place){.cta = c, .number = number_of(w->run, c, offset)};
}

/* The note of an event there. What is left out of a stream cannot be waited for. */
static uint64_t event_note(const struct exec_warp *w, struct mbar_place at)
{
    uint32_t ranks = at.cta == w->cta ? 0 : 1u << at.cta->order % w->run->cluster_size;
    return w->excerpt.writer || !at.number ? 0 : mbar_note_to(at.number, ranks);
}

static void put_mbar(struct exec_warp *w, struct mbar_place at, uint8_t *p, struct mbar *b)
{
    if (!b->pending && !b->bytes) {
        struct mbars_followed *f = &at.cta->followed;
        f->needed[at.number] = f->events[at.number];
        b->parity = !b->parity;
        b->pending = b->expected;
    }
    uint64_t v = pack(b);
    memcpy(p, &v, 8);
    w->run->progress++;
}

int mbar_complete(struct exec_warp *w, const struct uop *at, unsigned lane, uint64_t addr, uint32_t bytes,
                  uint32_t events)
{
    uint8_t *p = mem_lane(w, at, lane, addr, 8, "mbarrier access");
    uint64_t v;
    if (!p) return RUN_FAULT;
    memcpy(&v, p, 8);
    struct mbar_place where = where_is(w, at, addr);
    where.cta->followed.events[where.number] += events;
    struct mbar b = unpack(v);
    b.bytes -= (int32_t)bytes;
    put_mbar(w, where, p, &b);
    return RUN_ON;
}

static int mbar_arrive(struct exec_warp *w, const struct uop *u, unsigned lane, struct mbar_place at, uint8_t *p,
                       struct mbar b)
{
    uint32_t operand = u->nvec ? at32(w, u->s[1])[lane] : 1, count = u->boolop ? 1 : operand;
    if (count > b.pending)
        return warp_fault(w, u, (int)lane, "mbarrier: %u arrivals where %u are to come", count, b.pending);
    if (u->boolop) b.bytes += (int32_t)operand;
    if (u->mode == MBAR_DROP) b.expected -= count;
    b.pending -= count;
    put_mbar(w, at, p, &b);
    return RUN_ON;
}

static int mbar_lane(struct exec_warp *w, const struct uop *u, unsigned lane, struct mbar_place at, uint8_t *p,
                     uint32_t *done)
{
    uint64_t v;
    memcpy(&v, p, 8);
    struct mbar b = unpack(v);
    uint32_t n = u->nvec && !u->src_wide ? at32(w, u->s[1])[lane] : 0;
    switch (u->mode) {
    case MBAR_INIT:
        if (!n || n > COUNT_MASK) return warp_fault(w, u, (int)lane, "mbarrier.init: %u arrivals cannot be counted", n);
        v = pack(&(struct mbar){.expected = n, .pending = n});
        memcpy(p, &v, 8);
        w->run->progress++;
        return RUN_ON;
    case MBAR_INVAL: return RUN_ON;
    case MBAR_EXPECT_TX:
    case MBAR_COMPLETE_TX:
        b.bytes += u->mode == MBAR_EXPECT_TX ? (int32_t)n : -(int32_t)n;
        put_mbar(w, at, p, &b);
        return RUN_ON;
    case MBAR_WAIT:
        *done |= (uint32_t)(b.parity != (u->boolop ? (bool)(n & 1) : (bool)(at64(w, u->s[1])[lane] >> 63))) << lane;
        return RUN_ON;
    default:
        if (u->wide) at64(w, u->d)[lane] = v; /* the state: as it was before */
        return mbar_arrive(w, u, lane, at, p, b);
    }
}

/* An access with notes in the stream; `keep` is what of an address is one. */
static int emit_noted(struct exec_warp *w, const struct uop *u, const uint64_t addr[WARP_SIZE],
                      const uint64_t note[WARP_SIZE], uint64_t keep)
{
    uint64_t noted[WARP_SIZE];
    if (u->emits != EMIT_ADDRESSES) return mem_emit(w, u, addr);
    for (uint32_t m = w->exec; m; m &= m - 1) noted[bit_low32(m)] = (addr[bit_low32(m)] & keep) | note[bit_low32(m)];
    return mem_emit(w, u, noted);
}
#define OFFSETS           UINT64_C(0xffffff)
#define OFFSETS_AND_RANKS UINT64_C(0xffffffff)

/* The events of all lanes at mbarriers, in the stream: those that are written down are counted. */
static int emit_events(struct exec_warp *w, const struct uop *u, const struct uop *bar_at,
                       const uint64_t bar[WARP_SIZE], const uint64_t addr[WARP_SIZE], uint64_t keep)
{
    uint64_t note[WARP_SIZE];
    bool counts = u->emits == EMIT_ADDRESSES;
    for (uint32_t m = w->exec; m && counts; m &= m - 1) {
        struct mbar_place at = where_is(w, bar_at, bar[bit_low32(m)]);
        note[bit_low32(m)] = event_note(w, at);
        at.cta->followed.events[at.number]++;
    }
    return emit_noted(w, u, addr, note, keep);
}

static int op_arrive(struct exec_warp *w, const struct uop *u)
{
    uint64_t addr[WARP_SIZE];
    uint32_t done = 0;
    mem_addresses(w, u, addr);
    for (uint32_t m = w->exec; m; m &= m - 1)
        if (!mem_lane(w, u, bit_low32(m), addr[bit_low32(m)], 8, "mbarrier access")) return RUN_FAULT;
    if (emit_events(w, u, u, addr, addr, OFFSETS_AND_RANKS)) return RUN_FAULT;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        uint8_t *p = mem_lane(w, u, i, addr[i], 8, "mbarrier access");
        if (!p || mbar_lane(w, u, i, where_is(w, u, addr[i]), p, &done)) return RUN_FAULT;
    }
    return RUN_ON;
}

static int op_await(struct exec_warp *w, const struct uop *u)
{
    uint64_t addr[WARP_SIZE], note[WARP_SIZE], one = 0;
    uint32_t done = 0;
    mem_addresses(w, u, addr);
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        uint8_t *p = mem_lane(w, u, i, addr[i], 8, "mbarrier access");
        struct mbar_place at = where_is(w, u, addr[i]);
        if (!p || mbar_lane(w, u, i, at, p, &done)) return RUN_FAULT;
        if (one || !(done >> i & 1) || at.cta != w->cta || w->excerpt.writer) continue;
        one = mbar_note(at.number, at.cta->followed.needed[at.number]);
    }
    for (unsigned i = 0; i < WARP_SIZE; i++) note[i] = one; /* lanes that use several wait for one */
    if (emit_noted(w, u, addr, note, OFFSETS)) return RUN_FAULT;
    warp_put_pred(w, u->d, w->exec, done);
    return done ? RUN_ON : RUN_WAIT; /* its turn is over: somebody else has to come first */
}

static int op_mbarrier(struct exec_warp *w, const struct uop *u)
{
    uint64_t addr[WARP_SIZE];
    uint32_t done = 0;
    mem_addresses(w, u, addr);
    if (mem_emit(w, u, addr)) return RUN_FAULT;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        uint8_t *p = mem_lane(w, u, i, addr[i], 8, "mbarrier access");
        if (!p || mbar_lane(w, u, i, where_is(w, u, addr[i]), p, &done)) return RUN_FAULT;
    }
    return RUN_ON;
}

static int op_pending(struct exec_warp *w, const struct uop *u)
{
    for (uint32_t m = w->exec; m; m &= m - 1)
        at32(w, u->d)[bit_low32(m)] = unpack(at64(w, u->s[0])[bit_low32(m)]).pending;
    return RUN_ON;
}

int lower_mbarrier(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    u->mode = in->mode;
    u->boolop = in->boolop;
    if (in->mode == MBAR_PENDING) {
        u->full = u->part = op_pending;
        int rc = lower_dst(L, &in->dst[0], 32, &u->d);
        return rc ? rc : lower_src(L, &in->src[0], 64, &u->s[0]);
    }
    bool arrives = in->mode == MBAR_ARRIVE || in->mode == MBAR_DROP;
    u->full = u->part = arrives ? op_arrive : in->mode == MBAR_WAIT ? op_await : op_mbarrier;
    int rc = lower_address(L, u, &in->src[0], in->space);
    u->nvec = in->nsrc > 1;
    u->src_wide = in->mode == MBAR_WAIT && !in->boolop;
    if (!rc && u->nvec) rc = lower_src(L, &in->src[1], u->src_wide ? 64 : 32, &u->s[1]);
    if (rc || !in->ndst) return rc;
    u->wide = in->mode != MBAR_WAIT && in->dst[0].kind == OPND_REG;
    return lower_dst(L, &in->dst[0], in->mode == MBAR_WAIT ? 1 : 64, &u->d);
}

/* ---- cp.async ---- */

/* more[0] is the destination. */
static int op_cp_async(struct exec_warp *w, const struct uop *u)
{
    uint64_t from[WARP_SIZE], to[WARP_SIZE];
    mem_addresses(w, u, from);
    mem_addresses(w, &u->more[0], to);
    uint32_t ignored = u->rnd == CP_IGNORE_SOURCE ? *at32(w, u->s[1]) ^ u->not_c : 0;
    uint32_t reading = 0;
    w->run->progress++;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m), n = ignored >> i & 1 ? 0 : u->bytes;
        if (u->rnd == CP_SOURCE_SIZE) n = at32(w, u->s[1])[i];
        if (n > u->bytes) return warp_fault(w, u, (int)i, "cp.async: %u bytes of %u cannot be read", n, u->bytes);
        uint8_t piece[16] = {0}, *d = mem_lane(w, &u->more[0], i, to[i], u->bytes, "copy");
        if (!d) return RUN_FAULT;
        if (n) {
            const uint8_t *s = mem_lane(w, u, i, from[i], n & (n - 1) ? 1 : n, "copy");
            if (!s) return RUN_FAULT;
            memcpy(piece, s, n);
            reading |= 1u << i;
        }
        memcpy(d, piece, u->bytes);
    }
    /* Lanes that read nothing have an address all the same: one that another lane reads, or none at all. */
    uint64_t stand_in = reading ? from[bit_low32(reading)] : DEVICE_BASE;
    for (uint32_t m = w->exec & ~reading; m; m &= m - 1) from[bit_low32(m)] = stand_in;
    return mem_emit(w, u, from);
}

static int op_cp_arrive(struct exec_warp *w, const struct uop *u)
{
    uint64_t addr[WARP_SIZE];
    mem_addresses(w, u, addr);
    for (uint32_t m = w->exec; m; m &= m - 1)
        if (!mem_lane(w, u, bit_low32(m), addr[bit_low32(m)], 8, "mbarrier access")) return RUN_FAULT;
    if (emit_events(w, u, u, addr, addr, OFFSETS_AND_RANKS)) return RUN_FAULT;
    for (uint32_t m = w->exec; m && u->boolop; m &= m - 1) { /* without .noinc it adds what it takes away */
        unsigned i = bit_low32(m);
        uint8_t *p = mem_lane(w, u, i, addr[i], 8, "mbarrier access");
        uint64_t v;
        if (!p) return RUN_FAULT;
        memcpy(&v, p, 8);
        struct mbar b = unpack(v);
        if (!b.pending) return warp_fault(w, u, (int)i, "mbarrier: an arrival where none is to come");
        b.pending--;
        put_mbar(w, where_is(w, u, addr[i]), p, &b);
    }
    return RUN_ON;
}

/* ---- bulk copies ---- */

static uint64_t reduce_element(const struct uop *u, uint64_t a, uint64_t b, unsigned type)
{
    unsigned mode = u->rnd - 1u;
    bool less = ptx_is_signed(type) ? (int64_t)a < (int64_t)b : a < b;
    if (ptx_is_float(type) && ptx_type_bytes((enum ptx_type)type) < 8)
        return half_apply(mode == ATOM_ADD   ? OP_ADD
                          : mode == ATOM_MIN ? OP_MIN
                                             : OP_MAX,
                          type, (uint32_t)a, (uint32_t)b);
    if (type == T_F64) {
        double x, y;
        memcpy(&x, &a, 8);
        memcpy(&y, &b, 8);
        x += y;
        memcpy(&a, &x, 8);
        return a;
    }
    switch (mode) {
    case ATOM_ADD: return a + b;
    case ATOM_MIN: return less ? a : b;
    case ATOM_MAX: return less ? b : a;
    case ATOM_INC: return a >= b ? 0 : a + 1;
    case ATOM_DEC: return a == 0 || a > b ? b : a - 1;
    case ATOM_AND: return a & b;
    case ATOM_OR: return a | b;
    default: return a ^ b;
    }
}

void move_bytes(const struct uop *u, unsigned type, uint8_t *d, const uint8_t *s, uint32_t n)
{
    unsigned size = ptx_type_bytes((enum ptx_type)type);
    if (!u->rnd) {
        memmove(d, s, n);
        return;
    }
    for (uint32_t i = 0; i + size <= n; i += size) {
        uint64_t a = 0, b = 0;
        memcpy(&a, d + i, size);
        memcpy(&b, s + i, size);
        if (ptx_is_signed(type) && size == 4) a = (uint64_t)(int64_t)(int32_t)a, b = (uint64_t)(int64_t)(int32_t)b;
        a = reduce_element(u, a, b, type);
        memcpy(d + i, &a, size);
    }
}

/* A run of bytes of a space; NULL after a fault. Only its ends are looked up: allocations are contiguous. */
static uint8_t *run_of_bytes(struct exec_warp *w, const struct uop *at, unsigned lane, uint64_t addr, uint32_t n)
{
    if (n > 16 && !mem_lane(w, at, lane, addr + n - 16, 16, "bulk copy")) return NULL;
    uint8_t *first = mem_lane(w, at, lane, addr, 16, "bulk copy"), *last = first;
    if (first && n > 16) last = mem_lane(w, at, lane, addr + n - 16, 16, "bulk copy");
    if (first && last != first + (n > 16 ? n - 16 : 0)) {
        warp_fault(w, at, (int)lane, "a bulk copy of %u bytes leaves its allocation", n);
        return NULL;
    }
    return first;
}

uint64_t bulk_note(struct exec_warp *w, const struct uop *at, unsigned lane, const uint64_t bar[WARP_SIZE])
{
    struct mbar_place where = where_is(w, at, bar[lane]);
    if (!w->cast.ranks || w->excerpt.writer || !where.number) return event_note(w, where);
    return mbar_note_to(where.number, w->cast.ranks);
}

uint32_t bulk_events(struct exec_warp *w, struct bulk *b)
{
    uint32_t n = bulk_flush(b);
    if (!w->cast.ranks) return n;
    if (n) w->cast.events = n;
    return w->cast.events;
}

/* u: destination; more[0]: source; more[1]: mbarrier. */
static int bulk_copy(struct exec_warp *w, const struct uop *u)
{
    uint64_t to[WARP_SIZE], from[WARP_SIZE], bar[WARP_SIZE] = {0};
    mem_addresses(w, u, to);
    mem_addresses(w, &u->more[0], from);
    if (u->boolop) mem_addresses(w, &u->more[1], bar);
    w->run->progress++;
    const uint64_t *global = u->in->kind == INST_LOAD ? from : to;
    struct bulk out;
    bulk_begin(&out, w, u, global, u->boolop ? bulk_note(w, &u->more[1], bit_low32(w->exec), bar) : 0);
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        uint32_t n = at32(w, u->s[1])[i];
        if (u->boolop) out.note = bulk_note(w, &u->more[1], i, bar);
        if (n % 16) return warp_fault(w, u, (int)i, "a bulk copy of %u bytes: a multiple of 16 is needed", n);
        uint8_t *s = n ? run_of_bytes(w, &u->more[0], i, from[i], n) : NULL;
        uint8_t *d = s ? run_of_bytes(w, u, i, to[i], n) : NULL;
        if (n && !d) return RUN_FAULT;
        if (n) move_bytes(u, u->type2, d, s, n);
        bulk_run(&out, i, global[i], n);
        if (u->boolop && mbar_complete(w, &u->more[1], i, bar[i], n, bulk_events(w, &out))) return RUN_FAULT;
    }
    bulk_flush(&out);
    return RUN_ON;
}

int to_each(struct exec_warp *w, const struct uop *u, ref mask, uop_fn *one)
{
    if (!(u->flags & FLAG_MULTICAST)) return one(w, u);
    uint32_t lane = bit_low32(w->exec), ranks = at32(w, mask)[lane] & 0xffff;
    struct uop copy = *u, more[2] = {u->more[0], u->more[1]};
    unsigned mbar = u->mode == CP_BULK ? 1 : 0;
    uint64_t at[WARP_SIZE], bar[WARP_SIZE];
    mem_addresses(w, u, at);
    mem_addresses(w, &u->more[mbar], bar);
    copy.more = more;
    copy.addressing = more[mbar].addressing = ADDR_CONST;
    if (!ranks) return warp_fault(w, u, (int)lane, "a copy to no CTA: the mask is 0");
    w->cast.ranks = ranks;
    int rc = RUN_ON;
    for (; ranks && !rc; ranks &= ranks - 1, copy.emits = EMIT_NOTHING) { /* the memory is read once for all */
        copy.imm = (int64_t)cluster_address(at[lane], bit_low32(ranks));
        more[mbar].imm = (int64_t)cluster_address(bar[lane], bit_low32(ranks));
        rc = one(w, &copy);
    }
    w->cast.ranks = 0;
    return rc;
}

static int op_cp_bulk(struct exec_warp *w, const struct uop *u) { return to_each(w, u, u->s[2], bulk_copy); }

/* st.async, red.async: u: destination, more[0]: mbarrier. */
static int op_st_async(struct exec_warp *w, const struct uop *u)
{
    uint64_t to[WARP_SIZE], bar[WARP_SIZE];
    unsigned n = u->nvec;
    mem_addresses(w, u, to);
    mem_addresses(w, &u->more[0], bar);
    for (uint32_t m = w->exec; m; m &= m - 1)
        if (!mem_lane(w, &u->more[0], bit_low32(m), bar[bit_low32(m)], 8, "mbarrier access")) return RUN_FAULT;
    if (emit_events(w, u, &u->more[0], bar, to, OFFSETS_AND_RANKS)) return RUN_FAULT;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        uint8_t *d = mem_lane(w, u, i, to[i], u->bytes * n, "store");
        if (!d) return RUN_FAULT;
        for (unsigned k = 0; k < n; k++) {
            uint64_t v = get_lane(w, u->v[k], u->bytes == 8, i);
            move_bytes(u, u->type, d + k * u->bytes, (const uint8_t *)&v, u->bytes);
        }
        if (mbar_complete(w, &u->more[0], i, bar[i], u->bytes * n, 0)) return RUN_FAULT;
    }
    return RUN_ON;
}

/* Nothing to compute: only the timing half fetches. */
static int op_prefetch_bulk(struct exec_warp *w, const struct uop *u)
{
    uint64_t from[WARP_SIZE];
    struct bulk out;
    mem_addresses(w, u, from);
    bulk_begin(&out, w, u, from, 0);
    for (uint32_t m = w->exec; m; m &= m - 1) {
        bulk_prefetch(&out, bit_low32(m), from[bit_low32(m)], at32(w, u->s[1])[bit_low32(m)]);
        if (cta_check_budget(w->cta)) return RUN_FAULT; /* a lane may ask for gigabytes */
    }
    bulk_flush(&out);
    return RUN_ON;
}

/* ---- lowering ---- */

/* Addresses beyond the first, as micro-ops of which only the address is used. */
static struct uop *more_addresses(struct lower *L, unsigned n)
{
    struct uop *more = ARENA_ARRAY(&L->img->arena, struct uop, n + 1);
    if (!more) wl_fail(L->e, WL_ERUN, "out of memory");
    for (unsigned i = 0; more && i < n; i++) more[i] = (struct uop){.in = L->in};
    return more;
}

static int lower_cp_async(struct lower *L, struct uop *u, struct uop *more)
{
    const struct ptx_inst *in = L->in;
    u->full = u->part = op_cp_async;
    u->bytes = in->width;
    u->rnd = in->cmp;
    int rc = lower_address(L, u, &in->src[1], PTX_GLOBAL);
    if (!rc) rc = lower_address(L, &more[0], &in->src[0], PTX_SHARED);
    if (rc || in->cmp == CP_PLAIN) return rc;
    u->not_c = in->src[3].negated ? UINT32_MAX : 0;
    return lower_src(L, &in->src[3], in->cmp == CP_IGNORE_SOURCE ? 1 : 32, &u->s[1]);
}

static int lower_cp_bulk(struct lower *L, struct uop *u, struct uop *more)
{
    const struct ptx_inst *in = L->in;
    u->full = u->part = op_cp_bulk;
    u->rnd = in->cmp;
    u->type2 = in->type2;
    int rc = lower_address(L, u, &in->src[0], in->src[0].space);
    if (!rc) rc = lower_address(L, &more[0], &in->src[1], in->src[1].space);
    if (!rc) rc = lower_src(L, &in->src[2], 32, &u->s[1]);
    if (!rc && u->boolop) rc = lower_address(L, &more[1], &in->src[3], PTX_SHARED);
    return rc || !(u->flags & FLAG_MULTICAST) ? rc : lower_src(L, &in->src[4], 16, &u->s[2]);
}

static int lower_prefetch_bulk(struct lower *L, struct uop *u, struct uop *more)
{
    const struct ptx_inst *in = L->in;
    if (in->src[1].kind == OPND_VEC) return lower_prefetch_tensor(L, u, more);
    u->full = u->part = op_prefetch_bulk;
    int rc = lower_address(L, u, &in->src[0], PTX_GLOBAL);
    return rc ? rc : lower_src(L, &in->src[1], 32, &u->s[1]);
}

int lower_st_async(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    struct uop *more = more_addresses(L, 1);
    unsigned n = 0;
    if (!more) return -1;
    u->full = u->part = op_st_async;
    u->more = more;
    u->rnd = in->cmp;
    u->type = in->type;
    u->bytes = (uint8_t)ptx_type_bytes((enum ptx_type)in->type);
    u->nvec = in->vec;
    int rc = lower_address(L, u, &in->src[0], in->src[0].space);
    if (!rc) rc = lower_elements(L, &in->src[1], 8u * u->bytes, false, u->v, &n);
    return rc ? rc : lower_address(L, &more[0], &in->src[2], in->src[2].space);
}

int lower_cp(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    struct uop *more = more_addresses(L, 2);
    if (!more) return -1;
    u->more = more;
    u->mode = in->mode;
    u->boolop = in->boolop;
    u->flags = in->flags;
    switch (in->mode) {
    case CP_ASYNC: return lower_cp_async(L, u, more);
    case CP_BULK: return lower_cp_bulk(L, u, more);
    case CP_TENSOR_LOAD:
    case CP_TENSOR_STORE: return lower_cp_tensor(L, u, more);
    case CP_PREFETCH: return lower_prefetch_bulk(L, u, more);
    case CP_ARRIVE: u->full = u->part = op_cp_arrive; return lower_address(L, u, &in->src[0], in->src[0].space);
    default: return lower_nop(L, u);
    }
}
