/* json_launch.h - when one launch ran and what policies counted in it, for the record in JSON. */
#ifndef WL_RUN_JSON_LAUNCH_H
#define WL_RUN_JSON_LAUNCH_H

#include <jansson.h>

#include "run/result.h"

/* Add them to the object of a launch; 0, or -1: out of memory. */
int json_add_launch_time(json_t *kernel, const struct kernel_record *k);
int json_add_launch_policies(json_t *kernel, const struct run_result *r, unsigned i);

#endif
