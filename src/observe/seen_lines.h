/* seen_lines.h - what is known of every line an SM loaded: a hash table that only grows. */
#ifndef WL_OBSERVE_SEEN_LINES_H
#define WL_OBSERVE_SEEN_LINES_H

#include <stdbool.h>
#include <stdint.h>

enum { LINE_CHUNKS = 4 /* 32-byte sectors */, NO_NODE = -1 };

/* Where a line is, or why it left. */
enum line_place { NEVER_THERE, THERE, LEFT_EVICTED, LEFT_KILLED, LEFT_FLUSHED };

struct seen_line {
    uint64_t line;
    /* in the L1D */
    uint8_t place;     /* enum line_place */
    uint8_t used;      /* sectors touched since it was allocated */
    uint8_t used_now;  /* sectors touched since it was allocated or this kernel began, whichever is later */
    bool again;        /* asked for again since it was allocated */
    bool gone;         /* evicted in this kernel and not asked for since */
    uint32_t accesses; /* requests since it was allocated or this kernel began, whichever is later */
    uint32_t left_by;  /* the warp that evicted it */
    /* in an infinite cache, emptied at the end of a kernel */
    uint32_t total; /* requests for the line */
    uint32_t own;   /* requests of `owner` */
    uint32_t owner; /* the warp that brought the line */
    uint32_t pc;    /* the load that brought the line */
    uint32_t last;  /* number of the last request for it */
    int32_t reuse;  /* first node of its reuse distances, NO_NODE */
};

/* A line's type is only known at the end of the kernel, so its reuse distances wait in a list of
 * buckets; few lines have more than a few. */
struct reuse_node {
    int32_t next;
    uint32_t bucket, count;
};

struct line_map {
    struct seen_line *line;
    uint32_t used, cap;
    uint32_t *bucket, mask; /* [mask + 1] index into line + 1; 0: empty */
    struct reuse_node *node;
    uint32_t nodes, node_cap;
};

/* One step of the machine adds less than this many lines and nodes. */
enum { LINES_A_STEP = 8 };
static inline bool lines_short(const struct line_map *m)
{
    return m->used + LINES_A_STEP > m->cap || m->nodes + LINES_A_STEP > m->node_cap;
}
int lines_grow(struct line_map *m);
void lines_destroy(struct line_map *m);
/* The line's entry, made when it is new. */
struct seen_line *lines_get(struct line_map *m, uint64_t line);
/* One more reuse at a distance of this bucket. */
void lines_add_reuse(struct line_map *m, struct seen_line *l, uint32_t bucket);
/* The lists of all lines are empty again. */
static inline void lines_drop_reuse(struct line_map *m) { m->nodes = 0; }

#endif
