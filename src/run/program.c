/* program.c - programs by name: workloads with their sizes and inputs, groups, and numbers with K, M, G. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "run/program.h"
#include "trace/trace.h"

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && strcmp(s + n - m, end) == 0;
}

enum run_kind run_kind(const char *program)
{
    if (ends_with(program, ".ptx")) return RUN_PTX;
    return trace_named(program) && !workload_find(program) ? RUN_TRACE : RUN_WORKLOAD;
}

bool read_size(const char *text, uint64_t *out)
{
    if (!isdigit((unsigned char)text[0])) return false;
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10);
    uint64_t factor = 1;
    if (*end) {
        static const char letters[] = "KMG";
        const char *at = strchr(letters, toupper((unsigned char)*end));
        if (!at || end[1]) return false;
        factor = UINT64_C(1) << (10 * (at - letters + 1));
    }
    uint64_t product;
    if (errno == ERANGE || __builtin_mul_overflow((uint64_t)v, factor, &product)) return false;
    *out = product;
    return true;
}

/* ---- names ---- */

static int unknown_workload(const char *name, struct wl_err *e)
{
    const char *names[512];
    unsigned count, n = 0;
    const struct workload *const *all = workloads(&count);
    for (unsigned i = 0; i < count && n < 512; i++) names[n++] = all[i]->name;
    const char *near = wl_nearest(name, names, n);
    if (near) return wl_fail(e, WL_EINPUT, "unknown workload '%s'; did you mean '%s'?", name, near);
    return wl_fail(e, WL_EINPUT, "unknown workload '%s'; 'warpline list workloads' shows what there is", name);
}

static int unknown_group(const char *name, struct wl_err *e)
{
    const char *names[64];
    unsigned count, n = 0;
    const struct workload_group *all = workload_groups(&count);
    for (unsigned i = 0; i < count && n < 64; i++) names[n++] = all[i].name;
    const char *near = wl_nearest(name, names, n);
    if (near) return wl_fail(e, WL_EINPUT, "unknown group '@%s'; did you mean '@%s'?", name, near);
    return wl_fail(e, WL_EINPUT, "unknown group '@%s'; 'warpline list groups' shows what there is", name);
}

int expand_groups(struct word_list in, const char *out[], unsigned max, unsigned *count, struct wl_err *e)
{
    *count = 0;
    for (unsigned i = 0; i < in.count; i++) {
        const char *word = in.item[i], *name = word;
        const struct workload_group *g = *word == '@' ? workload_group_find(word + 1) : NULL;
        if (*word == '@' && !g) return unknown_group(word + 1, e);
        for (unsigned k = 0; name; k++) {
            const struct workload *w = g ? workload_group_member(g, k) : NULL;
            name = g ? (w ? w->name : NULL) : k ? NULL : word;
            if (name && *count == max) return wl_fail(e, WL_EINPUT, "more than %u workloads", max);
            if (name) out[(*count)++] = name;
        }
    }
    return 0;
}

const char *workload_size_name(enum workload_size size) { return size_names[size]; }

int read_workload_size(const char *name, enum workload_size *out, struct wl_err *e)
{
    for (unsigned i = 0; i < SIZE_COUNT; i++)
        if (strcmp(size_names[i], name) == 0) return *out = (enum workload_size)i, 0;
    const char *near = wl_nearest(name, size_names, SIZE_COUNT);
    return wl_fail(e, WL_EINPUT, "there is no size '%s'; --size is tiny, small or paper%s%s%s", name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* ---- inputs ---- */

static int unknown_input(const struct workload *w, const char *name, struct wl_err *e)
{
    char list[256] = "";
    size_t at = 0;
    for (const struct workload_input *in = w->input; in->name && at < sizeof list; in++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "", in->name);
    if (!*list) return wl_fail(e, WL_EINPUT, "workload '%s' has no inputs to set", w->name);
    return wl_fail(e, WL_EINPUT, "workload '%s' has no input '%s'; it has %s", w->name, name, list);
}

static int set_input(const struct workload *w, const char *assignment, int64_t *input, struct wl_err *e)
{
    char name[64];
    size_t len = strcspn(assignment, "=");
    uint64_t value = 0;
    if (!assignment[len] || len == 0 || len >= sizeof name)
        return wl_fail(e, WL_EINPUT, "--input needs key=value, not '%s'", assignment);
    memcpy(name, assignment, len);
    name[len] = 0;
    for (unsigned i = 0; w->input[i].name; i++) {
        const struct workload_input *in = &w->input[i];
        if (strcmp(in->name, name) != 0) continue;
        if (!read_size(assignment + len + 1, &value))
            return wl_fail(e, WL_EINPUT, "input %s needs a whole number, not '%s'", name, assignment + len + 1);
        if (value > INT64_MAX || (int64_t)value < in->min || (int64_t)value > in->max)
            return wl_fail(e, WL_EINPUT, "input %s of '%s' is %" PRId64 " to %" PRId64 ", not %s", name, w->name,
                           in->min, in->max, assignment + len + 1);
        input[i] = (int64_t)value;
        return 0;
    }
    return unknown_input(w, name, e);
}

int workload_inputs(const char *name, enum workload_size size, struct word_list given, const struct workload **program,
                    int64_t out[WORKLOAD_MAX_INPUTS], struct wl_err *e)
{
    const struct workload *w = *program = workload_find(name);
    int rc = w ? 0 : unknown_workload(name, e);
    if (!w) return rc;
    memset(out, 0, WORKLOAD_MAX_INPUTS * sizeof *out);
    for (unsigned i = 0; w->input[i].name; i++) out[i] = w->input[i].value[size];
    for (unsigned i = 0; !rc && i < given.count; i++) rc = set_input(w, given.item[i], out, e);
    return rc;
}

int find_program(struct run *r, struct wl_err *e)
{
    const char *name = r->spec.program;
    if (*name == '@') {
        if (!workload_group_find(name + 1)) return unknown_group(name + 1, e);
        return wl_fail(e, WL_EINPUT, "'%s' is several workloads, this takes one; 'warpline compare %s' runs them all",
                       name, name);
    }
    r->size = SIZE_SMALL;
    if (!workload_find(name)) return unknown_workload(name, e); /* before what is wrong with its size */
    int rc = r->spec.size ? read_workload_size(r->spec.size, &r->size, e) : 0;
    if (!rc) rc = workload_inputs(name, r->size, r->spec.input, &r->workload, r->input, e);
    if (!rc && r->spec.values) memcpy(r->input, r->spec.values, sizeof r->input);
    return rc;
}

void describe_program(struct run *r)
{
    struct run_result *to = &r->result;
    size_t at = 0;
    snprintf(to->workload, sizeof to->workload, "%s", r->workload->name);
    snprintf(to->size, sizeof to->size, "%s", size_names[r->size]);
    for (unsigned i = 0; r->workload->input[i].name && at < sizeof to->inputs; i++)
        at += (size_t)snprintf(to->inputs + at, sizeof to->inputs - at, "%s%s=%" PRId64, at ? " " : "",
                               r->workload->input[i].name, r->input[i]);
}
