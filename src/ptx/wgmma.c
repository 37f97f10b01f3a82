/* wgmma.c - products of a warp group: D, 64 rows high, is held by four warps, 16 rows each; B, and A if it is not in
 * registers, lie in shared memory where a descriptor says.
 *
 * A warp computes its own rows as soon as it comes along. PTX forbids to touch the operands before wgmma.wait_group,
 * so nobody can tell when that was. Descriptors: PTX ISA, "Matrix descriptor". The operand is made of rows of eight
 * times 16, 32, 64 or 128 bytes (the swizzle mode); a swizzle exchanges 16-byte pieces by the address alone. The
 * metadata of a sparse A lies in registers as that of a sparse mma of 16 rows: each warp has its own rows'. */
#include "ptx/matrix.h"

#include <string.h>

enum { SLICE = 32, ROWS = 16, N_MAX = 256 };

struct operand {
    uint32_t start, lead, stride; /* bytes */
    unsigned swizzle;             /* bytes of a row of the pattern: 16 (none), 32, 64, 128 */
};

static struct operand decode(uint64_t d)
{
    static const uint8_t width[] = {16, 128, 64, 32};
    return (struct operand){.start = (uint32_t)(d & 0x3fff) << 4,
                            .lead = (uint32_t)(d >> 16 & 0x3fff) << 4,
                            .stride = (uint32_t)(d >> 32 & 0x3fff) << 4,
                            .swizzle = width[d >> 62]};
}

/* The byte at which element (major, minor) begins, minor being the dimension that is contiguous. */
static uint32_t place(const struct operand *o, bool transposed, unsigned major, unsigned minor, unsigned bits)
{
    uint32_t byte = minor * bits / 8, at;
    if (!transposed) { /* rows of M or N, contiguous in K */
        if (o->swizzle == 16) at = major % 8 * 16 + major / 8 * o->stride + byte % 16 + byte / 16 * o->lead;
        else at = major % 8 * o->swizzle + major / 8 * o->stride + byte;
    } else { /* rows of K, contiguous in M or N */
        uint32_t across = byte % o->swizzle, next = byte / o->swizzle;
        if (o->swizzle == 16) at = across + next * o->stride + major % 8 * 16 + major / 8 * o->lead;
        else at = across + next * o->lead + major % 8 * o->swizzle + major / 8 * o->stride;
    }
    at += o->start;
    return at ^ (at >> 7 & (o->swizzle / 16u - 1)) << 4;
}

/* An element of the operand: row of A or column of B, and k. */
static int fetch(struct exec_warp *w, const struct uop *u, const struct operand *o, bool transposed, unsigned line,
                 unsigned k, unsigned bits, uint64_t *v)
{
    uint32_t at = transposed ? place(o, true, k, line, bits) : place(o, false, line, k, bits);
    unsigned bytes = bits < 8 ? 1 : bits / 8;
    const uint8_t *p = mem_lane(w, u, bit_low32(w->exec), at, bytes, "matrix load");
    if (!p) return RUN_FAULT;
    *v = 0;
    memcpy(v, p, bytes);
    if (bits < 8) *v = *v >> (k * bits % 8) & ((1u << bits) - 1);
    return RUN_ON;
}

struct wgmma_slice {
    double a[ROWS * SLICE], b[SLICE * N_MAX];
};

static double number(uint64_t v, unsigned type)
{
    bool integer = type == T_S8 || type == T_U8 || type == T_B1;
    return integer ? matrix_integer(v, type) : matrix_value(v, type);
}

/* Puts stored element (row, c) of A into columns [from, from + count) of the dense matrix, if it lies there. */
static void put_a(const struct exec_warp *w, const struct matrix_op *op, unsigned row, unsigned c, uint64_t bits,
                  unsigned from, unsigned count, double *a)
{
    unsigned k = op->x->sparse ? matrix_dense_column(w, op, row, c) : c;
    if (k >= from && k < from + count) a[row * count + k - from] = op->x->scale_a * number(bits, op->part[PART_A].type);
}

static void a_of_registers(const struct exec_warp *w, const struct matrix_op *op, unsigned from, unsigned count,
                           double *a)
{
    const struct fragment *f = &op->part[PART_A];
    for (unsigned lane = 0; lane < WARP_SIZE; lane++)
        for (unsigned e = 0; e < (unsigned)f->regs * f->per_reg; e++) {
            unsigned at = f->place[lane * f->regs * f->per_reg + e];
            uint64_t v =
                at32(w, f->reg[e / f->per_reg])[lane] >> (e % f->per_reg * f->bits) & (UINT32_MAX >> (32 - f->bits));
            put_a(w, op, at / f->cols, at % f->cols, v, from, count, a);
        }
}

