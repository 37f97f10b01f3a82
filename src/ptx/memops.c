/* memops.c - loads, stores and addresses.
 *
 * Nearly every warp access lies in one allocation, so that is what the fast path checks: all
 * active lanes between the bounds of the allocation this instruction met last, all aligned.
 * One OR over the lanes decides: addr - lo and hi - size - addr are both non-negative inside
 * and one of them is negative outside. Only when that fails are lanes looked at one by one,
 * which finds the other allocation, the other space (generic addresses) or the fault.
 *
 * A generic access is recorded in the stream by the spaces its lanes really touch, with the addresses of
 * those spaces: the timing half sees what an instruction that names the space would have shown it. */
#include "ptx/cluster.h"

#include <inttypes.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

void mem_addresses(const struct exec_warp *w, const struct uop *u, uint64_t addr[WARP_SIZE])
{
    uint64_t add = (uint64_t)u->imm;
    if (u->addressing == ADDR_REG64) {
        const uint64_t *a = at64(w, u->s[0]);
        for (unsigned i = 0; i < WARP_SIZE; i++) addr[i] = a[i] + add;
        return;
    }
    if (u->addressing == ADDR_REG32) {
        const uint32_t *a = at32(w, u->s[0]);
        for (unsigned i = 0; i < WARP_SIZE; i++) addr[i] = (uint32_t)(a[i] + (uint32_t)add);
        return;
    }
    if (u->addressing == ADDR_FRAME) add += w->frame[w->nframe - 1].local;
    if (u->addressing == ADDR_DYNAMIC) add += w->run->dynamic_at;
    for (unsigned i = 0; i < WARP_SIZE; i++) addr[i] = add;
}

/* ---- one lane ---- */

static const char *const space_names[] = {"generic", "global", "shared", "local", "const", "param", "local"};

/* A space with a single host image: its bounds, or NULL for the others. */
static uint8_t *space_image(const struct exec_warp *w, unsigned space, uint64_t *bytes)
{
    const struct exec_run *r = w->run;
    switch (space) {
    case PTX_SHARED: *bytes = r->shared_bytes; return r->shared;
    case PTX_CONST: *bytes = r->l.image->mod->const_bytes; return r->l.image->const_image;
    case PTX_PARAM_KERNEL: *bytes = r->kernel->fn->param_bytes; return r->params;
    default: return NULL;
    }
}

/* The space a generic address points into; *addr becomes an address of that space. */
static unsigned generic_space(uint64_t *addr)
{
    static const uint8_t window[] = {PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_PARAM_KERNEL, PTX_CONST};
    if (*addr < GENERIC_SHARED || *addr >= GENERIC_END) return PTX_GLOBAL;
    unsigned k = (unsigned)(*addr / GENERIC_WINDOW);
    *addr -= k * GENERIC_WINDOW;
    return window[k];
}

/* A load that reads a little too far does no harm on a GPU, whose memory is mapped in large pages. */
static const char *granule_hint(const struct uop *u, uint64_t addr, uint64_t base, uint64_t size)
{
    enum { PAGE = 2 << 20 };
    bool near = addr / PAGE >= base / PAGE && addr / PAGE <= (base + size - 1) / PAGE;
    near |= addr < DEVICE_BASE && DEVICE_BASE - addr <= PAGE;
    if (!near || ptx_opcodes[u->in->op].kind != INST_LOAD) return "";
    return "; a GPU would not trap it: --set run.granule=2097152 allows loads within pages of that size";
}

static void fault_global(struct exec_warp *w, const struct uop *u, unsigned lane, uint64_t addr, unsigned bytes,
                         const char *what)
{
    uint64_t base, size;
    if (addr < DEV_ALIGN)
        warp_fault(w, u, (int)lane, "null pointer: global %s of %u bytes at 0x%" PRIx64, what, bytes, addr);
    else if (!dev_nearest(w->run->l.image->mem, addr, &base, &size))
        warp_fault(w, u, (int)lane, "out-of-bounds global %s of %u bytes at 0x%" PRIx64 " (nothing is allocated)", what,
                   bytes, addr);
    else
        warp_fault(w, u, (int)lane,
                   "out-of-bounds global %s of %u bytes at 0x%" PRIx64 " (nearest allocation 0x%" PRIx64 "..0x%" PRIx64
                   ")%s",
                   what, bytes, addr, base, base + size - 1, granule_hint(u, addr, base, size));
}

