/* write_sampling.h - what a sampled run says about itself: in JSON and for people. */
#ifndef WL_RUN_WRITE_SAMPLING_H
#define WL_RUN_WRITE_SAMPLING_H

#include <stdio.h>

#include "run/result.h"

/* The object "sampling" (a json_t *, jansson); NULL: no memory. */
void *sampling_json(const struct run_result *r);
void sampling_write_text(const struct run_result *r, FILE *out);

#endif
