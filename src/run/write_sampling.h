/* write_sampling.h - what a sampled run says about itself: in JSON and for people. */
#ifndef WL_RUN_WRITE_SAMPLING_H
#define WL_RUN_WRITE_SAMPLING_H

#include <stdio.h>

#include "run/result.h"

/* A quantity of the record with its interval. */
struct sampled result_sampled(const struct run_result *r, unsigned counter); /* by its place in struct sample */
struct sampled result_sampled_ipc(const struct run_result *r);
/* Misses of all requests that could hit, L1D and L2. */
struct sampled result_sampled_l1(const struct run_result *r);
struct sampled result_sampled_l2(const struct run_result *r);

/* The object "sampling" (a json_t *, jansson); NULL: no memory. */
void *sampling_json(const struct run_result *r);
void sampling_write_text(const struct run_result *r, FILE *out);

#endif