static void *global_lane(struct exec_warp *w, const struct uop *u, unsigned lane, uint64_t addr, unsigned bytes,
                         const char *what)
{
    struct exec_run *r = w->run;
    struct range *known = &r->range[u->range];
    uint64_t size;
    if (addr < known->lo || addr >= known->hi || known->hi - addr < bytes) {
        void *p = dev_ptr(r->l.image->mem, addr, bytes);
        if (!p && ptx_opcodes[u->in->op].kind == INST_LOAD && (p = dev_overread(r->l.image->mem, addr, bytes)))
            return p;
        if (!p) {
            fault_global(w, u, lane, addr, bytes, what);
            return NULL;
        }
        if (!dev_range(r->l.image->mem, addr, &known->lo, &size)) known->hi = known->lo + size;
    }
    return r->dev_host + (addr - DEVICE_BASE);
}

void *mem_lane(struct exec_warp *w, const struct uop *u, unsigned lane, uint64_t addr, unsigned bytes, const char *what)
{
    unsigned space = u->space == PTX_SPACE_NONE ? generic_space(&addr) : u->space;
    if (addr & (bytes - 1)) {
        warp_fault(w, u, (int)lane, "misaligned %s %s of %u bytes at 0x%" PRIx64, space_names[space], what, bytes,
                   addr);
        return NULL;
    }
    if (space == PTX_GLOBAL) return global_lane(w, u, lane, addr, bytes, what);
    uint64_t size = w->local_stride;
    uint8_t *image = space_image(w, space, &size);
    if (space == PTX_SHARED && addr >= SHARED_BYTES_MAX && addr < SPACE_OFFSET_END && addr >> 24 &&
        !(image = cluster_shared(w, u, lane, &addr)))
        return NULL;
    if (addr >= size || size - addr < bytes) {
        warp_fault(w, u, (int)lane, "out-of-bounds %s %s of %u bytes at 0x%" PRIx64 " (there are %" PRIu64 " bytes)",
                   space_names[space], what, bytes, addr, size);
        return NULL;
    }
    return image ? image + addr : w->local + (uint64_t)lane * w->local_stride + addr;
}

/* ---- generic accesses ---- */

/* Instructions are counted as the timing half issues them: one per space. */
int mem_emit_generic(struct exec_warp *w, const struct uop *u, const uint64_t addr[WARP_SIZE])
{
    static const uint8_t form_of[] = {[PTX_GLOBAL] = SPACE_GLOBAL - SPACE_GLOBAL,
                                      [PTX_SHARED] = SPACE_SHARED - SPACE_GLOBAL,
                                      [PTX_LOCAL] = SPACE_LOCAL - SPACE_GLOBAL,
                                      [PTX_CONST] = SPACE_CONST - SPACE_GLOBAL,
                                      [PTX_PARAM_KERNEL] = SPACE_PARAM - SPACE_GLOBAL};
    uint32_t lanes[GENERIC_FORMS] = {0};
    uint64_t in_space[WARP_SIZE];
    unsigned kind = ptx_opcodes[u->in->op].kind, reach = generic_reach((enum inst_kind)kind), parts = 0;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        in_space[i] = addr[i];
        unsigned space = generic_space(&in_space[i]), form = form_of[space];
        if (!(reach >> form & 1))
            return warp_fault(w, u, (int)i, "a generic %s cannot reach %s memory: 0x%" PRIx64,
                              kind == INST_STORE ? "store" : "atomic", space_names[space], addr[i]);
        lanes[form] |= 1u << i;
    }
    for (unsigned k = 0; k < GENERIC_FORMS; k++) parts += lanes[k] != 0;
    w->executed += parts - 1;
    if (w->out) stream_generic(w->out, lanes, in_space);
    return RUN_ON;
}

