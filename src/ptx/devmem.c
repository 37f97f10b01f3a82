/* devmem.c - the simulated device's memory.
 *
 * One host region is reserved when the device is made and touched only where a program
 * writes, so a device address becomes a host address by a subtraction. A sorted table of
 * live allocations gives exact bounds: a byte between two allocations, or in one that was
 * released, belongs to nobody. New allocations go above all earlier ones until the device
 * is full; only then are gaps reused, first fit. Addresses therefore depend on nothing but
 * the order of calls. */
#include "ptx/dev_map.h"
#include "ptx/dev_share.h"
#include "ptx/exec_priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct dev_range {
    uint64_t addr, bytes;
    bool heap;   /* a kernel's malloc */
    bool theirs; /* the program's own memory (dev_share) */
    bool mapped; /* memory that the program mapped (dev_expose) */
};

struct dev_mem {
    uint8_t *host;                 /* image of DEVICE_BASE .. DEVICE_BASE + limit */
    uint64_t limit, top;           /* top: first offset never handed out */
    uint64_t host_limit, host_top; /* limit and top of host memory, whose offsets begin at the limit of device memory */
    uint64_t map_limit;            /* behind it lie the addresses for memory that programs map themselves */
    uint64_t used, generation;
    uint64_t heap_limit, heap_used;
    bool heap_asked;
    uint64_t granule;        /* dev_set_granule */
    struct dev_range *range; /* by address */
    size_t count, cap;
    struct tex_table textures;
    void (*told)(void *arg, uint64_t addr, uint64_t bytes); /* of allocations, or NULL */
    void *told_arg;
};

static uint64_t round_up(uint64_t x, uint64_t to) { return (x + to - 1) / to * to; }

static void *reserve(void *at, uint64_t bytes, int flags)
{
    return mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

static struct dev_mem *memory_new(uint64_t limit_bytes, bool unified)
{
    struct dev_mem *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->limit = round_up(limit_bytes ? limit_bytes : 1, DEV_ALIGN);
    if (m->limit < limit_bytes || m->limit > (DEVICE_END - DEVICE_BASE) / (unified ? 2 : 1)) {
        free(m);
        return NULL;
    }
    m->host_limit = unified ? 2 * m->limit : m->limit;
    m->host_top = m->limit;
    m->map_limit = round_up(m->host_limit, DEV_MAP_GRAIN) + round_up(m->limit, DEV_MAP_GRAIN);
    if (m->map_limit > DEVICE_END - DEVICE_BASE) m->map_limit = m->host_limit;
    void *p = unified ? reserve((void *)DEVICE_BASE, m->map_limit, MAP_FIXED_NOREPLACE) : MAP_FAILED;
    if (p != MAP_FAILED && p != (void *)DEVICE_BASE) { /* a kernel that does not know NOREPLACE */
        munmap(p, m->map_limit);
        p = MAP_FAILED;
    }
    if (p == MAP_FAILED) p = reserve(NULL, m->map_limit, 0);
    if (p == MAP_FAILED) {
        free(m);
        return NULL;
    }
    m->host = p;
    m->heap_limit = DEV_HEAP;
    return m;
}

struct dev_mem *dev_mem_new(uint64_t limit_bytes) { return memory_new(limit_bytes, false); }
struct dev_mem *dev_mem_new_unified(uint64_t limit_bytes) { return memory_new(limit_bytes, true); }
bool dev_unified(const struct dev_mem *m) { return (uintptr_t)m->host == DEVICE_BASE; }
bool dev_is_host(const struct dev_mem *m, uint64_t addr)
{
    return addr >= GENERIC_END || (addr >= DEVICE_BASE + m->limit && addr - DEVICE_BASE < m->host_limit);
}

uint64_t dev_addr_of(const struct dev_mem *m, const void *host)
{
    uint64_t at = (uintptr_t)host - (uintptr_t)m->host;
    return (uintptr_t)host >= (uintptr_t)m->host && at < m->map_limit ? DEVICE_BASE + at : 0;
}

void dev_mem_free(struct dev_mem *m)
{
    if (!m) return;
    munmap(m->host, m->map_limit);
    free(m->range);
    free(m->textures.entry);
    free(m);
}

/* Index of the first allocation that starts above addr. */
static size_t above(const struct dev_mem *m, uint64_t addr)
{
    size_t lo = 0, hi = m->count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (m->range[mid].addr > addr) hi = mid;
        else lo = mid + 1;
    }
    return lo;
}

static uint64_t span(const struct dev_range *r) { return round_up(r->bytes ? r->bytes : 1, DEV_ALIGN); }

/* Offset of a gap of `need` bytes between the live allocations of [at, limit), or UINT64_MAX. */
static uint64_t find_gap(const struct dev_mem *m, uint64_t need, uint64_t at, uint64_t limit)
{
    for (size_t i = at ? above(m, DEVICE_BASE + at - 1) : 0; i < m->count; i++) {
        uint64_t start = m->range[i].addr - DEVICE_BASE;
        if (start >= limit) break;
        if (start - at >= need) return at;
        at = start + span(&m->range[i]);
    }
    return limit - at >= need ? at : UINT64_MAX;
}

