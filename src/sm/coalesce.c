/* coalesce.c - from the lanes of a memory instruction to transactions.
 *
 * Fermi's rule: lanes are joined per segment, whose size follows the access width (1 byte: 32,
 * 2 bytes: 64, more: 128 bytes); each transaction keeps its touched sectors, bytes and the
 * number of lanes; sm.coalesce = line takes 128 bytes for all widths, as later GPUs do, sector 32 bytes. Transactions
 * are served from the highest address to the lowest: GPGPU-Sim's order, and it matters where an instruction's own lines
 * compete for a set (SYRK 128: L1D misses +3.4 % of the reference instead of +5.9 %). Atomics that meet at one address
 * cannot share a transaction. */
#include <string.h>

#include "sm/sm_priv.h"

static unsigned segment_shift(const struct sm *s, const struct code_inst *in)
{
    unsigned width = s->by_element && in->element && in->space != SPACE_TEX ? in->element : in->width;
    return s->segment_shift ? s->segment_shift : width == 1 ? 5 : width == 2 ? 6 : 7;
}

/* Where the width of the access does not matter: local memory and atomics. */
static unsigned wide_segment_shift(const struct sm *s)
{
    return s->segment_shift == SECTOR_SHIFT ? SECTOR_SHIFT : LINE_SHIFT;
}

static inline void add_lane(struct txn *t, uint64_t addr, unsigned width)
{
    unsigned offset = (unsigned)addr & (LINE_BYTES - 1), last = offset + width - 1;
    uint64_t run = (UINT64_C(1) << width) - 1; /* width <= 32 */
    t->sectors |= (uint8_t)(((2u << (last >> 5)) - (1u << (offset >> 5))) & ALL_SECTORS);
    t->bytes[offset >> 6] |= run << (offset & 63);
    if ((offset ^ last) & 64 && offset < 64) /* asked in this order because the first is hardly ever so */
        t->bytes[1] |= run >> (64 - offset); /* accesses are aligned; only odd traces get here */
    t->lanes++;
}

/* Lanes further apart than a segment: a transaction each, in the order they are served. */
static uint32_t one_each(const struct warp_addrs *a, unsigned width, struct txn *out)
{
    uint32_t n = bit_count32(a->mask), next = a->stride > 0 ? n : 0;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint64_t addr = warp_addr(a, bit_low32(m));
        struct txn *t = &out[a->stride > 0 ? --next : next++];
        *t = (struct txn){.line = addr >> LINE_SHIFT};
        add_lane(t, addr, width);
    }
    return n;
}

/* The transaction of the segment that begins at `from` in the line, a new one if there is none yet. */
static struct txn *segment_of(struct txn *out, uint32_t *n, uint64_t line, unsigned from, unsigned shift)
{
    unsigned sectors = ((2u << ((bit64(shift) - 1) >> 5)) - 1) << (from >> 5); /* of the segment */
    for (uint32_t i = *n; i-- > 0;)
        if (out[i].line == line && out[i].sectors & sectors) return &out[i];
    out[*n] = (struct txn){.line = line};
    return &out[(*n)++];
}

/* The whole warp side by side, and exactly a line: what most loads of regular programs are. */
static uint32_t one_line(uint64_t addr, struct txn *out)
{
    *out = (struct txn){
        .line = addr >> LINE_SHIFT, .bytes = {UINT64_MAX, UINT64_MAX}, .sectors = ALL_SECTORS, .lanes = WARP_SIZE};
    return 1;
}

