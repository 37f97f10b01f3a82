/* kept.h - a launch that has been executed and waits for its turn on the machine.
 *
 * A program goes on when it has launched a kernel, and what it launches next, in another stream, may run at the same
 * time. So the kernel is executed at once, as the program needs its results, and its instruction streams are kept until
 * it is known what it overlaps. Small streams are copied together; CTAs with a stream in slices stay with their
 * source. */
#ifndef WL_SIM_KEPT_H
#define WL_SIM_KEPT_H

#include "ptx/exec.h"
#include "stream/stream.h"

/* Where the CTAs come from. */
struct kept_from {
    struct stream_source *source;
    struct exec_counts (*counts)(void *arg);              /* instructions in the CTAs that it has handed out */
    void *arg;                                            /* of counts() */
    void (*executed)(struct stream_source *s, void *arg); /* NULL, or hears that no CTA is left; `hears` goes with it */
    void *hears;
    void (*close)(struct stream_source *s); /* NULL: it is not ours to close */
    bool fleeting;                          /* its code is gone when the next launch is read: copied too */
};

struct kept;

/* Takes CTAs until none is left or `limit` bytes are kept. NULL: failed, *e is filled, and the source is closed. */
struct kept *kept_new(const struct kept_from *from, uint64_t limit, struct wl_err *e);
void kept_free(struct kept *k);
struct stream_source *kept_source(struct kept *k);
bool kept_whole(const struct kept *k); /* all CTAs are kept: the source has none left */
uint64_t kept_bytes(const struct kept *k);
uint32_t kept_ctas(const struct kept *k);                 /* those kept, or if it is not whole those of the grid */
struct exec_counts kept_executed(const struct kept *k);   /* in all CTAs taken from the source */
struct exec_counts kept_handed_out(const struct kept *k); /* in those that were handed out */

#endif
