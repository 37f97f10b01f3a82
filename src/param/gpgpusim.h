/* gpgpusim.h - machines described for GPGPU-Sim and Accel-Sim: gpgpusim.config and trace.config. */
#ifndef WL_PARAM_GPGPUSIM_H
#define WL_PARAM_GPGPUSIM_H

#include <stdbool.h>

#include "param/config.h"

/* Where warnings go; say may be NULL. */
struct config_warn {
    void (*say)(void *arg, const char *text);
    void *arg;
};

/* Whether the text looks like one: its first word is an option. */
bool gpgpusim_text(const char *text);

/* Reads options into *c, which holds the defaults. An option that means nothing here, one whose value
 * cannot be followed, and one that is missing although it shapes the machine, is a warning with its name.
 * `file` may have directories; -config FILE inside is looked for in the folder of `file`. With `part`, options that
 * are missing are no matter: the text adds to another one. */
int gpgpusim_parse(struct gpu_config *c, const char *file, const char *text, bool part, struct config_warn warn,
                   struct wl_err *e);

/* The whole file as a string for free(), or NULL (config.c). */
char *config_read_file(const char *path, struct wl_err *e);

#endif
