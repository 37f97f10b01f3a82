/* ptx_random_ref.h - what a random kernel does, the slow and obvious way.
 *
 * The tree of ptx_random_gen.h is walked for one CTA at a time. A statement is done by all threads of a set before
 * the next one begins, so a barrier has nothing to do and the lanes of a warp are always where they should be; this
 * is right because no result of these kernels depends on the order of threads. An IF splits the set and joins it,
 * a LOOP keeps the threads that have left early aside until the others are through.
 *
 * Each thread leaves a record of every instruction it executed, with the bytes it touched; the streams are compared
 * with that. Shares nothing with src/ptx. */
#ifndef WL_TESTS_PTX_RANDOM_REF_H
#define WL_TESTS_PTX_RANDOM_REF_H

#include "ptx_random_gen.h"

/* One instruction of one thread. */
struct event {
    uint32_t inst;
    uint8_t space; /* where it really went; SPACE_NONE when it touched no memory */
    uint64_t addr; /* in that space */
    uint64_t raw;  /* as the program had it */
};

struct events {
    struct event *event;
    uint32_t count, cap;
};

struct ref_thread {
    struct place at;
    uint64_t reg[6][MAX_REGS]; /* by class */
    uint64_t carry;
    uint8_t local[LOCAL_BYTES];
};

struct ref_area {
    uint64_t base, bytes;
    uint8_t *data;
};

enum { AREAS = 7, AREA_VAR = 6, PARAMS = 6 }; /* in, own, word, longs, dump, sums; gv */

struct ref_set {
    bool on[MAX_THREADS];
};

struct ref_run {
    const struct kernel_gen *g;
    struct ref_area area[AREAS];
    uint32_t grid[3], block[3];
    uint32_t threads, warps; /* of a CTA */
    uint32_t first;          /* thread of the grid that is the CTA's first */
    struct events *events;   /* of each thread of the grid */
    uint64_t warp_instructions, thread_instructions;
    uint64_t early_rets;  /* warp instructions more at most: the last ret, executed by those who jump there early */
    uint64_t extra_parts; /* further spaces of generic instructions whose lanes went to several */
    struct ref_thread thread[MAX_THREADS];
    uint8_t shared[SHARED_BYTES];
    struct ref_set done; /* threads that jumped to the last ret */
    struct ref_set left[MAX_LOOPS],
        next[MAX_LOOPS]; /* threads that broke out of a loop, that go on with its next round */
};

static inline uint64_t *ref_reg(struct ref_thread *t, char cls, unsigned r)
{
    static const char classes[] = "PHRDFG";
    return &t->reg[strchr(classes, cls) - classes][r];
}
static inline uint64_t ref_value(struct ref_thread *t, const struct value *v)
{
    return v->constant ? v->bits : *ref_reg(t, v->cls, v->reg);
}
static inline void ref_set_reg(struct ref_thread *t, char cls, unsigned r, uint64_t v)
{
    *ref_reg(t, cls, r) = cut(cls, v);
}

/* ---- records ---- */

static inline struct event *ref_note(struct ref_run *r, unsigned thread, uint32_t inst)
{
    struct events *e = &r->events[r->first + thread];
    if (e->count == e->cap) {
        e->cap = e->cap ? 2 * e->cap : 512;
        e->event = realloc(e->event, e->cap * sizeof *e->event);
        assert_non_null(e->event);
    }
    r->thread_instructions++;
    e->event[e->count] = (struct event){.inst = inst};
    return &e->event[e->count++];
}

/* A warp issues an instruction if any of its lanes comes by, whatever a guard says. */
static inline void ref_issue(struct ref_run *r, const struct ref_set *s)
{
    for (unsigned w = 0; w < r->warps; w++) {
        bool any = false;
        for (unsigned i = w * WARP_SIZE; i < (w + 1) * WARP_SIZE && i < r->threads; i++) any |= s->on[i];
        r->warp_instructions += any;
    }
}

static inline void ref_branch(struct ref_run *r, const struct ref_set *s, uint32_t inst)
{
    ref_issue(r, s);
    for (unsigned i = 0; i < r->threads; i++)
        if (s->on[i]) ref_note(r, i, inst);
}

static inline bool ref_empty(const struct ref_run *r, const struct ref_set *s)
{
    for (unsigned i = 0; i < r->threads; i++)
        if (s->on[i]) return false;
    return true;
}

/* ---- memory ---- */

