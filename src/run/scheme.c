/* scheme.c - the schemes, and what each needs of a machine. */
#include "run/scheme.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/bits.h"
#include "param/param_table.h"

/* The papers' baselines belong to their machines (gpus/NAME.ini), not to their schemes: a scheduler is part of a scheme
 * only if the scheme needs it. DaCache ranks warps by age and is defined on greedy-then-oldest (section 4.1). */
const struct scheme schemes[] = {
    {"none", NULL, NULL, NULL, NULL, "the machine as it is: a baseline for lists"},
    {"dacache", "dacache", NULL, "gto", "l1", "DaCache: L1D by divergence and age of warps, under greedy-then-oldest"},
    {"apcm", "apcm", NULL, NULL, "l1", "APCM: L1D that bypasses or protects by load"},
    {"dycache", "dycache", NULL, NULL, "l1", "DyCache: L1D of grains of 32, 64 or 128 bytes"},
    {"elastic", "elastic", NULL, NULL, "l1", "Elastic-Cache: L1D of grains of one size"},
    {"mascar", NULL, NULL, "mascar", "sched", "Mascar: an owner warp when memory is saturated, and re-execution"},
    {"hac", NULL, "hac", NULL, "l2", "HAC: L2 for hybrid memory"},
    {"hac_static", NULL, "hac_static", NULL, "l2", "static HAC: fixed places by memory and lanes"},
    {"wbar", NULL, "wbar", NULL, "l2", "WBAR: write-back-aware L2 (a reconstruction)"},
    {"eabp", NULL, "eabp", NULL, "l2", "EABP: L2 by effective addresses (a reconstruction)"},
    {"ccws", "ccws_tags", NULL, "ccws", "sched", "CCWS: scheduler by lost locality, with its victim tags in the L1D"},
    {"swl", NULL, NULL, "swl", "sched", "static warp limiting"},
    {"pcal", "pcal", NULL, "pcal", "sched", "PCAL: warps with and without the right to allocate in the L1D"},
    {"abyp", "abyp", "abyp", NULL, "l1", "adaptive bypassing by PC, in the L1D and the L2 (a reconstruction)"},
    {"pd", "pd", NULL, NULL, "l1", "static protecting distance in the L1D"},
    {"dip", "dip", NULL, NULL, "l1", "dynamic insertion in the L1D"},
    {"rrip", "rrip", NULL, NULL, "l1", "re-reference interval prediction in the L1D"},
    {"owl", NULL, NULL, "owl", "sched", "OWL: groups of thread blocks (a reconstruction)"},
    {"twolevel", NULL, NULL, "twolevel", "sched", "two-level scheduling by fetch groups"},
    {NULL, NULL, NULL, NULL, NULL, NULL},
};

static int unknown_scheme(const char *name, struct wl_err *e)
{
    const char *names[sizeof schemes / sizeof schemes[0]];
    unsigned n = 0;
    while (schemes[n].name) names[n] = schemes[n].name, n++;
    const char *near = wl_nearest(name, names, n);
    if (near) return wl_fail(e, WL_EINPUT, "unknown scheme '%s'; did you mean '%s'?", name, near);
    return wl_fail(e, WL_EINPUT, "unknown scheme '%s'; 'warpline list schemes' shows what there is", name);
}

static const struct scheme *by_name(const char *name, size_t length)
{
    for (const struct scheme *s = schemes; s->name; s++)
        if (strlen(s->name) == length && memcmp(s->name, name, length) == 0) return s;
    return NULL;
}

int scheme_find(const char *spec, struct scheme_parts *out, struct wl_err *e)
{
    size_t length = strcspn(spec, ":");
    const struct scheme *s = by_name(spec, length);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, spec);
    if (!s) return unknown_scheme(name, e);
    *out = (struct scheme_parts){.l1 = s->l1, .l2 = s->l2, .sched = s->sched};
    if (!spec[length]) return 0;
    if (!s->takes) return wl_fail(e, WL_EINPUT, "scheme '%s' has no parameters", name);
    const char **to = strcmp(s->takes, "l1") == 0 ? &out->l1 : strcmp(s->takes, "l2") == 0 ? &out->l2 : &out->sched;
    if (snprintf(out->room, sizeof out->room, "%s%s", *to, spec + length) >= (int)sizeof out->room)
        return wl_fail(e, WL_EINPUT, "the parameters of scheme '%s' are too long", name);
    *to = out->room;
    return 0;
}

/* ---- what a scheme needs of the machine ---- */

/* A parameter that stands in the scheme's way, and the value that would do. */
struct need {
    int param;
    int64_t value;
    char why[96];
};
enum { MAX_NEEDS = 8 };
struct needs {
    struct need item[MAX_NEEDS];
    unsigned count;
};

__attribute__((format(printf, 4, 5))) static void need(struct needs *n, int param, int64_t value, const char *why, ...)
{
    struct need *to = &n->item[n->count++];
    va_list list;
    va_start(list, why);
    to->param = param;
    to->value = value;
    vsnprintf(to->why, sizeof to->why, why, list);
    va_end(list);
}

