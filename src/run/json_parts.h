/* json_parts.h - what the writers of JSON share. */
#ifndef WL_RUN_JSON_PARTS_H
#define WL_RUN_JSON_PARTS_H

#include <jansson.h>
#include <stdint.h>

struct gpu_config;
struct run_result;

static inline json_t *json_count(uint64_t v) { return json_integer((json_int_t)v); }
/* Names are foreign bytes (a kernel of some file): what is not UTF-8 becomes '?'. */
json_t *json_text(const char *s);
/* Puts value at "a.b" below object; takes the reference. */
int json_set_nested(json_t *object, const char *key, json_t *value);

/* ---- write_setup.c: what ran, on what ---- */

/* "set", "policies", "inputs", "seed", "command" and the like, into `root`. Not 0: no memory. */
int json_add_setup(json_t *root, const struct run_result *r);
/* "n=64 m=2" as {"n": 64, "m": 2}; anything else as {"arguments": text}; "" as {}. */
json_t *json_inputs(const char *text);
/* "config": every parameter of the machine, dots in their names as nested objects. */
json_t *json_config(const struct gpu_config *c);

#endif
