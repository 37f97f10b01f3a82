/* written.c - streams that were written before they are read, and can be moved on all the same.
 *
 * A CTA executes as a whole before it is handed out, whatever its path depends on. So a sampled run can leave out a
 * part of what its warps have still to do: the machine is told of their streams a little at a time, and what lies
 * between two pieces it never hears of. Nothing that the program computes changes.
 *
 * A warp waits at a barrier for the others of its CTA, so as many barriers have to be left out of each. Where they are
 * was noted while the CTA executed. All warps of a CTA are moved on by so many whole barriers, each to where it is
 * wanted, as near as that allows; but none past a barrier that no machine was told of yet.
 *
 * A CTA that would have ended meanwhile is replaced by the next one in the order, in the same place of the machine,
 * which does not notice: its warps go on in the middle of another CTA. Those that would have begun and ended are
 * executed only.
 *
 * Pieces are copies, because a slice (slices.h) goes when the next one is taken, which moving on may do. */
#include "ptx/oblivious.h"
#include "ptx/pace.h"
#include "ptx/written.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SM_CTAS = 64,
    NEAR = 4096 /* so many instructions before the place where a warp goes on it is noted what they touch */
};

static bool grow_marks(struct barrier_marks *m)
{
    uint32_t room = m->room ? 2 * m->room : 64;
    uint64_t *at = realloc(m->at, room * sizeof *at);
    if (at) m->at = at;
    uint32_t *inst = at ? realloc(m->inst, room * sizeof *inst) : NULL;
    if (!inst) return false;
    m->inst = inst;
    m->room = room;
    return true;
}

void barrier_mark(struct barrier_marks *m, uint64_t at, uint32_t inst)
{
    if (m->n == m->room && !grow_marks(m)) {
        m->failed = true;
        return;
    }
    m->at[m->n] = at;
    m->inst[m->n++] = inst;
}

/* ---- telling ---- */

static int take_slice(struct cta_out *o, unsigned warp)
{
    struct warp_stream next;
    int got = slice_take(&o->chain[warp], &next);
    if (got > 0) stream_continue(&o->told[warp].at, next);
    return got;
}

static void pass_barriers(struct told_warp *t)
{
    while (t->barriers < t->marks.n && t->marks.at[t->barriers] < t->done) t->barriers++;
}

/* Goes on by blocks, as far as until `until`, in the slice that is open. */
static void read_blocks(const struct exec_run *r, struct told_warp *t, uint64_t until, struct stream_counts *n,
                        struct stream_recent *recent)
{
    uint64_t before = n->warp, from = t->done;
    while (t->done < until && !stream_done(&t->at)) {
        stream_skip_block(&t->at, r->info.code, n, recent);
        t->done = from + n->warp - before;
    }
    pass_barriers(t);
}

static bool has_room(struct told_warp *t, size_t bytes)
{
    if (bytes <= t->room) return true;
    uint8_t *p = realloc(t->piece, 2 * bytes);
    if (!p) return false;
    t->piece = p;
    t->room = 2 * bytes;
    return true;
}

static int written_more(struct stream_source *s, struct cta_stream *cta, unsigned warp, struct warp_stream *out)
{
    const struct exec_run *r = (const struct exec_run *)s;
    struct cta_out *o = cta->owner;
    struct told_warp *t = &o->told[warp];
    o->sm = cta->sm;
    int got = stream_done(&t->at) ? take_slice(o, warp) : 1;
    if (got <= 0) return got;
    struct stream_reader before = t->at;
    if (r->settled) t->at.p = t->at.end;
    else read_blocks(r, t, t->done + PACE_CHUNK, &t->told, NULL);
    size_t size = (size_t)(t->at.p - before.p), memory = t->jumps ? STREAM_MEMORY : 0;
    if (!has_room(t, memory + size)) return -1;
    if (t->jumps) stream_remember(&before, t->piece);
    memcpy(t->piece + memory, before.p, size);
    *out = (struct warp_stream){.data = t->piece, .size = memory + size};
    t->jumps = false;
    return memory ? 2 : 1;
}

/* ---- leaving out ---- */

/* The machine has come to the barriers that it was told of. */
static void meet(struct exec_run *r, struct told_warp *t)
{
    for (; t->known < t->barriers; t->known++) r->met[t->marks.inst[t->known]] = r->phase;
}