static inline uint8_t *ref_global(struct ref_run *r, uint64_t addr, unsigned bytes)
{
    for (unsigned i = 0; i < AREAS; i++)
        if (addr >= r->area[i].base && addr + bytes <= r->area[i].base + r->area[i].bytes)
            return r->area[i].data + (addr - r->area[i].base);
    fail_msg("a random kernel leaves its memory");
    return NULL;
}

static inline uint64_t ref_address(struct ref_run *r, struct ref_thread *t, const struct stmt *s)
{
    static const char *const params[] = {"in", "own", "word", "longs", "dump", "sums"};
    uint64_t base = 0; /* of loc, sh and cb in their spaces */
    if (s->addr_cls) base = *ref_reg(t, s->addr_cls, s->addr);
    else if (s->space == SPACE_GLOBAL) base = r->area[AREA_VAR].base;
    else if (s->space == SPACE_PARAM)
        while (strcmp(params[base / 8], s->name)) base += 8;
    base += (uint64_t)s->offset;
    return s->addr_cls == 'R' ? (uint32_t)base : base;
}

/* The bytes of an access, and its record. */
static inline uint8_t *ref_bytes(struct ref_run *r, unsigned thread, const struct stmt *s)
{
    struct ref_thread *t = &r->thread[thread];
    unsigned bytes = (unsigned)s->bytes * s->vec;
    struct event *e = ref_note(r, thread, s->at);
    e->raw = e->addr = ref_address(r, t, s);
    e->space = s->space;
    if (s->space == GENERIC) {
        static const uint8_t windows[] = {SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_NONE, SPACE_CONST};
        e->space = windows[e->raw / RAW_WINDOW];
        e->addr = e->raw % RAW_WINDOW;
    }
    assert_int_equal(e->addr % bytes, 0);
    switch (e->space) {
    case SPACE_GLOBAL: return ref_global(r, e->addr, bytes);
    case SPACE_SHARED: assert_true(e->addr + bytes <= SHARED_BYTES); return r->shared + e->addr;
    case SPACE_LOCAL: assert_true(e->addr + bytes <= LOCAL_BYTES); return t->local + e->addr;
    case SPACE_CONST: assert_true(e->addr + bytes <= CONST_BYTES); return (uint8_t *)(uintptr_t)r->g->consts + e->addr;
    default: return (uint8_t *)&r->area[e->addr / 8].base; /* a parameter is the address of an area */
    }
}

static inline uint64_t extended(uint64_t v, unsigned bytes, bool is_signed)
{
    if (bytes == 8) return v;
    uint64_t sign = is_signed ? v >> (8 * bytes - 1) & 1 : 0;
    return sign ? v | UINT64_MAX << (8 * bytes) : v;
}

static inline void ref_access(struct ref_run *r, unsigned thread, const struct stmt *s)
{
    struct ref_thread *t = &r->thread[thread];
    uint8_t *p = ref_bytes(r, thread, s);
    for (unsigned k = 0; k < s->vec; k++, p += s->bytes) {
        if (s->kind == ST_STORE) {
            memcpy(p, ref_reg(t, s->cls, s->data[k]), s->bytes);
        } else {
            uint64_t v = 0;
            memcpy(&v, p, s->bytes);
            ref_set_reg(t, s->cls, s->data[k], extended(v, s->bytes, s->is_signed));
        }
    }
}

static inline uint64_t ref_atomic(unsigned form, bool is_signed, uint64_t old, uint64_t b, uint64_t c)
{
    bool less = is_signed ? (int64_t)old < (int64_t)b : old < b;
    switch (form) {
    case ATOM_OF_ADD: return old + b;
    case ATOM_OF_MIN: return less ? old : b;
    case ATOM_OF_MAX: return less ? b : old;
    case ATOM_OF_AND: return old & b;
    case ATOM_OF_OR: return old | b;
    case ATOM_OF_XOR: return old ^ b;
    case ATOM_OF_EXCH: return b;
    case ATOM_OF_INC: return old >= b ? 0 : old + 1;
    case ATOM_OF_DEC: return old == 0 || old > b ? b : old - 1;
    default: return old == b ? c : old;
    }
}

static inline void ref_atom(struct ref_run *r, unsigned thread, const struct stmt *s)
{
    struct ref_thread *t = &r->thread[thread];
    uint8_t *p = ref_bytes(r, thread, s);
    uint64_t old = 0;
    memcpy(&old, p, s->bytes);
    uint64_t b = extended(ref_value(t, &s->src[0]), s->bytes, s->is_signed), c = ref_value(t, &s->src[1]);
    uint64_t now = ref_atomic(s->sub, s->is_signed, extended(old, s->bytes, s->is_signed), b, c);
    memcpy(p, &now, s->bytes);
    if (s->has_result) ref_set_reg(t, s->cls, s->dst, old);
}

