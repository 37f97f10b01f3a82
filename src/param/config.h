/* config.h - the machine's parameters: one table, one array of values.
 *
 * A machine is a `struct gpu_config`: a value for each row of params.def, the address map, and
 * the chosen policies. Parts copy what they need when they are built. */
#ifndef WL_PARAM_CONFIG_H
#define WL_PARAM_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "warpline/policy.h"
#include "warpline/sched.h"

enum param_id {
#define P(id, name, unit, min, def, max, choices, help, source) P_##id,
#include "param/params.def"
#undef P
    P_COUNT
};

extern const struct wl_param gpu_params[P_COUNT + 1]; /* in order of enum param_id */

/* A policy with its parameter values, as chosen by "dacache:promote=2". */
struct cache_choice {
    const struct wl_cache_policy *policy;
    bool foreign; /* from a plugin or a host program: every question is asked twice */
    int64_t values[WL_MAX_POLICY_PARAMS];
};
struct sched_choice {
    const struct wl_sched_policy *policy;
    bool foreign; /* as in cache_choice */
    int64_t values[WL_MAX_POLICY_PARAMS];
};

/* Sizes that stand for sets and ways: l1d.size, l2.size. */
enum { SIZE_L1D, SIZE_L2, SIZE_KEYS };
extern const struct wl_param size_params[SIZE_KEYS + 1];

struct gpu_config {
    char name[64];           /* "gtx480", or the file it came from */
    char preset[64];         /* the built-in machine it is based on; "": none, the defaults of params.def */
    char dram_map[128];      /* GPGPU-Sim address map string */
    char shared_options[96]; /* "0,8,16,32": sizes shared memory can take of shared.unified, in KiB */
    int64_t v[P_COUNT];
    int64_t size[SIZE_KEYS]; /* asked for and not yet sets and ways (config_settle); 0: none */
    struct cache_choice l1, l2;
    struct sched_choice sched;
};

/* All defaults, policies lru, lru, gto. */
void config_defaults(struct gpu_config *c);
/* A preset by name (gpus/NAME.ini, built in) or a file by path, ours or a gpgpusim.config, with
 * "+trace.config" behind it if wanted. */
int config_load(struct gpu_config *c, const char *name_or_file, struct wl_err *e);
/* The same; `say` gets what a file of GPGPU-Sim asks for and cannot have. */
int config_load_warn(struct gpu_config *c, const char *name_or_file, void (*say)(void *arg, const char *text),
                     void *arg, struct wl_err *e);
/* Parses INI text; `file` is for messages. Keys are parameter names ("l1d.mshr = 64", with or
 * without [section]), dram.map, base = PRESET (must come first), l1, l2, sched. */
int config_parse(struct gpu_config *c, const char *file, const char *text, struct wl_err *e);
/* One "key=value" of --set. */
int config_set(struct gpu_config *c, const char *assignment, struct wl_err *e);
/* Policy specifications: "name[:key=value,...]". */
int config_set_l1(struct gpu_config *c, const char *spec, struct wl_err *e);
int config_set_l2(struct gpu_config *c, const char *spec, struct wl_err *e);
int config_set_sched(struct gpu_config *c, const char *spec, struct wl_err *e);
/* The sizes of a shared.options text in bytes, ascending; returns how many. 0: not a list, *e filled. */
enum { WL_MAX_CARVEOUTS = 16 };
enum { WL_MAX_SLICES = 256 }; /* of the L2, all channels together: ports of the network */
unsigned carveouts(const char *text, uint32_t bytes[WL_MAX_CARVEOUTS], struct wl_err *e);
/* Makes sets and ways of the sizes that were asked for. Call it when all other values are known. */
int config_settle(struct gpu_config *c, struct wl_err *e);
/* The bytes of a cache as it is; of the L2, all slices together. */
int64_t config_size(const struct gpu_config *c, unsigned which);
/* Contradictions between values (a geometry that cannot be, ...). Called before a machine is built. */
int config_check(const struct gpu_config *c, struct wl_err *e);
/* The machine in our file format, complete, loadable again. */
void config_print(const struct gpu_config *c, FILE *out);
/* Every parameter in which the machine differs from its preset, in the order of the table: the name and the value as
 * --set takes them; `number` is NULL for a value that is a word. Policies are not among them. */
typedef void config_change(void *arg, const char *name, const char *value, const int64_t *number);
void config_changes(const struct gpu_config *c, config_change *each, void *arg);
/* Hash of everything that can change a result. */
uint64_t config_hash(const struct gpu_config *c);
/* The same for files that outlive a version: only values other than their defaults, by name and in words, so that a
 * parameter which is new and off leaves the hash as it was. It does not see that a default has become another. */
uint64_t config_lasting_hash(const struct gpu_config *c);
/* "lru" or "dacache:promote=2": the name with the values that differ from the defaults. */
void policy_spec(const char *name, const struct wl_param *params, const int64_t *values, char *out, size_t size);

/* ---- which policies there are ----
 *
 * This folder knows no policy by name: the list is handed in, once, before the first machine is made
 * (policy/registry.h does it). */
struct policy_catalogue {
    const struct wl_cache_policy *const *(*caches)(unsigned *count);
    const struct wl_sched_policy *const *(*scheds)(unsigned *count);
    bool (*foreign)(const void *table); /* it came from a plugin or a host program */
};
/* The catalogue must outlive every use of this folder. */
void config_use_catalogue(const struct policy_catalogue *c);
/* The policies of that catalogue; none before it was handed in. */
const struct wl_cache_policy *const *cache_policies(unsigned *count);
const struct wl_sched_policy *const *sched_policies(unsigned *count);

#endif
