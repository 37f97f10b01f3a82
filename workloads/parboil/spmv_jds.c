/* spmv_jds.c - host code of spmv_jds.cu: a random matrix, half of it close to the diagonal. */
#include "workloads/common.h"

enum { IN_ROWS, IN_NONZEROS };
enum { MAX_NONZEROS = 500, BAND = 64 };

struct matrix {
    int rows, padded, longest, entries; /* rows, padded to whole warps */
    int *length, *order;                /* by place: entries of the row, its number before sorting */
    int *diagonal, *warp_diagonals, *column;
    float *value;
};

/* Lengths 1 .. 2 * mean - 1, longest first: a counting sort, which leaves equal rows in order. */
static void sort_rows(struct job *j, struct matrix *m, int mean, struct random *r)
{
    size_t rows = (size_t)m->rows;
    int *length = job_host(j, rows, sizeof(int)), *place = job_host(j, 2 * MAX_NONZEROS + 1, sizeof(int));
    if (j->failed) return;
    for (size_t i = 0; i < rows; i++) length[i] = 1 + (int)random_below(r, (uint32_t)(2 * mean - 1));
    for (size_t i = 0; i < rows; i++) place[length[i] - 1]++; /* place[l]: rows longer than l, below */
    for (int l = 2 * MAX_NONZEROS - 1; l >= 0; l--) place[l] += place[l + 1];
    for (size_t i = rows; i-- > 0;) {
        int to = --place[length[i] - 1];
        m->length[to] = length[i];
        m->order[to] = (int)i;
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

static void fill(struct job *j, struct matrix *m, struct random *r)
{
    m->column = job_host(j, (size_t)m->entries, sizeof(int));
    m->value = job_host(j, (size_t)m->entries, sizeof(float));
    if (j->failed) return;
    for (int i = 0; i < m->rows; i++)
        for (int k = 0; k < m->length[i]; k++) {
            int near = m->order[i] + (int)random_below(r, 2 * BAND) - BAND,
                any = (int)random_below(r, (uint32_t)m->rows);
            int at = m->diagonal[k] + i;
            m->column[at] = k % 2 && near >= 0 && near < m->rows ? near : any;
            m->value[at] = (float)(1 + random_below(r, 1000)) / 1000.0f;
        }
}

static void make_matrix(struct job *j, struct matrix *m, int mean)
{
    struct random r = random_new(j->run->seed, 0);
    size_t padded = (size_t)m->padded;
    m->length = job_host(j, padded, sizeof(int)), m->order = job_host(j, padded, sizeof(int));
    m->diagonal = job_host(j, 2 * MAX_NONZEROS, sizeof(int));
    m->warp_diagonals = job_host(j, padded / 32, sizeof(int));
    sort_rows(j, m, mean, &r);
    if (!j->failed) place_diagonals(m);
    fill(j, m, &r);
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
    struct matrix m = {.rows = (int)r->in[IN_ROWS]};
    m.padded = (m.rows + 31) / 32 * 32;
    make_matrix(&j, &m, (int)r->in[IN_NONZEROS]);
    size_t rows = (size_t)m.rows, entries = (size_t)m.entries, f = sizeof(float);
    float *x = job_random(&j, rows, 1, 0, 1), *got = job_host(&j, rows, f);
    CUdeviceptr value = job_upload(&j, m.value, entries, f), column = job_upload(&j, m.column, entries, f);
    CUdeviceptr order = job_upload(&j, m.order, rows, f), dx = job_upload(&j, x, rows, f), y = job_device(&j, rows, f);
    job_copy_to(&j, "diagonal", m.diagonal, (size_t)m.longest * sizeof(int));
    job_copy_to(&j, "warp_diagonals", m.warp_diagonals, (size_t)m.padded / 32 * sizeof(int));
    job_launch(&j, job_kernel(&j, "spmv_jds"), shape_cover(m.rows, 1, 192, 1),
               (void *[]){&value, &column, &order, &dx, &y, &m.rows});
    job_copy_out(&j, got, y, rows * f);
    if (r->check && !j.failed) check(&j, &m, x, got);
    return job_end(&j);
}

const struct workload workload_spmv_jds = {
    .name = "spmv_jds",
    .suite = "parboil",
    .help = "sparse matrix times vector, jagged diagonals, a thread per row",
    .aliases = "parboil/spmv apcm/spmv mascar/spmv",
    .input = {{"rows", "rows and columns", {700, 65536, 131072}, 1, 1 << 18},
              {"nonzeros", "entries of a row, on average", {6, 16, 16}, 1, MAX_NONZEROS}},
    .run = run,
};
