/* test_grain_model.c - an L1D of grains against a slow model of the same rules, on random requests.
 *
 * The model keeps slots one by one and has no masks: it asks for every 32-byte block of a request where
 * the cache compares a few tags, and widens a store to whole grains where the cache widens what it found.
 * Loads, local and global stores, fills out of order and changes of granularity come at random; after
 * each of them outcome, fetch, write-backs and the state of every slot must be equal. A case that
 * fails is named by its seed. */
#include "unit/rig.h"

#include "mem/grain_tags.h"
#include "mem/l1.h"

enum { SETS = 2, WAYS = 3, MSHRS = 12, MERGE = 3, MISSQ = 64, MAX_OUT = 64 };

/* ---- the model ---- */

enum slot_state { INV, RES, VAL, DOOM };
struct slot {
    enum slot_state state;
    uint64_t block, used; /* byte address / 32; time of last use */
    uint32_t entry;
    bool dirty;
};
struct row {
    uint64_t used;
    struct slot s[4];
};
struct block_list {
    unsigned n, closed; /* packets; those below `closed` have been sent and take no more */
    uint64_t line[MAX_OUT];
    uint8_t sectors[MAX_OUT];
};

static struct row row[SETS * WAYS];
static uint64_t model_now;
static uint32_t grain;
static bool single, retain;
static struct block_list written; /* back, in this step */

static bool is_live(const struct row *r) { return r->s[0].state || r->s[1].state || r->s[2].state || r->s[3].state; }
static bool has(const struct row *r, enum slot_state st)
{
    for (int i = 0; i < 4; i++)
        if (r->s[i].state == st) return true;
    return false;
}
static uint64_t region(const struct row *r)
{
    for (int i = 0; i < 4; i++)
        if (r->s[i].state != INV) return r->s[i].block >> 21;
    return UINT64_MAX;
}
static bool in_use(const struct row *r, uint64_t block)
{
    return is_live(r) && !has(r, DOOM) && region(r) == block >> 21;
}
static struct slot *find(struct row *r, uint64_t block)
{
    for (int i = 0; i < 4; i++)
        if ((r->s[i].state == VAL || r->s[i].state == RES) && r->s[i].block == block) return &r->s[i];
    return NULL;
}

static void write_back(struct block_list *out, uint64_t block)
{
    unsigned i = out->closed;
    while (i < out->n && out->line[i] != block >> 2) i++;
    if (i == out->n) {
        out->line[i] = block >> 2;
        out->sectors[out->n++] = 0;
    }
    out->sectors[i] |= (uint8_t)(1u << (block & 3));
}
static void drop(struct slot *s, struct block_list *out)
{
    if (s->state == VAL && s->dirty) write_back(out, s->block);
    *s = (struct slot){0};
}

/* [first, first + n) of blocks: a request, and what it becomes at a granularity. */
struct range {
    uint64_t first;
    unsigned n;
};
static struct range range_of(uint64_t line, uint8_t touched, uint32_t least)
{
    unsigned low = 3, high = 0, n = 1;
    for (unsigned i = 0; i < 4; i++)
        if (touched >> i & 1) {
            if (i < low) low = i;
            if (i > high) high = i;
        }
    while (low / n != high / n || n * 32 < least) n *= 2;
    return (struct range){line * 4 + low / n * n, n};
}

static void model_touch(struct row *r, struct range q)
{
    r->used = ++model_now;
    for (uint64_t b = q.first; b < q.first + q.n; b++) find(r, b)->used = model_now;
}

/* The way whose line goes for a new one: an empty one, else the one used longest ago. */
static struct row *row_to_replace(struct row *set)
{
    struct row *best = NULL;
    for (int w = 0; w < WAYS; w++)
        if (!is_live(&set[w])) return &set[w];
    for (int w = 0; w < WAYS; w++)
        if (!has(&set[w], RES) && !has(&set[w], DOOM) && (!best || set[w].used < best->used)) best = &set[w];
    return best;
}

