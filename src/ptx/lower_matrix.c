/* lower_matrix.c - matrix instructions: the places of their registers, and tables of who holds which element. */
#include "ptx/matrix.h"

static int lower_fragment(struct lower *L, struct fragment *f, const struct ptx_matrix *x, enum matrix_part part,
                          const struct ptx_operand *o, bool dest)
{
    unsigned bits = matrix_type_bits(x->type[part]), n = 0;
    f->type = x->type[part];
    f->bits = (uint8_t)bits;
    f->wide = bits == 64;
    f->per_reg = (uint8_t)(f->wide ? 1 : 32 / bits);
    f->regs = (uint8_t)matrix_regs(x, part);
    f->rows = (uint16_t)matrix_rows(x, part);
    f->cols = (uint16_t)matrix_cols(x, part);
    ref *reg = lower_refs(L, f->regs);
    if (!reg) return -1;
    f->reg = reg;
    unsigned have = o->kind == OPND_VEC ? o->nvec : 1;
    if (have != f->regs) return lower_refuse(L, "%u registers are needed, not %u", f->regs, have);
    return lower_elements(L, o, f->wide ? 64 : 32, dest, reg, &n);
}

static int make_places(struct lower *L, struct fragment *f, const struct ptx_matrix *x, enum matrix_part part)
{
    unsigned n = f->regs * (unsigned)f->per_reg;
    uint16_t *place = ARENA_ARRAY(&L->img->arena, uint16_t, n * WARP_SIZE);
    if (!place) return wl_fail(L->e, WL_ERUN, "out of memory");
    for (unsigned lane = 0; lane < WARP_SIZE; lane++)
        for (unsigned e = 0; e < n; e++) place[lane * n + e] = (uint16_t)matrix_place(x, part, lane, e);
    f->place = place;
    return 0;
}

static struct matrix_op *new_op(struct lower *L, struct uop *u)
{
    struct matrix_op *op = ARENA_NEW(&L->img->arena, struct matrix_op);
    if (!op) {
        wl_fail(L->e, WL_ERUN, "out of memory");
        return NULL;
    }
    *op = (struct matrix_op){.x = L->in->matrix};
    u->matrix = op;
    return op;
}

static int lower_part(struct lower *L, struct matrix_op *op, enum matrix_part part, const struct ptx_operand *o)
{
    int rc = lower_fragment(L, &op->part[part], op->x, part, o, o == &L->in->dst[0]);
    return rc ? rc : make_places(L, &op->part[part], op->x, part);
}

int lower_mma(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    struct matrix_op *op = new_op(L, u);
    if (!op) return -1;
    u->full = u->part = op_mma;
    int rc = lower_part(L, op, PART_D, &in->dst[0]);
    for (unsigned i = 0; i < 3 && !rc; i++) rc = lower_part(L, op, (enum matrix_part)(PART_A + i), &in->src[i]);
    if (rc || !op->x->sparse) return rc;
    rc = lower_src(L, &in->src[3], 32, &op->meta);
    return rc ? rc : lower_src(L, &in->src[4], 32, &op->selector);
}

static int lower_wmma_move(struct lower *L, struct uop *u, struct matrix_op *op, bool store)
{
    const struct ptx_inst *in = L->in;
    unsigned data = store ? 1 : 0, stride = 1 + data;
    enum matrix_part part = (enum matrix_part)op->x->part;
    u->full = u->part = store ? op_wmma_store : op_wmma_load;
    op->tile = in->width;
    int rc = lower_address(L, u, &in->src[0], in->space);
    if (!rc) rc = lower_fragment(L, &op->part[part], op->x, part, store ? &in->src[1] : &in->dst[0], !store);
    if (!rc) rc = make_places(L, &op->part[part], op->x, part);
    op->has_stride = in->nsrc > stride;
    if (!rc && op->has_stride) rc = lower_src(L, &in->src[stride], 32, &op->stride);
    return rc;
}

int lower_wmma(struct lower *L, struct uop *u)
{
    unsigned kind = L->in->matrix->kind;
    if (kind == MAT_WMMA_MMA) return lower_mma(L, u);
    struct matrix_op *op = new_op(L, u);
    return op ? lower_wmma_move(L, u, op, kind == MAT_WMMA_STORE) : -1;
}

int lower_ldmatrix(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    struct matrix_op *op = new_op(L, u);
    bool store = in->op == OP_STMATRIX;
    ref *reg = op ? lower_refs(L, op->x->count) : NULL;
    unsigned n = 0;
    if (!reg) return -1;
    u->full = u->part = store ? op_stmatrix : op_ldmatrix;
    op->part[PART_D].reg = reg;
    int rc = lower_address(L, u, &in->src[0], in->space);
    return rc ? rc : lower_elements(L, store ? &in->src[1] : &in->dst[0], 32, !store, reg, &n);
}

int lower_movmatrix(struct lower *L, struct uop *u)
{
    u->full = u->part = op_movmatrix;
    int rc = lower_dst(L, &L->in->dst[0], 32, &u->d);
    return rc ? rc : lower_src(L, &L->in->src[0], 32, &u->s[0]);
}

/* Sources: A (registers or a descriptor), B, metadata and selector of a sparse A, whether D is added to. */
int lower_wgmma(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    if (in->matrix->kind == MAT_WGMMA_ORDER) return lower_nop(L, u);
    struct matrix_op *op = new_op(L, u);
    if (!op) return -1;
    u->full = u->part = op_wgmma;
    u->space = PTX_SHARED;
    struct fragment *a = &op->part[PART_A];
    int rc = lower_fragment(L, &op->part[PART_D], op->x, PART_D, &in->dst[0], true);
    if (!rc && op->x->a_in_regs) rc = lower_part(L, op, PART_A, &in->src[0]);
    else if (!rc) rc = lower_src(L, &in->src[0], 64, &op->desc_a);
    if (!rc && !op->x->a_in_regs) {
        a->type = op->x->type[PART_A];
        a->bits = (uint8_t)matrix_type_bits(a->type);
        a->cols = (uint16_t)matrix_cols(op->x, PART_A);
    }
    if (!rc) rc = lower_src(L, &in->src[1], 64, &op->desc_b);
    if (!rc && op->x->sparse) rc = lower_src(L, &in->src[2], 32, &op->meta);
    if (!rc && op->x->sparse) rc = lower_src(L, &in->src[3], 32, &op->selector);
    const struct ptx_operand *add = &in->src[op->x->sparse ? 4 : 2];
    if (!rc) rc = lower_src(L, add, 1, &op->scale_d);
    u->not_c = add->negated ? UINT32_MAX : 0;
    return rc;
}