/* `lanes` lanes side by side, from `addr` on: whole runs of bytes at once. */
static void add_run(uint64_t addr, unsigned lanes, unsigned width, unsigned shift, struct txn *out, uint32_t *n)
{
    uint64_t end = addr + (uint64_t)width * lanes;
    while (addr < end) {
        uint64_t segment = addr >> shift << shift, stop = segment + bit64(shift);
        if (stop > end) stop = end;
        unsigned from = (unsigned)addr & (LINE_BYTES - 1), to = from + (unsigned)(stop - addr); /* [from, to) */
        struct txn *t = segment_of(out, n, addr >> LINE_SHIFT, (unsigned)segment & (LINE_BYTES - 1), shift);
        t->lanes = (uint8_t)(t->lanes + (stop - addr) / width);
        t->sectors |= (uint8_t)((1u << ((to + 31) >> 5)) - (1u << (from >> 5)));
        for (unsigned half = 0; half < 2; half++) {
            unsigned lo = from > 64 * half ? from - 64 * half : 0, hi = to > 64 * half ? to - 64 * half : 0;
            if (hi > 64) hi = 64;
            if (lo < hi) t->bytes[half] |= (hi - lo == 64 ? UINT64_MAX : ((UINT64_C(1) << (hi - lo)) - 1)) << lo;
        }
        addr = stop;
    }
}

/* All lanes touch one place. */
static uint32_t one_for_all(const struct warp_addrs *a, uint64_t addr, unsigned width, struct txn *out)
{
    *out = (struct txn){.line = addr >> LINE_SHIFT};
    add_lane(out, addr, width);
    out->lanes = (uint8_t)bit_count32(a->mask);
    return 1;
}

/* Affine addresses rise or fall all the way: a lane either joins the last transaction or starts
 * a new one. For the usual strides the lanes need not be looked at one by one. */
static uint32_t coalesce_affine(const struct warp_addrs *a, unsigned width, unsigned shift, struct txn *out)
{
    unsigned first = bit_low32(a->mask);
    if (a->stride == 0) return one_for_all(a, a->base, width, out);
    uint32_t n = 0;
    if (a->stride == width && a->mask == UINT32_MAX && a->base % width == 0) {
        if (shift == LINE_SHIFT && width * WARP_SIZE == LINE_BYTES && a->base % LINE_BYTES == 0)
            return one_line(a->base, out);
        add_run(a->base, WARP_SIZE, width, shift, out, &n);
        return n;
    }
    if (a->stride >= LINE_BYTES || a->stride <= -LINE_BYTES) return one_each(a, width, out);
    uint64_t segment = 0;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint64_t addr = a->base + (uint64_t)((int64_t)(bit_low32(m) - first) * a->stride);
        if (!n || addr >> shift != segment) {
            segment = addr >> shift;
            out[n++] = (struct txn){.line = addr >> LINE_SHIFT};
        }
        add_lane(&out[n - 1], addr, width);
    }
    return n;
}

/* Any addresses: look for the segment among the transactions made so far. `overlap` says
 * whether two lanes may touch the same byte in one transaction. */
static uint32_t coalesce_any(const uint64_t *addr, uint32_t mask, unsigned width, unsigned shift, bool overlap,
                             struct txn *out)
{
    uint64_t segment[SM_MAX_TXNS];
    uint32_t n = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t a = addr[bit_low32(m)];
        unsigned offset = (unsigned)a & (LINE_BYTES - 1);
        uint32_t i = 0;
        for (; i < n; i++)
            if (segment[i] == a >> shift && (overlap || !(out[i].bytes[offset >> 6] >> (offset & 63) & 1))) break;
        if (i == n) {
            segment[n] = a >> shift;
            out[n++] = (struct txn){.line = a >> LINE_SHIFT};
        }
        add_lane(&out[i], a, width);
    }
    return n;
}

/* Local memory is laid out for the machine and the kernel at hand, as GPGPU-Sim does with
 * gpgpu_local_mem_map = 1: word k of all threads that can be resident lies together, so that a warp's
 * equal offsets are one line, and the words of one thread are no further apart than the machine needs.
 * CTAs come slot by slot, and in a slot SM by SM. */