static uint64_t used_of(const struct slot *s) { return s->state == VAL ? s->used : 0; }

/* All ways to place n blocks in a row: slot i for one; any two slots, or a pair; the best by the
 * time of the last use of what goes. `free_only`: nothing may go. */
static bool place_in(struct row *r, unsigned n, bool free_only, int out[2], uint64_t *cost)
{
    bool found = false;
    for (int i = 0; i < 4; i++)
        for (int j = n == 2 ? i + 1 : i; j < (n == 2 ? 4 : i + 1); j++) {
            if (grain == 64 && (i % 2 || j != i + 1)) continue;
            const struct slot *a = &r->s[i], *b = &r->s[j];
            if (a->state == RES || b->state == RES) continue;
            if (free_only && (a->state != INV || b->state != INV)) continue;
            uint64_t x = used_of(a), y = used_of(b), worst = x > y ? x : y, sum = x + y;
            /* two slots: the two oldest ones, which is the least maximum and then the least sum */
            static uint64_t best_worst, best_sum;
            if (found && (worst > best_worst || (worst == best_worst && sum >= best_sum))) continue;
            found = true;
            best_worst = worst;
            best_sum = sum;
            out[0] = i;
            out[1] = j;
        }
    if (found) {
        *cost = 0;
        for (unsigned k = 0; k < n; k++)
            if (used_of(&r->s[out[k]]) > *cost) *cost = used_of(&r->s[out[k]]);
    }
    return found;
}

struct spot {
    struct row *r;
    int slot[4];
    bool whole; /* the rest of the row goes too */
};
static const struct spot nowhere = {NULL, {0}, false};

static struct spot whole_row(struct row *r) { return r ? (struct spot){r, {0, 1, 2, 3}, true} : nowhere; }

static struct spot model_place(struct row *set, struct range q)
{
    struct row *mine[WAYS];
    int count = 0;
    for (int w = 0; w < WAYS && !(single && count); w++)
        if (in_use(&set[w], q.first)) mine[count++] = &set[w];
    if (q.n == 4) {
        if (single && grain < 128 && count) return whole_row(has(mine[0], RES) ? NULL : mine[0]);
        return whole_row(row_to_replace(set));
    }
    struct spot best = nowhere;
    int at[2];
    uint64_t cost, best_cost = 0;
    for (int i = 0; i < count; i++)
        if (place_in(mine[i], q.n, true, at, &cost)) return (struct spot){mine[i], {at[0], at[1]}, false};
    for (int w = 0; w < WAYS && count && !single; w++)
        if (!is_live(&set[w])) return (struct spot){&set[w], {0, 1}, true};
    for (int i = 0; i < count; i++)
        if (place_in(mine[i], q.n, false, at, &cost) && (!best.r || cost < best_cost)) {
            best = (struct spot){mine[i], {at[0], at[1]}, false};
            best_cost = cost;
        }
    if (best.r || (single && count)) return best;
    return whole_row(row_to_replace(set));
}

static void model_take(struct spot p, struct range q, uint32_t entry)
{
    for (int i = 0; i < 4 && p.whole; i++) drop(&p.r->s[i], &written);
    p.r->used = ++model_now;
    for (unsigned i = 0; i < q.n; i++) {
        struct slot *s = &p.r->s[p.slot[i]];
        drop(s, &written);
        *s = (struct slot){.state = RES, .block = q.first + i, .used = model_now, .entry = entry};
    }
}

