#include "observe/seen_lines.h"

#include <stdlib.h>

static uint32_t line_map_start(const struct line_map *m, uint64_t line)
{
    return (uint32_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 32) & m->mask;
}

static void line_map_put(struct line_map *m, uint32_t index)
{
    uint32_t b = line_map_start(m, m->line[index].line);
    while (m->bucket[b]) b = (b + 1) & m->mask;
    m->bucket[b] = index + 1;
}

static int grow_lines(struct line_map *m)
{
    uint32_t cap = m->cap ? 2 * m->cap : 1024, buckets = 2 * cap;
    struct seen_line *line = realloc(m->line, cap * sizeof *line);
    if (!line) return -1;
    m->line = line;
    uint32_t *bucket = calloc(buckets, sizeof *bucket);
    if (!bucket) return -1;
    free(m->bucket);
    m->bucket = bucket;
    m->mask = buckets - 1;
    m->cap = cap;
    for (uint32_t i = 0; i < m->used; i++) line_map_put(m, i);
    return 0;
}

static int grow_nodes(struct line_map *m)
{
    uint32_t cap = m->node_cap ? 2 * m->node_cap : 1024;
    struct reuse_node *node = realloc(m->node, cap * sizeof *node);
    if (!node) return -1;
    m->node = node;
    m->node_cap = cap;
    return 0;
}

int lines_grow(struct line_map *m)
{
    if (m->used + LINES_A_STEP > m->cap && grow_lines(m)) return -1;
    return m->nodes + LINES_A_STEP > m->node_cap ? grow_nodes(m) : 0;
}

void lines_destroy(struct line_map *m)
{
    free(m->line);
    free(m->bucket);
    free(m->node);
}

struct seen_line *lines_get(struct line_map *m, uint64_t line)
{
    uint32_t b = line_map_start(m, line);
    for (; m->bucket[b]; b = (b + 1) & m->mask)
        if (m->line[m->bucket[b] - 1].line == line) return &m->line[m->bucket[b] - 1];
    struct seen_line *l = &m->line[m->used++];
    *l = (struct seen_line){.line = line, .reuse = NO_NODE};
    m->bucket[b] = m->used;
    return l;
}

void lines_add_reuse(struct line_map *m, struct seen_line *l, uint32_t bucket)
{
    for (int32_t i = l->reuse; i != NO_NODE; i = m->node[i].next)
        if (m->node[i].bucket == bucket) {
            m->node[i].count++;
            return;
        }
    m->node[m->nodes] = (struct reuse_node){l->reuse, bucket, 1};
    l->reuse = (int32_t)m->nodes++;
}
