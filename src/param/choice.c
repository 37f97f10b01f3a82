/* choice.c - choosing policies by name: "dacache:promote=2,replace=stall".
 *
 * The three places a policy can stand (L1D, L2, scheduler) read the same syntax; they differ
 * only in the list of names and in whether a cache policy may live at that level. */
#include <stdio.h>
#include <string.h>

#include "param/config.h"
#include "param/param_table.h"

enum { MAX_SPEC = 512, MAX_NAMES = 256 };

/* ---- the catalogue ---- */

static const struct policy_catalogue *catalogue;

/* Written once: other threads may be reading it. */
void config_use_catalogue(const struct policy_catalogue *c)
{
    if (catalogue != c) catalogue = c;
}

const struct wl_cache_policy *const *cache_policies(unsigned *count)
{
    *count = 0;
    return catalogue ? catalogue->caches(count) : NULL;
}

const struct wl_sched_policy *const *sched_policies(unsigned *count)
{
    *count = 0;
    return catalogue ? catalogue->scheds(count) : NULL;
}

static bool policy_is_foreign(const void *table) { return catalogue && catalogue->foreign(table); }

/* ---- specifications ---- */

/* Fills `values` from the "key=value,..." part; `spec` is cut up in place. */
static int read_values(const char *policy, const struct wl_param *params, char *spec, int64_t *values, struct wl_err *e)
{
    char what[128];
    snprintf(what, sizeof what, "policy '%s'", policy);
    while (spec && *spec) {
        char *next = strchr(spec, ',');
        if (next) *next++ = 0;
        char *value = strchr(spec, '=');
        if (!value) return wl_fail(e, WL_EINPUT, "'%s' of %s needs a value: %s=VALUE", spec, what, spec);
        *value++ = 0;
        int row = param_find(params, spec);
        if (row < 0) return param_unknown(params, what, spec, e);
        int rc = param_read(&params[row], value, &values[row], e);
        if (rc) return rc;
        spec = next;
    }
    return 0;
}

static void default_values(const struct wl_param *params, int64_t *values)
{
    unsigned rows = param_rows(params);
    memset(values, 0, sizeof(int64_t) * WL_MAX_POLICY_PARAMS);
    for (unsigned i = 0; i < rows; i++) values[i] = params[i].def;
}

/* Copies spec and cuts it at the colon; *args is what follows, or NULL. */
static int split_spec(const char *spec, char copy[MAX_SPEC], char **args, struct wl_err *e)
{
    if (strlen(spec) >= MAX_SPEC)
        return wl_fail(e, WL_EINPUT, "a policy specification of %zu characters is too long", strlen(spec));
    memcpy(copy, spec, strlen(spec) + 1);
    *args = strchr(copy, ':');
    if (*args) *(*args)++ = 0;
    return 0;
}

static int unknown_policy(const char *kind, const char *name, const char *const *names, unsigned n, struct wl_err *e)
{
    const char *near = wl_nearest(name, names, n);
    if (near) return wl_fail(e, WL_EINPUT, "unknown %s '%s'; did you mean '%s'?", kind, name, near);
    return wl_fail(e, WL_EINPUT, "unknown %s '%s'; 'warpline list %s' shows what there is", kind, name,
                   strcmp(kind, "scheduler") == 0 ? "schedulers" : "policies");
}

static int set_cache(struct cache_choice *choice, enum wl_level level, const char *spec, struct wl_err *e)
{
    char name[MAX_SPEC], *args = NULL;
    int rc = split_spec(spec, name, &args, e);
    if (rc) return rc;
    unsigned count, fit = 0;
    const struct wl_cache_policy *const *all = cache_policies(&count);
    const char *names[MAX_NAMES];
    for (unsigned i = 0; i < count; i++) {
        bool fits = all[i]->levels >> level & 1;
        if (fits && fit < MAX_NAMES) names[fit++] = all[i]->name;
        if (strcmp(all[i]->name, name) != 0) continue;
        if (!fits)
            return wl_fail(e, WL_EINPUT, "policy '%s' cannot manage the L%d; it is made for the L%d", name, (int)level,
                           level == WL_L1 ? 2 : 1);
        struct cache_choice made = {.policy = all[i], .foreign = policy_is_foreign(all[i])};
        default_values(all[i]->params, made.values);
        rc = read_values(name, all[i]->params, args, made.values, e);
        if (!rc) *choice = made;
        return rc;
    }
    return unknown_policy(level == WL_L1 ? "L1 policy" : "L2 policy", name, names, fit, e);
}

int config_set_l1(struct gpu_config *c, const char *spec, struct wl_err *e)
{
    return set_cache(&c->l1, WL_L1, spec, e);
}
int config_set_l2(struct gpu_config *c, const char *spec, struct wl_err *e)
{
    return set_cache(&c->l2, WL_L2, spec, e);
}

int config_set_sched(struct gpu_config *c, const char *spec, struct wl_err *e)
{
    char name[MAX_SPEC], *args = NULL;
    int rc = split_spec(spec, name, &args, e);
    if (rc) return rc;
    unsigned count, n = 0;
    const struct wl_sched_policy *const *all = sched_policies(&count);
    const char *names[MAX_NAMES];
    for (unsigned i = 0; i < count; i++) {
        if (n < MAX_NAMES) names[n++] = all[i]->name;
        if (strcmp(all[i]->name, name) != 0) continue;
        struct sched_choice made = {.policy = all[i], .foreign = policy_is_foreign(all[i])};
        default_values(all[i]->params, made.values);
        rc = read_values(name, all[i]->params, args, made.values, e);
        if (!rc) c->sched = made;
        return rc;
    }
    return unknown_policy("scheduler", name, names, n, e);
}

void policy_spec(const char *name, const struct wl_param *params, const int64_t *values, char *out, size_t size)
{
    if (size == 0) return;
    int n = snprintf(out, size, "%s", name);
    size_t at = n < 0 ? 0 : (size_t)n;
    char before = ':';
    for (unsigned i = 0; i < param_rows(params) && at < size; i++) {
        if (values[i] == params[i].def) continue;
        char text[64];
        param_write(&params[i], values[i], text, sizeof text);
        n = snprintf(out + at, size - at, "%c%s=%s", before, params[i].name, text);
        at += n < 0 ? 0 : (size_t)n;
        before = ',';
    }
}
