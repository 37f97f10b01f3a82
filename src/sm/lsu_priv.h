/* lsu_priv.h - between the files of the ld/st unit: what it does in a cycle (lsu.c), how instructions become requests
 * (lsu_feed.c), and when the next cycle is and what can be done for it now (lsu_ahead.c). */
#ifndef WL_SM_LSU_PRIV_H
#define WL_SM_LSU_PRIV_H

#include "sm/sm_priv.h"

static inline struct access_pipe *bank_pipe(struct lsu *u, uint32_t bank)
{
    return &u->pipe[bank ? SM_CACHES + bank - 1 : L1_DATA];
}

/* The bank of the next transaction. */
static inline uint32_t next_bank(const struct lsu *u)
{
    const struct txn *t = &u->txn[u->next_txn];
    return ((uint32_t)t->line * LINE_SECTORS + bit_low32(t->sectors)) % u->banks;
}

/* Without stages before the tags the unit is one place: an instruction leaves it with its last request. */
static inline bool lsu_held(const struct lsu *u)
{
    return u->single && (u->pipe[L1_DATA].used || u->filled || u->pipe[L1_CONSTANT].used);
}

/* Whether no load or store waits for the L1D's tags: the policy's prefetches may use them. */
static inline bool lsu_tags_free(const struct lsu *u) { return !lsu_refused(u) && !(u->ext && u->ext->queue.used); }

/* Gives one request of the dispatched instruction to its cache's pipe, or its bank's. */
void lsu_feed_one(struct sm *s, struct access_pipe *p, tick_t now);
/* lsu.c: takes the oldest reply, which can be seen at `now`. */
void lsu_accept_reply(struct sm *s, tick_t now);
/* The part of a cycle that takes the next instruction and makes requests. */
void lsu_feed(struct sm *s, tick_t now);
/* lsu.c: the same for requests that pass the pipe. */
void lsu_feed_aside(struct sm *s, tick_t now);
/* lsu.c: the instruction has all it waited for, its registers when `due` says. */
void lsu_finish_op(struct sm *s, struct memop *op, uint64_t due, tick_t now);

#endif