/* ---- one thread ---- */

static inline void ref_op(struct ref_run *r, unsigned thread, const struct stmt *s)
{
    struct ref_thread *t = &r->thread[thread];
    struct operands o = {.at = &t->at, .carry = &t->carry};
    uint64_t *const in[] = {&o.a, &o.b, &o.c, &o.x};
    for (unsigned i = 0; s->op->s[i]; i++) *in[i] = ref_value(t, &s->src[i]);
    uint64_t first = s->op->first(&o), second = s->op->second ? s->op->second(&o) : 0;
    ref_set_reg(t, s->op->d, s->dst, first);
    if (s->op->e) ref_set_reg(t, s->op->e, s->dst2, second);
    ref_note(r, thread, s->at);
}

static inline bool ref_guard(struct ref_run *r, unsigned thread, const struct stmt *s)
{
    return s->guard < 0 || (*ref_reg(&r->thread[thread], 'P', (unsigned)s->guard) != 0) != s->guard_not;
}

static inline void ref_each(struct ref_run *r, const struct stmt *s, const struct ref_set *set)
{
    unsigned spaces[MAX_THREADS / WARP_SIZE] = {0}; /* a bit for each that a warp touched */
    ref_issue(r, set);
    for (unsigned i = 0; i < r->threads; i++) {
        if (!set->on[i] || !ref_guard(r, i, s)) continue;
        if (s->kind == ST_OP) ref_op(r, i, s);
        else if (s->kind == ST_ATOM) ref_atom(r, i, s);
        else ref_access(r, i, s);
        const struct events *e = &r->events[r->first + i];
        spaces[i / WARP_SIZE] |= 1u << e->event[e->count - 1].space;
    }
    for (unsigned w = 0; w < r->warps; w++)
        if (spaces[w]) r->extra_parts += count_ones(spaces[w]) - 1;
}

/* ---- threads together ---- */

static inline bool ref_pred(struct ref_run *r, unsigned thread, const struct stmt *s)
{
    return (ref_value(&r->thread[thread], &s->src[0]) != 0) != s->guard_not;
}

static inline void ref_bar(struct ref_run *r, const struct stmt *s, const struct ref_set *set)
{
    uint64_t count = 0, all = 1;
    ref_branch(r, set, s->at);
    if (s->sub == BAR_PLAIN) return;
    for (unsigned i = 0; i < r->threads; i++)
        if (set->on[i]) count += ref_pred(r, i, s), all &= ref_pred(r, i, s);
    uint64_t result = s->sub == BAR_POPC ? count : s->sub == BAR_ALL ? all : count > 0;
    for (unsigned i = 0; i < r->threads; i++)
        if (set->on[i]) ref_set_reg(&r->thread[i], s->sub == BAR_POPC ? 'R' : 'P', s->dst, result);
}

/* The lanes of a warp that are in the set, as a mask. */
static inline uint32_t ref_mask(const struct ref_run *r, const struct ref_set *set, unsigned first)
{
    uint32_t mask = 0;
    for (unsigned l = 0; l < WARP_SIZE && first + l < r->threads; l++) mask |= (uint32_t)set->on[first + l] << l;
    return mask;
}

static inline void ref_shuffle(struct ref_run *r, const struct stmt *s, unsigned first, uint32_t mask)
{
    uint64_t value[WARP_SIZE] = {0};
    bool fits[WARP_SIZE] = {0};
    for (unsigned l = 0; l < WARP_SIZE; l++) {
        if (!(mask >> l & 1)) continue;
        int by = (int)(ref_value(&r->thread[first + l], &s->src[1]) & 31), from = (int)l;
        if (s->sub == W_SHFL_UP) from -= by;
        if (s->sub == W_SHFL_DOWN) from += by;
        if (s->sub == W_SHFL_BFLY) from ^= by;
        if (s->sub == W_SHFL_IDX) from = by;
        fits[l] = from >= 0 && from < WARP_SIZE;
        if (!fits[l]) from = (int)l;
        if (mask >> from & 1) value[l] = ref_value(&r->thread[first + (unsigned)from], &s->src[0]);
    }
    for (unsigned l = 0; l < WARP_SIZE; l++) {
        if (!(mask >> l & 1)) continue;
        ref_set_reg(&r->thread[first + l], 'R', s->dst, value[l]);
        ref_set_reg(&r->thread[first + l], 'P', s->dst2, fits[l]);
    }
}

