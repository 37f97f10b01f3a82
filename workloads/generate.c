/* generate.c - inputs made from a seed, the same on every machine.
 *
 * The generator is a counter passed through a 64-bit mixing function (splitmix64), so any number
 * of independent streams costs one multiplication each. */
#include "workloads/common.h"

#include <stdlib.h>

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

/* ---- text ---- */

enum { VOCABULARY = 4096, WORD_MAX = 12 };

/* Word number `rank`, in letters from `first` on; returns its length. */
static size_t spell(char *out, uint32_t rank, char first)
{
    uint64_t letters = mix(rank + 1);
    size_t length = 2 + letters % (WORD_MAX - 1);
    for (size_t i = 0; i < length; i++, letters = mix(letters)) out[i] = (char)(first + (char)(letters % 26));
    return length;
}

static uint32_t word_rank(struct random *r) { return random_below(r, 1 + random_below(r, VOCABULARY)); }

struct text_buffer {
    char *out;
    size_t used, room;
};

static void put(struct text_buffer *t, const char *s, size_t length)
{
    for (size_t i = 0; i < length && t->used < t->room; i++) t->out[t->used++] = s[i];
}

static void put_string(struct text_buffer *t, const char *s)
{
    while (*s) put(t, s++, 1);
}

static void put_word(struct text_buffer *t, struct random *r, char first)
{
    char word[WORD_MAX];
    size_t length = spell(word, word_rank(r), first);
    put(t, word, length);
}

static void put_address(struct text_buffer *t, struct random *r)
{
    put_string(t, "http://www.");
    put_word(t, r, 'a');
    put_string(t, ".org");
    for (uint32_t parts = 1 + random_below(r, 4); parts; parts--) {
        put_string(t, "/");
        put_word(t, r, 'a');
    }
}

void random_words(char *out, size_t bytes, struct random r)
{
    struct text_buffer t = {out, 0, bytes};
    while (t.used < bytes) {
        put_word(&t, &r, 'A');
        put_string(&t, random_below(&r, 12) ? " " : random_below(&r, 2) ? ", " : "\n");
    }
}

void random_html(char *out, size_t bytes, struct random r)
{
    struct text_buffer t = {out, 0, bytes};
    while (t.used < bytes) {
        bool link = random_below(&r, 100) == 0; /* one in about a thousand characters */
        if (link) {
            put_string(&t, "<a href=\"");
            put_address(&t, &r);
            put_string(&t, "\">");
        }
        put_word(&t, &r, 'a');
        put_string(&t, link ? "</a> " : random_below(&r, 20) ? " " : "<p>\n");
    }
}

size_t random_log_line(char out[LOG_LINE_MAX], struct random *r)
{
    struct text_buffer t = {out, 0, LOG_LINE_MAX};
    put_address(&t, r);
    put_string(&t, "\t");
    for (unsigned part = 0; part < 4; part++) {
        uint32_t value = random_below(r, 256);
        const char digits[] = {(char)('0' + value / 100), (char)('0' + value / 10 % 10), (char)('0' + value % 10), '.'};
        put(&t, digits, 4);
    }
    put_string(&t, "\t");
    for (uint32_t words = 4 + random_below(r, 6); words; words--) {
        put_word(&t, r, 'a');
        put_string(&t, words > 1 ? " " : "\n");
    }
    if (t.used == t.room) out[LOG_LINE_MAX - 1] = '\n'; /* a line that was cut still ends */
    return t.used;
}

/* ---- graphs with weights ---- */

/* Two ends, the lesser first, as one number that sorts. */
static uint64_t pair_of(uint32_t a, uint32_t b) { return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a; }

/* One end of an edge for each bit of the numbers; which number has the many edges is then scrambled,
 * so that they are not neighbours. */
static uint64_t rmat_pair(struct random *r, unsigned bits)
{
    uint32_t a = 0, b = 0, mask = (UINT32_C(1) << bits) - 1;
    for (unsigned i = 0; i < bits; i++) {
        uint32_t p = random_below(r, 100);
        a = a << 1 | (p >= 67);
        b = b << 1 | ((p >= 45 && p < 67) || p >= 89);
    }
    return pair_of((a * UINT32_C(0x9e3779b1) + 77) & mask, (b * UINT32_C(0x9e3779b1) + 77) & mask);
}