static uint64_t local_address(const struct sm *s, unsigned warp, unsigned lane, uint64_t offset)
{
    _Static_assert(256 * SM_MAX_WARPS * WARP_SIZE <= MAX_LOCAL_THREADS, "the largest machine's threads have a place");
    const struct sm_warp *p = &s->warp[warp];
    const struct sm_kernel *k = kernel_of(s, p);
    uint64_t in_cta = k->need.warps * (uint64_t)WARP_SIZE, all = in_cta * k->cta_limit * s->sms;
    uint64_t cta = s->cta[p->cta].place * (uint64_t)s->sms + s->index;
    uint64_t thread = cta * in_cta + p->rank * (uint64_t)WARP_SIZE + lane;
    return L2_LOCAL + k->local_base + ((offset >> 2) * all + thread) * 4 + (offset & 3);
}

/* Wider accesses are word by word: the layout puts a thread's words in different lines. */
static uint32_t coalesce_local(const struct sm *s, const struct memop *op, struct txn *out)
{
    const struct warp_addrs *a = &op->addrs;
    unsigned words = op->inst->width <= 4 ? 1 : op->inst->width / 4u, width = op->inst->width < 4 ? op->inst->width : 4;
    uint32_t n = 0;
    for (unsigned k = 0; k < words; k++) {
        uint64_t addr[WARP_SIZE];
        for (uint32_t m = a->mask; m; m &= m - 1) {
            unsigned lane = bit_low32(m);
            addr[lane] = local_address(s, op->load.warp, lane, warp_addr(a, lane) + 4 * k);
        }
        n += coalesce_any(addr, a->mask, width, wide_segment_shift(s), true, out + n);
    }
    return n;
}

static bool lower(const struct txn *a, const struct txn *b)
{
    return a->line != b->line ? a->line < b->line : a->sectors < b->sectors;
}

static bool in_order(const struct txn *t, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (lower(&t[i - 1], &t[i])) return false;
    return true;
}

/* Highest first; if they do not come so they mostly come lowest first, so they are turned round before sorting. */
static void order(struct txn *t, uint32_t n)
{
    if (in_order(t, n)) return;
    for (uint32_t i = 0, j = n - 1; i < j; i++, j--) {
        struct txn x = t[i];
        t[i] = t[j];
        t[j] = x;
    }
    for (uint32_t i = 1; i < n; i++) {
        struct txn x = t[i];
        uint32_t j = i;
        for (; j > 0 && lower(&t[j - 1], &x); j--) t[j] = t[j - 1];
        t[j] = x;
    }
}

/* Where the bank of a constant or parameter lies. */
static uint64_t bank_base(const struct sm *s, const struct memop *op)
{
    const struct sm_kernel *k = kernel_of(s, &s->warp[op->load.warp]);
    return op->inst->space == SPACE_CONST ? L2_CONST + k->bank_base[0] : L2_PARAM + k->bank_base[1];
}

static uint32_t make_transactions(const struct sm *s, const struct memop *op, struct txn *out)
{
    const struct warp_addrs *a = &op->addrs;
    unsigned width = op->inst->width, space = op->inst->space;
    if (space == SPACE_LOCAL) return coalesce_local(s, op, out);
    bool bank = space == SPACE_CONST || space == SPACE_PARAM, atomic = op->inst->kind == INST_ATOMIC;
    if (!bank && !atomic && a->affine) return coalesce_affine(a, width, segment_shift(s, op->inst), out);
    if (!bank && !atomic && a->halves && a->stride == width && a->mask == UINT32_MAX &&
        (a->half[0] | a->half[1]) % width == 0) {
        uint32_t n = 0;
        for (unsigned half = 0; half < 2; half++)
            add_run(a->half[half], WARP_SIZE / 2, width, segment_shift(s, op->inst), out, &n);
        return n;
    }
    uint64_t addr[WARP_SIZE], base = bank ? bank_base(s, op) : 0;
    if (bank && a->affine && a->stride == 0) return one_for_all(a, base + a->base, width, out); /* most parameters */
    for (uint32_t m = a->mask; m; m &= m - 1) addr[bit_low32(m)] = base + warp_addr(a, bit_low32(m));
    if (bank) return coalesce_any(addr, a->mask, width, s->const_lines ? LINE_SHIFT : NEAR_LINE_SHIFT, true, out);
    return coalesce_any(addr, a->mask, width, atomic ? wide_segment_shift(s) : segment_shift(s, op->inst), !atomic,
                        out);
}