/* What the cache must answer; a miss is carried out by the caller, who knows the MSHR entry. */
static enum l1_outcome model_load(struct row *set, uint64_t line, uint8_t touched, const struct mshrs *m,
                                  struct spot *p)
{
    struct range q = range_of(line, touched, grain == 128 ? 128 : 32), unit = range_of(line, touched, grain);
    unsigned found = 0;
    bool waits = false;
    int rows_seen = 0;
    for (int w = 0; w < WAYS && !(single && grain < 128 && rows_seen); w++) {
        if (!in_use(&set[w], q.first)) continue;
        rows_seen++;
        unsigned here = 0;
        for (uint64_t b = q.first; b < q.first + q.n; b++) here += find(&set[w], b) != NULL;
        if (here == q.n) {
            struct range all = grain == 128 ? q : unit;
            uint32_t entry = NO_MSHR;
            for (uint64_t b = all.first; b < all.first + all.n; b++) {
                const struct slot *s = find(&set[w], b);
                if (s->state != RES) continue;
                if (entry != NO_MSHR && s->entry != entry) return L1_NO_MERGE;
                entry = s->entry;
            }
            if (entry != NO_MSHR && m->entry[entry].count >= MERGE) return L1_NO_MERGE;
            model_touch(&set[w], all);
            return entry == NO_MSHR ? L1_HIT : L1_MERGED;
        }
        found += here;
        for (uint64_t b = q.first; b < q.first + q.n; b++) {
            const struct slot *s = find(&set[w], b);
            waits |= s && s->state == RES;
        }
    }
    if (found && waits) return L1_NO_MERGE;
    if (found) {
        struct block_list lost = {0};
        rows_seen = 0;
        for (int w = 0; w < WAYS && !(single && rows_seen); w++) {
            if (!in_use(&set[w], q.first)) continue;
            rows_seen++;
            for (uint64_t b = q.first; b < q.first + q.n; b++)
                if (find(&set[w], b)) drop(find(&set[w], b), &lost);
        }
        if (lost.n) written = lost;
        return L1_AGAIN;
    }
    *p = model_place(set, unit);
    if (!p->r) return L1_NO_LINE;
    return m->used == m->entries ? L1_NO_MSHR : L1_MISSED;
}

static void model_store(struct row *set, uint64_t line, uint8_t sectors, bool local)
{
    unsigned need = bit_count32(sectors);
    for (int w = 0; w < WAYS && local; w++) {
        unsigned here = 0;
        for (unsigned i = 0; i < 4; i++)
            for (int k = 0; k < 4; k++)
                here += sectors >> i & 1 && set[w].s[k].state == VAL && set[w].s[k].block == line * 4 + i;
        if (here != need) continue;
        for (int k = 0; k < 4; k++)
            if (set[w].s[k].state == VAL && set[w].s[k].block >> 2 == line && sectors >> (set[w].s[k].block & 3) & 1)
                set[w].s[k].dirty = true;
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        if (!(sectors >> i & 1)) continue;
        struct range unit = range_of(line, (uint8_t)(1u << i), grain);
        for (int w = 0; w < WAYS; w++)
            for (int k = 0; k < 4; k++) {
                struct slot *s = &set[w].s[k];
                if (s->state == VAL && s->block >= unit.first && s->block < unit.first + unit.n) drop(s, &written);
            }
    }
}

static void model_change(uint32_t to)
{
    bool coarser = to > grain;
    grain = to;
    for (struct row *r = row; r < row + SETS * WAYS && coarser; r++) {
        written.closed = written.n;
        struct row old = *r;
        bool waiting = has(r, RES) || has(r, DOOM);
        int next = 0;
        for (int i = 0; i < 4; i++)
            if (r->s[i].state == RES || r->s[i].state == DOOM) r->s[i].state = DOOM;
            else r->s[i] = (struct slot){0};
        for (int i = 0; i < 4; i++) {
            struct slot *s = &old.s[i];
            struct range unit = range_of(s->block >> 2, (uint8_t)(1u << (s->block & 3)), grain);
            unsigned there = 0;
            for (uint64_t b = unit.first; b < unit.first + unit.n; b++) there += find(&old, b) != NULL;
            bool kept = retain && !waiting && s->state == VAL && there == unit.n;
            if (s->state == VAL && !kept && s->dirty) write_back(&written, s->block);
            if (!kept || s->block != unit.first) continue;
            for (uint64_t b = unit.first; b < unit.first + unit.n; b++) r->s[next++] = *find(&old, b);
        }
    }
}

