/* fuzz_ptx.c - any bytes as PTX: the parser must refuse or accept them, never crash, hang or
 * leak. What it accepts must also keep the promises the executor relies on. */
#include <stdlib.h>

#include "ptx/ir.h"
#include "tests/fuzz/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_function(const struct ptx_module *m, const struct ptx_func *f)
{
    uint32_t at = 0;
    for (uint32_t b = 0; b < f->nblock; b++) {
        const struct ptx_block *blk = &f->block[b];
        require(blk->first == at && blk->count > 0);
        require(blk->next == PTX_NO_BLOCK || blk->next < f->nblock);
        require(blk->ipdom == PTX_NO_BLOCK || blk->ipdom < f->nblock);
        require(blk->code_block < m->code.nblock);
        at += blk->count;
    }
    require(at == f->ninst);
    for (uint32_t i = 0; i < f->ninst; i++) {
        const struct ptx_inst *in = &f->inst[i];
        require(in->op != OP_BRA || in->target < f->nblock);
        for (uint32_t k = 0; k < in->ntargets; k++) require(in->targets[k] < f->nblock);
        require(in->code < m->code.ninst && in->guard < (int32_t)f->nregs);
        for (unsigned k = 0; k < in->nsrc; k++) require(in->src[k].reg < (int32_t)f->nregs);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wl_err e;
    struct ptx_target target = {.scheduled = size & 1, .capability = size & 2 ? 90 : 75, .known_registers = true};
    struct ptx_module *m = ptx_parse_for("fuzz.ptx", (const char *)data, size, 0, target, &e);
    if (!m) return 0;
    for (const struct ptx_func *f = m->funcs; f; f = f->next) check_function(m, f);
    for (uint32_t i = 0; i < m->code.ninst; i++) {
        const struct code_inst *c = &m->code.inst[i];
        require(c->ndst + c->nsrc <= CODE_MAX_REGS);
        for (unsigned k = 0; k < c->ndst + c->nsrc; k++) require(c->reg[k] < m->code.nregs);
        require(c->loop == CODE_NO_LOOP || c->loop < m->code.nloop);
    }
    ptx_free(m);
    return 0;
}