/* Atomics whose halves of the warp do not share transactions; the upper half is served first. */
static uint32_t coalesce_halves(const struct memop *op, struct txn *out)
{
    const struct warp_addrs *a = &op->addrs;
    uint64_t addr[WARP_SIZE];
    uint32_t n = 0;
    for (uint32_t m = a->mask; m; m &= m - 1) addr[bit_low32(m)] = warp_addr(a, bit_low32(m));
    for (unsigned half = 2; half-- > 0;) {
        uint32_t lanes = a->mask & UINT32_C(0xffff) << 16 * half;
        uint32_t more = lanes ? coalesce_any(addr, lanes, op->inst->width, LINE_SHIFT, false, out + n) : 0;
        if (more > 1) order(out + n, more);
        n += more;
    }
    return n;
}

uint32_t coalesce(const struct sm *s, const struct memop *op, struct txn *out)
{
    if (s->halved_atomics && op->inst->kind == INST_ATOMIC && op->inst->space == SPACE_GLOBAL)
        return coalesce_halves(op, out);
    uint32_t n = make_transactions(s, op, out);
    WL_ASSERT(n && n <= SM_MAX_TXNS);
    if (n > 1) order(out, n);
    return n;
}

/* Counts lane by lane: distinct words per bank, or all lanes when each must take its turn. */
static uint32_t count_passes(const struct warp_addrs *a, uint32_t banks, bool atomic)
{
    uint64_t words[WARP_SIZE];
    uint8_t in_bank[SM_MAX_WARPS] = {0};
    uint32_t n = 0, most = 1;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint64_t word = warp_addr(a, bit_low32(m)) >> 2;
        uint32_t i = 0;
        while (i < n && (atomic || words[i] != word)) i++;
        if (i < n) continue;
        words[n++] = word;
        uint8_t passes = ++in_bank[word % banks];
        if (passes > most) most = passes;
    }
    return most;
}

/* Both halves of the warp read one word each, or 16 in a row each: words of two halves meet at a bank
 * when they are as far apart as two lanes can be, give or take a round of all banks. */
static uint32_t passes_of_halves(const struct warp_addrs *a, uint32_t banks)
{
    int64_t apart = (int64_t)(a->half[1] >> 2) - (int64_t)(a->half[0] >> 2), reach = a->stride ? 15 : 0;
    int64_t turn = apart & (int64_t)(banks - 1); /* the distance from bank to bank: upwards, */
    if (turn > reach) turn -= (int64_t)banks;    /* or downwards if that is shorter */
    return turn < -reach || turn == apart ? 1 : 2;
}

/* How often the busiest bank must be read, counted on the first word of each lane. A first pass over the
 * lanes finds out whether any bank is asked for two words; only then is counting needed. */
uint32_t shared_passes(const struct warp_addrs *a, uint32_t banks, bool atomic)
{
    if (a->affine && ((a->stride == 0 && !atomic) || a->stride == 4) && banks >= WARP_SIZE) return 1;
    if (atomic || !is_pow2(banks)) return count_passes(a, banks, atomic);
    if (a->halves && banks >= WARP_SIZE &&
        (a->stride == 0 || (a->stride == 4 && a->mask == UINT32_MAX && !(a->base & 3))))
        return passes_of_halves(a, banks);
    uint64_t word_of[SM_MAX_WARPS], seen = 0;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint64_t word = warp_addr(a, bit_low32(m)) >> 2;
        unsigned bank = (unsigned)word & (banks - 1);
        if (seen >> bank & 1 && word_of[bank] != word) return count_passes(a, banks, false);
        seen |= bit64(bank);
        word_of[bank] = word;
    }
    return 1;
}