/* Blocks are left out as a whole, the one with the next barrier is not. False: the stream cannot be read back. */
static bool move_warp(struct exec_run *r, struct cta_out *o, unsigned warp, const struct aims *p)
{
    struct told_warp *t = &o->told[warp];
    uint32_t barriers = p->barriers[warp];
    t->recent.n = 0;
    while (t->done < p->place[warp] || t->barriers < barriers) {
        if (t->barriers == barriers && barriers < t->marks.n && t->done == t->marks.at[barriers]) break;
        if (stream_done(&t->at) && take_slice(o, warp) <= 0) return false;
        read_blocks(r, t, t->done + 1, &t->gaps, t->done + NEAR >= p->place[warp] ? &t->recent : NULL);
        t->jumps = true;
    }
    t->known = t->barriers;
    return true;
}

static bool move_cta(struct exec_run *r, struct cta_out *o, const struct aims *p)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < r->nwarps; i++) ok = move_warp(r, o, i, p);
    return ok;
}

/* ---- the next CTA in the place of one that would have ended ---- */

/* A CTA that runs, as it is moved on. `ends`: after so many parts, if all its warps have something left to be told: the
 * machine has room for the next one then. */
struct seat {
    struct cta_out *out;
    uint32_t mates; /* CTAs on its SM, itself one */
    double rate;    /* instructions of a warp in one part, of which a window has 256 */
    double ends;
    bool follows; /* another one came, and went */
};

static double mean_left(const struct exec_run *r, const struct cta_out *o)
{
    double sum = 0;
    for (uint32_t i = 0; i < r->nwarps; i++) {
        if (!told_runs(&o->told[i])) return -1;
        sum += (double)(o->told[i].total - o->told[i].done);
    }
    return sum / r->nwarps;
}

/* Instructions of a warp, as far as is known. */
static double mean_length(const struct exec_run *r)
{
    return (double)r->counts.warp_instructions / ((double)r->next_out * r->nwarps);
}

static bool ends_within(const struct seat *p, double parts)
{
    return p->ends >= 0 && p->ends * p->rate + PACE_END <= parts * p->rate;
}

/* The next CTA comes, in no place. NULL: there is none, or (failed) it could not be executed. */
static struct cta_out *take_next(struct exec_run *r, bool silent, uint64_t *length)
{
    struct cta_stream cta;
    uint64_t before = r->counts.warp_instructions;
    if (silent) r->pass_until = r->next_out + 1;
    if (r->source.next(&r->source, &cta, NULL) <= 0) return NULL;
    *length = (r->counts.warp_instructions - before) / r->nwarps;
    if (*length > r->longest) r->longest = *length;
    if (silent && !cta.owner) r->ended += r->counts.warp_instructions - before;
    return cta.owner;
}

static void exchange(struct exec_run *r, struct cta_out *a, struct cta_out *b)
{
    struct told_warp *told = a->told;
    a->told = b->told;
    b->told = told;
    for (uint32_t i = 0; i < r->nwarps; i++) {
        struct stream_writer writer = a->writer[i];
        struct slice_chain chain = a->chain[i];
        uint8_t *piece = a->told[i].piece;
        size_t room = a->told[i].room;
        a->writer[i] = b->writer[i], b->writer[i] = writer;
        a->chain[i] = b->chain[i], b->chain[i] = chain;
        a->told[i].piece = b->told[i].piece, b->told[i].piece = piece; /* the machine still reads it */
        a->told[i].room = b->told[i].room, b->told[i].room = room;
    }
}

/* CTA `next` goes on where the one before it would have ended; both stand behind as many barriers, one warp ahead of
 * the other. False: it cannot. */
static bool replace(struct exec_run *r, struct cta_out *o, struct cta_out *next, double into)
{
    struct aims p;
    uint64_t wanted[CTA_MAX_WARPS];
    uint32_t before[CTA_MAX_WARPS], least = UINT32_MAX;
    double mean = 0;
    for (uint32_t i = 0; i < r->nwarps; i++) {
        if (o->told[i].barriers < least) least = o->told[i].barriers;
        mean += (double)o->told[i].done / r->nwarps;
    }
    for (uint32_t i = 0; i < r->nwarps; i++) {
        double to = into + (double)o->told[i].done - mean;
        wanted[i] = to > 0 ? (uint64_t)to : 0;
        before[i] = o->told[i].barriers - least;
    }
    if (!aims_find(r, next->told, before, wanted, &p)) return false;
    for (uint32_t i = 0; i < r->nwarps; i++) {
        struct told_warp *t = &o->told[i];
        t->gaps = (struct stream_counts){t->total - t->told.warp, t->threads - t->told.thread};
        next->told[i].jumps = true;
    }
    exchange(r, o, next);
    written_release(r, next);
    launch_give_back(r, next);
    r->told_badly |= !move_cta(r, o, &p);
    return true;
}

