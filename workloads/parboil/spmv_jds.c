/* spmv_jds.c - host code of spmv_jds.cu: the matrix of a finite-element problem on a square.
 *
 * Parboil's largest set is Dubcova3, a matrix of bicubic elements (383 x 383 points, 3.6 million entries); Dubcova2
 * has the same with biquadratic ones on 255 x 255 points. A point is coupled with every point of the elements it
 * lies in, so a row has 9, 15 or 25 entries (bicubic: 16, 28 or 49) in a few runs of neighbouring columns. The
 * pattern made here has the 1,030,225 entries of the second and, within six, those of the first; the values are
 * random. */
#include "workloads/common.h"

enum { IN_SIDE, IN_DEGREE };
enum { MAX_DEGREE = 8, MAX_LENGTH = (2 * MAX_DEGREE + 1) * (2 * MAX_DEGREE + 1) };

struct matrix {
    int side, degree;
    int rows, padded, longest, entries; /* rows, padded to whole warps */
    int *length, *order;                /* by place: entries of the row, its number before sorting */
    int *diagonal, *warp_diagonals, *column;
    float *value;
};

/* Along one direction: the points that share an element with point `at`. Elements begin at every degree-th point
 * of the line, which has one more point at each end, where the solution is known: those have no row. */
struct reach {
    int first, count;
};

static struct reach reach_of(const struct matrix *m, int at)
{
    int place = at + 1, end = m->side + 1, corner = place / m->degree * m->degree;
    int first = corner == place ? place - m->degree : corner, last = corner + m->degree;
    if (first < 1) first = 1;
    if (last > end - 1) last = end - 1;
    return (struct reach){first - 1, last - first + 1};
}

static int row_length(const struct matrix *m, int row)
{
    return reach_of(m, row / m->side).count * reach_of(m, row % m->side).count;
}

static int row_column(const struct matrix *m, int row, int k)
{
    struct reach down = reach_of(m, row / m->side), across = reach_of(m, row % m->side);
    return (down.first + k / across.count) * m->side + across.first + k % across.count;
}

/* Longest first: a counting sort, which leaves equal rows in order. */
static void sort_rows(struct job *j, struct matrix *m)
{
    int *place = job_host(j, MAX_LENGTH + 1, sizeof(int)); /* place[l]: rows longer than l, below */
    if (j->failed) return;
    for (int i = 0; i < m->rows; i++) place[row_length(m, i) - 1]++;
    for (int l = MAX_LENGTH - 1; l >= 0; l--) place[l] += place[l + 1];
    for (int i = m->rows; i-- > 0;) {
        int length = row_length(m, i), to = --place[length - 1];
        m->length[to] = length;
        m->order[to] = i;
    }
}

/* Every row of a warp is padded to the warp's longest, its first. */
static void place_diagonals(struct matrix *m)
{
    for (int i = 0; i < m->padded; i += 32) m->warp_diagonals[i / 32] = m->length[i];
    m->longest = m->length[0];
    for (int k = 0; k < m->longest; k++) {
        m->diagonal[k] = m->entries;
        for (int w = 0; w < m->padded / 32 && m->warp_diagonals[w] > k; w++) m->entries += 32;
    }
}

static void fill(struct job *j, struct matrix *m)
{
    struct random r = random_new(j->run->seed, 0);
    m->column = job_host(j, (size_t)m->entries, sizeof(int));
    m->value = job_host(j, (size_t)m->entries, sizeof(float));
    if (j->failed) return;
    for (int i = 0; i < m->rows; i++)
        for (int k = 0; k < m->length[i]; k++) {
            int at = m->diagonal[k] + i;
            m->column[at] = row_column(m, m->order[i], k);
            m->value[at] = (float)(1 + random_below(&r, 1000)) / 1000.0f;
        }
}

static void make_matrix(struct job *j, struct matrix *m)
{
    size_t padded = (size_t)m->padded;
    m->length = job_host(j, padded, sizeof(int)), m->order = job_host(j, padded, sizeof(int));
    m->diagonal = job_host(j, MAX_LENGTH, sizeof(int));
    m->warp_diagonals = job_host(j, padded / 32, sizeof(int));
    if (!j->failed) sort_rows(j, m);
    if (!j->failed) place_diagonals(m);
    fill(j, m);
}

static void check(struct job *j, const struct matrix *m, const float *x, const float *got)
{
    double *want = job_host(j, (size_t)m->rows, sizeof *want);
    for (int i = 0; !j->failed && i < m->rows; i++)
        for (int k = 0; k < m->length[i]; k++) {
            int at = m->diagonal[k] + i;
            want[m->order[i]] += (double)m->value[at] * (double)x[m->column[at]];
        }
    if (!j->failed) job_compare(j, "y", got, want, (size_t)m->rows, 1e-4);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_spmv_jds, r, "spmv_jds.ptx")) return 1;
    struct matrix m = {.side = (int)r->in[IN_SIDE], .degree = (int)r->in[IN_DEGREE]};
    m.rows = m.side * m.side;
    m.padded = (m.rows + 31) / 32 * 32;
    make_matrix(&j, &m);
    size_t rows = (size_t)m.rows, entries = (size_t)m.entries, f = sizeof(float);
    float *x = job_random(&j, rows, 1, 0, 1), *got = job_host(&j, rows, f);
    CUdeviceptr value = job_upload(&j, m.value, entries, f), column = job_upload(&j, m.column, entries, f);
    CUdeviceptr order = job_upload(&j, m.order, rows, f), dx = job_upload(&j, x, rows, f), y = job_device(&j, rows, f);
    job_copy_to(&j, "diagonal", m.diagonal, (size_t)m.longest * sizeof(int));
    job_copy_to(&j, "warp_diagonals", m.warp_diagonals, (size_t)m.padded / 32 * sizeof(int));
    job_launch(&j, job_kernel(&j, "spmv_jds"), shape_cover(m.rows, 1, 192, 1),
               (void *[]){&value, &column, &order, &dx, &y, &m.rows});
    job_result(&j, got, y, rows * f);
    if (r->check && !j.failed) check(&j, &m, x, got);
    return job_end(&j);
}

const struct workload workload_spmv_jds = {
    .name = "spmv_jds",
    .suite = "parboil",
    .help = "sparse matrix times vector, jagged diagonals, a thread per row",
    .aliases = "parboil/spmv apcm/spmv mascar/spmv",
    .input = {{"side", "points along a side of the square; a row of the matrix each", {26, 383, 383}, 1, 512},
              {"degree", "degree of the elements: 2 for 16 entries in a row, 3 for 25", {2, 3, 3}, 1, MAX_DEGREE}},
    .run = run,
};
