/* fuzz_wlt.c - any bytes as a trace: refused with a sentence, or read to the end. What is read must
 * keep the promises the timing half relies on. The first byte chooses: even, the rest is a .wlt
 * file; odd, the rest is the records themselves, which compression would hide from the fuzzer. */
#include <stdlib.h>

#include "trace/wlt/wlt_priv.h"
#include "tests/fuzz/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A few kilobytes of zstd can hold gigabytes: look at the first part only. */
enum { MOST_CONTENT = 1 << 20 };

static void check_code(const struct code *c)
{
    for (uint32_t i = 0; i < c->nloop; i++)
        require(code_in_loop(c, CODE_NO_LOOP, (uint16_t)i) == 0); /* climbs to the outermost: must end */
    for (uint32_t i = 0; i < c->nblock; i++) require((uint64_t)c->block[i].first + c->block[i].count <= code_listed(c));
    for (uint32_t i = 0; i < c->ninst; i++) {
        const struct code_inst *in = &c->inst[i];
        require(in->kind <= INST_WAIT && in->lat < LAT_COUNT && in->space <= SPACE_GENERIC);
        if (in->space == SPACE_GENERIC) require(in->form >= code_listed(c) && in->form + GENERIC_FORMS <= c->ninst);
        if (i >= code_listed(c)) require(code_is_form(in) && c->inst[in->form - 1].space == SPACE_GENERIC);
        require(in->ndst + in->nsrc <= CODE_MAX_REGS);
        for (unsigned k = 0; k < (unsigned)in->ndst + in->nsrc; k++) require(in->reg[k] < c->nregs);
        require(in->loop == CODE_NO_LOOP || in->loop < c->nloop);
    }
}

static void visit(void *arg, const struct code_inst *in, uint32_t exec, const struct warp_addrs *a)
{
    (void)exec;
    (void)arg;
    uint64_t end = in->space == SPACE_GLOBAL || in->space == SPACE_TEX ? WLT_ADDRESS_END : WLT_OFFSET_END;
    if (!a) return;
    struct warp_addrs plain = *a;
    warp_addrs_note(&plain, in->async); /* as the timing half does before it looks at addresses */
    for (uint32_t m = plain.mask; m; m &= m - 1) require(warp_addr(&plain, bit_low32(m)) < end);
}

/* Keeps two CTAs alive at a time, as a machine would. */
static int read_launch(struct stream_source *s, struct wl_err *e)
{
    struct cta_stream cta, held = {0};
    int got;
    require(s->info->warps_per_cta >= 1 && s->info->warps_per_cta <= CTA_MAX_WARPS);
    check_code(s->info->code);
    for (uint32_t id = 0; (got = s->next(s, &cta, e)) > 0; id++) {
        require(cta.cta == launch_nth(s->info, id) && cta.cta < s->info->ctas);
        require(cta.nwarps == s->info->warps_per_cta);
        if (id) s->release(s, &held);
        held = cta;
        for (uint32_t w = 0; w < held.nwarps; w++) wlt_walk(s->info->code, held.warp[w], visit, NULL);
    }
    if (held.owner) s->release(s, &held);
    return got;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wl_err e = {.code = WL_OK};
    struct wlt_item item;
    if (size == 0) return 0;
    struct wlt_reader *r = wlt_open_memory(data + 1, size - 1, data[0] & 1, MOST_CONTENT, &e);
    int got = r ? 1 : -(int)e.code;
    while (got > 0 && (got = wlt_next(r, &item, &e)) > 0)
        if (item.kind == WLT_LAUNCH && (got = read_launch(item.source, &e)) == 0) got = 1;
    require(got == 0 || (got == -WL_EINPUT && *e.text));
    if (got < 0 && r) require(wlt_next(r, &item, &e) == got); /* and it stays refused */
    wlt_close(r);
    return 0;
}