/* What could not be given a place waits to be handed out. */
static void put_back(struct exec_run *r, struct cta_out *o)
{
    struct cta_out **at = &r->waiting;
    while (*at) at = &(*at)->next_free;
    *at = o;
    o->next_free = NULL;
}

/* A CTA that came, and would have ended too: nobody is told of it. */
static uint64_t leave_out(struct exec_run *r, struct cta_out *o)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < r->nwarps; i++) {
        struct told_warp *t = &o->told[i];
        t->gaps = (struct stream_counts){t->total, t->threads};
        n += t->total;
    }
    written_release(r, o);
    launch_give_back(r, o);
    return n / r->nwarps;
}

/* A part of the time that is left out has passed, and the CTA in this place has ended. 0: another one is there, until
 * later; 1: until behind all; < 0: failed. */
static int go_on_with_next(struct exec_run *r, struct seat *p, double parts, uint32_t *ctas)
{
    uint64_t length = 0;
    if (r->waiting || r->next_out == r->info.ctas) return 1;
    bool passes = p->ends + (double)r->longest / p->rate < parts;
    struct cta_out *next = take_next(r, passes, &length);
    if (r->failed) return -1;
    ++*ctas;
    if (next && p->ends + (double)(length + PACE_END) / p->rate < parts) length = leave_out(r, next), next = NULL;
    if (!next) {
        p->ends += (double)length / p->rate;
        p->follows = true;
        return 0;
    }
    bool known = !r->settled; /* of this one it may not be known where its barriers are */
    if (known && replace(r, p->out, next, fmax(parts - p->ends, 0) * p->rate)) return r->told_badly ? -1 : 1;
    put_back(r, next);
    --*ctas;
    return 1;
}

/* In the order in which they end. */
static int replace_all(struct exec_run *r, struct seat *place, uint32_t n, double parts, uint32_t *ctas)
{
    for (;;) {
        struct seat *first = NULL;
        for (uint32_t i = 0; i < n; i++)
            if (place[i].ends >= 0 && (!first || place[i].ends < first->ends)) first = &place[i];
        if (!first || (!first->follows && !ends_within(first, parts))) return 0;
        int rc = go_on_with_next(r, first, parts, ctas);
        if (rc < 0) return -1;
        if (rc) first->ends = -1;
    }
}

/* ---- moving on ---- */

/* How fast CTAs go: all alike that share their SM with as many others. What one comes ahead by in a window is chance,
 * or it waits for those behind it later. */
static void find_rates(const struct exec_run *r, struct seat *place, uint32_t n)
{
    struct {
        double sum, n;
    } class[SM_CTAS] = {{0, 0}};
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < n; k++) place[i].mates += place[k].out->sm == place[i].out->sm;
        if (place[i].mates >= SM_CTAS) place[i].mates = SM_CTAS - 1;
        for (uint32_t k = 0; k < r->nwarps; k++) {
            const struct told_warp *t = &place[i].out->told[k];
            if (!told_runs(t)) continue;
            class[place[i].mates].sum += (double)(t->done - t->noted);
            class[place[i].mates].n++;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        double left = mean_left(r, place[i].out), warps = class[place[i].mates].n;
        place[i].rate = warps > 0 ? class[place[i].mates].sum / warps / 256 : 0;
        place[i].ends = left < 0 || !(place[i].rate > 0) ? -1 : left / place[i].rate;
    }
}

/* The CTAs that run, and how fast. NULL: none, or no memory. */
static struct seat *find_places(struct exec_run *r, uint32_t *n)
{
    *n = 0;
    for (struct cta_out *o = r->told; o; o = o->next_told) ++*n;
    struct seat *place = *n ? calloc(*n, sizeof *place) : NULL;
    if (!place) return NULL;
    uint32_t i = 0;
    for (struct cta_out *o = r->told; o; o = o->next_told) place[i++].out = o;
    find_rates(r, place, *n);
    return place;
}

/* Whether all barriers of the warp from here to there are familiar. */
static bool stays_familiar(const struct exec_run *r, const struct told_warp *t, uint64_t place)
{
    uint32_t k = t->barriers;
    while (k < t->marks.n && t->marks.at[k] < place && barrier_is_familiar(r, t->marks.inst[k])) k++;
    return k == t->marks.n || t->marks.at[k] >= place;
}

