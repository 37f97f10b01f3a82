/* warpops.c - instructions whose lanes see each other: shuffles, votes, matches, reductions;
 * and the few that concern the warp as a whole.
 *
 * A membermask names the lanes that must take part. The lanes that do are those executing
 * now: a warp whose lanes are on different paths would, on newer hardware, wait for the
 * others at a .sync instruction; here they have met already, at the post-dominator.
 * Lanes that come together with different masks, as the tiles of a warp do, are groups of their own. */
#include "ptx/exec_priv.h"

/* The lanes of `left` that give the same mask as the first of them; in *in those that take part with them. */
static uint32_t next_group(const struct exec_warp *w, const struct uop *u, ref mask, uint32_t left, uint32_t *in)
{
    *in = w->exec;
    if (!(u->in->flags & FLAG_SYNC)) return left;
    const uint32_t *given = at32(w, mask);
    uint32_t first = given[bit_low32(left)], same = 0;
    *in &= first;
    if ((mask & 3) == AREA_CONST) return left;
    for (uint32_t m = left; m; m &= m - 1) same |= (uint32_t)(given[bit_low32(m)] == first) << bit_low32(m);
    return same;
}

/* The lane that `lane` reads; *in_range says whether that is inside its segment. */
static unsigned shfl_source(unsigned mode, unsigned lane, uint32_t b, uint32_t c, bool *in_range)
{
    int by = (int)(b & 31), self = (int)lane;
    int segment = (int)(c >> 8 & 31), clamp = (int)(c & 31);
    int bound = (self & segment) | (clamp & ~segment), j;
    switch (mode) {
    /* clang-format off */
    case SHFL_UP: j = self - by; *in_range = j >= bound; break;
    case SHFL_DOWN: j = self + by; *in_range = j <= bound; break;
    case SHFL_BFLY: j = self ^ by; *in_range = j <= bound; break;
    default: j = (self & segment) | (by & ~segment); *in_range = j <= bound; break;
        /* clang-format on */
    }
    return *in_range ? (unsigned)j & 31 : lane;
}

int op_shfl(struct exec_warp *w, const struct uop *u)
{
    const uint32_t *a = at32(w, u->s[0]), *b = at32(w, u->s[1]), *c = at32(w, u->s[2]);
    uint32_t result[WARP_SIZE] = {0}, in_range = 0;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        bool ok;
        result[i] = a[shfl_source(u->mode, i, b[i], c[i], &ok)];
        in_range |= (uint32_t)ok << i;
    }
    for (uint32_t m = w->exec; m; m &= m - 1) at32(w, u->d)[bit_low32(m)] = result[bit_low32(m)];
    warp_put_pred(w, u->d2, w->exec, in_range);
    return RUN_ON;
}

static void vote(struct exec_warp *w, const struct uop *u, uint32_t group, uint32_t in)
{
    uint32_t yes = (*at32(w, u->s[0]) ^ u->not_c) & in;
    bool r = false;
    switch (u->mode) {
    case VOTE_ALL: r = yes == in; break;
    case VOTE_ANY: r = yes != 0; break;
    case VOTE_UNI: r = yes == in || yes == 0; break;
    default:
        for (uint32_t m = group; m; m &= m - 1) at32(w, u->d)[bit_low32(m)] = yes;
        return;
    }
    warp_put_pred(w, u->d, group, r ? UINT32_MAX : 0);
}

/* match.any: the lanes with my value. match.all: every lane, if all values are equal. */
static void match(struct exec_warp *w, const struct uop *u, uint32_t group, uint32_t in)
{
    uint32_t same[WARP_SIZE] = {0}, all = 0;
    for (uint32_t m = in; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        uint64_t mine = get_lane(w, u->s[0], u->src_wide, i);
        for (uint32_t n = in; n; n &= n - 1)
            same[i] |= (uint32_t)(get_lane(w, u->s[0], u->src_wide, bit_low32(n)) == mine) << bit_low32(n);
        if (same[i] == in) all = in;
    }
    for (uint32_t m = group; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        at32(w, u->d)[i] = u->mode == VOTE_ALL ? all : same[i];
    }
    warp_put_pred(w, u->d2, group, all ? UINT32_MAX : 0);
}

