/* scheme.h - a published scheme by its name: all of its parts at once.
 *
 * A scheme is a policy of the L1D, of the L2, a scheduler, or several of them that only work together. What a machine
 * must be like for it is known here too: what it needs is set, and what was set otherwise by hand is refused, all of it
 * in one sentence. */
#ifndef WL_RUN_SCHEME_H
#define WL_RUN_SCHEME_H

#include "run/machine.h"

struct scheme {
    const char *name;
    const char *l1, *l2, *sched; /* its policies; NULL: the machine's own */
    const char *takes; /* the place whose policy gets the parameters of "name:key=value": "l1", "l2", "sched" */
    const char *help;
};
/* All of them, ended by one without a name. */
extern const struct scheme schemes[];

/* The policies of "dacache" or "dacache:promote=2", in `room`; those that a scheme does not have become NULL. */
struct scheme_parts {
    const char *l1, *l2, *sched;
    char room[512];
};
int scheme_find(const char *spec, struct scheme_parts *out, struct wl_err *e);
/* Gives the machine, whose policies are known and whose sizes are not yet settled, what the scheme m->scheme needs;
 * what m->set names stays as it was asked for. m->say hears what was changed. */
void scheme_fit(const struct machine_spec *m, struct gpu_config *c);
/* Whether the settled machine can hold the scheme. WL_EINPUT: *e lists all that stands in its way and what would do. */
int scheme_check(const struct machine_spec *m, const struct gpu_config *c, struct wl_err *e);

#endif
