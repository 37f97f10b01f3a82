/* bulk.c - see bulk.h. */
#include "ptx/bulk.h"

#include "ptx/async.h"

bool inst_is_bulk(const struct ptx_inst *in) { return in->op == OP_CP && in->mode >= CP_BULK && in->kind != INST_NOP; }

/* A copy from or to where there is nothing faults when it is made; a prefetch fetches something else. Streams have
 * addresses of the device only. */
static uint64_t on_device(const struct exec_warp *w, uint64_t addr)
{
    return addr < GENERIC_SHARED && dev_ptr(w->run->l.image->mem, addr, 1) ? addr : DEVICE_BASE;
}

void bulk_begin(struct bulk *b, struct exec_warp *w, const struct uop *u, const uint64_t first[WARP_SIZE],
                uint64_t note)
{
    uint64_t noted[WARP_SIZE];
    *b = (struct bulk){.w = w, .u = u, .last = UINT64_MAX, .note = note, .records = u->emits != EMIT_NOTHING};
    if (!u->emits) return;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        b->first[i] = on_device(w, first[i]) & ~(uint64_t)(BULK_CHUNK - 1);
        noted[i] = b->first[i] | note;
    }
    if (w->out) stream_addrs(w->out, w->exec, noted);
}

/* The block once more, for what was gathered. */
static void write_out(struct bulk *b)
{
    struct exec_warp *w = b->w;
    const struct xfunc *f = w->frame[w->nframe - 1].f;
    uint32_t lanes = b->count < WARP_SIZE ? (1u << b->count) - 1 : UINT32_MAX;
    const struct xblock *block = &f->block[w->stack[w->depth - 1].block];
    if (!b->count) return;
    w->executed += block->count;
    w->threads += b->count * (uint64_t)(b->u->in->guard >= 0 ? 1 : block->unguarded);
    for (unsigned i = 0; i < b->count; i++) b->chunk[i] |= b->note;
    b->count = 0;
    b->records++;
    if (!w->out) return;
    stream_block(w->out, block->code_block, lanes);
    if (b->u->in->guard >= 0) stream_guard(w->out, lanes);
    stream_addrs(w->out, lanes, b->chunk);
}

void bulk_touch(struct bulk *b, unsigned lane, uint64_t addr)
{
    addr &= ~(uint64_t)(BULK_CHUNK - 1);
    if (!b->u->emits || addr == b->last) return;
    b->last = addr;
    if (addr == b->first[lane]) {
        b->first[lane] = UINT64_MAX; /* only once: a later copy of the same bytes moves them again */
        return;
    }
    b->chunk[b->count++] = addr;
    /* Pieces end where lines do, that of the first bytes too. */
    if (b->count == WARP_SIZE || (addr + BULK_CHUNK) % (WARP_SIZE * BULK_CHUNK) == 0) write_out(b);
}

void bulk_run(struct bulk *b, unsigned lane, uint64_t addr, uint32_t bytes)
{
    if (!b->u->emits) return;
    for (uint32_t at = 0; at < bytes; at += BULK_CHUNK) bulk_touch(b, lane, addr + at);
}

void bulk_prefetch(struct bulk *b, unsigned lane, uint64_t addr, uint32_t bytes)
{
    uint64_t start, size;
    if (addr >= GENERIC_SHARED || dev_range(b->w->run->l.image->mem, addr, &start, &size)) return;
    uint64_t left = size - (addr - start);
    bulk_run(b, lane, addr, left < bytes ? (uint32_t)left : bytes);
}

uint32_t bulk_flush(struct bulk *b)
{
    write_out(b);
    uint32_t n = b->records;
    b->records = 0;
    return n;
}
