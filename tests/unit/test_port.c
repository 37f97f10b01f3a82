/* test_port.c - a port latches data and credit: nobody can tell who worked first within a tick. */
#include "unit/rig.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

struct two {
    struct clock clock;
    struct part producer, consumer;
    struct port port;
    struct driven driven[2];
    tick_t worked[2][64]; /* when each part was called */
    unsigned calls[2];
};

static struct two *now_running; /* the ticks below have one rig at a time */

static tick_t note_producer(void *self, tick_t now)
{
    (void)self;
    now_running->worked[0][now_running->calls[0]++] = now;
    return NEVER;
}
static tick_t note_consumer(void *self, tick_t now)
{
    (void)self;
    now_running->worked[1][now_running->calls[1]++] = now;
    return NEVER;
}

static void begin(struct two *t, uint32_t capacity, tick_t producer_period, tick_t consumer_period)
{
    memset(t, 0, sizeof *t);
    now_running = t;
    assert_int_equal(clock_init(&t->clock, 2, NULL), 0);
    rig_part(&t->clock, &t->producer, 0, producer_period);
    rig_part(&t->clock, &t->consumer, 1, consumer_period);
    port_init(&t->port, capacity, &t->producer, &t->consumer);
    t->driven[0] = (struct driven){.part = &t->producer, .tick = note_producer};
    t->driven[1] = (struct driven){.part = &t->consumer, .tick = note_consumer};
}

static void end(struct two *t) { clock_destroy(&t->clock); }

static bool step(struct two *t) { return clock_step(&t->clock, t->driven, 2, false, NULL); }

TEST(data_is_seen_after_the_tick_of_its_push)
{
    struct two t;
    struct req r = {0};
    begin(&t, 4, 1, 1);
    assert_true(port_can_push(&t.port, 10));
    port_push(&t.port, &r, 10);
    assert_null(port_peek(&t.port, 10)); /* a consumer that works later in the same tick */
    assert_ptr_equal(port_peek(&t.port, 11), &r);
    assert_int_equal(t.port.visible_at, 11);
    port_pop(&t.port, 11);
    assert_true(port_empty(&t.port));
    assert_true(t.port.visible_at == NEVER);
    end(&t);
}

TEST(a_freed_slot_is_there_after_the_tick_of_its_pop)
{
    struct two t;
    struct req r[2] = {{0}};
    begin(&t, 2, 1, 1);
    port_push(&t.port, &r[0], 1);
    port_push(&t.port, &r[1], 1);
    assert_false(port_can_push(&t.port, 5)); /* asked before the pop ... */
    port_pop(&t.port, 5);
    assert_false(port_can_push(&t.port, 5)); /* ... and after it: the same answer */
    assert_int_equal(port_used(&t.port, 5), 2);
    assert_true(port_can_push(&t.port, 6));
    assert_int_equal(port_used(&t.port, 6), 1);
    end(&t);
}

TEST(two_pops_of_one_tick_free_two_slots)
{
    struct two t;
    struct req r[2] = {{0}};
    begin(&t, 2, 1, 1);
    port_push(&t.port, &r[0], 1);
    port_push(&t.port, &r[1], 1);
    port_pop(&t.port, 5);
    port_pop(&t.port, 5);
    assert_int_equal(port_used(&t.port, 5), 2);
    assert_int_equal(port_used(&t.port, 6), 0);
    end(&t);
}

TEST(capacity_need_not_be_a_power_of_two)
{
    struct two t;
    struct req r[3] = {{0}};
    begin(&t, 3, 1, 1);
    for (tick_t round = 0; round < 20; round++) { /* the ring wraps */
        tick_t now = 10 * round + 1;
        for (int i = 0; i < 3; i++) {
            assert_true(port_can_push(&t.port, now));
            port_push(&t.port, &r[i], now);
        }
        assert_false(port_can_push(&t.port, now));
        for (int i = 0; i < 3; i++) {
            assert_ptr_equal(port_peek(&t.port, now + 1), &r[i]);
            port_pop(&t.port, now + 1);
        }
    }
    end(&t);
}

