/* fuzz_accel.c - any bytes as the file of a kernel in Accel-Sim's format: refused with file and line, or read
 * to the end. What is read must keep the promises the timing half relies on, as in fuzz_wlt.c. */
#include <stdlib.h>
#include <string.h>

#include "trace/accel/accel_priv.h"
#include "tests/fuzz/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A few kilobytes can hold gigabytes when compressed: look at the first part only. */
enum { MOST_TEXT = 1 << 20 };

static void visit(void *arg, const struct code_inst *in, uint32_t exec, const struct warp_addrs *a)
{
    (void)exec;
    (void)arg;
    uint64_t end = in->space == SPACE_GLOBAL ? WLT_ADDRESS_END : WLT_OFFSET_END;
    for (uint32_t m = a ? a->mask : 0; m; m &= m - 1) require(warp_addr(a, bit_low32(m)) < end);
}

static int read_launch(struct stream_source *s, struct wl_err *e)
{
    struct cta_stream cta, held = {0};
    int64_t last = -1;
    int got;
    require(s->info->warps_per_cta >= 1 && s->info->warps_per_cta <= CTA_MAX_WARPS);
    require(wlt_check_code(s->info->code, e) == 0);
    while ((got = s->next(s, &cta, e)) > 0) {
        require((int64_t)cta.cta > last && cta.cta < s->info->ctas && cta.nwarps == s->info->warps_per_cta);
        last = cta.cta;
        if (held.owner) s->release(s, &held);
        held = cta;
        for (uint32_t w = 0; w < held.nwarps; w++) {
            require(stream_check(s->info->code, held.warp[w], e) == 0);
            wlt_walk(s->info->code, held.warp[w], visit, NULL);
        }
    }
    if (held.owner) s->release(s, &held);
    return got;
}

static void drop(void *arg, const char *text, bool loss)
{
    (void)loss;
    (void)arg;
    require(strlen(text) > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wl_err e = {.code = WL_OK};
    struct wlt_item item;
    struct accel_reader *r = accel_open_memory("fuzz.traceg", data, size, MOST_TEXT, &e);
    int got = 1;
    require(r != NULL);
    while (got > 0 && (got = accel_next(r, &item, &e)) > 0)
        if (item.kind == WLT_LAUNCH && (got = read_launch(item.source, &e)) == 0) got = 1;
    require(got == 0 || (got == -WL_EINPUT && strncmp(e.text, "fuzz.traceg:", 12) == 0));
    if (got < 0) require(accel_next(r, &item, &e) == got); /* and it stays refused */
    accel_warnings(r, drop, NULL);
    accel_close(r);
    return 0;
}