/* ---- a warp ---- */

/* Where lane i's bytes are: byte_at(base, addr[i]), or at[i] when each lane was looked up. The base
 * of device memory is 0 when its addresses are those of the host. */
struct where {
    const uint64_t *addr;
    bool each;
    uintptr_t base;
    uint8_t *at[WARP_SIZE];
};

INLINE uint8_t *byte_at(uintptr_t base, uint64_t addr) { return (uint8_t *)(base + addr); }

INLINE bool all_inside(const struct exec_warp *w, const uint64_t *addr, uint64_t lo, uint64_t hi, unsigned size,
                       bool full)
{
    if (hi - lo < size) return false;
    uint64_t outside = 0, odd = 0, last = hi - size;
    for (unsigned i = 0; i < WARP_SIZE; i++) {
        uint64_t on = full ? UINT64_MAX : (uint64_t)(int64_t)(int32_t)w->lanes[i];
        outside |= ((addr[i] - lo) | (last - addr[i])) & on;
        odd |= addr[i] & on;
    }
    return !(outside >> 63) && !(odd & (size - 1));
}

static int resolve_lanes(struct exec_warp *w, const struct uop *u, const uint64_t *addr, unsigned size,
                         struct where *out, const char *what)
{
    out->each = true;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        out->at[i] = mem_lane(w, u, i, addr[i], size, what);
        if (!out->at[i]) return RUN_FAULT;
    }
    return RUN_ON;
}

INLINE int resolve(struct exec_warp *w, const struct uop *u, const uint64_t *addr, unsigned size, bool full,
                   struct where *out, const char *what)
{
    struct exec_run *r = w->run;
    out->addr = addr;
    out->each = false;
    if (u->space == PTX_GLOBAL || u->space == PTX_SPACE_NONE) {
        struct range *known = &r->range[u->range];
        out->base = (uintptr_t)r->dev_host - DEVICE_BASE; /* so that base + address is the byte */
        if (all_inside(w, addr, known->lo, known->hi, size, full)) return RUN_ON;
        uint64_t bytes;
        if (!dev_range(r->l.image->mem, addr[bit_low32(w->exec)], &known->lo, &bytes)) {
            known->hi = known->lo + bytes;
            if (all_inside(w, addr, known->lo, known->hi, size, full)) return RUN_ON;
        }
    } else {
        uint64_t bytes = 0;
        out->base = (uintptr_t)space_image(w, u->space, &bytes);
        if (out->base && all_inside(w, addr, 0, bytes, size, full)) return RUN_ON;
    }
    return resolve_lanes(w, u, addr, size, out, what);
}

INLINE uint64_t read_bytes(const uint8_t *p, unsigned bytes, bool sign)
{
    uint64_t v = 0;
    memcpy(&v, p, bytes);
    unsigned unused = 64 - 8 * bytes;
    return sign ? (uint64_t)((int64_t)(v << unused) >> unused) : v;
}

/* Whether the 32 addresses are addr[0] + i * step. */
INLINE bool is_affine(const uint64_t *addr, uint64_t step)
{
    uint64_t differs = 0;
    for (unsigned i = 0; i < WARP_SIZE; i++) differs |= addr[i] - (addr[0] + i * step);
    return !differs;
}

/* One element of a vector, in all lanes. Every field is a constant in the stamped versions below. */
struct element {
    unsigned k, bytes;
    bool sign;  /* a load extends it with its sign */
    bool wide;  /* its register has 64 bits */
    bool whole; /* the access is this element alone, and fills its register */
    bool full;  /* all lanes are active */
};

INLINE struct element element_of(const struct uop *u, unsigned k, unsigned bytes, unsigned nvec, int wide)
{
    bool is_wide = wide < 0 ? u->wide >> k & 1 : wide;
    return (struct element){.k = k, .bytes = bytes, .wide = is_wide, .whole = nvec == 1 && bytes == (is_wide ? 8 : 4)};
}

