/* exec.h - functional execution of a PTX kernel.
 *
 * The executor owns the simulated device's memory image (struct dev_mem), runs CTAs in
 * increasing id (but for those that wait for one another, launch.c) and leaves one instruction
 * stream per warp for the timing half. */
#ifndef WL_PTX_EXEC_H
#define WL_PTX_EXEC_H

#include "ptx/ir.h"
#include "stream/stream.h"

/* ---- device memory: global allocations with exact bounds ---- */

enum { DEV_ALIGN = 256 };

struct dev_mem;
struct dev_mem *dev_mem_new(uint64_t limit_bytes);
/* The same with room for as much host memory that the device sees (dev_alloc_host). When the
 * process has the addresses free, a device address is also the host address of its byte, as with
 * unified addressing on a real system; dev_unified says whether that came true. */
struct dev_mem *dev_mem_new_unified(uint64_t limit_bytes);
bool dev_unified(const struct dev_mem *m);
void dev_mem_free(struct dev_mem *m);
/* Address of `bytes` new zeroed bytes, 256-byte aligned, increasing in allocation order
 * (freed ranges may be reused); 0 when the device is full. */
uint64_t dev_alloc(struct dev_mem *m, uint64_t bytes);
/* Calls `told` after every allocation. */
void dev_watch(struct dev_mem *m, void (*told)(void *arg, uint64_t addr, uint64_t bytes), void *arg);
/* Host memory the device sees: above all device memory, so that it moves no other address. Only in
 * a unified memory; 0 when there is no room. */
uint64_t dev_alloc_host(struct dev_mem *m, uint64_t bytes);
bool dev_is_host(const struct dev_mem *m, uint64_t addr); /* in the part dev_alloc_host hands out */
/* The device address of a byte given by its host address; 0 when it is not in this memory. */
uint64_t dev_addr_of(const struct dev_mem *m, const void *host);
int dev_release(struct dev_mem *m, uint64_t addr); /* 0, or -1: no allocation starts there */
void dev_release_all(struct dev_mem *m);
/* The heap of kernels' malloc: the sizes of its allocations, rounded up to DEV_HEAP_ALIGN, stay below a limit, at first
 * DEV_HEAP. 0: it is full. dev_heap_release: -1 when malloc did not return addr. dev_set_heap: -1 once a kernel has
 * asked for memory. */
enum { DEV_HEAP = 8 << 20, DEV_HEAP_ALIGN = 16 };
int dev_set_heap(struct dev_mem *m, uint64_t bytes);
uint64_t dev_heap_alloc(struct dev_mem *m, uint64_t bytes);
int dev_heap_release(struct dev_mem *m, uint64_t addr);
/* Host pointer to [addr, addr + bytes), or NULL when any byte is outside an allocation. */
void *dev_ptr(struct dev_mem *m, uint64_t addr, uint64_t bytes);
/* Accesses that leave an allocation are let through where the memory's aligned piece of `bytes` bytes holds part of one
 * (0: nowhere): what lies between allocations belongs to nobody and can be read and written. The piece below the first
 * allocation reads as zero and cannot be written. dev_outside: the bytes of such an access, or NULL. */
void dev_set_granule(struct dev_mem *m, uint64_t bytes);
void *dev_outside(struct dev_mem *m, uint64_t addr, uint64_t bytes, bool store);
/* The allocation containing addr: 0 and *base, *bytes; -1 when none. */
int dev_range(struct dev_mem *m, uint64_t addr, uint64_t *base, uint64_t *bytes);
uint64_t dev_used(const struct dev_mem *m);

/* ---- textures: a view of device memory under a handle ---- */

enum tex_address { TEX_WRAP, TEX_CLAMP, TEX_MIRROR, TEX_BORDER }; /* as the driver API numbers them */
enum tex_format { TEX_UNSIGNED, TEX_SIGNED, TEX_FLOAT };

struct texture {
    uint64_t base;                  /* device address of texel (0, 0), aligned to a texel */
    uint64_t pitch;                 /* bytes between two rows */
    uint64_t slice;                 /* bytes between two planes of a volume, or two layers; 0: there is one */
    uint32_t width, height;         /* texels */
    uint32_t depth;                 /* planes of a volume, or layers when `layered`; 0 or 1: one */
    uint8_t format, bits, channels; /* enum tex_format; 8, 16 or 32 bits; 1, 2 or 4 channels */
    uint8_t address[3];             /* enum tex_address of x, y and z */
    bool layered, cube;             /* the third coordinate is an integer, a layer; six layers are a cube */
    bool array;                     /* of an array: shown in tiles if dev_set_texels wants it */
    bool surface;                   /* suld and sust may name it */
    bool normalized;                /* coordinates run from 0 to 1 */
    bool linear;                    /* filtering */
    bool as_integer;                /* integers of 8 and 16 bits stay integers instead of becoming floats up to 1 */
    uint32_t border[4];             /* bits of what lies outside with TEX_BORDER */
};

/* Binds *t to `handle`, or forgets the handle (t is NULL). A handle is what a kernel's tex
 * instruction names: the address of a .texref variable, or any number below DEVICE_BASE. -1: no memory. */
