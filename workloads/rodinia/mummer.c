/* mummer.c - host code of mummer.cu: the suffix tree by Ukkonen's method, checked against a suffix array. */
#include <stdlib.h>
#include <string.h>

#include "workloads/common.h"

enum { IN_BASES, IN_QUERIES, IN_LENGTH, IN_LEAST, IN_GENOME };
enum { ROW = 4096 };
#define NO_LINK 0xffffffffu

/* A, C, T, G by bits 1 and 2 of the character. */
static unsigned letter(char c) { return (unsigned)c >> 1 & 3; }

struct node {
    unsigned start, end, link; /* end: 0 means the end of the text */
    unsigned child[4];
};

struct tree {
    struct node *node;
    unsigned count, bases;
    const char *text;
    unsigned active, edge, length, waiting; /* the active point; suffixes not yet in the tree */
    unsigned unlinked;                      /* internal node that waits for its link, or 0 */
};

static unsigned new_node(struct tree *t, unsigned start, unsigned end)
{
    t->node[t->count] = (struct node){.start = start, .end = end};
    return t->count++;
}

static void link_to(struct tree *t, unsigned node)
{
    if (t->unlinked) t->node[t->unlinked].link = node;
    t->unlinked = node;
}

/* Whether the active point had to move down past an edge. */
static bool walk_down(struct tree *t, unsigned next, unsigned pos)
{
    unsigned end = t->node[next].end ? t->node[next].end : pos + 1, length = end - t->node[next].start;
    if (t->length < length) return false;
    t->edge += length;
    t->length -= length;
    t->active = next;
    return true;
}

/* Splits the edge to `next` at the active point; the new node. */
static unsigned split_edge(struct tree *t, unsigned next, unsigned pos)
{
    unsigned start = t->node[next].start, middle = new_node(t, start, start + t->length);
    t->node[t->active].child[letter(t->text[t->edge])] = middle;
    t->node[middle].child[letter(t->text[pos])] = new_node(t, pos, 0);
    t->node[next].start += t->length;
    t->node[middle].child[letter(t->text[t->node[next].start])] = next;
    return middle;
}

static void extend(struct tree *t, unsigned pos)
{
    char c = t->text[pos];
    t->unlinked = 0;
    t->waiting++;
    while (t->waiting) {
        if (!t->length) t->edge = pos;
        unsigned *slot = &t->node[t->active].child[letter(t->text[t->edge])];
        if (!*slot) {
            unsigned leaf = new_node(t, pos, 0);
            t->node[t->active].child[letter(t->text[t->edge])] = leaf;
            link_to(t, t->active);
        } else {
            unsigned next = *slot;
            if (walk_down(t, next, pos)) continue;
            if (t->text[t->node[next].start + t->length] == c) {
                t->length++;
                link_to(t, t->active);
                break;
            }
            link_to(t, split_edge(t, next, pos));
        }
        t->waiting--;
        if (!t->active && t->length) {
            t->length--;
            t->edge = pos - t->waiting + 1;
        } else if (t->active) t->active = t->node[t->active].link;
    }
}

static void build_tree(struct job *j, struct tree *t, const char *text, unsigned bases)
{
    *t = (struct tree){.text = text, .bases = bases, .node = job_host(j, 2 * (size_t)bases + 2, sizeof *t->node)};
    if (j->failed) return;
    new_node(t, 0, 0);
    for (unsigned pos = 0; pos < bases; pos++) extend(t, pos);
}

/* Suffixes that are still implicit at the end stay so: matching needs no leaf for them. */
static bool is_leaf(const struct node *n) { return !n->child[0] && !n->child[1] && !n->child[2] && !n->child[3]; }

/* The arrays the kernel reads: nodes numbered by level, so that the top of the tree lies together. */
struct images {
    unsigned (*nodes)[4], (*children)[4];
    unsigned *depth; /* bases from the root to a node's edge */
    size_t rows;
};

