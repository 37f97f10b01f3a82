/* registry.c - the list of policies: those of policies.def and those of loaded plugins.
 *
 * A plugin is foreign code behind tables of pointers. Its tables are checked once, here, so that
 * a forgotten function or a clash of names is a sentence at start and not a crash in a run. The
 * ABI number is looked at before anything else of a table, because nothing else has a known
 * place when it differs. Shared objects stay loaded until the process ends. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "param/config.h"
#include "param/param_table.h"
#include "policy/registry.h"
#include "warpline/grain.h"
#include "warpline/plugin.h"

#define CACHE_POLICY(id) extern const struct wl_cache_policy id##_policy;
#define SCHED_POLICY(id) extern const struct wl_sched_policy id##_policy;
#include "policy/policies.def"

/* Ours come first, those of plugins behind them; the rest is NULL, the last one always. */
enum { MAX_POLICIES = 256 };
#define CACHE_POLICY(id) &id##_policy,
static const struct wl_cache_policy *caches[MAX_POLICIES] = {
#include "policy/policies.def"
};
#define SCHED_POLICY(id) &id##_policy,
static const struct wl_sched_policy *scheds[MAX_POLICIES] = {
#include "policy/policies.def"
};

#define CACHE_POLICY(id) +1
enum {
    OWN_CACHES = 0
#include "policy/policies.def"
};
#define SCHED_POLICY(id) +1
enum {
    OWN_SCHEDS = 0
#include "policy/policies.def"
};

static const struct wl_cache_policy *const *all_caches(unsigned *count)
{
    for (*count = 0; caches[*count];) ++*count;
    return caches;
}

static const struct wl_sched_policy *const *all_scheds(unsigned *count)
{
    for (*count = 0; scheds[*count];) ++*count;
    return scheds;
}

static bool is_foreign(const void *table)
{
    for (unsigned i = OWN_CACHES; caches[i]; i++)
        if (caches[i] == table) return true;
    for (unsigned i = OWN_SCHEDS; scheds[i]; i++)
        if (scheds[i] == table) return true;
    return false;
}

void registry_open(void)
{
    static const struct policy_catalogue catalogue = {all_caches, all_scheds, is_foreign};
    config_use_catalogue(&catalogue);
}

/* ---- what every table must satisfy ---- */

static bool good_name(const char *s)
{
    return s && *s && strlen(s) < 32 && s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_-.")] == 0;
}

static int check_params(const char *path, const char *name, const struct wl_param *params, struct wl_err *e)
{
    unsigned n = param_rows(params);
    if (n > WL_MAX_POLICY_PARAMS)
        return wl_fail(e, WL_EINPUT, "%s: policy '%s' has %u parameters; %d are allowed", path, name, n,
                       WL_MAX_POLICY_PARAMS);
    for (unsigned i = 0; i < n; i++) {
        const struct wl_param *p = &params[i];
        if (!p->unit || !p->help)
            return wl_fail(e, WL_EINPUT, "%s: parameter '%s' of policy '%s' lacks a unit or a help line", path, p->name,
                           name);
        if (p->min > p->def || p->def > p->max)
            return wl_fail(e, WL_EINPUT,
                           "%s: the default of parameter '%s' of policy '%s', %" PRId64 ", is not in %" PRId64
                           "..%" PRId64,
                           path, p->name, name, p->def, p->min, p->max);
        if (param_find(params, p->name) != (int)i)
            return wl_fail(e, WL_EINPUT, "%s: policy '%s' has two parameters called '%s'", path, name, p->name);
    }
    return 0;
}

static int check_counters(const char *path, const char *name, const struct wl_counter *counters, struct wl_err *e)
{
    unsigned n = 0;
    while (counters && counters[n].name) n++;
    if (n > WL_MAX_POLICY_COUNTERS)
        return wl_fail(e, WL_EINPUT, "%s: policy '%s' has %u counters; %d are allowed", path, name, n,
                       WL_MAX_POLICY_COUNTERS);
    return 0;
}

static int check_abi(const char *path, const char *what, uint32_t abi, struct wl_err *e)
{
    if (abi == WL_ABI) return 0;
    return wl_fail(e, WL_EINPUT,
                   "%s: %s is built for plugin interface %u, this program has %u; build it again with "
                   "this version's include/warpline",
                   path, what, abi, WL_ABI);
}

/* What the tables of both kinds have. */
struct common {
    const char *kind; /* "cache policy" or "scheduler" */
    const char *name, *help;
    bool taken; /* the name is that of a policy we have */
    const struct wl_param *params;
    const struct wl_counter *counters;
};

static int check_common(const char *path, const struct common *t, struct wl_err *e)
{
    if (!good_name(t->name))
        return wl_fail(e, WL_EINPUT, "%s: a %s has no proper name (a-z, 0-9, '_', '-', '.'; up to 31 characters)", path,
                       t->kind);
    if (!t->help) return wl_fail(e, WL_EINPUT, "%s: %s '%s' lacks a help line", path, t->kind, t->name);
    if (t->taken)
        return wl_fail(e, WL_EINPUT, "%s: a %s called '%s' exists already; give yours another name", path, t->kind,
                       t->name);
    int rc = check_params(path, t->name, t->params, e);
    return rc ? rc : check_counters(path, t->name, t->counters, e);
}