INLINE uint8_t *lane_bytes(const struct where *where, unsigned lane, struct element e)
{
    return (where->each ? where->at[lane] : byte_at(where->base, where->addr[lane])) + e.k * e.bytes;
}

/* Memory and register hold the same bytes in the same order. */
INLINE bool is_copy(const struct where *where, struct element e)
{
    return e.full && !where->each && e.whole && is_affine(where->addr, e.bytes);
}

INLINE void load_element(const struct exec_warp *w, uint8_t *d, const struct where *where, struct element e)
{
    if (is_copy(where, e)) {
        memcpy(d, byte_at(where->base, where->addr[0]), (size_t)e.bytes * WARP_SIZE);
        return;
    }
    for (unsigned i = 0; i < WARP_SIZE; i++) {
        if (!e.full && !(w->exec >> i & 1)) continue;
        uint64_t v = read_bytes(lane_bytes(where, i, e), e.bytes, e.sign);
        if (e.wide) ((uint64_t *)(void *)d)[i] = v;
        else ((uint32_t *)(void *)d)[i] = (uint32_t)v;
    }
}

/* mem_emit() with `generic` known, so that the frequent shapes do not ask. */
INLINE int emit(struct exec_warp *w, const struct uop *u, const uint64_t addr[WARP_SIZE], bool generic)
{
    if (generic) return mem_emit_generic(w, u, addr);
    if (w->out && u->emits) stream_addrs(w->out, w->exec, addr);
    return RUN_ON;
}

INLINE int load(struct exec_warp *w, const struct uop *u, unsigned bytes, unsigned nvec, bool sign, int wide,
                bool generic, bool full)
{
    uint64_t addr[WARP_SIZE];
    struct where where;
    mem_addresses(w, u, addr);
    if (emit(w, u, addr, generic)) return RUN_FAULT;
    if (resolve(w, u, addr, bytes * nvec, full, &where, "load")) return RUN_FAULT;
    for (unsigned k = 0; k < nvec; k++) {
        struct element e = element_of(u, k, bytes, nvec, wide);
        e.sign = sign;
        e.full = full;
        load_element(w, at(w, u->v[k]), &where, e);
    }
    return RUN_ON;
}

INLINE void store_element(const struct exec_warp *w, const uint8_t *s, const struct where *where, struct element e)
{
    if (is_copy(where, e)) {
        memcpy(byte_at(where->base, where->addr[0]), s, (size_t)e.bytes * WARP_SIZE);
        return;
    }
    for (unsigned i = 0; i < WARP_SIZE; i++) {
        if (!e.full && !(w->exec >> i & 1)) continue;
        uint64_t v = e.wide ? ((const uint64_t *)(const void *)s)[i] : ((const uint32_t *)(const void *)s)[i];
        memcpy(lane_bytes(where, i, e), &v, e.bytes);
    }
}

INLINE int store(struct exec_warp *w, const struct uop *u, unsigned bytes, unsigned nvec, int wide, bool generic,
                 bool full)
{
    uint64_t addr[WARP_SIZE];
    struct where where;
    mem_addresses(w, u, addr);
    if (emit(w, u, addr, generic)) return RUN_FAULT;
    if (resolve(w, u, addr, bytes * nvec, full, &where, "store")) return RUN_FAULT;
    w->run->progress += u->space != PTX_LOCAL; /* nobody else can be waiting for that */
    for (unsigned k = 0; k < nvec; k++) {
        struct element e = element_of(u, k, bytes, nvec, wide);
        e.full = full;
        store_element(w, at(w, u->v[k]), &where, e);
    }
    return RUN_ON;
}

/* ---- stamped versions: the frequent shapes with everything known, and one for the rest ---- */

