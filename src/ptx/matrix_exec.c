/* matrix_exec.c - matrix instructions executed: fragments to plain arrays, the product, and back.
 *
 * The whole warp takes part whatever lanes are active: PTX demands that all are. Nothing here is timed; to the timing
 * half a product is one instruction of the matrix units, and a load or store of a matrix one access whose lanes share
 * its bytes evenly. */
#include "ptx/matrix.h"

#include <string.h>

enum { A_MAX = 32 * 256, B_MAX = 256 * 32, C_MAX = 32 * 32 };

static uint64_t element(const struct exec_warp *w, const struct fragment *f, unsigned lane, unsigned e)
{
    uint64_t v = get_lane(w, f->reg[e / f->per_reg], f->wide, lane);
    unsigned bits = f->bits;
    return bits == 64 ? v : v >> (e % f->per_reg * bits) & (UINT64_MAX >> (64 - bits));
}

/* Writes the elements of a fragment; every register is made anew. */
static void put_fragment(struct exec_warp *w, const struct fragment *f, const uint64_t *value)
{
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned lane = bit_low32(m);
        const uint16_t *place = f->place + lane * f->regs * f->per_reg;
        for (unsigned r = 0; r < f->regs; r++) {
            uint64_t v = 0;
            for (unsigned i = 0; i < f->per_reg; i++) v |= value[place[r * f->per_reg + i]] << (i * f->bits % 64);
            put_lane(w, f->reg[r], f->wide, lane, v);
        }
    }
}

static void get_floats(const struct exec_warp *w, const struct fragment *f, double *out)
{
    for (unsigned lane = 0; lane < WARP_SIZE; lane++)
        for (unsigned e = 0; e < f->regs * f->per_reg; e++)
            out[f->place[lane * f->regs * f->per_reg + e]] = matrix_value(element(w, f, lane, e), f->type);
}

static void get_integers(const struct exec_warp *w, const struct fragment *f, int32_t *out)
{
    for (unsigned lane = 0; lane < WARP_SIZE; lane++)
        for (unsigned e = 0; e < f->regs * f->per_reg; e++)
            out[f->place[lane * f->regs * f->per_reg + e]] = matrix_integer(element(w, f, lane, e), f->type);
}

/* ---- sparse A ---- */

/* PTX ISA, "Warp-level matrix instructions for sparse matrices": a nibble describes the non-zero elements of 2 (tf32),
 * 4 or 8 (4 bits) columns. A row has 16, 32 or 64 bits of nibbles: one lane of a group, two or all four hold them. */
unsigned matrix_dense_column(const struct exec_warp *w, const struct matrix_op *op, unsigned row, unsigned c)
{
    const struct fragment *a = &op->part[PART_A];
    const uint32_t *meta = at32(w, op->meta);
    unsigned stored = a->bits == 32 ? 1 : a->bits == 4 ? 4 : 2, q = c / stored, per_row = a->cols / stored;
    unsigned f = at32(w, op->selector)[0] & 3, lane = 4 * (row % 8), below = row / 8 & 1, shift;
    if (per_row == 4) {
        lane += f;
        shift = 4 * q + 16 * below;
    } else if (a->bits > 8) {
        lane += 2 * (f & 1) + q / 4;
        shift = 4 * (q % 4) + 16 * below;
    } else {
        lane += (per_row == 8 ? 2 * (f & 1) : 2 * (q / 8)) + below;
        shift = 4 * (q % 8);
    }
    unsigned nibble = meta[lane] >> shift & 15;
    if (stored == 1) return 2 * c + (nibble == 0xe);
    if (stored == 2) return 4 * q + (nibble >> (2 * (c & 1)) & 3);
    return 8 * q + 2 * (nibble >> (c & 2) & 3) + (c & 1);
}

#define SPREAD(name, T)                                                                                                \
    static void name(const struct exec_warp *w, const struct matrix_op *op, const T *stored, T *out)                   \
    {                                                                                                                  \
        const struct fragment *a = &op->part[PART_A];                                                                  \
        unsigned k = op->x->k;                                                                                         \
        memset(out, 0, sizeof *out * a->rows * k);                                                                     \
        for (unsigned r = 0; r < a->rows; r++)                                                                         \
            for (unsigned c = 0; c < a->cols; c++)                                                                     \
                out[r * k + matrix_dense_column(w, op, r, c)] = stored[r * a->cols + c];                               \
    }
SPREAD(spread_floats, double)
SPREAD(spread_integers, int32_t)
#undef SPREAD

/* ---- mma ---- */

