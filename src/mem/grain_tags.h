/* grain_tags.h - the tag store of a cache of grains (include/warpline/grain.h says what that is).
 *
 * Pure bookkeeping: it knows sets, lines, slots and which MSHR entry fills a slot, nothing of queues
 * or requests; l1_grain.c drives it. Whole sector numbers (byte address / 32) are kept as tags, so
 * a hashed index needs no care; grain_split says what the hardware would keep of them. */
#ifndef WL_MEM_GRAIN_TAGS_H
#define WL_MEM_GRAIN_TAGS_H

#include "warpline/grain.h"

enum { GRAIN_SLOTS = 4, GRAIN_ALL = 15 };

struct grain_line {
    uint64_t common;              /* the region of all slots */
    uint64_t last;                /* last use of the line */
    uint64_t sector[GRAIN_SLOTS]; /* what each slot holds: byte address / 32 */
    uint64_t stamp[GRAIN_SLOTS];  /* last use of each slot */
    uint32_t mshr[GRAIN_SLOTS];   /* of reserved and doomed slots */
    /* Masks of slots; one that is in none of the first three is invalid. A doomed slot waits for data
     * that a flush has made unwelcome; its line is out of use until then. */
    uint8_t valid, reserved, doomed;
    uint8_t dirty; /* valid slots that were written */
    uint8_t used;  /* valid slots that a load has touched */
};

struct grains {
    uint32_t sets, ways;
    uint32_t bytes;              /* granularity */
    bool single, retain, bypass; /* as in struct wl_grains */
    uint64_t now;                /* counts loads: the time of `last` and `stamp` */
    uint32_t flush_at;           /* next line of a flush under way, or sets * ways */
    struct wl_grain_stats *stats;
    struct grain_line *line; /* [sets * ways] */
};

/* The tag store counts in *stats. */
struct grains *grain_create(uint32_t sets, uint32_t ways, const struct wl_grains *shape, struct wl_grain_stats *stats);
void grain_destroy(struct grains *g);
void grain_clear(struct grains *g);

/* How the hardware cuts an address: bits 26 and up; bits 25 down to the set, and 6:5; the set. */
struct grain_split {
    uint64_t common;
    uint32_t chunk, set;
};
struct grain_split grain_split(uint64_t address, uint32_t sets);

/* The offsets (bit n: +n) that are compared for a request of `bytes` at this granularity. */
uint8_t grain_tag_mask(uint32_t granularity, uint32_t bytes);

/* A load as the tag store sees it. */
struct grain_want {
    uint64_t line; /* byte address / 128 */
    uint32_t set;
    uint8_t need;    /* sectors of the line that are compared */
    uint8_t touched; /* sectors the lanes touch */
    uint8_t fetch;   /* sectors a miss fetches */
};
struct grain_want grain_want(const struct grains *g, uint64_t line, uint32_t set, uint8_t touched);

struct grain_place {
    uint32_t at; /* index of the line */
    uint8_t slots;
};

enum grain_found { GRAIN_MISS, GRAIN_HIT, GRAIN_PENDING /* all there, some in flight */, GRAIN_PARTIAL };
/* With GRAIN_HIT and GRAIN_PENDING, *p is the place that was found. */
enum grain_found grain_lookup(const struct grains *g, const struct grain_want *w, struct grain_place *p);
/* The slots of line `at` that make the load a partial hit, whole units of the granularity. */
uint8_t grain_partial(const struct grains *g, const struct grain_want *w, uint32_t at);

/* Where a miss would go; false: all that could be replaced is in flight. */
bool grain_room(const struct grains *g, const struct grain_want *w, struct grain_place *p);
/* What a miss at p would evict: all of a line that is taken whole. */
uint8_t grain_loses(const struct grains *g, const struct grain_want *w, const struct grain_place *p);
void grain_take(struct grains *g, const struct grain_want *w, const struct grain_place *p, uint32_t mshr);
/* A load used these slots. */
void grain_touch(struct grains *g, const struct grain_want *w, const struct grain_place *p);
void grain_arrived(struct grains *g, uint32_t at, uint32_t mshr);
void grain_kill(struct grains *g, uint32_t at, uint8_t slots);

/* The valid slots of line `at` that hold these sectors, whole units of the granularity; *exact: the
 * sectors among them. */
uint8_t grain_holds(const struct grains *g, uint32_t at, uint64_t line, uint8_t sectors, uint8_t *exact);
/* Marks those that hold these sectors. */
void grain_dirty(struct grains *g, uint32_t at, uint64_t line, uint8_t sectors);

/* Whether a slot holds or awaits something of this line of memory. */
bool grain_has_line(const struct grains *g, uint32_t set, uint64_t line);

/* What these slots hold: lines of memory and their sectors, at most four. */
struct grain_part {
    uint64_t line;
    uint8_t sectors;
};
uint32_t grain_parts(const struct grain_line *l, uint8_t slots, struct grain_part out[GRAIN_SLOTS]);

/* A coarser granularity starts a flush: for each line from flush_at on, grain_flushes says which
 * slots go, grain_flush_line lets them go. */
void grain_change(struct grains *g, uint32_t bytes);
static inline bool grain_flushing(const struct grains *g) { return g->flush_at < g->sets * g->ways; }
uint8_t grain_flushes(const struct grains *g);
void grain_flush_line(struct grains *g);

#endif
