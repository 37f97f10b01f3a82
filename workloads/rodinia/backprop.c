/* backprop.c - host code of backprop.cu: one forward pass and one adjustment of the weights. */
#include "workloads/common.h"

enum { IN_INPUTS };
enum { HID = 16, SIDE = 16, FORWARD = 1, ADJUST = 2 };

struct arrays {
    float *input, *weights, *last, *delta;
};

/* Sums of 16 inputs at a time, as the CTAs make them. */
static void check_forward(struct job *j, const struct arrays *h, const float *partial, size_t inputs)
{
    double *want = job_host(j, inputs / SIDE * HID, sizeof *want);
    if (j->failed) return;
    for (size_t i = 0; i < inputs; i++)
        for (size_t k = 0; k < HID; k++)
            want[i / SIDE * HID + k] += (double)h->weights[(HID + 1) * (i + 1) + k + 1] * h->input[i + 1];
    job_compare(j, "partial", partial, want, inputs / SIDE * HID, 1e-4);
}

static void forward(struct job *j, const struct arrays *h, size_t inputs)
{
    size_t count = (inputs + 1) * (HID + 1), sums = inputs / SIDE * HID, f = sizeof(float);
    float *got = job_host(j, sums, f);
    CUdeviceptr input = job_upload(j, h->input, inputs + 1, f), weights = job_upload(j, h->weights, count, f);
    CUdeviceptr partial = job_device(j, sums, f);
    int hid = HID;
    job_launch(j, job_kernel(j, "backprop_forward"), (struct shape){1, (unsigned)(inputs / SIDE), SIDE, SIDE},
               (void *[]){&input, &weights, &partial, &hid});
    job_result(j, got, partial, sums * f);
    if (j->run->check && !j->failed) check_forward(j, h, got, inputs);
}

static void check_adjust(struct job *j, const struct arrays *h, const float *weights, const float *last, size_t inputs)
{
    const double eta = 0.3f, momentum = 0.3f; /* as the kernel has them, rounded to float */
    size_t count = (inputs + 1) * (HID + 1);
    double *w = job_host(j, count, sizeof *w), *l = job_host(j, count, sizeof *l);
    if (j->failed) return;
    for (size_t i = 0; i <= inputs; i++)
        for (size_t k = 0; k <= HID; k++) {
            size_t at = (HID + 1) * i + k;
            double unit = i ? h->input[i] : 1, change = eta * h->delta[k] * unit + momentum * h->last[at];
            w[at] = h->weights[at] + (k ? change : 0); /* column 0 is not trained */
            l[at] = k ? change : h->last[at];
        }
    job_compare(j, "weights", weights, w, count, 1e-4);
    job_compare(j, "last", last, l, count, 1e-4);
}

static void adjust(struct job *j, const struct arrays *h, size_t inputs)
{
    size_t count = (inputs + 1) * (HID + 1), f = sizeof(float);
    float *w = job_host(j, count, f), *l = job_host(j, count, f);
    CUdeviceptr units = job_upload(j, h->input, inputs + 1, f), weights = job_upload(j, h->weights, count, f);
    CUdeviceptr last = job_upload(j, h->last, count, f), delta = job_upload(j, h->delta, HID + 1, f);
    int hid = HID;
    job_launch(j, job_kernel(j, "backprop_adjust"), (struct shape){1, (unsigned)(inputs / SIDE), SIDE, SIDE},
               (void *[]){&delta, &units, &weights, &last, &hid});
    job_result(j, w, weights, count * f);
    job_result(j, l, last, count * f);
    if (j->run->check && !j->failed) check_adjust(j, h, w, l, inputs);
}

static int execute(const struct workload *w, struct workload_run *r, int kernels)
{
    struct job j;
    if (!job_begin(&j, w, r, "backprop.ptx")) return 1;
    size_t inputs = ((size_t)r->in[IN_INPUTS] + SIDE - 1) / SIDE * SIDE, count = (inputs + 1) * (HID + 1);
    struct arrays h = {job_random(&j, inputs + 1, 0, 0, 1), job_random(&j, count, 1, 0, 1),
                       job_random(&j, count, 2, 0, 1), job_random(&j, HID + 1, 3, 0, 1)};
    if (kernels & FORWARD) forward(&j, &h, inputs);
    if (kernels & ADJUST) adjust(&j, &h, inputs);
    return job_end(&j);
}

static int run(struct workload_run *r) { return execute(&workload_backprop, r, FORWARD | ADJUST); }
static int run_1(struct workload_run *r) { return execute(&workload_backprop_1, r, FORWARD); }
static int run_2(struct workload_run *r) { return execute(&workload_backprop_2, r, ADJUST); }

#define INPUTS                                                                                                         \
    {                                                                                                                  \
        {                                                                                                              \
            "inputs", "units of the input layer, a multiple of 16", {512, 65536, 65536}, 16, 1 << 20                   \
        }                                                                                                              \
    }

const struct workload workload_backprop = {
    .name = "backprop",
    .suite = "rodinia",
    .help = "a network of 16 hidden units: forward pass, then adjustment of the weights",
    .aliases = "rodinia/backprop dycache/bp",
    .input = INPUTS,
    .run = run,
};

const struct workload workload_backprop_1 = {
    .name = "backprop_1",
    .suite = "rodinia",
    .help = "backprop's forward pass: misaligned rows, sums in shared memory",
    .aliases = "BP-1 mascar/bp-1",
    .input = INPUTS,
    .run = run_1,
};

const struct workload workload_backprop_2 = {
    .name = "backprop_2",
    .suite = "rodinia",
    .help = "backprop's adjustment: two streams of misaligned rows, read and written",
    .aliases = "BP-2 mascar/bp-2",
    .input = INPUTS,
    .run = run_2,
};