TEST(delay_is_a_pipeline_inside_the_port)
{
    struct two t;
    struct req r[2] = {{0}};
    begin(&t, 4, 1, 1);
    t.port.delay = 7;
    port_push(&t.port, &r[0], 1);
    port_push_after(&t.port, &r[1], 3);
    assert_null(port_peek(&t.port, 8));
    assert_ptr_equal(port_peek(&t.port, 9), &r[0]);
    port_pop(&t.port, 9);
    assert_null(port_peek(&t.port, 10)); /* 3 + 7: visible after 10 */
    assert_ptr_equal(port_peek(&t.port, 11), &r[1]);
    end(&t);
}

TEST(push_wakes_the_consumer_when_it_can_see)
{
    struct two t;
    struct req r[2] = {{0}};
    begin(&t, 4, 1, 3); /* consumer's edges: 3, 6, 9, ... */
    port_push(&t.port, &r[0], 0);
    assert_true(step(&t));
    assert_int_equal(t.clock.now, 3);
    assert_int_equal(t.calls[0], 0); /* the producer has nothing to do */
    assert_int_equal(t.calls[1], 1);
    assert_non_null(port_peek(&t.port, t.clock.now));
    port_pop(&t.port, t.clock.now);
    port_push_after(&t.port, &r[1], 6); /* visible after 6: the edge at 6 is too early */
    assert_true(step(&t));
    assert_int_equal(t.clock.now, 9);
    assert_false(step(&t));
    end(&t);
}

/* Behind an entry that is still there a push changes nothing for the consumer: it knows when it can
 * go on with that one, and looks at the next when it has taken it. */
TEST(a_push_behind_another_wakes_nobody)
{
    struct two t;
    struct req r[2] = {{0}};
    begin(&t, 4, 1, 1);
    port_push(&t.port, &r[0], 0);
    assert_true(step(&t));
    port_push(&t.port, &r[1], t.clock.now);
    assert_false(step(&t));
    end(&t);
}

TEST(a_push_into_an_empty_port_enters_it_in_the_consumers_set)
{
    struct two t;
    struct req r[2] = {{0}};
    uint64_t filled = 1;
    begin(&t, 4, 1, 3);
    t.port.filled = &filled;
    t.port.filled_bit = 8;
    port_push(&t.port, &r[0], 3);
    assert_int_equal(filled, 9);
    filled = 0;
    port_push(&t.port, &r[1], 6); /* the one in front is still there */
    assert_int_equal(filled, 0);
    end(&t);
}

TEST(a_waiting_producer_is_woken_by_a_pop)
{
    struct two t;
    struct req r = {0};
    begin(&t, 1, 1, 1);
    port_push(&t.port, &r, 0);
    assert_false(port_can_push(&t.port, 0)); /* remembers that the producer waits */
    assert_true(step(&t));                   /* tick 1: the consumer, for the data */
    assert_int_equal(t.calls[0], 0);
    port_pop(&t.port, 1);
    assert_true(step(&t));
    assert_int_equal(t.clock.now, 2);
    assert_int_equal(t.calls[0], 1);
    assert_true(port_can_push(&t.port, 2));
    assert_false(step(&t)); /* once */
    end(&t);
}

TEST(a_pop_wakes_nobody_who_did_not_ask)
{
    struct two t;
    struct req r = {0};
    begin(&t, 1, 1, 1);
    port_push(&t.port, &r, 0);
    assert_true(step(&t));
    port_pop(&t.port, 1);
    assert_false(step(&t));
    assert_int_equal(t.calls[0], 0);
    end(&t);
}

/* The consumer worked first and has popped; the producer asks later in the same tick. The answer
 * is no, and nobody will pop again: the port itself must call the producer. */
