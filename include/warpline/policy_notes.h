/* policy_notes.h - for schemes with a half in the L1D and a half in the L2: a byte that travels with each read.
 *
 * The L1 policy writes a note on an accepted read that leaves the SM; the L2 policy finds it in wl_access.note and
 * writes one on the reply. A note of 0 says nothing. */
#ifndef WARPLINE_POLICY_NOTES_H
#define WARPLINE_POLICY_NOTES_H

#include "warpline/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each may be NULL. request() and reply() are called once per accepted read, after its on_access(). */
struct wl_note_hooks {
    uint8_t (*request)(struct wl_cache *c, const struct wl_access *a); /* L1: the note to send with this read */
    uint8_t (*reply)(struct wl_cache *c,
                     const struct wl_access *a);       /* L2: the note to send with the reply to this read */
    void (*arrived)(struct wl_cache *c, uint8_t note); /* L1: a reply came back with this note, which is not 0 */
};

#ifdef __cplusplus
}
#endif

#endif
