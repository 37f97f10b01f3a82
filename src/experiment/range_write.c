/* range_write.c - claims and their ranges as text, CSV and JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "experiment/range.h"

/* ---- text ---- */

/* "mshr=256/256 +0.140", "noise", or "-" when nothing moves it. */
static void moved_text(const struct exp_range *r, const struct exp_claim *c, const struct claim_range *k, char *out,
                       size_t size)
{
    if (k->most < 0) {
        snprintf(out, size, "-");
        return;
    }
    const struct exp_unknown *u = &r->x->unknowns[k->most];
    int n = snprintf(out, size, "%s=%s", u->name, u->values[k->most_value].label);
    if (n < 0 || (size_t)n >= size) return;
    if (c->kind != CLAIM_ORDER) n += snprintf(out + n, size - (size_t)n, " %+.3f", k->move);
    if (k->within_noise && (size_t)n < size) snprintf(out + n, size - (size_t)n, " (within the noise)");
}

static void one_line(const struct exp_range *r, unsigned claim, int width, struct range_counts *counts, FILE *out)
{
    const struct exp_claim *c = &r->x->claims[claim];
    struct claim_range k = range_claim(r, claim);
    char id[256], ours[32], low[32], high[32], moved[160];
    snprintf(id, sizeof id, "%s.%s", r->x->name, c->id);
    claim_text(c, k.value, ours, sizeof ours);
    claim_text(c, k.low, low, sizeof low);
    claim_text(c, k.high, high, sizeof high);
    moved_text(r, c, &k, moved, sizeof moved);
    fprintf(out, "%-*s  %12s  %9s  %-9s  %9s  %9s  %-9s  %s", width, id, c->value_text, ours,
            verdict_names[claim_verdict(c, k.value)], low, high, inside_names[k.inside], c->skip ? c->skip : moved);
    if (!c->skip && k.known < r->npoints) fprintf(out, "; %u of %u points are known", k.known, r->npoints);
    if (c->repeat) fprintf(out, "; same as %s", c->repeat->id);
    fputc('\n', out);
    if (c->own || c->repeat) return;
    counts->inside[k.inside]++;
    counts->noise += k.within_noise;
}

void range_text(const struct exp_range *r, struct range_counts *counts, FILE *out)
{
    int width = 8;
    bool head = false, apart = false;
    for (unsigned i = 0; i < r->x->nclaims; i++) {
        int n = (int)(strlen(r->x->name) + 1 + strlen(r->x->claims[i].id));
        if ((!r->wanted || r->wanted[i]) && n > width) width = n;
    }
    for (unsigned n = 0; n < 2 * r->x->nclaims; n++) { /* what counts first, then the rest */
        unsigned i = n % r->x->nclaims;
        bool counted = !r->x->claims[i].own && !r->x->claims[i].repeat;
        if ((r->wanted && !r->wanted[i]) || counted != (n < r->x->nclaims)) continue;
        if (!head)
            fprintf(out, "%-*s  %12s  %9s  %-9s  %9s  %9s  %-9s  %s\n", width, "claim", "stated", "measured", "verdict",
                    "lowest", "highest", "inside", "moved most by");
        if (!counted && !apart) fputs("not counted: checks of ours, and what the paper states twice\n", out);
        head = true;
        apart = !counted;
        one_line(r, i, width, counts, out);
    }
}

void unknowns_text(const struct experiment *x, FILE *out)
{
    for (unsigned i = 0; i < x->nunknowns; i++) {
        const struct exp_unknown *u = &x->unknowns[i];
        fprintf(out, "%s.%s  %s%s\n", x->name, u->name, u->text, u->noise ? " (noise)" : "");
        fprintf(out, "    %-16s %s\n", "default", u->why);
        for (unsigned v = 0; v < u->nvalues; v++) fprintf(out, "    %-16s %s\n", u->values[v].label, u->values[v].why);
    }
}

/* ---- CSV ---- */

static void csv_number(FILE *out, double v)
{
    if (isnan(v)) fputc(',', out);
    else fprintf(out, ",%.9g", v);
}

static void csv_text(FILE *out, const char *s)
{
    fputc(',', out);
    put_csv(out, s);
}

static void csv_range(const struct exp_range *r, unsigned claim, FILE *out)
{
    struct claim_range k = range_claim(r, claim);
    const struct exp_unknown *u = k.most >= 0 ? &r->x->unknowns[k.most] : NULL;
    csv_number(out, k.low);
    csv_number(out, k.high);
    csv_text(out, inside_names[k.inside]);
    csv_text(out, u ? u->name : "");
    csv_text(out, u ? u->values[k.most_value].label : "");
    csv_number(out, u ? k.move : (double)NAN);
    csv_number(out, k.noise);
    fprintf(out, ",%s,%u,%u", k.within_noise ? "yes" : "no", r->npoints, k.known);
}

