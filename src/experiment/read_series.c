/* read_series.c - series: machines with policies.
 *
 * A series begins with what the head of the file says (gpu, scheme, l1, l2, sched, set), or with another
 * series (`like`), and changes it. The machine is made and checked here, so that a typing error
 * is found before anything runs. `best` and `best_over` make a series that is, workload by
 * workload, the one of several with the largest `by`. */
#include "experiment/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "run/scheme.h"

static const char *const series_keys[] = {"label", "gpu",  "l1",        "l2", "sched", "scheme", "set",
                                          "like",  "base", "best_over", "by", "best",  NULL};

struct exp_series *find_series(const struct reader *r, const char *name, size_t len)
{
    for (unsigned i = 0; i < r->x->nseries; i++) {
        struct exp_series *s = r->x->series[i];
        if (!s->hidden && strlen(s->name) == len && memcmp(s->name, name, len) == 0) return s;
    }
    return NULL;
}

int unknown_series(struct reader *r, const struct ini_key *k, unsigned offset, const char *name)
{
    const char *names[MAX_SERIES];
    unsigned n = 0;
    for (unsigned i = 0; i < r->x->nseries; i++)
        if (!r->x->series[i]->hidden) names[n++] = r->x->series[i]->name;
    return reader_unknown(r, k, offset, "series", name, names, n);
}

/* ---- machines ---- */

static int append_set(struct reader *r, const struct ini_key *k, struct recipe *c, const char *text)
{
    const char *p = text, *word;
    size_t len;
    while (next_word(&p, &word, &len)) {
        if (c->nset == MAX_SETS) return reader_fail(r, k, 0, "more than %d changes to one machine", MAX_SETS);
        if (!(c->set[c->nset++] = arena_strndup(r->arena, word, len))) return reader_memory(r);
    }
    return 0;
}

/* One key of a section into the recipe; each is tried at once, so that the error has its line. */
int take_recipe(struct reader *r, struct ini_section *s, struct recipe *c)
{
    static const char *const names[] = {"gpu", "set", "l1", "l2", "sched", "scheme"};
    for (unsigned i = 0; i < 6; i++) {
        const struct ini_key *k = ini_take(s, names[i]);
        struct wl_err inner = {.code = WL_OK};
        struct machine_spec tried = {0};
        struct gpu_config config;
        if (!k) continue;
        unsigned before = c->nset;
        int rc = 0;
        switch (i) {
        case 0: tried.gpu = c->gpu = k->value; break;
        case 1:
            if ((rc = append_set(r, k, c, k->value))) return rc;
            tried.set = c->set + before;
            tried.sets = c->nset - before;
            break;
        case 2: tried.l1 = c->l1 = k->value; break;
        case 3: tried.l2 = c->l2 = k->value; break;
        case 4: tried.sched = c->sched = k->value; break;
        default: tried.scheme = c->scheme = k->value; break;
        }
        if (machine_read(&tried, &config, &inner)) return reader_fail(r, k, 0, "%s", inner.text);
    }
    return 0;
}

static int make_machine(struct reader *r, const struct recipe *c, struct gpu_config *out, struct wl_err *e)
{
    const struct machine_spec spec = {.gpu = c->gpu,
                                      .set = c->set,
                                      .sets = c->nset,
                                      .scheme = c->scheme,
                                      .l1 = c->l1,
                                      .l2 = c->l2,
                                      .sched = c->sched};
    int rc = machine_read(&spec, out, e);
    if (!rc) rc = unknown_machine(r, c, out, e);
    if (!rc && c->scheme) scheme_fit(&spec, out);
    if (!rc) rc = config_settle(out, e);
    if (!rc && c->scheme) rc = scheme_check(&spec, out, e);
    if (!rc) rc = config_check(out, e);
    if (rc && r->choice) snprintf(r->refused, sizeof r->refused, "%.500s", e->text);
    return rc;
}

static struct exp_series *new_series(struct reader *r, const struct recipe *from)
{
    struct experiment *x = r->x;
    if (x->nseries == MAX_SERIES) return NULL;
    struct exp_series *s = ARENA_NEW(r->arena, struct exp_series);
    struct recipe *c = ARENA_NEW(r->arena, struct recipe);
    if (!s || !c) return NULL;
    *c = *from;
    s->index = x->nseries;
    s->base = -1;
    r->recipes[x->nseries] = c;
    x->series[x->nseries++] = s;
    return s;
}

static int too_many(struct reader *r)
{
    return wl_fail(r->e, WL_EINPUT, "%s: more than %d series (each point of a sweep counts)", r->ini.file, MAX_SERIES);
}

/* ---- sweeps ---- */

