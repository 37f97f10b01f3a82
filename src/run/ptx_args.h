/* ptx_args.h - kernel arguments as words: "buf:4K:iota-f32", "u32:1024". */
#ifndef WL_RUN_PTX_ARGS_H
#define WL_RUN_PTX_ARGS_H

#include "run/run.h"
#include "sim/session.h"

enum { MAX_ARGS = 256 };

struct ptx_arg {
    bool is_buffer;
    uint64_t addr, bytes; /* of a buffer */
};

/* The kernel's parameter list: "(.u64 a, .u64 b, .u32 n)". */
void describe_params(const struct ptx_func *kernel, char *out, size_t size);

/* Reads one word per parameter, allocates and fills the buffers, and lays out the parameter image
 * (kernel->param_bytes bytes). Random fills depend on `seed` and the argument's number only. */
int read_args(struct session *s, const struct ptx_func *kernel, struct word_list given, uint64_t seed, void *image,
              struct ptx_arg args[MAX_ARGS], struct wl_err *e);

/* Prints a buffer as asked for by "N:TYPE[:COUNT]". */
int dump_arg(struct session *s, const char *spec, const struct ptx_arg *args, unsigned count, FILE *out,
             struct wl_err *e);
/* Checks such a word before the run. */
int check_dump(const char *spec, const struct ptx_arg *args, unsigned count, struct wl_err *e);

#endif
