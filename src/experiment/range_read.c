/* range_read.c - a range as 'warpline claims --range --json' wrote it: for a page that runs nothing, and for another
 * range that goes on from it.
 *
 * Points are found again by the names of unknowns and values, claims by their ids. A claim that the file does not have
 * is not known; a point of unknowns that the experiment no longer has is a file of another experiment. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/range.h"

struct range_reading {
    struct exp_range *r;
    const char *file;
    struct wl_err *e;
};

static int outdated(const struct range_reading *g, const char *what, const char *name)
{
    return wl_fail(g->e, WL_EINPUT, "%s: %s has no %s '%.80s'; the file is of another version of it", g->file,
                   g->r->x->name, what, name);
}

static int read_choice(const struct range_reading *g, struct range_point *p, const char *name, const char *label)
{
    const struct experiment *x = g->r->x;
    unsigned u = 0, v = 0;
    while (u < x->nunknowns && strcmp(x->unknowns[u].name, name) != 0) u++;
    if (u == x->nunknowns) return outdated(g, "unknown", name);
    while (v < x->unknowns[u].nvalues && (!label || strcmp(x->unknowns[u].values[v].label, label) != 0)) v++;
    if (v == x->unknowns[u].nvalues) return outdated(g, "such value of an unknown:", label ? label : name);
    p->choice[u] = v + 1;
    p->unknown = (int)u;
    return 0;
}

static int read_points(const struct range_reading *g, const json_t *points)
{
    int rc = 0;
    for (unsigned n = 0; !rc && n < g->r->npoints; n++) {
        const char *name;
        json_t *label, *one = json_array_get(points, n);
        struct range_point *p = &g->r->points[n];
        *p = (struct range_point){.unknown = -1};
        json_object_foreach(one, name, label)
        {
            if (!rc) rc = read_choice(g, p, name, json_string_value(label));
        }
        if (json_object_size(one) != 1) p->unknown = -1;
    }
    return rc;
}

static void read_values(const struct range_reading *g, const json_t *claims)
{
    const struct experiment *x = g->r->x;
    size_t i;
    json_t *c;
    for (size_t k = 0; k < (size_t)x->nclaims * g->r->npoints; k++) g->r->value[k] = (double)NAN;
    json_array_foreach(claims, i, c)
    {
        const char *id = json_string_value(json_object_get(c, "claim"));
        const json_t *values = json_object_get(c, "values");
        for (unsigned n = 0; id && n < x->nclaims; n++) {
            if (strcmp(x->claims[n].id, id) != 0) continue;
            for (unsigned p = 0; p < g->r->npoints; p++) {
                const json_t *v = json_array_get(values, p);
                if (json_is_number(v)) g->r->value[n * g->r->npoints + p] = json_number_value(v);
            }
        }
    }
}

/* The builds that the file's values are of: its own, and those of the files it went on from. */
static json_t *read_builds(const json_t *one)
{
    json_t *before = json_object_get(one, "known_builds"), *build = json_object_get(one, "build");
    json_t *all = json_is_array(before) ? json_copy(before) : json_array();
    size_t i;
    json_t *b;
    json_array_foreach(all, i, b)
    {
        if (json_equal(b, build)) return all;
    }
    if (json_is_string(build)) json_array_append(all, build);
    return all;
}

/* The object of this experiment and size; NULL: there is none. */
static const json_t *find_experiment(const json_t *all, const struct plan *p)
{
    size_t i;
    json_t *one;
    json_array_foreach(all, i, one)
    {
        const char *name = json_string_value(json_object_get(one, "experiment"));
        const char *size = json_string_value(json_object_get(one, "size"));
        if (name && size && strcmp(name, p->x->name) == 0 && strcmp(size, size_names[p->size]) == 0) return one;
    }
    return NULL;
}

int range_read(const struct plan *p, const char *file, struct exp_range **out, struct wl_err *e)
{
    json_error_t why;
    json_t *all = json_load_file(file, 0, &why);
    *out = NULL;
    if (!all && why.line < 0) return wl_fail(e, WL_EINPUT, "cannot read %s: %s", file, why.text);
    if (!all)
        return wl_fail(e, WL_EINPUT, "%s is no file of ranges, as claims --range --json writes it: line %d: %s", file,
                       why.line, why.text);
    const json_t *one = find_experiment(all, p), *points = json_object_get(one, "points");
    size_t n = json_array_size(points);
    int rc = 0;
    if (n > 0 && n < 100000) {
        struct exp_range *r = calloc(1, sizeof *r);
        struct range_reading g = {r, file, e};
        if (r) *r = (struct exp_range){.x = p->x, .npoints = (unsigned)n};
        if (r) r->known_builds = read_builds(one);
        if (r) r->points = calloc(n, sizeof *r->points);
        if (r) r->value = calloc(n * p->x->nclaims + 1, sizeof *r->value);
        rc = r && r->points && r->value ? read_points(&g, points) : wl_no_memory(e);
        if (!rc) read_values(&g, json_object_get(one, "claims"));
        if (rc) range_free(r);
        else *out = r;
    }
    json_decref(all);
    return rc;
}