static void mma_floats(struct exec_warp *w, const struct matrix_op *op)
{
    const struct ptx_matrix *x = op->x;
    double a[A_MAX / 8], b[B_MAX / 4], c[C_MAX], dense[A_MAX / 8];
    uint64_t out[C_MAX];
    const double *pa = a;
    get_floats(w, &op->part[PART_A], a);
    get_floats(w, &op->part[PART_B], b);
    get_floats(w, &op->part[PART_C], c);
    if (x->sparse) {
        spread_floats(w, op, a, dense);
        pa = dense;
    }
    if (x->type[PART_A] == T_F64) {
        matrix_fma(x->m, x->n, x->k, pa, b, c, x->rnd);
    } else if (op->part[PART_A].rows != x->m) { /* m8n8k4 of f16: four products */
        double col[4 * 8];
        for (unsigned block = 0; block < 4; block++) {
            for (unsigned i = 0; i < 32; i++) col[i] = b[i / 8 * 32 + 8 * block + i % 8];
            matrix_floats(8, 8, 4, a + block * 32, col, c + block * 64);
        }
    } else {
        matrix_floats(x->m, x->n, x->k, pa, b, c);
    }
    const struct fragment *d = &op->part[PART_D];
    for (unsigned i = 0; i < (unsigned)d->rows * d->cols; i++) out[i] = matrix_pack(c[i], d->type, x->satfinite);
    put_fragment(w, d, out);
}

/* popc(a xor b) is the sum of both less twice what they share. */
static void xor_counts(const struct ptx_matrix *x, const int32_t *a, const int32_t *b, const int32_t *before,
                       int64_t *c)
{
    for (unsigned i = 0; i < x->m; i++)
        for (unsigned j = 0; j < x->n; j++) {
            int64_t sum = 0, *at = &c[i * x->n + j];
            for (unsigned h = 0; h < x->k; h++) sum += a[i * x->k + h] + b[h * x->n + j];
            *at = before[i * x->n + j] + sum - 2 * (*at - before[i * x->n + j]);
        }
}

static uint64_t pack_integer(int64_t v, bool satfinite)
{
    if (satfinite) v = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
    return (uint32_t)v;
}

static void mma_integers(struct exec_warp *w, const struct matrix_op *op)
{
    const struct ptx_matrix *x = op->x;
    int32_t a[A_MAX / 2], b[B_MAX / 4], c32[C_MAX], dense[A_MAX / 2];
    int64_t c[C_MAX];
    uint64_t out[C_MAX];
    const struct fragment *d = &op->part[PART_D];
    unsigned n = (unsigned)d->rows * d->cols;
    get_integers(w, &op->part[PART_A], a);
    get_integers(w, &op->part[PART_B], b);
    get_integers(w, &op->part[PART_C], c32);
    for (unsigned i = 0; i < n; i++) c[i] = c32[i];
    if (x->sparse) spread_integers(w, op, a, dense);
    matrix_integers(x->m, x->n, x->k, x->sparse ? dense : a, b, c);
    if (x->bits == BITS_XOR) xor_counts(x, a, b, c32, c);
    for (unsigned i = 0; i < n; i++) out[i] = pack_integer(c[i], x->satfinite);
    put_fragment(w, d, out);
}

int op_mma(struct exec_warp *w, const struct uop *u)
{
    if (u->matrix->x->type[PART_D] == T_S32) mma_integers(w, u->matrix);
    else mma_floats(w, u->matrix);
    return RUN_ON;
}

/* ---- wmma.load, wmma.store ---- */

/* The same for all lanes: the lowest one's. */
static void matrix_address(const struct exec_warp *w, const struct uop *u, uint64_t *base, uint32_t *stride)
{
    uint64_t addr[WARP_SIZE];
    const struct matrix_op *op = u->matrix;
    const struct fragment *f = &op->part[op->x->part];
    unsigned lane = bit_low32(w->exec);
    mem_addresses(w, u, addr);
    *base = addr[lane];
    *stride = op->has_stride ? at32(w, op->stride)[lane] : op->x->col[op->x->part] ? f->rows : f->cols;
}

/* What the timing half sees: lane by lane an equal piece of a row (or column). */
static int emit_tiles(struct exec_warp *w, const struct uop *u, uint64_t base, uint32_t stride)
{
    const struct matrix_op *op = u->matrix;
    const struct fragment *f = &op->part[op->x->part];
    unsigned line = (op->x->col[op->x->part] ? f->rows : f->cols) * (unsigned)f->bits / 8, per_line = line / op->tile;
    uint64_t addr[WARP_SIZE];
    for (unsigned i = 0; i < WARP_SIZE; i++)
        addr[i] = base + (uint64_t)(i / per_line) * stride * f->bits / 8u + i % per_line * op->tile;
    return mem_emit(w, u, addr);
}

/* Bit offset of an element in memory. */
static uint64_t bit_of(const struct ptx_matrix *x, const struct fragment *f, unsigned place, uint32_t stride)
{
    unsigned row = place / f->cols, col = place % f->cols;
    return (x->col[x->part] ? (uint64_t)col * stride + row : (uint64_t)row * stride + col) * f->bits;
}