static uint64_t uniform_pair(struct random *r, unsigned bits)
{
    uint32_t a = random_below(r, UINT32_C(1) << bits), b = random_below(r, UINT32_C(1) << bits);
    return pair_of(a, b);
}

/* Draws until `count` pairs are of two different nodes that exist. */
static size_t draw_edges(uint64_t *pair, int nodes, size_t count, struct random *r,
                         uint64_t (*draw)(struct random *, unsigned bits))
{
    unsigned bits = 1;
    while (((uint32_t)1 << bits) < (uint32_t)nodes) bits++;
    size_t made = 0;
    for (size_t tries = 0; nodes > 1 && made < count && tries < 8 * count; tries++) {
        uint64_t p = draw(r, bits);
        uint32_t a = (uint32_t)(p >> 32), b = (uint32_t)p; /* b is the greater */
        if (a != b && b < (uint32_t)nodes) pair[made++] = p;
    }
    return made;
}

/* At most two streets per node and one road for every 64 nodes; `count` bounds them all. */
static size_t road_pairs(uint64_t *pair, int nodes, size_t count, struct random *r)
{
    uint32_t n = (uint32_t)nodes, side = 1;
    while (side * side < n) side++;
    size_t made = 0;
    for (uint32_t i = 0; i < n && made + 3 <= count; i++) {
        if ((i + 1) % side && i + 1 < n && random_below(r, 8)) pair[made++] = pair_of(i, i + 1);
        if (i + side < n && random_below(r, 8)) pair[made++] = pair_of(i, i + side);
        uint32_t far = random_below(r, n);
        if (random_below(r, 64) == 0 && far != i) pair[made++] = pair_of(i, far);
    }
    return made;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t sort_unique(uint64_t *pair, size_t count)
{
    size_t kept = 0;
    qsort(pair, count, sizeof *pair, by_value);
    for (size_t i = 0; i < count; i++)
        if (!kept || pair[kept - 1] != pair[i]) pair[kept++] = pair[i];
    return kept;
}

static void shuffle(uint64_t *pair, size_t count, struct random *r)
{
    for (size_t i = count; i > 1; i--) {
        size_t other = random_below(r, (uint32_t)i);
        uint64_t swap = pair[i - 1];
        pair[i - 1] = pair[other];
        pair[other] = swap;
    }
}

static void fill_csr(struct csr *g, const uint64_t *pair, size_t pairs, struct random *r)
{
    int *at = g->start + 1; /* where a node's next edge goes; ends up as where the next node's begin */
    for (size_t i = 0; i < pairs; i++) g->start[(pair[i] >> 32) + 1]++, g->start[(uint32_t)pair[i] + 1]++;
    for (int i = 0, sum = 0; i < g->nodes; i++) {
        int count = at[i];
        at[i] = sum;
        sum += count;
    }
    for (size_t i = 0; i < pairs; i++) {
        int a = (int)(pair[i] >> 32), b = (int)(uint32_t)pair[i], weight = 1 + (int)random_below(r, 100);
        g->weight[at[a]] = weight, g->edge[at[a]++] = b;
        g->weight[at[b]] = weight, g->edge[at[b]++] = a;
    }
}

void random_csr(struct job *j, struct csr *g, enum graph_kind kind, int nodes, int degree, struct random r)
{
    size_t wanted = ((size_t)nodes * (size_t)degree + 1) / 2 + 3, pairs = 0;
    if (kind == GRAPH_ROAD) wanted = 3 * (size_t)nodes + 3; /* a grid has the degree it has */
    uint64_t *pair = job_host(j, wanted, sizeof *pair);
    *g = (struct csr){.nodes = nodes, .start = job_host(j, (size_t)nodes + 2, sizeof *g->start)};
    if (j->failed) return;
    pairs = kind == GRAPH_ROAD ? road_pairs(pair, nodes, wanted, &r)
                               : draw_edges(pair, nodes, wanted, &r, kind == GRAPH_RMAT ? rmat_pair : uniform_pair);
    pairs = sort_unique(pair, pairs);
    shuffle(pair, pairs, &r);
    g->edges = (int)(2 * pairs);
    g->edge = job_host(j, 2 * pairs, sizeof *g->edge);
    g->weight = job_host(j, 2 * pairs, sizeof *g->weight);
    if (!j->failed) fill_csr(g, pair, pairs, &r);
}
