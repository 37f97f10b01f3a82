/* json_launch.h - what policies counted in one launch, for the record in JSON. */
#ifndef WL_RUN_JSON_LAUNCH_H
#define WL_RUN_JSON_LAUNCH_H

#include <jansson.h>

#include "run/result.h"

/* Adds them to the object of launch i; 0, or -1: out of memory. */
int json_add_launch_policies(json_t *kernel, const struct run_result *r, unsigned i);

#endif
