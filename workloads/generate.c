/* generate.c - inputs made from a seed, the same on every machine.
 *
 * The generator is a counter passed through a 64-bit mixing function (splitmix64), so any number
 * of independent streams costs one multiplication each. */
#include "workloads/common.h"

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

struct random random_new(uint64_t seed, uint64_t stream) { return (struct random){mix(seed + mix(stream + 1))}; }

uint64_t random_next(struct random *r) { return mix(r->state += UINT64_C(0x9e3779b97f4a7c15)); }

uint32_t random_below(struct random *r, uint32_t bound) { return (uint32_t)(((random_next(r) >> 32) * bound) >> 32); }

void random_floats(float *out, size_t count, struct random r, float low, float high)
{
    for (size_t i = 0; i < count; i++) { /* 24 bits: every value is exact in a float */
        float unit = (float)(random_next(&r) >> 40) / 16777216.0f;
        out[i] = low + (high - low) * unit;
    }
}

void random_bytes(uint8_t *out, size_t count, struct random r)
{
    for (size_t i = 0; i < count; i++) out[i] = (uint8_t)(random_next(&r) >> 56);
}

/* Calls `edge` for each drawn pair; two calls with equal generators draw the same pairs. */
static void draw_pairs(const struct graph *g, int degree, struct random r,
                       void (*edge)(const struct graph *, int from, int to))
{
    int least = (degree - 2) / 2, most = (degree + 3) / 2; /* mean: degree / 2 */
    for (int from = 0; from < g->nodes; from++) {
        int partners = least + (int)random_below(&r, (uint32_t)(most - least + 1));
        for (int k = 0; k < partners; k++) edge(g, from, (int)random_below(&r, (uint32_t)g->nodes));
    }
}

static void count_edge(const struct graph *g, int from, int to)
{
    g->node[from].count++;
    g->node[to].count++;
}

static void place_edge(const struct graph *g, int from, int to)
{
    g->edge[g->node[from].start + g->node[from].count++] = to;
    g->edge[g->node[to].start + g->node[to].count++] = from;
}

void random_graph(struct job *j, struct graph *g, int nodes, int degree, struct random r)
{
    *g = (struct graph){.nodes = nodes};
    g->node = job_host(j, (size_t)nodes, sizeof *g->node);
    if (j->failed) return;
    draw_pairs(g, degree, r, count_edge);
    for (int i = 0; i < nodes; i++) {
        g->node[i].start = g->edges;
        g->edges += g->node[i].count;
        g->node[i].count = 0;
    }
    g->edge = job_host(j, (size_t)g->edges, sizeof *g->edge);
    if (!j->failed) draw_pairs(g, degree, r, place_edge);
}