/* ---- the cache ---- */

static uint32_t wish; /* granularity that the scheme answers with */
static struct wl_grain_stats counted;
static struct l1 cache;
static struct req_pool pool;
static uint64_t seed, step;

static struct wl_grains scheme_shape(const struct wl_cache *c)
{
    (void)c;
    return (struct wl_grains){.bytes = grain, .single = single, .retain = retain};
}
static uint32_t scheme_granularity(const struct wl_cache *c)
{
    (void)c;
    return wish;
}
static const struct wl_grain_hooks scheme_grains = {scheme_shape, scheme_granularity};
static const struct wl_cache_policy scheme = {
    .abi = WL_ABI, .name = "wish", .help = "does as the test says", .levels = 1u << WL_L1, .grains = &scheme_grains};

static void check_slots(uint64_t case_seed)
{
    for (unsigned at = 0; at < SETS * WAYS; at++)
        for (unsigned i = 0; i < 4; i++) {
            const struct grain_line *l = &cache.grains->line[at];
            const struct slot *s = &row[at].s[i];
            enum slot_state st = l->valid >> i & 1 ? VAL : l->reserved >> i & 1 ? RES : l->doomed >> i & 1 ? DOOM : INV;
            if (st != s->state || (st != INV && st != DOOM && l->sector[i] != s->block) ||
                (st == VAL && (l->dirty >> i & 1) != s->dirty))
                fail_msg("seed %llu step %llu: line %u slot %u differs: %d %llu and %d %llu (grain %u, single %d, "
                         "retain %d)",
                         (unsigned long long)case_seed, (unsigned long long)step, at, i, st,
                         (unsigned long long)l->sector[i], s->state, (unsigned long long)s->block, grain, single,
                         retain);
        }
}

/* Takes what the cache sent: write-backs must be the model's, and at most one fetch or store. */
static struct req *check_sent(uint64_t case_seed)
{
    struct req *other = NULL;
    unsigned backs = 0;
    while (l1_missq_head(&cache)) {
        struct req *r = l1_missq_pop(&cache);
        if (r->kind != WL_WRITEBACK) {
            assert_null(other);
            other = r;
            continue;
        }
        unsigned i = 0;
        while (i < written.n && (written.line[i] != r->line || written.sectors[i] != r->sectors)) i++;
        if (i == written.n)
            fail_msg("seed %llu step %llu: a write-back too many", (unsigned long long)case_seed,
                     (unsigned long long)step);
        backs++;
        req_free(&pool, r);
    }
    if (backs != written.n)
        fail_msg("seed %llu step %llu: %u write-backs, not %u", (unsigned long long)case_seed, (unsigned long long)step,
                 backs, written.n);
    written.n = written.closed = 0;
    return other;
}

static struct req *in_flight[MSHRS];
static unsigned flying;

static void fill_one(void)
{
    struct req_list done;
    list_init(&done);
    unsigned i = (unsigned)draw(&seed, flying);
    struct req *f = in_flight[i];
    in_flight[i] = in_flight[--flying];
    uint32_t entry = f->mshr;
    for (struct row *r = row; r < row + SETS * WAYS; r++)
        for (int k = 0; k < 4; k++) {
            struct slot *s = &r->s[k];
            if (s->entry != entry || (s->state != RES && s->state != DOOM)) continue;
            if (s->state == RES) s->state = VAL;
            else *s = (struct slot){0};
        }
    l1_fill(&cache, f, &done);
    while (done.head) req_free(&pool, list_pop(&done));
}