/* A cache of grains has a tag store of its own (src/mem/l1.c, make_grains). */
static void grain_needs(const struct gpu_config *c, struct needs *n)
{
    if (c->v[P_SHARED_UNIFIED]) need(n, P_SHARED_UNIFIED, 0, "shared memory takes ways of the L1D");
    if (c->v[P_L1D_SECTORED]) need(n, P_L1D_SECTORED, 0, "lines of the L1D have sectors");
    if (c->v[P_L1D_WRITE_ALLOC]) need(n, P_L1D_WRITE_ALLOC, 0, "stores take lines of the L1D");
    if (c->v[P_L1D_INFINITE]) need(n, P_L1D_INFINITE, 0, "the L1D has no end");
    if (c->v[P_L1D_MISSQ] < 5) need(n, P_L1D_MISSQ, 5, "one miss may send 5 packets");
}

/* HAC's formulas halve and quarter the ways. */
static void hac_needs(const struct gpu_config *c, struct needs *n)
{
    int64_t ways = c->v[P_L2_WAYS], fit = 8;
    if (ways >= 8 && is_pow2((uint64_t)ways)) return;
    while (fit * 2 <= ways) fit *= 2;
    if (2 * fit - ways < ways - fit) fit *= 2; /* 25 is nearer to 32 than to 16 */
    need(n, P_L2_WAYS, fit, "the L2 has %" PRId64 " ways; a power of two, at least 8, is needed", ways);
}

static void find_needs(const struct gpu_config *c, struct needs *n)
{
    const char *l2 = c->l2.policy->name;
    n->count = 0;
    if (c->l1.policy->grains) grain_needs(c, n);
    if (strcmp(l2, "hac") == 0 || strcmp(l2, "wbar") == 0) hac_needs(c, n);
}

/* Appends to a text of that size. */
__attribute__((format(printf, 3, 4))) static void add(char *out, size_t size, const char *format, ...)
{
    size_t at = strlen(out);
    va_list list;
    va_start(list, format);
    vsnprintf(out + at, size - at, format, list);
    va_end(list);
}

static void add_setting(char *out, size_t size, const char *before, int param, int64_t value)
{
    char text[32];
    param_write(&gpu_params[param], value, text, sizeof text);
    add(out, size, "%s%s=%s", before, gpu_params[param].name, text);
}

static bool names_param(const struct machine_spec *m, const char *name)
{
    size_t length = strlen(name);
    for (unsigned i = 0; i < m->sets; i++)
        if (strncmp(m->set[i], name, length) == 0 && m->set[i][length] == '=') return true;
    return false;
}

void scheme_fit(const struct machine_spec *m, struct gpu_config *c)
{
    struct needs n;
    char changed[512] = "", text[1024];
    find_needs(c, &n);
    for (unsigned i = 0; i < n.count; i++) {
        const struct need *w = &n.item[i];
        if (names_param(m, gpu_params[w->param].name)) continue; /* asked for: scheme_check refuses it */
        c->v[w->param] = w->value;
        add_setting(changed, sizeof changed, " ", w->param, w->value);
    }
    if (!*changed || !m->say) return;
    snprintf(text, sizeof text, "scheme %s sets%s: %s as it is cannot hold it", m->scheme, changed, c->name);
    m->say(m->say_arg, text);
}

/* ---- what a machine cannot hold ---- */

struct obstacles {
    char why[1024], set[512];
};

static void obstacle(struct obstacles *o, const char *why, const char *words)
{
    add(o->why, sizeof o->why, "%s%s", *o->why ? "; " : "", why);
    add(o->set, sizeof o->set, " %s", words);
}

/* A size that was asked for has chosen the ways: another size is what would do. */
static void need_obstacle(const struct need *w, const struct machine_spec *m, const struct gpu_config *c,
                          struct obstacles *o)
{
    char words[96] = "";
    if (w->param == P_L2_WAYS && names_param(m, "l2.size"))
        add(words, sizeof words, "--set l2.size=%" PRId64, config_size(c, SIZE_L2) / c->v[P_L2_WAYS] * w->value);
    else add_setting(words, sizeof words, "--set ", w->param, w->value);
    obstacle(o, w->why, words);
}

int scheme_check(const struct machine_spec *m, const struct gpu_config *c, struct wl_err *e)
{
    struct obstacles o = {"", ""};
    struct needs n;
    find_needs(c, &n);
    for (unsigned i = 0; i < n.count; i++) need_obstacle(&n.item[i], m, c, &o);
    if (strcmp(c->sched.policy->name, "ccws") == 0 && strcmp(c->l1.policy->name, "ccws_tags") != 0)
        obstacle(&o, "CCWS needs its victim tags in the L1D", "--l1 ccws_tags");
    if (strcmp(c->sched.policy->name, "pcal") == 0 && strcmp(c->l1.policy->name, "pcal") != 0)
        obstacle(&o, "PCAL needs its own L1D policy", "--l1 pcal");
    if (!*o.why) return 0;
    return wl_fail(e, WL_EINPUT, "scheme %s cannot work on %s with these settings: %s. These would do:%s", m->scheme,
                   c->name, o.why, o.set);
}
