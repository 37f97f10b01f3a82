/* rig.h - a clock and a few parts, to drive one part of the machine by hand. */
#ifndef WL_TESTS_RIG_H
#define WL_TESTS_RIG_H

#include "test.h"

#include "mem/port.h"
#include "engine/clock.h"

/* Makes `p` part number `id` of the clock. The clock's own time stands still when a test calls
 * ticks itself: wake-ups then collect in its wheel, and only their existence matters. */
static inline void rig_part(struct clock *c, struct part *p, uint32_t id, tick_t period)
{
    int domain = clock_domain(c, period);
    assert_true(domain >= 0);
    *p = part_of(c, id, (unsigned)domain);
}

/* Whether the part has asked to work at some time. */
static inline bool rig_wakes(const struct part *p)
{
    for (unsigned i = 0; i < WHEEL_SLOTS; i++)
        if (p->wheel[i] & p->bit) return true;
    return false;
}

/* A pool with more requests than a test takes: in a run the machine's loop refills it. */
static inline void rig_pool(struct req_pool *p)
{
    *p = (struct req_pool){0};
    for (int i = 0; i < 16; i++) assert_int_equal(req_grow(p), 0);
}

/* A request on its own, not from a pool. */
static inline struct req rig_req(enum wl_kind kind, uint64_t line, uint8_t sectors)
{
    return (struct req){.line = line, .kind = (uint8_t)kind, .sectors = sectors, .touched = sectors, .lanes = 32};
}

#endif
