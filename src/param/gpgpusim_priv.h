/* gpgpusim_priv.h - what the files of the gpgpusim.config reader share. */
#ifndef WL_PARAM_GPGPUSIM_PRIV_H
#define WL_PARAM_GPGPUSIM_PRIV_H

#include <stdbool.h>

#include "param/gpgpusim.h"

/* A cache string in pieces. */
struct cache_text {
    bool none;
    char type, replace, write, alloc, write_alloc, index, mshr;
    long sets, line, ways, entries, merge, missq, port; /* missq and port 0: not given */
};

bool gpgpusim_number(const char *text, long *out); /* the whole text is a number, not negative */
int gpgpusim_cache(const char *text, struct cache_text *out, struct wl_err *e);
/* Sets the DRAM's banks, groups and timings. */
int gpgpusim_timing(struct gpu_config *c, const char *text, struct wl_err *e);

#endif