int op_wmma_load(struct exec_warp *w, const struct uop *u)
{
    const struct matrix_op *op = u->matrix;
    const struct fragment *f = &op->part[op->x->part];
    uint64_t base, value[C_MAX];
    uint32_t stride;
    unsigned bytes = f->bits < 8 ? 1 : f->bits / 8;
    matrix_address(w, u, &base, &stride);
    if (emit_tiles(w, u, base, stride)) return RUN_FAULT;
    for (unsigned i = 0; i < (unsigned)f->rows * f->cols; i++) {
        uint64_t bit = bit_of(op->x, f, i, stride), v = 0;
        const uint8_t *p = mem_lane(w, u, bit_low32(w->exec), base + bit / 8, bytes, "load");
        if (!p) return RUN_FAULT;
        memcpy(&v, p, bytes);
        value[i] = f->bits < 8 ? v >> bit % 8 & ((1u << f->bits) - 1) : v;
    }
    put_fragment(w, f, value);
    return RUN_ON;
}

int op_wmma_store(struct exec_warp *w, const struct uop *u)
{
    const struct matrix_op *op = u->matrix;
    const struct fragment *f = &op->part[op->x->part];
    uint64_t base;
    uint32_t stride;
    matrix_address(w, u, &base, &stride);
    if (emit_tiles(w, u, base, stride)) return RUN_FAULT;
    w->run->progress++;
    for (unsigned lane = 0; lane < WARP_SIZE; lane++)
        for (unsigned e = 0; e < (unsigned)f->regs * f->per_reg; e++) {
            unsigned place = f->place[lane * f->regs * f->per_reg + e];
            uint64_t v = element(w, f, lane, e);
            uint8_t *p = mem_lane(w, u, lane, base + bit_of(op->x, f, place, stride) / 8, f->bits / 8u, "store");
            if (!p) return RUN_FAULT;
            memcpy(p, &v, f->bits / 8u);
        }
    return RUN_ON;
}

/* ---- ldmatrix, stmatrix, movmatrix: 8 x 8 halves ---- */

/* Lane i of 8 * count gives the address of row i % 8 of matrix i / 8; the other lanes repeat these. */
static int row_addresses(struct exec_warp *w, const struct uop *u, uint64_t addr[WARP_SIZE])
{
    unsigned rows = 8u * u->matrix->x->count;
    mem_addresses(w, u, addr);
    for (unsigned i = rows; i < WARP_SIZE; i++) addr[i] = addr[i % rows];
    return mem_emit(w, u, addr);
}

int op_ldmatrix(struct exec_warp *w, const struct uop *u)
{
    const struct matrix_op *op = u->matrix;
    uint64_t addr[WARP_SIZE];
    uint16_t m[4][8][8];
    if (row_addresses(w, u, addr)) return RUN_FAULT;
    for (unsigned i = 0; i < 8u * op->x->count; i++) {
        const uint8_t *p = mem_lane(w, u, i, addr[i], 16, "load");
        if (!p) return RUN_FAULT;
        memcpy(m[i / 8][i % 8], p, 16);
    }
    for (uint32_t on = w->exec; on; on &= on - 1) {
        unsigned lane = bit_low32(on), row = lane / 4, col = lane % 4 * 2;
        for (unsigned k = 0; k < op->x->count; k++) {
            uint32_t low = op->x->trans ? m[k][col][row] : m[k][row][col],
                     high = op->x->trans ? m[k][col + 1][row] : m[k][row][col + 1];
            at32(w, op->part[PART_D].reg[k])[lane] = low | high << 16;
        }
    }
    return RUN_ON;
}

static void gather_halves(const struct exec_warp *w, ref r, bool trans, uint16_t m[8][8])
{
    for (unsigned lane = 0; lane < WARP_SIZE; lane++) {
        unsigned row = lane / 4, col = lane % 4 * 2;
        uint32_t v = at32(w, r)[lane];
        m[trans ? col : row][trans ? row : col] = (uint16_t)v;
        m[trans ? col + 1 : row][trans ? row : col + 1] = (uint16_t)(v >> 16);
    }
}

int op_stmatrix(struct exec_warp *w, const struct uop *u)
{
    const struct matrix_op *op = u->matrix;
    uint64_t addr[WARP_SIZE];
    if (row_addresses(w, u, addr)) return RUN_FAULT;
    w->run->progress++;
    for (unsigned k = 0; k < op->x->count; k++) {
        uint16_t m[8][8];
        gather_halves(w, op->part[PART_D].reg[k], op->x->trans, m);
        for (unsigned row = 0; row < 8; row++) {
            uint8_t *p = mem_lane(w, u, 8 * k + row, addr[8 * k + row], 16, "store");
            if (!p) return RUN_FAULT;
            memcpy(p, m[row], 16);
        }
    }
    return RUN_ON;
}

int op_movmatrix(struct exec_warp *w, const struct uop *u)
{
    uint16_t m[8][8];
    gather_halves(w, u->s[0], true, m);
    for (uint32_t on = w->exec; on; on &= on - 1) {
        unsigned lane = bit_low32(on), row = lane / 4, col = lane % 4 * 2;
        at32(w, u->d)[lane] = m[row][col] | (uint32_t)m[row][col + 1] << 16;
    }
    return RUN_ON;
}
