/* cutcp.c - host code of cutcp.cu: atoms at 0.1 a cubic Angstrom, lattice spacing 0.5. */
#include <math.h>
#include <stdlib.h>

#include "workloads/common.h"

enum { IN_CTAS, IN_CUTOFF };
enum { DEPTH = 8, MAX_NEAR = 1024 };

struct box { /* as the kernel's */
    int bins, rim, side;
    float spacing, cutoff2;
};

static const double bin_side = 4.0;

/* Bins from which an atom can reach a point of bin 0. */
static int find_near(double cutoff, int *out)
{
    int reach = (int)ceil(cutoff / bin_side), n = 0;
    for (int z = -reach; z <= reach; z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x <= reach; x++) {
                int at[3] = {x, y, z};
                double d2 = 0;
                for (int a = 0; a < 3; a++) {
                    double gap = (abs(at[a]) - 1) * bin_side;
                    d2 += gap > 0 ? gap * gap : 0;
                }
                if (d2 >= cutoff * cutoff || n == MAX_NEAR) continue;
                out[3 * n] = x, out[3 * n + 1] = y, out[3 * n + 2] = z;
                n++;
            }
    return n;
}

/* Up to eight atoms a bin, 6.4 on average; charges of both signs. */
static void fill_bins(struct job *j, const struct box *b, float (*atom)[4])
{
    struct random r = random_new(j->run->seed, 0);
    int n = b->bins;
    for (int k = 0; !j->failed && k < n * n * n; k++) {
        int many = 5 + (int)random_below(&r, 4), at[3] = {k % n, k / n % n, k / n / n};
        for (int i = 0; i < many; i++) {
            float *p = atom[k * DEPTH + i], unit[4];
            random_floats(unit, 4, random_new(random_next(&r), 0), 0, 1);
            for (int a = 0; a < 3; a++) p[a] = (float)(((double)(at[a] - b->rim) + (double)unit[a]) * bin_side);
            p[3] = unit[3] < 0.5f ? -1 : 1;
        }
    }
}

static double potential_at(const struct box *b, float (*atom)[4], const int *near, int count, int x, int y, int z)
{
    double sum = 0, p[3] = {x * (double)b->spacing, y * (double)b->spacing, z * (double)b->spacing};
    for (int k = 0; k < count; k++) {
        int bx = x / 8 + b->rim + near[3 * k], by = y / 8 + b->rim + near[3 * k + 1],
            bz = z / 8 + b->rim + near[3 * k + 2];
        for (int a = 0; a < DEPTH; a++) {
            const float *q = atom[((bz * b->bins + by) * b->bins + bx) * DEPTH + a];
            double r2 = 0;
            for (int i = 0; i < 3; i++) r2 += (p[i] - (double)q[i]) * (p[i] - (double)q[i]);
            double near_one = 1 - r2 / (double)b->cutoff2;
            if (q[3] != 0 && r2 < (double)b->cutoff2) sum += (double)q[3] / sqrt(r2) * near_one * near_one;
        }
    }
    return sum;
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_cutcp, r, "cutcp.ptx")) return 1;
    int ctas = (int)r->in[IN_CTAS], near[3 * MAX_NEAR], count;
    double cutoff = (double)r->in[IN_CUTOFF];
    struct box b = {
        .rim = (int)ceil(cutoff / bin_side), .side = 8 * ctas, .spacing = 0.5f, .cutoff2 = (float)(cutoff * cutoff)};
    b.bins = ctas + 2 * b.rim;
    count = find_near(cutoff, near);
    size_t bins = (size_t)(b.bins * b.bins * b.bins), side = (size_t)b.side, n = side * side * side;
    float(*atom)[4] = job_host(&j, bins * DEPTH, sizeof *atom), *got = job_host(&j, n, sizeof *got);
    double *want = job_host(&j, n, sizeof *want);
    fill_bins(&j, &b, atom);
    CUdeviceptr datoms = job_upload(&j, atom, bins * DEPTH, sizeof *atom), out = job_device(&j, n, sizeof(float));
    job_copy_to(&j, "near_count", &count, sizeof count);
    job_copy_to(&j, "near_bins", near, 3 * (size_t)count * sizeof *near);
    unsigned grid[3] = {(unsigned)ctas, (unsigned)ctas, (unsigned)ctas}, block[3] = {8, 2, 8};
    job_launch_3d(&j, job_kernel(&j, "cutcp"), grid, block, (void *[]){&datoms, &out, &b});
    job_result(&j, got, out, n * sizeof *got);
    for (size_t i = 0; !j.failed && r->check && i < n; i++)
        want[i] = potential_at(&b, atom, near, count, (int)(i % side), (int)(i / side % side), (int)(i / side / side));
    if (!j.failed && r->check) job_compare(&j, "potential", got, want, n, 1e-3);
    return job_end(&j);
}

const struct workload workload_cutcp = {
    .name = "cutcp",
    .suite = "parboil",
    .help = "electric potential on a lattice, atoms within a cutoff, bins through shared memory",
    .aliases = "parboil/cutcp mascar/cutcp",
    .input = {{"ctas", "CTAs (8 lattice points) along a side", {1, 5, 12}, 1, 64},
              {"cutoff", "cutoff in Angstrom", {4, 8, 12}, 1, 16}},
    .run = run,
};
