/* matrix.c - which lane holds which element of a matrix, and how many registers that takes.
 *
 * mma, wgmma: PTX ISA, "Matrix Fragments for mma". But for the m8n8k4 of f16, all shapes follow one rule. Lanes form
 * eight groups of four; a 32-bit register holds E elements that lie side by side. A: row = group (+ 8 for odd
 * registers of 16 rows), column = 4E per further register and E per lane of the group. B: the same with rows and
 * columns exchanged. C and D: two elements per lane side by side, then the eight rows below, then the next 8 columns.
 * wmma: the elements in the order of the matrix, lane by lane; accumulators of m16n16 as two m16n8 of mma, which is
 * what the hardware does from sm_75 on. */
#include "ptx/matrix.h"

unsigned matrix_type_bits(unsigned type)
{
    switch (type) {
    case T_S4:
    case T_U4: return 4;
    case T_B1: return 1;
    default: return ptx_type_bits(type);
    }
}

/* The product of sm_70: four of them, each by eight lanes, side by side. */
static bool is_volta(const struct ptx_matrix *x) { return x->kind == MAT_MMA && x->k == 4 && x->type[PART_A] == T_F16; }

unsigned matrix_rows(const struct ptx_matrix *x, enum matrix_part part)
{
    return part == PART_B ? x->k : is_volta(x) ? 4u * x->m : x->m;
}

unsigned matrix_cols(const struct ptx_matrix *x, enum matrix_part part)
{
    if (part == PART_A) return x->k / (x->sparse ? 2u : 1u);
    return part == PART_B && is_volta(x) ? 4u * x->n : x->n;
}

static bool is_wmma(const struct ptx_matrix *x)
{
    return x->kind == MAT_WMMA_LOAD || x->kind == MAT_WMMA_MMA || x->kind == MAT_WMMA_STORE;
}

unsigned matrix_regs(const struct ptx_matrix *x, enum matrix_part part)
{
    unsigned bits = matrix_type_bits(x->type[part]), reg = bits == 64 ? 64 : 32;
    if (is_wmma(x) && part < PART_C && x->type[part] == T_F16) return 8; /* elements are held twice */
    if (is_volta(x)) return part < PART_C ? 2 : bits == 32 ? 8 : 4;
    unsigned m = x->kind == MAT_WGMMA && part != PART_B ? 16 : matrix_rows(x, part); /* a warp of four has a quarter */
    unsigned n = m * matrix_cols(x, part) * bits / reg / WARP_SIZE;
    return n ? n : 1;
}

static unsigned volta_place(const struct ptx_matrix *x, enum matrix_part part, unsigned lane, unsigned e)
{
    unsigned block = lane % 16 / 4, low = lane % 4, upper = lane < 16 ? 0 : 4, row, col;
    switch (part) {
    case PART_A:
        row = x->col[PART_A] ? e + upper : low + upper;
        return (8 * block + row) * 4 + (x->col[PART_A] ? low : e);
    case PART_B:
        row = x->col[PART_B] ? e : low;
        col = x->col[PART_B] ? low + upper : e + upper;
        return row * 32 + 8 * block + col;
    default:
        row = x->type[part] == T_F16 ? low : (lane & 1) + (e & 2);
        col = x->type[part] == T_F16 ? e : (e & 4) + (lane & 2) + (e & 1);
        return (8 * block + row + upper) * 8 + col;
    }
}

unsigned matrix_place(const struct ptx_matrix *x, enum matrix_part part, unsigned lane, unsigned e)
{
    unsigned bits = matrix_type_bits(x->type[part]), per = bits == 64 ? 1 : 32 / bits;
    unsigned rows = matrix_rows(x, part), cols = matrix_cols(x, part), group = lane / 4, quad = lane % 4;
    unsigned r = e / per, i = e % per;
    if (is_volta(x)) return volta_place(x, part, lane, e);
    bool plain = is_wmma(x) && !(part >= PART_C && x->m == 16 && x->n == 16);
    if (plain) return (lane * matrix_regs(x, part) * per + e) % (rows * cols);
    if (part == PART_B) return (quad * per + i + 4 * per * r) * cols + group;
    if (part == PART_A) {
        unsigned tall = x->m > 8;
        return (group + (tall ? 8 * (r & 1) : 0)) * cols + quad * per + i + 4 * per * (tall ? r >> 1 : r);
    }
    unsigned row = group + (x->m > 8 ? 8 * (e >> 1 & 1) : 0), block = x->m > 8 ? e >> 2 : e >> 1;
    return row * cols + 8 * block + quad * 2 + (e & 1);
}

/* ---- what there is ---- */

struct shape_row {
    uint8_t type;
    uint16_t m, n, k;
};