static inline uint64_t ref_redux(unsigned kind, uint64_t a, uint64_t b)
{
    switch (kind) {
    case W_REDUX_ADD: return a + b;
    case W_REDUX_MIN: return i32(a) < i32(b) ? a : b;
    case W_REDUX_MAX: return u32(a) > u32(b) ? a : b;
    case W_REDUX_AND: return a & b;
    case W_REDUX_OR: return a | b;
    default: return a ^ b;
    }
}

/* What lane `lane` gets from the lanes of its warp. */
static inline uint64_t ref_gather(struct ref_run *r, const struct stmt *s, unsigned first, uint32_t mask, unsigned lane)
{
    uint64_t mine = s->sub == W_ACTIVE ? 0 : ref_value(&r->thread[first + lane], &s->src[0]), sum = 0;
    uint32_t yes = 0, same = 0;
    bool begun = false;
    for (unsigned l = 0; l < WARP_SIZE; l++) {
        if (!(mask >> l & 1) || s->sub == W_ACTIVE) continue;
        uint64_t v = ref_value(&r->thread[first + l], &s->src[0]);
        same |= (uint32_t)(v == mine) << l;
        if (s->sub <= W_BALLOT) yes |= (uint32_t)ref_pred(r, first + l, s) << l;
        else sum = begun ? ref_redux(s->sub, sum, v) : v, begun = true;
    }
    switch (s->sub) {
    case W_ALL: return yes == mask;
    case W_ANY: return yes != 0;
    case W_UNI: return yes == mask || yes == 0;
    case W_BALLOT: return yes;
    case W_MATCH_ANY:
    case W_MATCH_64: return same;
    case W_MATCH_ALL: return same == mask ? mask : 0;
    case W_ACTIVE: return mask;
    default: return sum;
    }
}

static inline void ref_warp(struct ref_run *r, const struct stmt *s, const struct ref_set *set)
{
    ref_branch(r, set, s->at);
    for (unsigned first = 0; first < r->threads; first += WARP_SIZE) {
        uint32_t mask = ref_mask(r, set, first);
        uint64_t value[WARP_SIZE] = {0};
        if (!mask || s->sub == W_SYNC) continue;
        if (s->sub <= W_SHFL_IDX) {
            ref_shuffle(r, s, first, mask);
            continue;
        }
        for (unsigned l = 0; l < WARP_SIZE; l++)
            if (mask >> l & 1) value[l] = ref_gather(r, s, first, mask, l);
        for (unsigned l = 0; l < WARP_SIZE; l++) {
            if (!(mask >> l & 1)) continue;
            ref_set_reg(&r->thread[first + l], s->sub >= W_ALL && s->sub <= W_UNI ? 'P' : 'R', s->dst, value[l]);
            if (s->sub == W_MATCH_ALL) ref_set_reg(&r->thread[first + l], 'P', s->dst2, value[l] != 0);
        }
    }
}

/* ---- control: what is left of *set goes on behind the statement ---- */

static inline void ref_list(struct ref_run *r, const struct list *l, struct ref_set *set);

static inline void ref_join(struct ref_set *to, const struct ref_set *from)
{
    for (unsigned i = 0; i < MAX_THREADS; i++) to->on[i] |= from->on[i];
}

static inline void ref_if(struct ref_run *r, const struct stmt *s, struct ref_set *set)
{
    struct ref_set yes = {0}, no = {0};
    ref_branch(r, set, s->at);
    for (unsigned i = 0; i < r->threads; i++)
        if (set->on[i]) (*ref_reg(&r->thread[i], 'P', s->pred) ? &yes : &no)->on[i] = true;
    ref_list(r, &s->body, &yes);
    ref_list(r, &s->other, &no);
    if (s->at_end != UINT32_MAX) ref_branch(r, s->inverted ? &no : &yes, s->at_end);
    *set = yes;
    ref_join(set, &no);
}

/* Compares the count and branches: the threads for which the loop goes on stay in *set. */
static inline void ref_test(struct ref_run *r, const struct stmt *s, struct ref_set *set, struct ref_set *out,
                            uint32_t inst)
{
    ref_branch(r, set, inst);
    ref_branch(r, set, inst + 1);
    for (unsigned i = 0; i < r->threads; i++) {
        struct ref_thread *t = &r->thread[i];
        if (!set->on[i] || *ref_reg(t, 'R', R_COUNT + s->depth) < ref_value(t, &s->trips)) continue;
        set->on[i] = false;
        out->on[i] = true;
    }
}

