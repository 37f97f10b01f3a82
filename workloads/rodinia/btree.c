/* btree.c - host code of btree.cu: a tree of even keys, queries for keys and ranges of them. */
#include <limits.h>

#include "workloads/common.h"

enum { IN_KEYS, IN_QUERIES };
enum { ORDER = 256, FILL = ORDER / 2 }; /* entries a node is given: as after splitting */

struct node {
    int location, index[ORDER + 1], key[ORDER + 1], leaf, count;
};

struct tree {
    struct node *node; /* leaves first, the root last */
    int keys, nodes, height;
};

static int ceil_div(int a, int b) { return (a + b - 1) / b; }
static int key_of(int record) { return 2 * record + 1; }

/* A level over `below` entries, the first of which is number `first`. `step`: keys below an entry. */
static void add_level(struct tree *t, int first, int below, int step, bool leaf)
{
    for (int at = 0; at < below; at += FILL) {
        struct node *n = &t->node[t->nodes];
        n->location = t->nodes++;
        n->leaf = leaf;
        n->count = below - at < FILL ? below - at : FILL;
        for (int k = 0; k <= ORDER; k++) n->key[k] = INT_MAX; /* matches no query */
        for (int k = 0; k < n->count; k++) {
            n->index[k] = first + at + k;
            n->key[k] = key_of((at + k) * step);
        }
    }
}

static void make_tree(struct job *j, struct tree *t)
{
    int total = 0;
    for (int level = t->keys; level > 1 || !total; level = ceil_div(level, FILL)) total += ceil_div(level, FILL);
    t->node = job_host(j, (size_t)total, sizeof *t->node);
    if (j->failed) return;
    add_level(t, 0, t->keys, 1, true);
    for (int first = 0, below = t->nodes, step = FILL; below > 1; t->height++) {
        int here = t->nodes;
        add_level(t, first, below, step, false);
        first = here;
        below = t->nodes - here;
        step *= FILL;
    }
}

struct queries {
    int count, *from, *to, *record_from, *record_to;
    int64_t *root;
};

static void make_queries(struct job *j, struct queries *q, const struct tree *t)
{
    size_t n = (size_t)q->count;
    q->from = job_host(j, n, sizeof(int)), q->to = job_host(j, n, sizeof(int));
    q->record_from = job_host(j, n, sizeof(int)), q->record_to = job_host(j, n, sizeof(int));
    q->root = job_host(j, n, sizeof *q->root);
    if (j->failed) return;
    struct random r = random_new(j->run->seed, 0);
    for (size_t i = 0; i < n; i++) {
        int a = (int)random_below(&r, (uint32_t)t->keys), room = t->keys - a;
        int b = a + (int)random_below(&r, (uint32_t)(room < 1000 ? room : 1000));
        q->record_from[i] = a, q->record_to[i] = b;
        q->from[i] = key_of(a), q->to[i] = key_of(b);
        q->root[i] = t->nodes - 1;
    }
}

static void find(struct job *j, struct tree *t, struct queries *q, CUdeviceptr nodes)
{
    size_t n = (size_t)q->count, k = (size_t)t->keys;
    int *records = job_host(j, k, sizeof(int)), *got = job_host(j, n, sizeof(int)), *want = job_host(j, n, sizeof(int));
    struct random r = random_new(j->run->seed, 1);
    for (size_t i = 0; records && i < k; i++) records[i] = (int)random_below(&r, INT_MAX);
    CUdeviceptr current = job_upload(j, q->root, n, 8), next = job_upload(j, q->root, n, 8);
    CUdeviceptr keys = job_upload(j, q->from, n, sizeof(int)), drecords = job_upload(j, records, k, sizeof(int));
    CUdeviceptr answer = job_upload(j, got, n, sizeof(int));
    job_launch(j, job_kernel(j, "btree_find"), (struct shape){(unsigned)n, 1, ORDER, 1},
               (void *[]){&t->height, &nodes, &current, &next, &keys, &drecords, &answer});
    job_result(j, got, answer, n * sizeof(int));
    for (size_t i = 0; !j->failed && i < n; i++) want[i] = records[q->record_from[i]];
    if (j->run->check && !j->failed) job_compare(j, "answer", got, want, n);
}

static void range(struct job *j, struct tree *t, struct queries *q, CUdeviceptr nodes)
{
    size_t n = (size_t)q->count;
    int *start = job_host(j, n, sizeof(int)), *length = job_host(j, n, sizeof(int)),
        *want = job_host(j, n, sizeof(int));
    CUdeviceptr place[4];
    for (unsigned i = 0; i < 4; i++) place[i] = job_upload(j, q->root, n, 8);
    CUdeviceptr from = job_upload(j, q->from, n, sizeof(int)), to = job_upload(j, q->to, n, sizeof(int));
    CUdeviceptr dstart = job_upload(j, start, n, sizeof(int)), dlength = job_upload(j, start, n, sizeof(int));
    job_launch(
        j, job_kernel(j, "btree_range"), (struct shape){(unsigned)n, 1, ORDER, 1},
        (void *[]){&t->height, &nodes, &place[0], &place[1], &place[2], &place[3], &from, &to, &dstart, &dlength});
    job_result(j, start, dstart, n * sizeof(int));
    job_result(j, length, dlength, n * sizeof(int));
    for (size_t i = 0; !j->failed && i < n; i++) want[i] = q->record_to[i] - q->record_from[i] + 1;
    if (j->failed || !j->run->check) return;
    job_compare(j, "start", start, q->record_from, n);
    job_compare(j, "length", length, want, n);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_btree, r, "btree.ptx")) return 1;
    struct tree t = {.keys = (int)r->in[IN_KEYS]};
    struct queries q = {.count = (int)r->in[IN_QUERIES]};
    make_tree(&j, &t);
    make_queries(&j, &q, &t);
    CUdeviceptr nodes = job_upload(&j, t.node, (size_t)t.nodes, sizeof *t.node);
    find(&j, &t, &q, nodes);
    range(&j, &t, &q, nodes);
    return job_end(&j);
}

const struct workload workload_btree = {
    .name = "btree",
    .suite = "rodinia",
    .help = "B+ tree of order 256: a CTA per query, single keys, then ranges",
    .aliases = "b+tree rodinia/b+tree dycache/bt",
    .input = {{"keys", "keys in the tree", {20000, 100000, 1000000}, 1, 1 << 24},
              {"queries", "queries of each kind", {20, 1500, 10000}, 1, 1 << 16}},
    .run = run,
};
