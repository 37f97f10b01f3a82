/* ptx_here.c - runs every kernel of kernels.h in the simulator and prints the result bits.
 * Its output and ptx_on_gpu's are meant for diff. An argument selects kernels by prefix. */
#include <stdlib.h>

#include "rare.h"
#include "ptx/exec.h"

static int fail(const char *name, const struct wl_err *e)
{
    fprintf(stderr, "%s: %s\n", name, e->text);
    return 1;
}

static void fill(uint32_t *in32, uint64_t *in64)
{
    for (unsigned i = 0; i < KERNEL_THREADS; i++)
        for (unsigned k = 0; k < 3; k++) {
            in32[3 * i + k] = operand32(i, k);
            in64[3 * i + k] = operand64(i, k);
        }
}

static int run_kernel(struct dev_mem *mem, const struct kernel *k, const uint64_t addr[3])
{
    struct wl_err e = {0};
    char text[KERNEL_TEXT];
    int rc = 1, len = kernel_text(k, text, sizeof text);
    struct ptx_module *m = ptx_parse(k->name, text, (size_t)len, 0, &e);
    struct ptx_image *img = m ? ptx_load(m, mem, &e) : NULL;
    struct ptx_launch l = {.image = img,
                           .grid = {KERNEL_THREADS / KERNEL_BLOCK, 1, 1},
                           .block = {KERNEL_BLOCK, 1, 1},
                           .params = addr,
                           .no_streams = true};
    if (img) l.kernel = ptx_find_kernel(m, "test");
    struct stream_source *s = img ? ptx_open(&l, &e) : NULL;
    struct cta_stream c;
    while (s && (rc = s->next(s, &c, &e)) > 0) s->release(s, &c);
    if (!s || rc < 0) rc = fail(k->name, &e);
    const uint64_t *out = dev_ptr(mem, addr[2], 8 * KERNEL_THREADS);
    for (unsigned i = 0; i < KERNEL_THREADS && !rc; i++) print_result(k, i, out[i]);
    ptx_close(s);
    ptx_unload(img);
    if (m) ptx_free(m);
    return rc;
}

int main(int argc, char **argv)
{
    struct dev_mem *mem = dev_mem_new(64 << 20);
    if (!mem) return 1;
    uint64_t addr[3] = {dev_alloc(mem, 12 * KERNEL_THREADS), dev_alloc(mem, 24 * KERNEL_THREADS),
                        dev_alloc(mem, 8 * KERNEL_THREADS)};
    fill(dev_ptr(mem, addr[0], 12 * KERNEL_THREADS), dev_ptr(mem, addr[1], 24 * KERNEL_THREADS));
    int bad = 0;
    unsigned count;
    const char *only;
    const struct kernel *list = kernel_list(argc, argv, &count, &only);
    for (unsigned k = 0; k < count; k++) {
        if (strncmp(list[k].name, only, strlen(only))) continue;
        bad |= run_kernel(mem, &list[k], addr);
    }
    dev_mem_free(mem);
    return bad;
}
