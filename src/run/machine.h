/* machine.h - from words to a machine: the only way to make one.
 *
 * A machine is a preset or a file, changes to single parameters, and a policy for each place. The
 * command line, experiment files, `warpline exec` and host programs all fill in a machine_spec, so the
 * same words mean the same machine everywhere, and every machine is checked for contradictions. */
#ifndef WL_RUN_MACHINE_H
#define WL_RUN_MACHINE_H

#include "param/config.h"

struct machine_spec {
    const char *gpu;        /* preset or file; NULL: gtx480 */
    const char *const *set; /* "l1d.mshr=64", in order */
    unsigned sets;
    const char *scheme;          /* "ccws": its policies and what they need, at once (scheme.h); NULL: none */
    const char *l1, *l2, *sched; /* "dacache:promote=2"; NULL: the scheme's or the preset's own policy */
    /* Gets warnings about what a file of GPGPU-Sim asks for and cannot have, and what a scheme changed; NULL: they are
     * dropped. */
    void (*say)(void *arg, const char *text);
    void *say_arg;
};

/* Adds the policies of a shared object. */
int machine_plugin(const char *file, struct wl_err *e);
/* Words to values. The machine may contradict itself, and sizes are not yet sets and ways (config_settle). */
int machine_read(const struct machine_spec *spec, struct gpu_config *out, struct wl_err *e);
/* The same, and refuses a machine that cannot be built. */
int machine_make(const struct machine_spec *spec, struct gpu_config *out, struct wl_err *e);

/* "gtx480: 15 SMs at 700 MHz; L1D 16 KiB ..." */
void machine_line(const struct gpu_config *c, char *out, size_t size);
/* The machine in our file format, complete, loadable again. */
void machine_print(const struct gpu_config *c, FILE *out);

#endif