static uint32_t reduce(unsigned mode, bool is_signed, uint32_t a, uint32_t b)
{
    bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;
    switch (mode) {
    case ATOM_ADD: return a + b;
    case ATOM_MIN: return less ? a : b;
    case ATOM_MAX: return less ? b : a;
    case ATOM_AND: return a & b;
    case ATOM_OR: return a | b;
    default: return a ^ b;
    }
}

static void redux(struct exec_warp *w, const struct uop *u, uint32_t group, uint32_t in)
{
    if (!in) return;
    const uint32_t *a = at32(w, u->s[0]);
    uint32_t r = a[bit_low32(in)];
    for (uint32_t m = in & (in - 1); m; m &= m - 1) r = reduce(u->mode, u->type == T_S32, r, a[bit_low32(m)]);
    for (uint32_t m = group; m; m &= m - 1) at32(w, u->d)[bit_low32(m)] = r;
}

/* The leader is the lowest of the lanes in the mask that are here. */
static void elect(struct exec_warp *w, const struct uop *u, uint32_t group, uint32_t in)
{
    uint32_t leader = bit_low32(in ? in : group);
    for (uint32_t m = group; m; m &= m - 1) at32(w, u->d)[bit_low32(m)] = leader;
    warp_put_pred(w, u->d2, group, 1u << leader);
}

typedef void group_fn(struct exec_warp *w, const struct uop *u, uint32_t group, uint32_t in);

static int by_groups(struct exec_warp *w, const struct uop *u, ref mask, group_fn *f)
{
    for (uint32_t left = w->exec, group, in; left; left &= ~group) {
        group = next_group(w, u, mask, left, &in);
        f(w, u, group, in);
    }
    return RUN_ON;
}

int op_vote(struct exec_warp *w, const struct uop *u) { return by_groups(w, u, u->s[1], vote); }
int op_match(struct exec_warp *w, const struct uop *u) { return by_groups(w, u, u->s[1], match); }
int op_redux(struct exec_warp *w, const struct uop *u) { return by_groups(w, u, u->s[1], redux); }
int op_elect(struct exec_warp *w, const struct uop *u) { return by_groups(w, u, u->s[0], elect); }

int op_activemask(struct exec_warp *w, const struct uop *u)
{
    for (uint32_t m = w->exec; m; m &= m - 1) at32(w, u->d)[bit_low32(m)] = w->exec;
    return RUN_ON;
}

int op_bar(struct exec_warp *w, const struct uop *u) { return cta_arrive(w, u); }

/* All lanes of the warp that can come have (apart.c). */
int op_bar_apart(struct exec_warp *w, const struct uop *u)
{
    w->threads += bit_count32(w->exec);
    if (w->out) stream_guard(w->out, w->exec);
    return cta_arrive(w, u);
}

int op_nop(struct exec_warp *w, const struct uop *u)
{
    (void)w, (void)u;
    return RUN_ON;
}

int op_trap(struct exec_warp *w, const struct uop *u) { return warp_fault(w, u, -1, "trap"); }

/* In a timed run the machine says what time it is, when the instruction issues (step.c). Without one, time is the
 * number of instructions the warp has executed: the same in every run. */
int op_clock(struct exec_warp *w, const struct uop *u)
{
    if (w->run->in_step) {
        w->clock_uop = u;
        w->clock_mask = w->exec;
        return RUN_CLOCK;
    }
    const struct call_frame *f = &w->frame[w->nframe - 1];
    const struct xblock *b = &f->f->block[w->stack[w->depth - 1].block];
    uint64_t now = w->block_at + (uint64_t)(u->in - &f->f->fn->inst[b->first]);
    uint8_t sreg = u->in->src[0].sreg;
    if (sreg == SREG_CLOCK_HI || sreg == SREG_GLOBALTIMER_HI) now >>= 32;
    if (sreg == SREG_SMID) now = w->run->l.sms ? w->cta->id % w->run->l.sms : 0; /* as they begin */
    for (uint32_t m = w->exec; m; m &= m - 1) put_lane(w, u->d, u->wide, bit_low32(m), now);
    return RUN_ON;
}