TEST(a_slot_freed_in_this_tick_wakes_a_late_asker)
{
    struct two t;
    struct req r = {0};
    begin(&t, 1, 1, 1);
    port_push(&t.port, &r, 0);
    assert_true(step(&t));
    port_pop(&t.port, 1);
    assert_false(port_can_push(&t.port, 1));
    assert_true(step(&t));
    assert_int_equal(t.clock.now, 2);
    assert_int_equal(t.calls[0], 1);
    assert_true(port_can_push(&t.port, 2));
    end(&t);
}

/* What a random producer and a random consumer do to each other, with either working first. */
struct trace {
    tick_t popped_at[4096];
    int id[4096];
    unsigned n, refused;
};

static void play(bool consumer_first, uint32_t capacity, tick_t delay, struct trace *out)
{
    struct two t;
    static struct req r[4096];
    unsigned pushed = 0;
    uint64_t seed = 42;
    begin(&t, capacity, 1, 1);
    t.port.delay = delay;
    *out = (struct trace){.n = 0};
    for (tick_t now = 1; now < 4000; now++) {
        bool want_push = draw(&seed, 3) != 0, want_pop = draw(&seed, 3) != 0;
        for (int turn = 0; turn < 2; turn++) {
            if ((turn == 0) == consumer_first) {
                const struct req *got = want_pop ? port_peek(&t.port, now) : NULL;
                if (!got) continue;
                out->id[out->n] = (int)(got - r);
                out->popped_at[out->n++] = now;
                port_pop(&t.port, now);
            } else if (want_push) {
                if (port_can_push(&t.port, now)) port_push(&t.port, &r[pushed++], now);
                else out->refused++;
            }
        }
    }
    end(&t);
}

TEST(order_within_a_tick_cannot_be_told)
{
    static struct trace a, b;
    for (uint32_t capacity = 1; capacity <= 5; capacity++)
        for (tick_t delay = 0; delay < 3; delay++) {
            play(false, capacity, delay, &a);
            play(true, capacity, delay, &b);
            assert_true(a.n > 100 && a.refused > 0);
            assert_memory_equal(&a, &b, sizeof a);
            for (unsigned i = 0; i < a.n; i++) assert_int_equal(a.id[i], i); /* first in, first out */
        }
}

/* ---- contracts ---- */

static struct two broken;

static void push_into_a_full_port(void)
{
    static struct req r[2];
    begin(&broken, 1, 1, 1);
    port_push(&broken.port, &r[0], 0);
    port_push(&broken.port, &r[1], 0);
}

static void push_into_the_past(void)
{
    static struct req r;
    begin(&broken, 1, 1, 1);
    broken.clock.now = 5;
    port_push(&broken.port, &r, 4);
}

static void lose_an_entry(void)
{
    static struct req r[2];
    begin(&broken, 2, 1, 1);
    port_push(&broken.port, &r[0], 0);
    port_push(&broken.port, &r[1], 0);
    r[0].next = NULL;
    port_walk(&broken.port);
}

static void keep_to_the_contract(void)
{
    static struct req r[2];
    begin(&broken, 2, 1, 1);
    port_push(&broken.port, &r[0], 0);
    port_push(&broken.port, &r[1], 0);
    port_walk(&broken.port);
    port_pop(&broken.port, 1);
    port_pop(&broken.port, 2);
    port_walk(&broken.port);
    end(&broken);
}

/* Whether the function aborts when contracts are checked. */
static bool aborts(void (*f)(void))
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL); /* cmocka's handler would report a failed test */
        close(STDERR_FILENO);
        wl_set_paranoid(true);
        f();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

TEST(broken_contracts_are_noticed)
{
    assert_true(aborts(push_into_a_full_port));
    assert_true(aborts(push_into_the_past));
    assert_true(aborts(lose_an_entry));
    assert_false(aborts(keep_to_the_contract));
}