void claims_csv(const struct plan *p, const struct exp_range *r, const bool *wanted, bool head, FILE *out)
{
    if (head)
        fprintf(out, "claim,text,stated,measured,verdict,counted%s\n",
                r ? ",lowest,highest,inside,moved_by,moved_to,move,noise,within_noise,points,known" : "");
    for (unsigned i = 0; i < p->x->nclaims; i++) {
        const struct exp_claim *c = &p->x->claims[i];
        if (wanted && !wanted[i]) continue;
        char id[256];
        double m = r ? r->value[i * r->npoints] : claim_value(p, c);
        snprintf(id, sizeof id, "%s.%s", p->x->name, c->id);
        put_csv(out, id);
        csv_text(out, c->text);
        csv_text(out, c->value_text);
        csv_number(out, m);
        csv_text(out, verdict_names[claim_verdict(c, m)]);
        csv_text(out, c->own || c->repeat ? "no" : "yes");
        if (r) csv_range(r, i, out);
        fputc('\n', out);
    }
}

/* ---- JSON ---- */

static json_t *number(double v) { return isnan(v) ? json_null() : json_real(v); }

static json_t *json_unknowns(const struct experiment *x)
{
    json_t *all = json_array();
    for (unsigned i = 0; i < x->nunknowns; i++) {
        const struct exp_unknown *u = &x->unknowns[i];
        json_t *keys = json_array(), *values = json_array();
        for (unsigned k = 0; k < u->nkeys; k++) json_array_append_new(keys, json_string(u->keys[k]));
        for (unsigned v = 0; v < u->nvalues; v++)
            json_array_append_new(values, json_pack("{s:s,s:s}", "value", u->values[v].label, "why", u->values[v].why));
        json_array_append_new(all, json_pack("{s:s,s:s,s:b,s:o,s:s,s:o}", "name", u->name, "text", u->text, "noise",
                                             (int)u->noise, "set", keys, "why", u->why, "values", values));
    }
    return all;
}

/* What differs from the default at each point; the default itself is {}. */
static json_t *json_points(const struct exp_range *r)
{
    json_t *all = json_array();
    for (unsigned n = 0; n < r->npoints; n++) {
        json_t *one = json_object();
        for (unsigned u = 0; u < r->x->nunknowns; u++) {
            const struct exp_unknown *k = &r->x->unknowns[u];
            unsigned at = r->points[n].choice[u];
            if (at) json_object_set_new(one, k->name, json_string(k->values[at - 1].label));
        }
        json_array_append_new(all, one);
    }
    return all;
}

static void json_range(const struct exp_range *r, unsigned claim, json_t *o)
{
    struct claim_range k = range_claim(r, claim);
    const struct exp_unknown *u = k.most >= 0 ? &r->x->unknowns[k.most] : NULL;
    json_t *values = json_array();
    for (unsigned n = 0; n < r->npoints; n++)
        json_array_append_new(values, number(r->value[(size_t)claim * r->npoints + n]));
    json_object_set_new(o, "lowest", number(k.low));
    json_object_set_new(o, "highest", number(k.high));
    json_object_set_new(o, "inside", json_string(inside_names[k.inside]));
    json_object_set_new(o, "moved_by", u ? json_string(u->name) : json_null());
    json_object_set_new(o, "moved_to", u ? json_string(u->values[k.most_value].label) : json_null());
    json_object_set_new(o, "move", number(u ? k.move : (double)NAN));
    json_object_set_new(o, "noise", number(k.noise));
    json_object_set_new(o, "within_noise", json_boolean(k.within_noise));
    json_object_set_new(o, "values", values);
}

json_t *claims_json(const struct plan *p, const struct exp_range *r, const bool *wanted)
{
    json_t *list = json_array(), *o = json_object();
    for (unsigned i = 0; i < p->x->nclaims; i++) {
        const struct exp_claim *c = &p->x->claims[i];
        if (wanted && !wanted[i]) continue;
        double m = r ? r->value[i * r->npoints] : claim_value(p, c);
        json_t *one = json_pack("{s:s,s:s,s:s,s:o,s:s}", "claim", c->id, "text", c->text, "stated", c->value_text,
                                "measured", number(m), "verdict", verdict_names[claim_verdict(c, m)]);
        if (one && c->own) json_object_set_new(one, "own", json_true());
        if (one && c->repeat) json_object_set_new(one, "same_as", json_string(c->repeat->id));
        if (one && c->skip) json_object_set_new(one, "skip", json_string(c->skip));
        if (one && r) json_range(r, i, one);
        json_array_append_new(list, one);
    }
    int bad = json_object_set_new(o, "experiment", json_string(p->x->name));
    bad |= json_object_set_new(o, "size", json_string(size_names[p->size]));
    bad |= json_object_set_new(o, "build", json_string(p->build));
    if (r && r->known_builds) bad |= json_object_set(o, "known_builds", r->known_builds);
    if (p->x->sample) bad |= json_object_set_new(o, "sampled", json_real((double)p->x->sample / 1e4));
    if (r) bad |= json_object_set_new(o, "unknowns", json_unknowns(p->x));
    if (r) bad |= json_object_set_new(o, "points", json_points(r));
    bad |= json_object_set_new(o, "claims", list);
    if (!bad) return o;
    json_decref(o);
    return NULL;
}