/* Puts an allocation at this offset into the table; 0 when there is no memory for that. */
static uint64_t insert(struct dev_mem *m, uint64_t at, struct dev_range r)
{
    if (m->count == m->cap) {
        size_t cap = m->cap ? 2 * m->cap : 64;
        struct dev_range *p = realloc(m->range, cap * sizeof *p);
        if (!p) return 0;
        m->range = p;
        m->cap = cap;
    }
    r.addr = DEVICE_BASE + at;
    size_t i = above(m, r.addr);
    memmove(&m->range[i + 1], &m->range[i], (m->count - i) * sizeof r);
    m->range[i] = r;
    m->count++;
    m->generation++;
    return r.addr;
}

static uint64_t take(struct dev_mem *m, struct dev_range r)
{
    if (r.bytes > m->limit) return 0;
    uint64_t need = span(&r);
    uint64_t at = m->limit - m->top >= need ? m->top : find_gap(m, need, 0, m->limit);
    if (at == UINT64_MAX || !insert(m, at, r)) return 0;
    m->used += need;
    if (at + need > m->top) m->top = at + need;
    if (m->told && !r.heap) m->told(m->told_arg, DEVICE_BASE + at, r.bytes);
    return DEVICE_BASE + at;
}

uint64_t dev_alloc(struct dev_mem *m, uint64_t bytes) { return take(m, (struct dev_range){.bytes = bytes}); }

/* ---- the heap of kernels ---- */

int dev_set_heap(struct dev_mem *m, uint64_t bytes)
{
    if (m->heap_asked) return -1;
    m->heap_limit = bytes;
    return 0;
}

static uint64_t heap_bytes(uint64_t bytes) { return round_up(bytes ? bytes : 1, DEV_HEAP_ALIGN); }

uint64_t dev_heap_alloc(struct dev_mem *m, uint64_t bytes)
{
    m->heap_asked = true;
    if (bytes > m->heap_limit || m->heap_used + heap_bytes(bytes) > m->heap_limit) return 0;
    uint64_t addr = take(m, (struct dev_range){.bytes = bytes, .heap = true});
    if (addr) m->heap_used += heap_bytes(bytes);
    return addr;
}

int dev_heap_release(struct dev_mem *m, uint64_t addr)
{
    size_t i = above(m, addr);
    if (!i || m->range[i - 1].addr != addr || !m->range[i - 1].heap) return -1;
    return dev_release(m, addr);
}

void dev_watch(struct dev_mem *m, void (*told)(void *arg, uint64_t addr, uint64_t bytes), void *arg)
{
    m->told = told;
    m->told_arg = arg;
}

uint64_t dev_alloc_host(struct dev_mem *m, uint64_t bytes)
{
    if (bytes > m->host_limit - m->limit) return 0;
    struct dev_range r = {.bytes = bytes};
    uint64_t need = span(&r);
    uint64_t at = m->host_limit - m->host_top >= need ? m->host_top : find_gap(m, need, m->limit, m->host_limit);
    if (at == UINT64_MAX || !insert(m, at, r)) return 0;
    if (at + need > m->host_top) m->host_top = at + need;
    return DEVICE_BASE + at;
}

/* Where device addresses are those of the host, all of the process's memory is in reach of the arithmetic; the table
 * decides what belongs to the device. Addresses between the device's memory and the windows are not the host's. */
int dev_share(struct dev_mem *m, const void *host, uint64_t bytes)
{
    uint64_t addr = (uintptr_t)host;
    if (!dev_unified(m) || addr < GENERIC_END || addr > TRACE_DEVICE_END - bytes) return -1;
    size_t i = above(m, addr + bytes - 1);
    if (i && m->range[i - 1].addr + m->range[i - 1].bytes > addr) return -1;
    return insert(m, addr - DEVICE_BASE, (struct dev_range){.bytes = bytes, .theirs = true}) ? 0 : -1;
}

/* ---- memory that programs map themselves ---- */

void dev_map_window(const struct dev_mem *m, uint64_t *addr, uint64_t *bytes)
{
    uint64_t at = round_up(m->host_limit, DEV_MAP_GRAIN);
    *addr = DEVICE_BASE + at;
    *bytes = m->map_limit > at ? m->map_limit - at : 0;
}

/* A piece of the region, all of it in the window. */
static uint8_t *window_at(const struct dev_mem *m, uint64_t addr, uint64_t bytes)
{
    uint64_t from, size;
    dev_map_window(m, &from, &size);
    if (addr < from || addr - from > size || bytes > size - (addr - from)) return NULL;
    return m->host + (addr - DEVICE_BASE);
}

int dev_map(struct dev_mem *m, uint64_t addr, uint64_t bytes, int fd, uint64_t offset)
{
    uint8_t *p = window_at(m, addr, bytes);
    if (!p) return -1;
    void *got = mmap(p, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)offset);
    return got == MAP_FAILED ? -1 : 0;
}