/* Whether a CTA goes `parts` far, or nearly, and would be in the same phase of the kernel in the next windows too. */
static bool goes(const struct exec_run *r, const struct seat *p, double parts)
{
    struct aims one;
    double way = parts * p->rate, room = 0, n = 0;
    if (!aims_of_way(r, p->out, (uint64_t)way, &one) || fabs(one.off) > way / 2) return false;
    for (uint32_t i = 0; i < r->nwarps; i++) {
        const struct told_warp *t = &p->out->told[i];
        if (told_runs(t) && !stays_familiar(r, t, one.place[i] + (uint64_t)(PACE_BEHIND * 256 * p->rate))) return false;
        if (told_runs(t)) room += (double)(told_most(t) - t->done), n++;
    }
    return n > 0 && room / n >= way;
}

/* Whether what the CTA does before it ends is familiar. Where CTAs are in step nothing tells of it otherwise, however
 * many end in stretches (`heartwall` on two SMs). */
static bool ends_familiar(const struct exec_run *r, const struct cta_out *o)
{
    for (uint32_t i = 0; i < r->nwarps; i++)
        if (told_runs(&o->told[i]) && !stays_familiar(r, &o->told[i], o->told[i].total)) return false;
    return true;
}

/* How many parts all may go so that few are stopped, before their ends or before a barrier. */
static uint64_t least_crowded(const struct exec_run *r, const struct seat *place, uint32_t n, uint64_t parts)
{
    for (; parts; parts /= 2) {
        double more = r->waiting ? 0 : r->info.ctas - r->next_out, length = mean_length(r),
               until = (double)(parts + PACE_BEHIND * 256);
        uint32_t stopped = 0;
        for (uint32_t i = 0; i < n; i++) {
            if (ends_within(&place[i], until)) {
                more -= 1 + floor((until - place[i].ends) * place[i].rate / length);
                stopped += more < 0 || !ends_familiar(r, place[i].out);
            } else stopped += !goes(r, &place[i], (double)parts);
        }
        if (stopped * PACE_CROWD <= n) return parts;
    }
    return 0;
}

static uint64_t done_in_all(const struct exec_run *r)
{
    uint64_t n = r->ended;
    for (const struct cta_out *o = r->told; o; o = o->next_told)
        for (uint32_t i = 0; i < r->nwarps; i++) n += o->told[i].done;
    return n;
}

static int64_t written_move(struct stream_source *s, uint64_t parts, uint32_t *ctas)
{
    struct exec_run *r = (struct exec_run *)s;
    struct aims one;
    uint32_t n;
    uint64_t before = done_in_all(r);
    bool ok = true;
    *ctas = 0;
    if (r->settled) return 0;
    struct seat *place = find_places(r, &n);
    if (!place) return n ? -1 : 0;
    for (const struct cta_out *o = r->told; o; o = o->next_told)
        for (uint32_t i = 0; i < r->nwarps; i++) meet(r, &o->told[i]);
    parts = least_crowded(r, place, n, parts);
    for (uint32_t i = 0; ok && parts && i < n; i++) {
        if (ends_within(&place[i], (double)parts)) continue;
        if (aims_of_way(r, place[i].out, (uint64_t)((double)parts * place[i].rate), &one))
            ok = move_cta(r, place[i].out, &one);
        place[i].ends = -1;
    }
    if (ok && parts) ok = !replace_all(r, place, n, (double)parts, ctas);
    free(place);
    return ok ? (int64_t)(done_in_all(r) - before) : -1;
}

/* Nothing is left out where the warps of a CTA do not come to their ends with as many barriers behind each. */
static int written_finish(struct stream_source *s)
{
    struct exec_run *r = (struct exec_run *)s;
    struct aims one;
    if (r->settled) return 0;
    for (const struct cta_out *o = r->told; o; o = o->next_told)
        if (!aims_of_end(r, o, &one)) return 0;
    for (struct cta_out *o = r->told; o; o = o->next_told)
        if (aims_of_end(r, o, &one) && !move_cta(r, o, &one)) return -1;
    return 1;
}

/* One line of each warp after the other, since they run side by side. */
static void written_touched(struct stream_source *s, void (*touch)(void *arg, uint64_t line), void *arg)
{
    const struct exec_run *r = (const struct exec_run *)s;
    for (uint32_t k = STREAM_RECENT; k; k--)
        for (const struct cta_out *o = r->told; o; o = o->next_told)
            for (uint32_t i = 0; i < r->nwarps; i++) {
                const struct stream_recent *recent = &o->told[i].recent;
                if (recent->n >= k) touch(arg, recent->line[(recent->n - k) % STREAM_RECENT]);
            }
}