static void request(uint64_t case_seed)
{
    static const uint8_t touches[] = {1, 2, 4, 8, 3, 12, 15, 6, 9, 7, 1, 2, 4, 8};
    bool is_store = draw(&seed, 6) == 0;
    struct req *r = req_alloc(&pool);
    *r = rig_req(is_store ? WL_STORE : WL_LOAD, draw(&seed, 10) | draw(&seed, 2) << 19,
                 touches[draw(&seed, COUNT(touches))]);
    r->space = draw(&seed, 2) ? WL_LOCAL : WL_GLOBAL;
    struct row *set = row + r->line % SETS * WAYS;
    struct spot p = nowhere;
    uint8_t touched = r->touched;
    enum l1_outcome expected = L1_STORED;
    if (is_store) model_store(set, r->line, r->sectors, r->space == WL_LOCAL);
    else expected = model_load(set, r->line, touched, &cache.mshr, &p);
    if (draw(&seed, 40) == 0) wish = 32u << draw(&seed, 3); /* applied when this request is accepted */
    enum l1_outcome got = l1_access(&cache, r, step, true);
    if (got != expected)
        fail_msg("seed %llu step %llu: outcome %d, not %d", (unsigned long long)case_seed, (unsigned long long)step,
                 got, expected);
    bool stays = got == L1_MERGED || got == L1_MISSED;
    if (got == L1_MISSED) {
        struct range unit = range_of(r->line, touched, grain);
        assert_int_equal(r->sectors, ((1u << unit.n) - 1) << (unit.first & 3));
        model_take(p, unit, r->mshr);
        in_flight[flying++] = r;
    }
    /* A line's write-backs at a time; the model gives them all up at once. */
    if (!l1_refused(got) && wish != grain) model_change(wish);
    while (grain_flushing(cache.grains)) {
        struct req again = rig_req(WL_LOAD, 1000, 1); /* nobody has it, and it may not miss */
        (void)l1_access(&cache, &again, step, false);
    }
    struct req *sent = check_sent(case_seed);
    assert_true(sent == NULL || sent == r);
    if (!stays) req_free(&pool, r);
}

static void one_case(uint64_t case_seed)
{
    struct wl_err e = {.code = WL_OK};
    struct breach breach = {.broken = false};
    void *shared = NULL;
    const struct l1_site site = {.g = {.sms = 1, .schedulers = 1, .warps = 48, .warp_size = 32},
                                 .shared = &shared,
                                 .pool = &pool,
                                 .breach = &breach};
    const struct l1_shape shape = {.sets = SETS,
                                   .ways = WAYS,
                                   .mshr = MSHRS,
                                   .merge = MERGE,
                                   .missq = MISSQ,
                                   .index = INDEX_LINEAR,
                                   .id = L1_DATA};
    const struct cache_choice choice = {.policy = &scheme};
    seed = case_seed;
    memset(row, 0, sizeof row);
    model_now = flying = 0;
    single = draw(&seed, 4) == 0;
    retain = draw(&seed, 2);
    wish = grain = 32u << draw(&seed, 3);
    written.n = written.closed = 0;
    rig_pool(&pool);
    if (l1_init(&cache, &shape, &choice, &site, &e)) fail_msg("%s", e.text);
    for (step = 0; step < 3000; step++) {
        if (flying && draw(&seed, 3) == 0) fill_one();
        else request(case_seed);
        check_slots(case_seed);
    }
    while (flying) fill_one();
    assert_int_equal(cache.mshr.used, 0);
    assert_int_equal(pool.alive, 0);
    stats_add(&counted, cache.pol.cache.count, sizeof counted);
    l1_destroy(&cache);
    req_pool_destroy(&pool);
}

TEST(random_requests_equal_the_model)
{
    const char *only = getenv("WL_SEED");
    for (uint64_t s = 1; s <= (SLOW_BUILD ? 20 : 200); s++)
        if (!only || strtoull(only, NULL, 10) == s) one_case(s);
    assert_true(only ||
                (counted.partial_hits && counted.chunk_evictions && counted.dropped_fills && counted.kept_chunks));
}