int read_points(struct reader *r, const struct ini_key *k, const char **key, const char *const **points,
                unsigned *count)
{
    const char *p = k->value, *word, *found[MAX_LIST];
    size_t len;
    unsigned n = 0;
    if (!next_word(&p, &word, &len) || len < 2 || word[len - 1] != ':')
        return reader_fail(r, k, 0, "write the parameter, a colon, and its values: l1d.ways: 2 4 8");
    if (!(*key = arena_strndup(r->arena, word, len - 1))) return reader_memory(r);
    while (next_word(&p, &word, &len)) {
        if (n == MAX_LIST) return reader_fail(r, k, 0, "more than %d values", MAX_LIST);
        if (!(found[n++] = arena_strndup(r->arena, word, len))) return reader_memory(r);
    }
    if (!n) return reader_fail(r, k, 0, "%s has no values here: %s: 2 4 8", *key, *key);
    const char **kept = ARENA_ARRAY(r->arena, const char *, n);
    if (!kept) return reader_memory(r);
    memcpy(kept, found, n * sizeof *kept);
    *points = kept;
    *count = n;
    return 0;
}

/* "sched:limit" = 4 turns "gto" into "gto:limit=4". */
static const char *with_parameter(struct arena *a, const char *spec, const char *name, const char *value)
{
    return arena_printf(a, "%s%c%s=%s", spec, strchr(spec, ':') ? ',' : ':', name, value);
}

static int change_recipe(struct reader *r, struct recipe *c, const char *key, const char *value)
{
    struct {
        const char *name, **spec, *fallback;
    } place[] = {{"l1", &c->l1, "lru"}, {"l2", &c->l2, "lru"}, {"sched", &c->sched, "gto"}};
    if (strcmp(key, "gpu") == 0) return c->gpu = value, 0;
    for (unsigned i = 0; i < 3; i++) {
        size_t n = strlen(place[i].name);
        if (strncmp(key, place[i].name, n) != 0) continue;
        if (!key[n]) return *place[i].spec = value, 0;
        if (key[n] != ':') continue;
        const char *spec = *place[i].spec ? *place[i].spec : place[i].fallback;
        *place[i].spec = with_parameter(r->arena, spec, key + n + 1, value);
        return *place[i].spec ? 0 : reader_memory(r);
    }
    if (c->nset == MAX_SETS) return wl_fail(r->e, WL_EINPUT, "%s: too many changes to a machine", r->ini.file);
    c->set[c->nset] = arena_printf(r->arena, "%s=%s", key, value);
    return c->set[c->nset++] ? 0 : reader_memory(r);
}

int derive_series(struct reader *r, const struct exp_series *of, const struct ini_key *k, const char *key,
                  const char *value, struct exp_series **out)
{
    struct wl_err inner = {.code = WL_OK};
    struct exp_series *s = new_series(r, r->recipes[of->index]);
    if (!s) return too_many(r);
    struct recipe *c = r->recipes[s->index];
    int rc = change_recipe(r, c, key, value);
    if (rc) return rc;
    s->name = arena_printf(r->arena, "%s@%s", of->name, value);
    s->label = of->label;
    s->point = value;
    s->hidden = true;
    if (!s->name) return reader_memory(r);
    *out = s;
    if (make_machine(r, c, &s->config, &inner))
        return reader_fail(r, k, (unsigned)(strstr(k->value, value) - k->value), "%s", inner.text);
    return 0;
}

/* ---- variants ---- */

/* A machine named for all series gives way to the variant's; one that a series names itself is that series' point. */
int vary_series(struct reader *r, struct ini_section *in, const struct recipe *change, const struct exp_series *of,
                const char *variant)
{
    struct wl_err inner = {.code = WL_OK};
    struct exp_series *s = new_series(r, r->recipes[of->index]);
    if (!s) return too_many(r);
    unsigned index = s->index;
    *s = *of;
    s->index = index;
    s->hidden = true;
    s->name = arena_printf(r->arena, "%s~%s", of->name, variant);
    if (!s->name) return reader_memory(r);
    struct recipe *c = r->recipes[index];
    if (change->gpu && c->gpu == r->top.gpu) c->gpu = change->gpu;
    for (unsigned i = 0; i < change->nset; i++) {
        if (c->nset == MAX_SETS) return ini_fail_section(&r->ini, in, "too many changes to a machine", r->e);
        c->set[c->nset++] = change->set[i];
    }
    return make_machine(r, c, &s->config, &inner) ? ini_fail_section(&r->ini, in, inner.text, r->e) : 0;
}

/* ---- best of several ---- */

static int best_of_list(struct reader *r, const struct ini_key *k, struct exp_series *s)
{
    unsigned found[MAX_LIST], n = 0;
    const char *p = k->value, *word;
    size_t len;
    while (next_word(&p, &word, &len)) {
        char name[64];
        const struct exp_series *one = find_series(r, word, len);
        snprintf(name, sizeof name, "%.*s", (int)len, word);
        if (!one || one == s) return unknown_series(r, k, (unsigned)(word - k->value), name);
        unsigned self = one->index, of = one->best ? one->nbest : 1; /* a choice stands for all it chooses from */
        if (n + of > MAX_LIST)
            return reader_fail(r, k, (unsigned)(word - k->value), "more than %d to choose from", MAX_LIST);
        memcpy(found + n, one->best ? one->best : &self, of * sizeof *found);
        n += of;
    }
    if (!n) return reader_fail(r, k, 0, "name the series to choose from");
    if (!(s->best = ARENA_ARRAY(r->arena, unsigned, n))) return reader_memory(r);
    memcpy(s->best, found, n * sizeof *found);
    s->nbest = n;
    return 0;
}

