/* read_variant.c - the whole experiment once more on another machine.
 *
 * A paper's words may describe two machines. One of them is the default; [variant NAME] names the other, as a
 * machine file (gpu) or as changes (set). Every series gets its like there, every figure a second one called
 * FIGURE.NAME, and every claim a second measured value with a verdict of its own, shown next to the first. */
#include "experiment/reader.h"

#include <string.h>

static const char *const variant_keys[] = {"label", "why", "gpu", "set", NULL};

static int like_there(struct reader *r, struct ini_section *in, struct exp_variant *v, unsigned count)
{
    struct recipe change = {0};
    int rc = take_recipe(r, in, &change);
    if (!rc && (change.l1 || change.l2 || change.sched))
        rc = ini_fail_section(&r->ini, in, "a variant is another machine; policies belong to series", r->e);
    if (!rc && !change.gpu && !change.nset)
        rc = ini_fail_section(&r->ini, in, "a variant needs a machine: gpu = NAME, or set = key=value", r->e);
    if (rc) return rc;
    unsigned first = r->x->nseries;
    if (!(v->series = ARENA_ARRAY(r->arena, unsigned, count))) return reader_memory(r);
    for (unsigned i = 0; i < count; i++) {
        v->series[i] = first + i;
        if ((rc = vary_series(r, in, &change, r->x->series[i], v->name))) return rc;
    }
    for (unsigned i = 0; i < count; i++) {
        struct exp_series *s = r->x->series[first + i];
        if (s->base >= 0) s->base = (int)(first + (unsigned)s->base);
        unsigned *best = s->best ? ARENA_ARRAY(r->arena, unsigned, s->nbest) : NULL;
        if (s->best && !best) return reader_memory(r);
        for (unsigned k = 0; best && k < s->nbest; k++) best[k] = first + s->best[k];
        s->best = best;
    }
    return 0;
}

static int figure_there(struct reader *r, const struct exp_figure *of, const struct exp_variant *v)
{
    struct exp_figure *f = &r->x->figures[r->x->nfigures];
    unsigned n = of->nseries * (of->npoints ? of->npoints : 1);
    *f = *of;
    f->of = of;
    f->variant = v;
    f->id = arena_printf(r->arena, "%s.%s", of->id, v->name);
    f->title = arena_printf(r->arena, "%s; %s", of->title, v->label);
    f->series = ARENA_ARRAY(r->arena, unsigned, n);
    if (!f->id || !f->title || !f->series) return reader_memory(r);
    for (unsigned i = 0; i < n; i++) f->series[i] = v->series[of->series[i]];
    if (f->view.base >= 0) f->view.base = (int)v->series[f->view.base];
    r->x->nfigures++;
    return 0;
}

static int read_one(struct reader *r, struct ini_section *in, struct exp_variant *v, unsigned series, unsigned figures)
{
    const struct ini_key *label = ini_take(in, "label"), *why = ini_take(in, "why");
    if (!*in->name || in->name[strcspn(in->name, " /\\\t\"'.~@")])
        return ini_fail_section(&r->ini, in, "a variant needs a short name, as in [variant bw4]", r->e);
    for (unsigned i = 0; i < r->x->nvariants; i++)
        if (strcmp(r->x->variants[i].name, in->name) == 0)
            return ini_fail_section(&r->ini, in, "there is a variant of this name already", r->e);
    *v = (struct exp_variant){.name = in->name, .label = label ? label->value : in->name, .why = why ? why->value : ""};
    int rc = like_there(r, in, v, series);
    for (unsigned i = 0; !rc && i < figures; i++)
        if (!r->x->figures[i].example) rc = figure_there(r, &r->x->figures[i], v);
    return rc ? rc : refuse_unused(r, in, variant_keys);
}

int read_variants(struct reader *r)
{
    unsigned n = 0, series = r->x->nseries, figures = r->x->nfigures;
    for (struct ini_section *s = r->ini.sections; s; s = s->next) n += strcmp(s->kind, "variant") == 0;
    if (!n) return 0;
    if (!(r->x->variants = ARENA_ARRAY(r->arena, struct exp_variant, n))) return reader_memory(r);
    for (struct ini_section *s = r->ini.sections; s; s = s->next) {
        if (strcmp(s->kind, "variant") != 0) continue;
        int rc = read_one(r, s, &r->x->variants[r->x->nvariants], series, figures);
        if (rc) return rc;
        r->x->nvariants++;
    }
    return 0;
}