static void lay_out(struct job *j, const struct tree *t, struct images *m)
{
    m->rows = (t->count + ROW - 1) / ROW;
    m->nodes = job_host(j, m->rows * ROW, sizeof *m->nodes);
    m->children = job_host(j, m->rows * ROW, sizeof *m->children);
    m->depth = job_host(j, t->count, sizeof *m->depth);
    unsigned *order = job_host(j, t->count, sizeof *order), *number = job_host(j, t->count, sizeof *number), n = 1;
    if (j->failed) return;
    for (unsigned i = 0; i < n; i++) {
        const struct node *a = &t->node[order[i]];
        unsigned end = a->end ? a->end : t->bases;
        for (unsigned k = 0; k < 4; k++) {
            if (!a->child[k]) continue;
            m->depth[n] = i ? m->depth[i] + end - a->start : 0;
            number[a->child[k]] = n;
            m->children[i][k] = n;
            order[n++] = a->child[k];
        }
    }
    for (unsigned i = 0; i < n; i++) {
        const struct node *a = &t->node[order[i]];
        m->nodes[i][0] = a->start;
        m->nodes[i][1] = a->end || !i ? a->end : t->bases;
        m->nodes[i][3] = i && is_leaf(a) ? NO_LINK : number[a->link];
    }
}

/* ---- the check: longest prefixes by a sorted list of all suffixes ---- */

static const char *sorted_text, *sorted_end;

static int by_suffix(const void *a, const void *b)
{
    const char *x = sorted_text + *(const unsigned *)a, *y = sorted_text + *(const unsigned *)b;
    size_t left = (size_t)(sorted_end - (x > y ? x : y));
    int c = memcmp(x, y, left < 64 ? left : 64); /* queries are shorter: the rest decides nothing */
    return c ? c : (x < y) - (x > y);
}

static unsigned common(const char *x, const char *end, const char *q, unsigned length)
{
    unsigned n = 0;
    while (n < length && x + n < end && x[n] == q[n]) n++;
    return n;
}

static unsigned longest(const unsigned *suffix, unsigned bases, const char *q, unsigned length)
{
    unsigned lo = 0, hi = bases; /* the first suffix not below q */
    while (lo < hi) {
        unsigned mid = lo + (hi - lo) / 2, n = common(sorted_text + suffix[mid], sorted_end, q, length);
        bool below = n < length && (sorted_text + suffix[mid] + n == sorted_end || sorted_text[suffix[mid] + n] < q[n]);
        if (below) lo = mid + 1;
        else hi = mid;
    }
    unsigned best = lo < bases ? common(sorted_text + suffix[lo], sorted_end, q, length) : 0;
    unsigned other = lo ? common(sorted_text + suffix[lo - 1], sorted_end, q, length) : 0;
    return best > other ? best : other;
}

struct search {
    unsigned bases, queries, length, least, pitch, places, genome;
    char *reference, *query; /* the reference, and behind it the rest of the genome */
};

static void check(struct job *j, const struct search *s, const struct images *m, unsigned (*got)[2])
{
    unsigned *suffix = job_host(j, s->bases, sizeof *suffix);
    if (j->failed) return;
    for (unsigned i = 0; i < s->bases; i++) suffix[i] = i;
    sorted_text = s->reference, sorted_end = s->reference + s->bases;
    qsort(suffix, s->bases, sizeof *suffix, by_suffix);
    for (size_t i = 0; i < (size_t)s->queries * s->places && !j->failed; i++) {
        const char *q = s->query + i / s->places * s->pitch + i % s->places;
        unsigned want = longest(suffix, s->bases, q, s->length - (unsigned)(i % s->places)), node = got[i][0];
        if (got[i][1] != want) {
            job_fail(j, "match[%zu] has %u bases, should have %u", i, got[i][1], want);
            break;
        }
        unsigned place = node ? m->nodes[node][0] - m->depth[node] : 0; /* where the reference has it */
        if (node >= m->rows * ROW || common(s->reference + place, sorted_end, q, want) != want)
            job_fail(j, "match[%zu] ends below node %u, which spells something else", i, node);
    }
    j->checked += (size_t)s->queries * s->places;
}