static bool is_listed(const struct shape_row *row, unsigned count, const struct ptx_matrix *x)
{
    unsigned type = x->type[PART_A];
    if (type == T_U8) type = T_S8;
    if (type == T_U4) type = T_S4;
    if (type == T_BF16 && x->kind != MAT_MMA) type = T_F16;
    if (type == T_E5M2) type = T_E4M3;
    for (unsigned i = 0; i < count; i++)
        if (row[i].type == type && row[i].m == x->m && row[i].n == x->n && row[i].k == x->k) return true;
    return false;
}

static const struct shape_row dense[] = {
    {T_F16, 8, 8, 4},    {T_F16, 16, 8, 8},  {T_F16, 16, 8, 16}, {T_BF16, 16, 8, 8}, {T_BF16, 16, 8, 16},
    {T_TF32, 16, 8, 4},  {T_TF32, 16, 8, 8}, {T_F64, 8, 8, 4},   {T_F64, 16, 8, 4},  {T_F64, 16, 8, 8},
    {T_F64, 16, 8, 16},  {T_S8, 8, 8, 16},   {T_S8, 16, 8, 16},  {T_S8, 16, 8, 32},  {T_S4, 8, 8, 32},
    {T_S4, 16, 8, 32},   {T_S4, 16, 8, 64},  {T_B1, 8, 8, 128},  {T_B1, 16, 8, 128}, {T_B1, 16, 8, 256},
    {T_E4M3, 16, 8, 16}, {T_E4M3, 16, 8, 32}};
static const struct shape_row halved[] = {{T_F16, 16, 8, 16},  {T_F16, 16, 8, 32}, {T_BF16, 16, 8, 16},
                                          {T_BF16, 16, 8, 32}, {T_TF32, 16, 8, 8}, {T_TF32, 16, 8, 16},
                                          {T_S8, 16, 8, 32},   {T_S8, 16, 8, 64},  {T_S4, 16, 8, 64},
                                          {T_S4, 16, 8, 128},  {T_E4M3, 16, 8, 64}};
static const struct shape_row wmma[] = {
    {T_F16, 16, 16, 16}, {T_F16, 8, 32, 16},  {T_F16, 32, 8, 16}, {T_S8, 16, 16, 16}, {T_S8, 8, 32, 16},
    {T_S8, 32, 8, 16},   {T_TF32, 16, 16, 8}, {T_F64, 8, 8, 4},   {T_S4, 8, 8, 32},   {T_B1, 8, 8, 128}};

static bool is_integer(unsigned type)
{
    return type == T_S8 || type == T_U8 || type == T_S4 || type == T_U4 || type == T_B1;
}

/* What the sum may be. */
static bool sums_to(unsigned a, unsigned c)
{
    if (is_integer(a)) return c == T_S32;
    if (a == T_F64) return c == T_F64;
    return c == T_F32 || (c == T_F16 && (a == T_F16 || a == T_E4M3 || a == T_E5M2));
}

static bool wgmma_shape(const struct ptx_matrix *x)
{
    unsigned bits = matrix_type_bits(x->type[PART_A]), k = 256 / bits * (x->sparse ? 2u : 1u);
    bool ints = is_integer(x->type[PART_A]);
    return x->m == 64 && x->k == k && x->n >= 8 && x->n <= 256 && x->n % 8 == 0 && !(ints && x->n > 32 && x->n % 16);
}

#define COUNT(a) (sizeof(a) / sizeof *(a))

const char *matrix_check(const struct ptx_matrix *x)
{
    unsigned a = x->type[PART_A], b = x->type[PART_B], c = x->type[PART_C], d = x->type[PART_D];
    bool listed = x->kind == MAT_WGMMA ? wgmma_shape(x)
                  : x->kind != MAT_MMA ? is_listed(wmma, COUNT(wmma), x)
                  : x->sparse          ? is_listed(halved, COUNT(halved), x)
                                       : is_listed(dense, COUNT(dense), x);
    bool eight = (a == T_E4M3 || a == T_E5M2) && (b == T_E4M3 || b == T_E5M2);
    bool same = a == b || eight || (is_integer(a) && is_integer(b) && matrix_type_bits(a) == matrix_type_bits(b));
    if (!listed) return "there is no such shape for this type";
    if (x->kind == MAT_WMMA_LOAD || x->kind == MAT_WMMA_STORE) return NULL;
    if (!same) return "the types of A and B do not go together";
    if (!sums_to(a, c) || !sums_to(a, d)) return "the types of C and D do not go with that of A";
    if (c != d && !(c == T_F32 && d == T_F16) && !(c == T_F16 && d == T_F32)) return "C and D do not go together";
    if ((a == T_B1) != (x->bits != BITS_NONE)) return ".b1 needs .xor.popc or .and.popc, and only .b1";
    return NULL;
}
