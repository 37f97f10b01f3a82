/* matrix.h - matrix instructions: mma, wmma, wgmma, ldmatrix, stmatrix, movmatrix.
 *
 * A warp holds a matrix in pieces: each lane has some elements of it, its fragment. Which ones is defined by PTX for
 * mma, wgmma and the ldmatrix family, and left to the implementation for wmma. matrix_place is the one description of
 * it; lowering makes tables from it, and what executes only sees tables. */
#ifndef WL_PTX_MATRIX_H
#define WL_PTX_MATRIX_H

#include "ptx/exec_priv.h"

/* clang-format off */
enum matrix_kind { MAT_MMA, MAT_WMMA_LOAD, MAT_WMMA_MMA, MAT_WMMA_STORE, MAT_LDMATRIX, MAT_STMATRIX, MAT_MOVMATRIX,
                   MAT_WGMMA, MAT_WGMMA_ORDER /* fence, commit_group, wait_group */ };
/* clang-format on */
enum matrix_part { PART_A, PART_B, PART_C, PART_D, PARTS };
enum matrix_bits { BITS_NONE, BITS_XOR, BITS_AND }; /* .b1: how two bits are multiplied */

struct ptx_matrix {
    uint8_t kind;        /* enum matrix_kind */
    uint16_t m, n, k;    /* of the dense product */
    uint8_t type[PARTS]; /* enum ptx_type of the elements */
    bool col[PARTS];     /* stored column by column; of a wgmma: rows of the operand are the fast dimension */
    uint8_t part;        /* wmma.load, wmma.store: what is moved */
    uint8_t count;       /* ldmatrix, stmatrix: matrices */
    uint8_t bits;        /* enum matrix_bits */
    bool trans, sparse, satfinite;
    uint8_t rnd;             /* of f64 */
    int8_t scale_a, scale_b; /* wgmma: 1 or -1 */
    bool a_in_regs;          /* wgmma */
};

unsigned matrix_type_bits(unsigned type);
/* Registers of a lane that hold `part`. */
unsigned matrix_regs(const struct ptx_matrix *x, enum matrix_part part);
/* Rows and columns of `part`; A of a sparse product has half of its columns. */
unsigned matrix_rows(const struct ptx_matrix *x, enum matrix_part part);
unsigned matrix_cols(const struct ptx_matrix *x, enum matrix_part part);
/* Where element e (bits e * size of the fragment's registers in order) of `lane` is: row * columns + column. */
unsigned matrix_place(const struct ptx_matrix *x, enum matrix_part part, unsigned lane, unsigned e);
/* NULL, or what is wrong with the combination of shape and types. */
const char *matrix_check(const struct ptx_matrix *x);

/* ---- lowered ---- */

struct fragment {
    const ref *reg;
    uint8_t regs, bits, per_reg; /* bits of an element, elements of a register */
    bool wide;                   /* 64-bit registers */
    uint8_t type;
    uint16_t rows, cols;
    const uint16_t *place; /* by lane * regs * per_reg + element */
};

struct matrix_op {
    const struct ptx_matrix *x;
    struct fragment part[PARTS];
    ref meta;           /* sparse: the metadata */
    ref selector;       /* sparse: which lanes hold it */
    ref stride;         /* wmma.load, wmma.store: elements between two rows, if has_stride */
    ref scale_d;        /* wgmma: a predicate */
    ref desc_a, desc_b; /* wgmma: descriptors */
    bool has_stride;
    uint16_t tile; /* wmma.load, wmma.store: bytes each lane moves, as the timing half sees it */
};

/* The column of the dense matrix that column c of a sparse A stands for; of a wgmma, row is one of the warp's 16. */
unsigned matrix_dense_column(const struct exec_warp *w, const struct matrix_op *op, unsigned row, unsigned c);

/* ---- elements (matrix_math.c) ---- */

double matrix_value(uint64_t bits, unsigned type); /* of a floating-point element */
int32_t matrix_integer(uint64_t bits, unsigned type);
uint64_t matrix_pack(double x, unsigned type, bool satfinite);

/* Products of matrices that lie in plain arrays; a is m * k, b is k * n, c is m * n, all row by row. Floating-point
 * sums are made in double, in increasing k, and rounded once by whoever packs them. */
enum { MATRIX_M = 32, MATRIX_N = 256, MATRIX_K = 256 };
void matrix_floats(unsigned m, unsigned n, unsigned k, const double *a, const double *b, double *c);
void matrix_fma(unsigned m, unsigned n, unsigned k, const double *a, const double *b, double *c, unsigned rnd);
void matrix_integers(unsigned m, unsigned n, unsigned k, const int32_t *a, const int32_t *b, int64_t *c);

uop_fn op_mma, op_wmma_load, op_wmma_store, op_ldmatrix, op_stmatrix, op_movmatrix, op_wgmma;

#endif
