/* common.h - what the host side of every workload needs: a job, inputs from a seed, comparison.
 *
 * A job is one run of a workload. It owns everything the run allocates and remembers the first
 * failure: after one, every further call does nothing, so host code reads straight through and
 * asks `failed` only before it touches memory it was given. */
#ifndef WL_WORKLOADS_COMMON_H
#define WL_WORKLOADS_COMMON_H

#include <stddef.h>

#include "warpline/cuda.h"
#include "workloads/workload.h"

#define W(name) extern const struct workload workload_##name;
#include "workloads/workloads.def"
#undef W

enum { JOB_MAX_BUFFERS = 32, JOB_MAX_TEXTURES = 4 };

struct job {
    struct workload_run *run;
    const char *ptx; /* text of the module */
    bool failed;
    bool context; /* the primary context is retained */
    CUmodule module;
    CUdeviceptr device[JOB_MAX_BUFFERS];
    void *host[JOB_MAX_BUFFERS];
    unsigned devices, hosts;
    CUtexObject texture[JOB_MAX_TEXTURES];
    CUarray array[JOB_MAX_TEXTURES]; /* NULL: the texture shows linear memory */
    unsigned textures;
    size_t checked; /* values compared so far */
    double worst;   /* largest relative error among them */
};

/* Checks the inputs against the workload's table, opens the device and loads the kernels of
 * `ptx_file`. Returns false, with the message set, when that fails. */