int dev_texture_set(struct dev_mem *m, uint64_t handle, const struct texture *t);
/* Where the timing half sees the texels of two-dimensional arrays, in the order of l1t.layout; rows is the default. */
enum texel_layout { TEXEL_ROWS, TEXEL_TILES, TEXEL_BLOCKS };
void dev_set_texels(struct dev_mem *m, enum texel_layout layout);

/* ---- a loaded module: its .global variables are placed in device memory ---- */

struct ptx_image; /* module + addresses of its variables + micro-ops of its functions */
struct ptx_image *ptx_load(struct ptx_module *m, struct dev_mem *mem, struct wl_err *e);
void ptx_unload(struct ptx_image *img); /* does not free the module */
/* A module-scope .global or .const variable: host pointer to its bytes and, for .global, its
 * device address (0 for .const). NULL when there is no such variable. */
void *ptx_symbol(struct ptx_image *img, const char *name, uint64_t *addr, uint64_t *bytes);
/* The handle of texture reference `name`, or 0. */
uint64_t ptx_texref(const struct ptx_image *img, const char *name);

/* ---- one launch as a stream source ---- */

/* What one CTA may use before it is taken for an endless loop; 0: no limit. `cycles` is what the timing half will grant
 * the kernel: a warp that has executed more instructions cannot end within them, so nobody has to wait until it has. */
struct ptx_budget {
    uint64_t instructions, stream_bytes, cycles;
};

struct ptx_launch {
    struct ptx_image *image;
    const struct ptx_func *kernel;
    const char *label; /* what results call it; NULL: its own name */
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* CTAs of a cluster by dimension; 0: as the kernel says (.reqnctapercluster), or none */
    uint32_t dynamic_shared;
    uint32_t regs;      /* registers per thread, if the assembler's count is known; 0: by our own */
    const void *params; /* kernel->param_bytes bytes, laid out as ptx_var.offset says */
    struct ptx_budget budget;
    bool in_step;      /* if the kernel reads a clock or %smid: execute as the machine asks (stream_source.feed) */
    bool sliced;       /* whoever reads the streams asks for more (stream_source.more) */
    uint64_t core_khz; /* of the machine, for %globaltimer */
    uint32_t sms;      /* of the machine, for %nsmid and, where nothing is timed, %smid; 0: one */
    bool no_streams;   /* functional only: execute, write no streams (faster) */
    /* Text written by vprintf in a kernel; NULL: dropped. */
    void (*print)(void *arg, const char *text, size_t len);
    void *print_arg;
    /* Text written by __assertfail; NULL: as print. */
    void (*print_assert)(void *arg, const char *text, size_t len);
    void *print_assert_arg;
};

/* The source executes CTAs when next() asks for them; its info is complete after open. A fault
 * (out of bounds, misaligned, barrier divergence, assert, CTAs that wait for one another for ever or for
 * one that does not fit the machine) makes next() fail with kernel, pc, PTX line, CTA, thread and address in the text.
 */
struct stream_source *ptx_open(const struct ptx_launch *l, struct wl_err *e);
void ptx_close(struct stream_source *s);
/* No machine asks any more: the CTAs that are left are executed by next() alone, without streams. */
void ptx_leave_step(struct stream_source *s);
bool ptx_reads_clock(const struct stream_source *s);
/* CTAs of this launch that the machine holds at once, at least 1: no more are started while those before wait for
 * others. Before the first next(); without it there is no limit. */
void ptx_set_room(struct stream_source *s, uint64_t ctas);

/* What the threads of a launch ask for: launches of kernels of their module, copies and fills. They come after the
 * launch's own CTAs, in this order, each with its own children before the next. */
struct ptx_child {
    struct ptx_child *next;
    const struct ptx_func *kernel; /* NULL: a copy, or without `from` a fill */
    uint32_t grid[3], block[3], shared;
    bool tail;       /* after all others */
    uint64_t buffer; /* of the parameters, while it is not launched: never in the list that is handed out */
    uint64_t to, from, bytes;
    uint8_t value;
    uint8_t params[];
};
struct ptx_child *ptx_take_children(struct stream_source *s); /* NULL: none */
void ptx_free_children(struct ptx_child *c);
int ptx_transfer(struct dev_mem *m, const struct ptx_child *c, struct wl_err *e); /* executes a copy or a fill */

/* Instructions executed so far by this source, for the audit of thread-instruction counts. */
struct exec_counts {
    uint64_t warp_instructions, thread_instructions;
};
struct exec_counts ptx_counts(const struct stream_source *s);
struct exec_counts
ptx_passed(const struct stream_source *s); /* of these, by CTAs that were passed (stream_source.pass) */

/* ---- CTAs that are not executed (oblivious.c) ---- */

/* Whether neither the kernel's path nor its addresses depend on what it loads. *line: of an instruction that does. */
bool ptx_is_oblivious(struct ptx_image *img, const struct ptx_func *kernel, uint32_t *line);
/* Before the first next(). If the kernel is oblivious: its streams can be made on demand (stream_source.on_demand), so
 * that CTAs execute side by side; and with `skim` CTAs that are passed are only counted, and memory is no longer what
 * the program makes of it. False: it is not, and nothing changes. */
bool ptx_foresee(struct stream_source *s, bool skim);
struct exec_counts ptx_skimmed(const struct stream_source *s); /* of ptx_passed, what was not executed */

#endif