/* ---- counting ---- */

static void written_note(struct stream_source *s)
{
    struct exec_run *r = (struct exec_run *)s;
    for (struct cta_out *o = r->told; o; o = o->next_told)
        for (uint32_t i = 0; i < r->nwarps; i++) {
            meet(r, &o->told[i]);
            o->told[i].noted = o->told[i].done;
        }
    r->phase++;
}

static uint64_t written_made(struct stream_source *s) { return done_in_all((const struct exec_run *)s); }

/* The CTAs that were not handed out are like those that were. */
static uint64_t written_foreseen(const struct stream_source *s)
{
    const struct exec_run *r = (const struct exec_run *)s;
    return r->next_out ? (uint64_t)((double)r->counts.warp_instructions / r->next_out * r->info.ctas) : 0;
}

/* ---- beginning and ending ---- */

bool written_start(struct exec_run *r, struct exec_cta *c)
{
    struct cta_out *o = c->out;
    if (!o->told && !(o->told = calloc(r->nwarps, sizeof *o->told))) return false;
    for (uint32_t i = 0; i < r->nwarps; i++) {
        struct told_warp *t = &o->told[i];
        *t = (struct told_warp){.piece = t->piece,
                                .room = t->room,
                                .marks = {.at = t->marks.at, .inst = t->marks.inst, .room = t->marks.room}};
        c->warp[i].marks = &t->marks;
    }
    return true;
}

bool written_hand_over(struct exec_run *r, struct exec_cta *c, struct cta_stream *out)
{
    struct cta_out *o = c->out, **at = &r->told;
    for (uint32_t i = 0; i < r->nwarps; i++) {
        struct told_warp *t = &o->told[i];
        c->warp[i].marks = NULL;
        if (t->marks.failed) return false;
        r->settled |= t->marks.apart; /* how many barriers are behind it cannot be told */
        stream_open(&t->at, out->warp[i]);
        t->total = c->warp[i].executed;
        t->threads = c->warp[i].threads;
        out->warp[i] = (struct warp_stream){.data = NULL};
    }
    o->id = c->id;
    uint64_t length = 0;
    for (uint32_t i = 0; i < r->nwarps; i++) length += c->warp[i].executed / r->nwarps;
    if (length > r->longest) r->longest = length;
    while (*at) at = &(*at)->next_told;
    *at = o;
    o->next_told = NULL;
    return true;
}

bool written_waiting(struct exec_run *r, struct cta_stream *out)
{
    struct cta_out *o = r->waiting;
    r->waiting = o->next_free;
    *out = (struct cta_stream){.cta = o->id, .nwarps = r->nwarps, .owner = o};
    return true;
}

void written_release(struct exec_run *r, struct cta_out *o)
{
    struct cta_out **at = &r->told;
    while (*at != o) at = &(*at)->next_told;
    *at = o->next_told;
    for (uint32_t i = 0; i < r->nwarps; i++) {
        if (!r->settled) meet(r, &o->told[i]);
        r->ended += o->told[i].total;
        r->passed.warp_instructions += o->told[i].gaps.warp;
        r->passed.thread_instructions += o->told[i].gaps.thread;
    }
}

void written_free(const struct exec_run *r, struct cta_out *o)
{
    for (uint32_t i = 0; o->told && i < r->nwarps; i++) {
        free(o->told[i].marks.at);
        free(o->told[i].marks.inst);
        free(o->told[i].piece);
    }
    free(o->told);
}

static void written_leave(struct stream_source *s) { ((struct exec_run *)s)->settled = true; }

static bool written_begin(struct stream_source *s)
{
    struct exec_run *r = (struct exec_run *)s;
    /* Where all CTAs are in one phase of the kernel only barriers tell when it ends (`libor` has none). */
    if (!r->barriers && r->info.ctas <= r->room) return false;
    if (r->next_out || r->cluster_size > 1 || !(r->met = calloc(r->info.code->ninst + 1, sizeof *r->met))) return false;
    r->phase = 1;
    r->written = true;
    r->known = NULL; /* CTAs that are left out are counted, since what is foreseen follows from them */
    s->more = written_more;
    s->note = written_note;
    s->made = written_made;
    s->move = written_move;
    s->finish = written_finish;
    s->foreseen = written_foreseen;
    return true;
}

void written_offer(struct exec_run *r)
{
    r->source.on_demand = written_begin;
    r->source.leave = written_leave;
    r->source.touched = written_touched;
}
