/* session_attach.h - what a host interface (cuda/) needs of a session beyond running kernels. */
#ifndef WL_SIM_SESSION_ATTACH_H
#define WL_SIM_SESSION_ATTACH_H

#include "sim/session.h"

/* One pointer a host interface hangs on the session: its contexts, modules, handles.
 * `free_state` is called by session_free while the device memory still exists. */
void session_attach(struct session *s, void *state, void (*free_state)(void *state));
void *session_attached(const struct session *s); /* NULL before session_attach */

/* The options the session was made with; config is meaningful in timing mode only. */
const struct session_options *session_setup(const struct session *s);
/* A parameter of the machine, or the default machine's when there is none. */
int64_t session_param(const struct session *s, enum param_id id);
/* What PTX is assembled for: the machine of these parameters, that of the session. */
struct ptx_target ptx_target_of(const int64_t *v);
struct ptx_target session_ptx_target(const struct session *s);
uint64_t session_cycles(const struct session *s); /* core cycles of all launches so far */

#endif