/* Half of the columns of a sparse A are stored; those of a slice lie together, as a slice is made of whole nibbles. */
static int load_a(struct exec_warp *w, const struct uop *u, unsigned from, unsigned count, double *a)
{
    const struct matrix_op *op = u->matrix;
    unsigned first = w->id % 4 * ROWS, part = op->x->sparse ? 2 : 1;
    if (op->x->sparse) memset(a, 0, sizeof *a * ROWS * count);
    if (op->x->a_in_regs) {
        a_of_registers(w, op, from, count, a);
        return RUN_ON;
    }
    struct operand o = decode(at64(w, op->desc_a)[bit_low32(w->exec)]);
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned c = from / part; c < (from + count) / part; c++) {
            uint64_t v;
            if (fetch(w, u, &o, op->x->col[PART_A], first + row, c, op->part[PART_A].bits, &v)) return RUN_FAULT;
            put_a(w, op, row, c, v, from, count, a);
        }
    return RUN_ON;
}

static int load_b(struct exec_warp *w, const struct uop *u, unsigned from, unsigned count, double *b)
{
    const struct matrix_op *op = u->matrix;
    const struct ptx_matrix *x = op->x;
    struct operand o = decode(at64(w, op->desc_b)[bit_low32(w->exec)]);
    unsigned bits = matrix_type_bits(x->type[PART_B]);
    for (unsigned col = 0; col < x->n; col++)
        for (unsigned k = 0; k < count; k++) {
            uint64_t v;
            if (fetch(w, u, &o, x->col[PART_B], col, from + k, bits, &v)) return RUN_FAULT;
            b[k * x->n + col] = x->scale_b * number(v, x->type[PART_B]);
        }
    return RUN_ON;
}

static unsigned row_of(unsigned lane, unsigned e) { return lane / 4 + 8 * (e >> 1 & 1); }
static unsigned column_of(unsigned lane, unsigned e) { return 8 * (e >> 2) + lane % 4 * 2 + (e & 1); }

static void get_sums(const struct exec_warp *w, const struct matrix_op *op, double *c)
{
    const struct fragment *d = &op->part[PART_D];
    for (unsigned lane = 0; lane < WARP_SIZE; lane++)
        for (unsigned e = 0; e < (unsigned)d->regs * d->per_reg; e++) {
            uint64_t v = at32(w, d->reg[e / d->per_reg])[lane] >> (e % d->per_reg * d->bits);
            c[row_of(lane, e) * op->x->n + column_of(lane, e)] =
                d->type == T_S32 ? (double)(int32_t)v : matrix_value(v, d->type);
        }
}

static void put_sums(struct exec_warp *w, const struct matrix_op *op, const double *c)
{
    const struct fragment *d = &op->part[PART_D];
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned lane = bit_low32(m);
        for (unsigned r = 0; r < d->regs; r++) {
            uint32_t v = 0;
            for (unsigned i = 0; i < d->per_reg; i++) {
                unsigned e = r * d->per_reg + i;
                double x = c[row_of(lane, e) * op->x->n + column_of(lane, e)];
                int64_t n = d->type == T_S32 ? (int64_t)x : 0;
                if (op->x->satfinite) n = n > INT32_MAX ? INT32_MAX : n < INT32_MIN ? INT32_MIN : n;
                v |= (uint32_t)(d->type == T_S32 ? (uint64_t)n : matrix_pack(x, d->type, false)) << (i * d->bits % 32);
            }
            at32(w, d->reg[r])[lane] = v;
        }
    }
}

/* Integer sums stay below 2^53, so that double holds them exactly. */
int op_wgmma(struct exec_warp *w, const struct uop *u)
{
    const struct matrix_op *op = u->matrix;
    const struct ptx_matrix *x = op->x;
    double c[ROWS * N_MAX] = {0};
    struct wgmma_slice s;
    bool add = (*at32(w, op->scale_d) ^ u->not_c) >> bit_low32(w->exec) & 1;
    if (add) get_sums(w, op, c);
    for (unsigned k = 0; k < x->k; k += SLICE) {
        unsigned count = x->k - k < SLICE ? x->k - k : SLICE;
        if (load_a(w, u, k, count, s.a) || load_b(w, u, k, count, s.b)) return RUN_FAULT;
        matrix_floats(ROWS, x->n, count, s.a, s.b, c);
    }
    put_sums(w, op, c);
    return RUN_ON;
}