#define MEM(name, bytes, nvec, sign, wide, generic)                                                                    \
    static int ld_##name##_full(struct exec_warp *w, const struct uop *u)                                              \
    {                                                                                                                  \
        return load(w, u, bytes, nvec, sign, wide, generic, true);                                                     \
    }                                                                                                                  \
    static int ld_##name##_part(struct exec_warp *w, const struct uop *u)                                              \
    {                                                                                                                  \
        return load(w, u, bytes, nvec, sign, wide, generic, false);                                                    \
    }                                                                                                                  \
    static int st_##name##_full(struct exec_warp *w, const struct uop *u)                                              \
    {                                                                                                                  \
        return store(w, u, bytes, nvec, wide, generic, true);                                                          \
    }                                                                                                                  \
    static int st_##name##_part(struct exec_warp *w, const struct uop *u)                                              \
    {                                                                                                                  \
        return store(w, u, bytes, nvec, wide, generic, false);                                                         \
    }
MEM(b32, 4, 1, false, 0, false)
MEM(b64, 8, 1, false, 1, false)
MEM(u8, 1, 1, false, 0, false)
MEM(generic_b32, 4, 1, false, 0, true)
MEM(any, u->bytes, u->nvec, u->sign, -1, u->emits == EMIT_GENERIC)
#undef MEM

void mem_choose(struct uop *u, bool store)
{
    bool one = u->nvec == 1, generic = u->emits == EMIT_GENERIC;
#define USE(name)                                                                                                      \
    do {                                                                                                               \
        u->full = store ? st_##name##_full : ld_##name##_full;                                                         \
        u->part = store ? st_##name##_part : ld_##name##_part;                                                         \
    } while (0)
    if (one && u->bytes == 4 && !u->wide && generic) USE(generic_b32);
    else if (one && u->bytes == 4 && !u->wide) USE(b32);
    else if (one && u->bytes == 8 && u->wide && !generic) USE(b64);
    else if (one && u->bytes == 1 && !u->wide && !u->sign && !generic) USE(u8);
    else USE(any);
#undef USE
}

/* Nothing is fetched from where there is nothing, and that is no fault: such lanes do as another lane does. */
int op_prefetch(struct exec_warp *w, const struct uop *u)
{
    uint64_t addr[WARP_SIZE], stand_in = DEVICE_BASE;
    uint32_t wrong = 0;
    mem_addresses(w, u, addr);
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        if (addr[i] >= GENERIC_SHARED || !dev_ptr(w->run->l.image->mem, addr[i], 1)) wrong |= 1u << i;
        else stand_in = addr[i];
    }
    for (; wrong; wrong &= wrong - 1) addr[bit_low32(wrong)] = stand_in;
    return mem_emit(w, u, addr);
}

/* ---- addresses as values ---- */

static uint64_t window_of(unsigned space)
{
    switch (space) {
    case PTX_SHARED: return GENERIC_SHARED;
    case PTX_LOCAL:
    case PTX_PARAM_LOCAL: return GENERIC_LOCAL;
    case PTX_PARAM_KERNEL: return GENERIC_PARAM;
    case PTX_CONST: return GENERIC_CONST;
    default: return 0;
    }
}

int op_cvta(struct exec_warp *w, const struct uop *u)
{
    uint64_t add = u->flags & FLAG_TO ? 0 - window_of(u->space) : window_of(u->space);
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        put_lane(w, u->d, u->wide, i, get_lane(w, u->s[0], u->src_wide, i) + add);
    }
    return RUN_ON;
}

int op_isspacep(struct exec_warp *w, const struct uop *u)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < WARP_SIZE; i++) {
        uint64_t a = get_lane(w, u->s[0], u->src_wide, i);
        unsigned space = generic_space(&a);
        r |= (uint32_t)(space == (u->space == PTX_PARAM_LOCAL ? PTX_PARAM_KERNEL : u->space)) << i;
    }
    warp_put_pred(w, u->d, w->exec, r);
    return RUN_ON;
}

int op_local_addr(struct exec_warp *w, const struct uop *u)
{
    uint64_t a = (uint64_t)u->imm + w->frame[w->nframe - 1].local;
    for (uint32_t m = w->exec; m; m &= m - 1) put_lane(w, u->d, u->wide, bit_low32(m), a);
    return RUN_ON;
}