/* ---- the run ---- */

/* The share of each base, per thousand, in the reference that the public scripts use. */
static char draw_base(struct random *r)
{
    uint32_t at = random_below(r, 1000);
    return at < 332 ? 'A' : at < 332 + 305 ? 'T' : at < 332 + 305 + 210 ? 'G' : 'C';
}

/* The reference is the beginning of a genome, the queries are pieces of all of it: most of them are not in the
 * reference. */
static void make_search(struct job *j, struct search *s)
{
    struct random r = random_new(j->run->seed, 0);
    s->reference = job_host(j, s->genome, 1);
    s->query = job_host(j, (size_t)s->queries * s->pitch, 1);
    if (j->failed) return;
    for (unsigned i = 0; i < s->genome; i++) s->reference[i] = draw_base(&r);
    for (unsigned i = 0; i < s->queries; i++)
        memcpy(s->query + (size_t)i * s->pitch, s->reference + random_below(&r, s->genome - s->length + 1), s->length);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_mummer, r, "mummer.ptx")) return 1;
    const int64_t *in = r->in;
    struct search s = {(unsigned)in[IN_BASES],
                       (unsigned)in[IN_QUERIES],
                       (unsigned)in[IN_LENGTH],
                       (unsigned)in[IN_LEAST],
                       (unsigned)in[IN_LENGTH] + 1,
                       0,
                       (unsigned)(in[IN_GENOME] ? in[IN_GENOME] : in[IN_BASES]),
                       NULL,
                       NULL};
    if (s.genome < s.bases) job_fail(&j, "genome=%u: the reference is a part of it", s.genome);
    if (s.length > s.bases) job_fail(&j, "length=%u: longer than the reference", s.length);
    if (s.least > s.length) job_fail(&j, "least=%u: longer than a query", s.least);
    s.places = s.length - s.least + 1;
    if (!j.failed) make_search(&j, &s);
    struct tree t;
    struct images m = {0};
    build_tree(&j, &t, s.reference, s.bases);
    if (!j.failed) lay_out(&j, &t, &m);
    size_t results = (size_t)s.queries * (j.failed ? 1 : s.places);
    const struct texels four = {CU_AD_FORMAT_UNSIGNED_INT32, 4, 16};
    CUtexObject nodes = job_texture_2d(&j, m.nodes, ROW, m.rows, four);
    CUtexObject children = job_texture_2d(&j, m.children, ROW, m.rows, four);
    CUdeviceptr query = job_upload(&j, s.query, (size_t)s.queries * s.pitch, 1);
    CUdeviceptr reference = job_upload(&j, s.reference, s.bases, 1), out = job_device(&j, results, 8);
    unsigned(*got)[2] = job_host(&j, results, sizeof *got);
    job_launch(&j, job_kernel(&j, "mummer"), shape_cover(s.queries, 1, 256, 1),
               (void *[]){&nodes, &children, &query, &reference, &out, &s.queries, &s.pitch, &s.length, &s.least});
    job_result(&j, got, out, results * 8);
    if (r->check && !j.failed) check(&j, &s, &m, got);
    return job_end(&j);
}

const struct workload workload_mummer = {
    .name = "mummer",
    .suite = "rodinia",
    .help = "DNA queries in a suffix tree: nodes and children in 2-D textures, a thread a query",
    .aliases = "MUM rodinia/mummergpu mascar/mummer hac/mum",
    .input = {{"bases", "bases of the reference", {2000, 1399930, 1399930}, 8, 1 << 24},
              {"queries", "queries", {200, 23040, 50000}, 1, 1 << 20},
              {"length", "bases of a query", {25, 25, 25}, 1, 63},
              {"least", "the shortest match asked for", {20, 20, 20}, 1, 63},
              {"genome",
               "bases the queries are taken from, the reference first; 0: only that",
               {7468, 5227293, 5227293},
               0,
               1 << 24}},
    .run = run,
};