static bool same_name(const char *a, const char *b) { return b && strcmp(a, b) == 0; }

static int check_cache(const char *path, const struct wl_cache_policy *p, struct wl_err *e)
{
    int rc = check_abi(path, "a cache policy", p->abi, e);
    if (rc) return rc;
    struct common t = {"cache policy", p->name, p->help, false, p->params, p->counters};
    for (unsigned i = 0; caches[i]; i++) t.taken |= same_name(caches[i]->name, p->name);
    if ((rc = check_common(path, &t, e))) return rc;
    if (!p->victim && !p->grains)
        return wl_fail(e, WL_EINPUT, "%s: policy '%s' lacks its victim function", path, p->name);
    if (p->grains && !p->grains->shape)
        return wl_fail(e, WL_EINPUT, "%s: policy '%s' has grains but no shape function", path, p->name);
    if (p->grains && p->levels != 1u << WL_L1)
        return wl_fail(e, WL_EINPUT, "%s: policy '%s' has grains, which only an L1D can have: levels = 1 << WL_L1",
                       path, p->name);
    if (!p->levels || p->levels & ~(1u << WL_L1 | 1u << WL_L2))
        return wl_fail(e, WL_EINPUT,
                       "%s: policy '%s' must say where it can live: levels = 1 << WL_L1, 1 << WL_L2 or both", path,
                       p->name);
    return 0;
}

static int check_sched(const char *path, const struct wl_sched_policy *p, struct wl_err *e)
{
    int rc = check_abi(path, "a scheduler", p->abi, e);
    if (rc) return rc;
    struct common t = {"scheduler", p->name, p->help, false, p->params, p->counters};
    for (unsigned i = 0; scheds[i]; i++) t.taken |= same_name(scheds[i]->name, p->name);
    if ((rc = check_common(path, &t, e))) return rc;
    return p->pick ? 0 : wl_fail(e, WL_EINPUT, "%s: scheduler '%s' lacks its pick function", path, p->name);
}

/* ---- plugins and host programs ---- */

/* Adds the tables one by one, so that two of the same name in one plugin clash too. Takes all of
 * them or none. */
static int add_all(const char *path, const struct wl_plugin *plugin, struct wl_err *e)
{
    unsigned cache_count, sched_count, nc, ns;
    all_caches(&cache_count);
    all_scheds(&sched_count);
    nc = cache_count;
    ns = sched_count;
    int rc = 0;
    for (unsigned i = 0; !rc && plugin->caches && plugin->caches[i]; i++) {
        rc = nc + 1 < MAX_POLICIES ? check_cache(path, plugin->caches[i], e)
                                   : wl_fail(e, WL_EINPUT, "%s: more than %d cache policies", path, MAX_POLICIES - 1);
        if (!rc) caches[nc++] = plugin->caches[i];
    }
    for (unsigned i = 0; !rc && plugin->scheds && plugin->scheds[i]; i++) {
        rc = ns + 1 < MAX_POLICIES ? check_sched(path, plugin->scheds[i], e)
                                   : wl_fail(e, WL_EINPUT, "%s: more than %d schedulers", path, MAX_POLICIES - 1);
        if (!rc) scheds[ns++] = plugin->scheds[i];
    }
    if (!rc && nc == cache_count && ns == sched_count)
        rc = wl_fail(e, WL_EINPUT, "%s: the plugin brings neither a cache policy nor a scheduler", path);
    if (!rc) return 0;
    while (nc > cache_count) caches[--nc] = NULL;
    while (ns > sched_count) scheds[--ns] = NULL;
    return rc;
}

int plugin_load(const char *path, struct wl_err *e)
{
    /* A bare name would be searched along the system's library path; a plugin is a file. */
    char here[4096];
    snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path);
    void *object = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        const char *why = dlerror();
        return wl_fail(e, WL_EINPUT, "cannot load plugin %s: %s", path, why ? why : "unknown reason");
    }
    const struct wl_plugin *plugin = dlsym(object, "wl_plugin");
    int rc;
    if (!plugin)
        rc = wl_fail(e, WL_EINPUT,
                     "%s is no warpline plugin: it exports no variable 'wl_plugin' (see warpline/plugin.h)", path);
    else if (!(rc = check_abi(path, "the plugin", plugin->abi, e)) && plugin->size < sizeof *plugin)
        rc =
            wl_fail(e, WL_EINPUT, "%s: its wl_plugin has %u bytes, %zu are needed; is 'size' sizeof(struct wl_plugin)?",
                    path, plugin->size, sizeof *plugin);
    if (!rc) rc = add_all(path, plugin, e);
    if (rc) dlclose(object);
    return rc;
}

int registry_add(const struct wl_cache_policy *cache, const struct wl_sched_policy *sched, struct wl_err *e)
{
    const struct wl_cache_policy *const cache_list[] = {cache, NULL};
    const struct wl_sched_policy *const sched_list[] = {sched, NULL};
    const struct wl_plugin one = {WL_ABI, sizeof one, "host", cache_list, sched_list};
    return add_all("this program", &one, e);
}
