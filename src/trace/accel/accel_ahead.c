/* accel_ahead.c - a thread that reads blocks of a kernel's file, a few ahead of those that run.
 *
 * Reading a line takes about as long as the machine takes to time the instruction, so that on two cores a long trace is
 * run in the time of the slower of both. The thread owns the file and the reader's state; blocks come through a ring,
 * in order, with what they count, so that nothing depends on how far ahead the thread is. A fault waits behind the
 * blocks before it. */
#include "trace/accel/accel_ahead.h"

#include "base/quiet_thread.h"

#include <pthread.h>
#include <unistd.h>

/* Blocks that wait: a few, since most are alike, and no more than so many bytes unless there is only one. */
enum { BLOCKS = 8, BYTES = 16 << 20 };

struct accel_ahead {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    accel_read_fn *read;
    void *reader;
    struct cta_bufs *bufs;
    struct accel_block block[BLOCKS];
    unsigned made, taken; /* blocks so far */
    size_t bytes;         /* of the blocks that wait */
    bool over, stop;
};

static bool is_full(const struct accel_ahead *a)
{
    return a->made - a->taken == BLOCKS || (a->made != a->taken && a->bytes >= BYTES);
}

static void put(struct accel_ahead *a, const struct accel_block *b)
{
    a->block[a->made++ % BLOCKS] = *b;
    a->bytes += b->bytes;
}

static void *read_blocks(void *arg)
{
    struct accel_ahead *a = arg;
    pthread_mutex_lock(&a->lock);
    while (!a->over && !a->stop) {
        struct accel_block b = {.buf = cta_buf_take(a->bufs)};
        pthread_mutex_unlock(&a->lock);
        bool any = a->read(a->reader, &b);
        pthread_mutex_lock(&a->lock);
        if (any) put(a, &b);
        else if (b.buf) cta_buf_give(a->bufs, b.buf);
        a->over = !any;
        pthread_cond_signal(&a->changed);
        while (is_full(a) && !a->stop) pthread_cond_wait(&a->changed, &a->lock);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

static void drop(struct accel_ahead *a)
{
    pthread_mutex_destroy(&a->lock);
    pthread_cond_destroy(&a->changed);
    while (a->taken != a->made) cta_buf_give(a->bufs, a->block[a->taken++ % BLOCKS].buf);
    free(a);
}

struct accel_ahead *accel_ahead_begin(accel_read_fn *read, void *reader, struct cta_bufs *bufs)
{
    struct accel_ahead *a = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? calloc(1, sizeof *a) : NULL;
    if (!a) return NULL;
    a->read = read;
    a->reader = reader;
    a->bufs = bufs;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    if (quiet_thread(&a->thread, read_blocks, a)) return a;
    drop(a);
    return NULL;
}

bool accel_ahead_next(struct accel_ahead *a, struct accel_block *out)
{
    pthread_mutex_lock(&a->lock);
    while (a->made == a->taken && !a->over) pthread_cond_wait(&a->changed, &a->lock);
    bool any = a->made != a->taken;
    if (any) {
        *out = a->block[a->taken++ % BLOCKS];
        a->bytes -= out->bytes;
        pthread_cond_signal(&a->changed);
    }
    pthread_mutex_unlock(&a->lock);
    return any;
}

void accel_ahead_give(struct accel_ahead *a, struct cta_buf *b)
{
    pthread_mutex_lock(&a->lock);
    cta_buf_give(a->bufs, b);
    pthread_mutex_unlock(&a->lock);
}

void accel_ahead_end(struct accel_ahead *a)
{
    if (!a) return;
    pthread_mutex_lock(&a->lock);
    a->stop = true;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    drop(a);
}