bool job_begin(struct job *j, const struct workload *w, struct workload_run *r, const char *ptx_file);
/* Frees everything, writes the message of a run that went well; the value run() returns. */
int job_end(struct job *j);
void job_fail(struct job *j, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void *job_host(struct job *j, size_t count, size_t bytes); /* zeroed; NULL after a failure */
CUdeviceptr job_device(struct job *j, size_t count, size_t bytes);
/* A device buffer with a copy of `src`. */
CUdeviceptr job_upload(struct job *j, const void *src, size_t count, size_t bytes);
/* The same of an array that only the check looks at afterwards: without one its memory is given back piece by piece, so
 * that inputs as large as the device's are not held twice. */
CUdeviceptr job_move(struct job *j, void *src, size_t count, size_t bytes);
void job_move_in(struct job *j, CUdeviceptr dst, void *src, size_t bytes);
/* The second half of that: such a piece was copied. Of small ones the ends add up: JOB_PIECE is a good size. */
enum { JOB_PIECE = 1 << 20 };
void job_forget(struct job *j, void *src, size_t bytes);
/* A host array of random floats; stream `stream` of the run's seed. */
float *job_random(struct job *j, size_t count, uint64_t stream, float low, float high);
CUfunction job_kernel(struct job *j, const char *name);
/* The kernel compiled for this size, "name_1024", when the module has it; else the general one. */
CUfunction job_kernel_sized(struct job *j, const char *name, int size);
/* Fills the module's variable of this name: constant memory. */
void job_copy_to(struct job *j, const char *variable, const void *src, size_t bytes);
void job_copy_in(struct job *j, CUdeviceptr dst, const void *src, size_t bytes);
void job_copy_out(struct job *j, void *dst, CUdeviceptr src, size_t bytes);
/* The same of a result that only the check looks at: it is left where it is when there is none. */
void job_result(struct job *j, void *dst, CUdeviceptr src, size_t bytes);
void job_copy(struct job *j, CUdeviceptr dst, CUdeviceptr src, size_t bytes); /* within the device */

/* Textures of elements as they are (integers stay integers), point filtering, unnormalised coordinates.
 * Linear: `count` texels at `p`, 0 outside. Array: a copy of `src`, row by row; clamped at its edges. */
struct texels {
    CUarray_format format;
    unsigned channels, bytes; /* bytes of a texel */
};
CUtexObject job_texture(struct job *j, CUdeviceptr p, size_t count, struct texels t);
CUtexObject job_texture_2d(struct job *j, const void *src, size_t width, size_t height, struct texels t);

struct shape {
    unsigned grid_x, grid_y, block_x, block_y;
};
/* Blocks of bx x by threads that cover nx x ny. */
struct shape shape_cover(int64_t nx, int64_t ny, unsigned bx, unsigned by);
/* `params`: the addresses of the kernel's arguments, in order. */
void job_launch(struct job *j, CUfunction f, struct shape s, void **params);
void job_launch_shared(struct job *j, CUfunction f, struct shape s, size_t shared, void **params); /* bytes per CTA */
void job_launch_3d(struct job *j, CUfunction f, const unsigned grid[3], const unsigned block[3], void **params);

/* ---- comparison with the CPU reference ---- */

/* Fails the job when a value is off by more than `tolerance`, relative to the larger of the value's
 * own magnitude and the mean magnitude of all: sums that cancel to nearly nothing carry the rounding
 * of their terms. */
void job_compare_floats(struct job *j, const char *what, const float *got, const double *want, size_t count,
                        double tolerance);
void job_compare_doubles(struct job *j, const char *what, const double *got, const double *want, size_t count,
                         double tolerance);
void job_compare_ints(struct job *j, const char *what, const int *got, const int *want, size_t count);
/* Host code writes job_compare whatever the type of `got`; integers have no tolerance. */
#define job_compare(j, what, got, ...)                                                                                 \
    _Generic((got), float * : job_compare_floats, const float * : job_compare_floats, double * : job_compare_doubles,  \
             const double * : job_compare_doubles, int * : job_compare_ints, const int * : job_compare_ints)(          \
        j, what, got, __VA_ARGS__)

/* ---- inputs from a seed ---- */

struct random {
    uint64_t state;
};
struct random random_new(uint64_t seed, uint64_t stream); /* independent streams of one seed */
uint64_t random_next(struct random *r);
uint32_t random_below(struct random *r, uint32_t bound); /* 0 .. bound - 1 */
void random_floats(float *out, size_t count, struct random r, float low, float high);
void random_bytes(uint8_t *out, size_t count, struct random r);

/* A random graph in compressed rows. Each node draws about degree / 2 partners uniformly; an edge
 * runs both ways, so nodes have `degree` edges on average. */
struct graph_node {
    int start, count;
};
struct graph {
    int nodes, edges;
    struct graph_node *node;
    int *edge;
};
/* The arrays belong to the job. */
void random_graph(struct job *j, struct graph *g, int nodes, int degree, struct random r);

/* Text of exactly `bytes` characters. Common words are common: a word's rank is drawn twice. */
void random_words(char *out, size_t bytes, struct random r); /* upper-case words, blanks, line ends */
void random_html(char *out, size_t bytes, struct random r);  /* words and links, <a href="...">...</a> */
/* A line of a web log: address, tab, visitor, tab, program, line end. Returns its length, LOG_LINE_MAX at most. */
enum { LOG_LINE_MAX = 192 };
size_t random_log_line(char out[LOG_LINE_MAX], struct random *r);

/* An undirected graph in compressed rows with weights 1 .. 100, no loops, no edge twice: each is in
 * the lists of both its ends, in random order. */
enum graph_kind {
    GRAPH_RMAT,    /* recursive quarters (0.45, 0.22, 0.22, 0.11): few nodes have many edges */
    GRAPH_ROAD,    /* a square grid with one street in eight missing and a few long roads */
    GRAPH_UNIFORM, /* any pair as likely as any other */
    GRAPH_KINDS
};
struct csr {
    int nodes, edges;
    int *start, *edge, *weight; /* node i: edges start[i] .. start[i + 1] - 1 */
};
/* `degree`: edges drawn for a node, counted at both ends; pairs drawn twice are dropped. */
void random_csr(struct job *j, struct csr *g, enum graph_kind kind, int nodes, int degree, struct random r);

#endif
