/* neuralnet.c - host code of neuralnet.cu: four layers one after another. */
#include <math.h>
#include <stdio.h>

#include "workloads/common.h"

enum { IN_IMAGES };
enum { LAYERS = 4 };

/* A layer as the reference sees it: which inputs feed output (map, y, x). */
static const struct layer {
    unsigned maps, side; /* outputs: maps of side x side, which is also the CTA */
    unsigned inputs, in_maps, in_side;
    float scale; /* of random weights, so that sums stay where the function bends */
} layers[LAYERS] = {
    {6, 13, 25, 1, 29, 0.3f}, {50, 5, 150, 6, 13, 0.1f}, {100, 1, 1250, 50, 5, 0.05f}, {10, 1, 100, 100, 1, 0.2f}};

static double output(const struct layer *l, const double *in, const float *w, unsigned y, unsigned x)
{
    double sum = (double)w[0];
    for (unsigned k = 0; k < l->inputs; k++) {
        unsigned from = k; /* the dense layers: all inputs in order */
        if (l->side > 1)
            from = k % l->in_maps * l->in_side * l->in_side + (2 * y + k / l->in_maps / 5) * l->in_side + 2 * x +
                   k / l->in_maps % 5;
        sum += (double)w[1 + k] * in[from];
    }
    return 1.7159 * tanh(2.0 / 3 * sum);
}

static unsigned outputs(const struct layer *l) { return l->maps * l->side * l->side; }

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_neuralnet, r, "neuralnet.ptx")) return 1;
    size_t images = (size_t)r->in[IN_IMAGES], in_each = 841;
    float *image = job_random(&j, images * in_each, 0, 0, 1);
    CUdeviceptr in = job_upload(&j, image, images * in_each, sizeof(float));
    double *before = job_host(&j, images * in_each, sizeof *before);
    for (size_t i = 0; !j.failed && i < images * in_each; i++) before[i] = (double)image[i];
    for (unsigned n = 0; n < LAYERS && !j.failed; n++) {
        const struct layer *l = &layers[n];
        char name[16];
        size_t weights = (size_t)l->maps * (l->inputs + 1), out_each = outputs(l), count = images * out_each;
        float *w = job_random(&j, weights, 1 + n, -l->scale, l->scale), *got = job_host(&j, count, sizeof *got);
        double *want = job_host(&j, count, sizeof *want);
        CUdeviceptr dw = job_upload(&j, w, weights, sizeof *w), out = job_device(&j, count, sizeof *w);
        snprintf(name, sizeof name, "neuralnet_%u", n + 1);
        job_launch(&j, job_kernel(&j, name), (struct shape){l->maps, (unsigned)images, l->side, l->side},
                   (void *[]){&in, &dw, &out});
        job_result(&j, got, out, count * sizeof *got);
        for (size_t i = 0; !j.failed && r->check && i < count; i++) {
            unsigned at = (unsigned)(i % out_each), area = l->side * l->side;
            want[i] = output(l, before + i / out_each * in_each, w + at / area * (l->inputs + 1), at % area / l->side,
                             at % l->side);
        }
        if (!j.failed && r->check) job_compare(&j, name, got, want, count, 1e-3);
        in = out, before = want, in_each = out_each;
    }
    return job_end(&j);
}

const struct workload workload_neuralnet = {
    .name = "neuralnet",
    .suite = "ispass",
    .help = "a network that reads digits: two convolutions, two layers of one-thread CTAs",
    .aliases = "NN ispass/nn hac/nn",
    .input = {{"images", "images", {1, 13, 28}, 1, 1000}},
    .run = run,
};