static int best_over_points(struct reader *r, const struct ini_key *k, struct exp_series *s)
{
    const char *key = NULL, *const *points = NULL;
    unsigned n = 0;
    int rc = read_points(r, k, &key, &points, &n);
    if (rc) return rc;
    unsigned *found = ARENA_ARRAY(r->arena, unsigned, n);
    if (!found) return reader_memory(r);
    for (unsigned i = 0; i < n; i++) {
        struct exp_series *one = NULL;
        if ((rc = derive_series(r, s, k, key, points[i], &one))) return rc;
        if (one) found[i] = one->index; /* it is: nothing failed */
    }
    s->best = found;
    s->nbest = n;
    return 0;
}

static int read_choice(struct reader *r, struct ini_section *in, struct exp_series *s)
{
    const struct ini_key *list = ini_take(in, "best"), *over = ini_take(in, "best_over"), *by = ini_take(in, "by");
    if (list && over) return reader_fail(r, over, 0, "give either best or best_over");
    if (by && !list && !over) return reader_fail(r, by, 0, "by goes with best or best_over");
    int rc = list ? best_of_list(r, list, s) : over ? best_over_points(r, over, s) : 0;
    static const struct ini_key usual = {.name = "by", .value = "ipc"};
    return rc || !(list || over) ? rc : read_metric(r, by ? by : &usual, false, &s->by);
}

/* ---- sections ---- */

static bool good_name(const char *s)
{
    return *s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] &&
           !strchr("0123456789", *s);
}

static int begin_series(struct reader *r, struct ini_section *in, struct exp_series **out)
{
    if (!good_name(in->name))
        return ini_fail_section(
            &r->ini, in,
            "a series needs a name of letters, digits and _, as in [series gto]; its label may be any text", r->e);
    if (find_series(r, in->name, strlen(in->name)))
        return ini_fail_section(&r->ini, in, "there is a series of this name already", r->e);
    const struct recipe *from = &r->top;
    const struct ini_key *like = ini_take(in, "like");
    if (like) {
        const struct exp_series *model = find_series(r, like->value, strlen(like->value));
        if (!model) return unknown_series(r, like, 0, like->value);
        from = r->recipes[model->index];
    }
    struct exp_series *s = new_series(r, from);
    if (!s) return too_many(r);
    const struct ini_key *label = ini_take(in, "label");
    s->name = in->name;
    s->label = label ? label->value : in->name;
    *out = s;
    return 0;
}

static int read_one(struct reader *r, struct ini_section *in)
{
    struct exp_series *s = NULL;
    int rc = begin_series(r, in, &s);
    WL_ASSERT(rc || s);
    if (!rc) rc = take_recipe(r, in, r->recipes[s->index]);
    if (rc) return rc;
    struct wl_err inner = {.code = WL_OK};
    if (make_machine(r, r->recipes[s->index], &s->config, &inner))
        return ini_fail_section(&r->ini, in, inner.text, r->e);
    if ((rc = read_choice(r, in, s))) return rc;
    ini_take(in, "base"); /* resolved when all names are known */
    return refuse_unused(r, in, series_keys);
}

static int resolve_base(struct reader *r, struct ini_section *in)
{
    const struct ini_key *k = ini_take(in, "base");
    if (!k) return 0;
    const struct exp_series *base = find_series(r, k->value, strlen(k->value));
    if (!base) return unknown_series(r, k, 0, k->value);
    find_series(r, in->name, strlen(in->name))->base = (int)base->index;
    return 0;
}

/* Without any [series] the head of the file is the only one. */
static int only_series(struct reader *r)
{
    struct wl_err inner = {.code = WL_OK};
    struct exp_series *s = new_series(r, &r->top);
    if (!s) return reader_memory(r);
    s->name = s->label = "run";
    if (make_machine(r, r->recipes[s->index], &s->config, &inner))
        return ini_fail_section(&r->ini, r->ini.sections, inner.text, r->e);
    return 0;
}

int read_series(struct reader *r)
{
    int rc = take_recipe(r, r->ini.sections, &r->top);
    if (!rc) rc = unknown_recipe(r);
    for (struct ini_section *s = r->ini.sections; !rc && s; s = s->next)
        if (strcmp(s->kind, "series") == 0) rc = read_one(r, s);
    for (struct ini_section *s = r->ini.sections; !rc && s; s = s->next)
        if (strcmp(s->kind, "series") == 0) rc = resolve_base(r, s);
    return rc || r->x->nseries ? rc : only_series(r);
}
