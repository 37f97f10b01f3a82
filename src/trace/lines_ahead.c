/* lines_ahead.c - decompression on a thread of its own, a few pieces ahead of who reads the lines.
 *
 * The thread owns the file and the decoder; pieces of text go through a ring under one lock. What it fails with waits
 * behind the last piece, so that a message names the line it would name without the thread. */
#include "trace/lines_ahead.h"

#include "base/quiet_thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECES = 4, PIECE_BYTES = 256 * 1024 };

struct ahead {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct lines from; /* file, decoder and failures of the thread */
    char *text[PIECES];
    size_t size[PIECES], at; /* at: of the piece that is being taken */
    unsigned made, taken;    /* pieces so far */
    bool over, stop;
};

static void *decode(void *arg)
{
    struct ahead *a = arg;
    size_t n = 1;
    pthread_mutex_lock(&a->lock);
    while (n && !a->stop) {
        while (a->made - a->taken == PIECES && !a->stop) pthread_cond_wait(&a->changed, &a->lock);
        unsigned i = a->made % PIECES;
        pthread_mutex_unlock(&a->lock);
        n = decoder_read(&a->from, a->from.decoder, a->text[i], PIECE_BYTES);
        pthread_mutex_lock(&a->lock);
        a->size[i] = n;
        a->made += n > 0;
        a->over = n == 0;
        pthread_cond_signal(&a->changed);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

static void drop(struct ahead *a)
{
    for (unsigned i = 0; i < PIECES; i++) free(a->text[i]);
    pthread_mutex_destroy(&a->lock);
    pthread_cond_destroy(&a->changed);
    free(a);
}

void lines_go_ahead(struct lines *l)
{
    struct ahead *a = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? calloc(1, sizeof *a) : NULL;
    if (!a) return;
    bool ok = true;
    for (unsigned i = 0; i < PIECES; i++) ok = (a->text[i] = malloc(PIECE_BYTES)) && ok;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    a->from = (struct lines){.name = l->name, .file = l->file, .decoder = l->decoder, .bare = true};
    if (ok && quiet_thread(&a->thread, decode, a)) l->ahead = a;
    else drop(a); /* as before, then */
}

size_t ahead_read(struct lines *l, char *out, size_t size)
{
    struct ahead *a = l->ahead;
    pthread_mutex_lock(&a->lock);
    while (a->taken == a->made && !a->over) pthread_cond_wait(&a->changed, &a->lock);
    bool any = a->taken < a->made;
    pthread_mutex_unlock(&a->lock);
    if (!any) {
        if (a->from.failed) lines_take_failure(l, &a->from);
        return 0;
    }
    unsigned i = a->taken % PIECES;
    size_t n = a->size[i] - a->at < size ? a->size[i] - a->at : size;
    memcpy(out, a->text[i] + a->at, n);
    a->at += n;
    if (a->at < a->size[i]) return n;
    pthread_mutex_lock(&a->lock);
    a->at = 0;
    a->taken++;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
    return n;
}

void ahead_end(struct lines *l)
{
    struct ahead *a = l->ahead;
    if (!a) return;
    pthread_mutex_lock(&a->lock);
    a->stop = true;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    l->file = a->from.file;
    l->ahead = NULL;
    drop(a);
}