int dev_unmap(struct dev_mem *m, uint64_t addr, uint64_t bytes)
{
    uint8_t *p = window_at(m, addr, bytes);
    return p && reserve(p, bytes, MAP_FIXED) != MAP_FAILED ? 0 : -1;
}

int dev_expose(struct dev_mem *m, uint64_t addr, uint64_t bytes)
{
    if (!window_at(m, addr, bytes)) return -1;
    return insert(m, addr - DEVICE_BASE, (struct dev_range){.bytes = bytes, .mapped = true}) ? 0 : -1;
}

void dev_hide(struct dev_mem *m, uint64_t addr, uint64_t bytes)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct dev_range *r = &m->range[i];
        if (!r->mapped || r->addr < addr || r->addr - addr >= bytes) m->range[kept++] = *r;
    }
    m->count = kept;
    m->generation++;
}

int dev_take_bytes(struct dev_mem *m, uint64_t bytes)
{
    if (bytes > m->limit - m->used) return -1;
    m->used += bytes;
    return 0;
}

void dev_give_bytes(struct dev_mem *m, uint64_t bytes) { m->used -= bytes; }

/* Whole pages go back to the kernel, which hands them out zeroed; the edges, which share a
 * page with neighbours, are cleared by hand. */
static void wipe(uint8_t *p, uint64_t bytes)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t head = round_up((uintptr_t)p, page) - (uintptr_t)p;
    if (head + page > bytes) {
        memset(p, 0, bytes);
        return;
    }
    uint64_t whole = (bytes - head) / page * page;
    memset(p, 0, head);
    if (madvise(p + head, whole, MADV_DONTNEED)) memset(p + head, 0, whole);
    memset(p + head + whole, 0, bytes - head - whole);
}

int dev_release(struct dev_mem *m, uint64_t addr)
{
    size_t i = above(m, addr);
    if (!i || m->range[i - 1].addr != addr || m->range[i - 1].mapped) return -1;
    struct dev_range r = m->range[--i];
    if (!r.theirs) wipe(m->host + (r.addr - DEVICE_BASE), span(&r));
    m->count--;
    memmove(&m->range[i], &m->range[i + 1], (m->count - i) * sizeof r);
    if (!dev_is_host(m, addr)) m->used -= span(&r);
    if (r.heap) m->heap_used -= heap_bytes(r.bytes);
    m->generation++;
    return 0;
}

void dev_release_all(struct dev_mem *m)
{
    dev_hide(m, 0, UINT64_MAX);
    while (m->count) dev_release(m, m->range[m->count - 1].addr);
}

int dev_range(struct dev_mem *m, uint64_t addr, uint64_t *base, uint64_t *bytes)
{
    size_t i = above(m, addr);
    if (!i || addr - m->range[i - 1].addr >= m->range[i - 1].bytes) return -1;
    *base = m->range[i - 1].addr;
    *bytes = m->range[i - 1].bytes;
    return 0;
}

void *dev_ptr(struct dev_mem *m, uint64_t addr, uint64_t bytes)
{
    size_t i = above(m, addr);
    if (!i) return NULL;
    const struct dev_range *r = &m->range[i - 1];
    uint64_t at = addr - r->addr;
    if (at > r->bytes || bytes > r->bytes - at) return NULL;
    return m->host + (addr - DEVICE_BASE);
}

void dev_set_granule(struct dev_mem *m, uint64_t bytes) { m->granule = bytes; }

void *dev_outside(struct dev_mem *m, uint64_t addr, uint64_t bytes, bool store)
{
    static uint8_t zeros[16]; /* the most that a lane loads */
    if (m->granule && m->count && addr < DEVICE_BASE && DEVICE_BASE - addr <= m->granule && bytes <= sizeof zeros)
        return store ? NULL : zeros;
    if (!m->granule || addr < DEVICE_BASE || addr - DEVICE_BASE >= m->limit || m->limit - (addr - DEVICE_BASE) < bytes)
        return NULL;
    uint64_t first = addr / m->granule * m->granule, last = first + m->granule - 1; /* aligned: one piece */
    size_t i = above(m, last);
    if (!i || m->range[i - 1].addr + m->range[i - 1].bytes <= first) return NULL;
    return m->host + (addr - DEVICE_BASE);
}

bool dev_nearest(const struct dev_mem *m, uint64_t addr, uint64_t *base, uint64_t *bytes)
{
    if (!m->count) return false;
    size_t i = above(m, addr);
    if (i) {
        uint64_t end = m->range[i - 1].addr + m->range[i - 1].bytes;
        if (i == m->count || addr < end || addr - end < m->range[i].addr - addr) i--;
    }
    *base = m->range[i].addr;
    *bytes = m->range[i].bytes;
    return true;
}

struct tex_table *dev_textures(struct dev_mem *m) { return &m->textures; }
uint64_t dev_used(const struct dev_mem *m) { return m->used; }
uint64_t dev_generation(const struct dev_mem *m) { return m->generation; }
uint8_t *dev_host(const struct dev_mem *m) { return m->host; }