static inline void ref_loop(struct ref_run *r, const struct stmt *s, struct ref_set *set)
{
    struct ref_set out = {0};
    r->left[s->depth] = r->next[s->depth] = (struct ref_set){0};
    ref_branch(r, set, s->at_end);
    for (unsigned i = 0; i < r->threads; i++)
        if (set->on[i]) *ref_reg(&r->thread[i], 'R', R_COUNT + s->depth) = 0;
    while (!ref_empty(r, set)) {
        if (s->tested_first) ref_test(r, s, set, &out, s->at_end + 1);
        ref_list(r, &s->body, set);
        ref_join(set, &r->next[s->depth]);
        r->next[s->depth] = (struct ref_set){0};
        ref_branch(r, set, s->at);
        for (unsigned i = 0; i < r->threads; i++)
            if (set->on[i]) ++*ref_reg(&r->thread[i], 'R', R_COUNT + s->depth);
        if (s->tested_first) ref_branch(r, set, s->at + 1);
        else ref_test(r, s, set, &out, s->at + 1);
    }
    ref_join(set, &out);
    ref_join(set, &r->left[s->depth]);
}

static inline void ref_leave(struct ref_run *r, const struct stmt *s, struct ref_set *set)
{
    struct ref_set jumped = {0};
    ref_issue(r, set);
    for (unsigned i = 0; i < r->threads; i++) {
        if (!set->on[i]) continue;
        bool leaves = ref_guard(r, i, s);
        bool branch = s->kind != ST_EXIT || s->sub == OUT_BY_JUMP;
        if (leaves || branch) ref_note(r, i, s->at); /* all lanes execute a branch, taken or not */
        if (!leaves) continue;
        set->on[i] = false;
        if (s->kind == ST_EXIT && s->sub == OUT_BY_JUMP) r->done.on[i] = jumped.on[i] = true;
        if (s->kind == ST_BREAK) r->left[s->depth].on[i] = true;
        if (s->kind == ST_CONTINUE) r->next[s->depth].on[i] = true;
    }
    for (unsigned w = 0; w < r->warps; w++) {
        bool any = false;
        for (unsigned i = w * WARP_SIZE; i < (w + 1) * WARP_SIZE && i < r->threads; i++) any |= jumped.on[i];
        r->early_rets += any;
    }
}

static inline void ref_list(struct ref_run *r, const struct list *l, struct ref_set *set)
{
    for (const struct stmt *s = l->first; s && !ref_empty(r, set); s = s->next) {
        switch (s->kind) {
        case ST_IF: ref_if(r, s, set); break;
        case ST_LOOP: ref_loop(r, s, set); break;
        case ST_BAR: ref_bar(r, s, set); break;
        case ST_WARP: ref_warp(r, s, set); break;
        case ST_EXIT:
        case ST_BREAK:
        case ST_CONTINUE: ref_leave(r, s, set); break;
        default: ref_each(r, s, set); break;
        }
    }
}

/* ---- a launch ---- */

static inline void ref_place(struct ref_run *r, struct place *p, uint32_t cta, uint32_t thread)
{
    for (unsigned k = 0; k < 3; k++) p->ntid[k] = r->block[k], p->nctaid[k] = r->grid[k];
    p->tid[0] = thread % r->block[0];
    p->tid[1] = thread / r->block[0] % r->block[1];
    p->tid[2] = thread / r->block[0] / r->block[1];
    p->ctaid[0] = cta % r->grid[0];
    p->ctaid[1] = cta / r->grid[0] % r->grid[1];
    p->ctaid[2] = cta / r->grid[0] / r->grid[1];
    p->lane = thread % WARP_SIZE;
    p->warp = thread / WARP_SIZE;
}

static inline void ref_launch(struct ref_run *r)
{
    uint32_t ctas = r->grid[0] * r->grid[1] * r->grid[2];
    r->threads = r->block[0] * r->block[1] * r->block[2];
    r->warps = (r->threads + WARP_SIZE - 1) / WARP_SIZE;
    r->warp_instructions = r->thread_instructions = r->extra_parts = r->early_rets = 0;
    for (uint32_t cta = 0; cta < ctas; cta++) {
        struct ref_set all = {0};
        r->first = cta * r->threads;
        memset(r->thread, 0, sizeof r->thread);
        memset(r->shared, 0, sizeof r->shared);
        for (uint32_t i = 0; i < r->threads; i++) {
            ref_place(r, &r->thread[i].at, cta, i);
            r->events[r->first + i].count = 0;
            all.on[i] = true;
        }
        r->done = (struct ref_set){0};
        ref_list(r, &r->g->program, &all);
        ref_join(&all, &r->done);
        ref_leave(r, &r->g->last, &all);
    }
}

#endif
