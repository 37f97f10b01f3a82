/* fidelity_write.c - a reference and our numbers as tables, CSV and JSON; and as a reference file again. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "experiment/fidelity.h"

static void put_number(FILE *out, double v)
{
    if (isnan(v)) fputs("-", out);
    else if (v == floor(v) && v < 1e15) fprintf(out, "%.0f", v);
    else fprintf(out, "%.6g", v);
}

static void put_values(const struct fid_reference *f, const double *v, FILE *out)
{
    for (unsigned c = 0; c < f->ncounters; c++) {
        fputs(" ", out);
        put_number(out, v[c]);
        fputs(" |", out);
    }
    fputs("\n", out);
}

static bool has_error(const struct fid_reference *f, const struct fid_row *r, unsigned c)
{
    return !isnan(r->reference[c]) && !isnan(r->ours[c]) && r->reference[c] > 0 && r->reference[c] >= f->least;
}

static double row_error(const struct fid_row *r, unsigned c)
{
    return 100 * (r->ours[c] - r->reference[c]) / r->reference[c];
}

static void write_rows(const struct fid_reference *f, FILE *out)
{
    fputs("| run | who |", out);
    for (unsigned c = 0; c < f->ncounters; c++) fprintf(out, " %s |", f->counter[c]);
    fputs("\n|---|---|", out);
    for (unsigned c = 0; c < f->ncounters; c++) fputs("---|", out);
    fputs("\n", out);
    for (unsigned i = 0; i < f->nrows; i++) {
        const struct fid_row *r = &f->row[i];
        fprintf(out, "| %s | reference |", r->name);
        put_values(f, r->reference, out);
        fputs("| | ours |", out);
        put_values(f, r->ours, out);
        fputs("| | difference |", out);
        for (unsigned c = 0; c < f->ncounters; c++) {
            if (has_error(f, r, c)) fprintf(out, " %+.1f %% |", row_error(r, c));
            else fputs("  |", out);
        }
        fputs("\n", out);
    }
}

static void write_statistics(const struct fid_reference *f, FILE *out)
{
    fputs("\n| counter | runs | equal | mean error | mean, signed | worst | where | r "
          "|\n|---|---|---|---|---|---|---|---|\n",
          out);
    for (unsigned c = 0; c < f->ncounters; c++) {
        struct fid_stat s = fid_statistics(f, c);
        fprintf(out, "| %s | %u | %u |", f->counter[c], s.rows, s.equal);
        if (!s.rows) fputs(" - | - | - | - |", out);
        else fprintf(out, " %.1f %% | %+.1f %% | %+.1f %% | %s |", s.mean, s.bias, s.worst, s.where->name);
        if (isnan(s.r)) fputs(" - |\n", out);
        else fprintf(out, " %.4f |\n", s.r);
    }
}

static void write_aims(const struct fid_reference *f, FILE *out)
{
    if (!f->naims) return;
    fputs("\n| aim | mean | worst | r | |\n|---|---|---|---|---|\n", out);
    for (unsigned i = 0; i < f->naims; i++) {
        const struct fid_aim *a = &f->aim[i];
        struct fid_stat s = fid_statistics(f, a->counter);
        fprintf(out, "| %s |", f->counter[a->counter]);
        if (isnan(a->mean)) fputs(" |", out);
        else fprintf(out, " at most %.4g %% |", a->mean);
        if (isnan(a->worst)) fputs(" |", out);
        else fprintf(out, " at most %.4g %% |", a->worst);
        if (isnan(a->r)) fputs(" |", out);
        else fprintf(out, " at least %.4g |", a->r);
        fprintf(out, " %s |\n", !s.rows ? "nothing compared" : fid_reached(a, &s) ? "reached" : "missed");
    }
}

void fid_write_tables(const struct fid_reference *f, FILE *out)
{
    void *before = text_locale_c();
    fprintf(out, "## %s\n\n", f->title);
    write_rows(f, out);
    write_statistics(f, out);
    if (f->least > 0) {
        fputs("\nNo error is counted where the reference is below ", out);
        put_number(out, f->least);
        fputs(".\n", out);
    }
    write_aims(f, out);
    text_locale_back(before);
}

void fid_write_csv(const struct fid_reference *f, bool head, FILE *out)
{
    void *before = text_locale_c();
    if (head) fputs("reference,run,counter,theirs,ours,error_percent\n", out);
    for (unsigned i = 0; i < f->nrows; i++) {
        for (unsigned c = 0; c < f->ncounters; c++) {
            const struct fid_row *r = &f->row[i];
            put_csv(out, f->title);
            fputs(",", out);
            put_csv(out, r->name);
            fprintf(out, ",%s,", f->counter[c]);
            if (!isnan(r->reference[c])) put_number(out, r->reference[c]);
            fputs(",", out);
            put_number(out, r->ours[c]);
            if (has_error(f, r, c)) fprintf(out, ",%.4f\n", row_error(r, c));
            else fputs(",\n", out);
        }
    }
    text_locale_back(before);
}

static json_t *number_json(double v)
{
    if (isnan(v)) return json_null();
    return v == floor(v) && fabs(v) < 1e15 ? json_integer((json_int_t)v) : json_real(v);
}

static json_t *row_json(const struct fid_reference *f, const struct fid_row *r)
{
    json_t *counters = json_object();
    for (unsigned c = 0; c < f->ncounters; c++)
        json_object_set_new(counters, f->counter[c],
                            json_pack("{s:o,s:o,s:o}", "reference", number_json(r->reference[c]), "ours",
                                      number_json(r->ours[c]), "error_percent",
                                      has_error(f, r, c) ? json_real(row_error(r, c)) : json_null()));
    return json_pack("{s:s,s:s,s:s,s:o}", "name", r->name, "command", r->command, "launch", r->launch, "counters",
                     counters);
}

static json_t *stat_json(const struct fid_stat *s)
{
    json_t *none = NULL;
    if (!s->rows) return json_pack("{s:i,s:i}", "runs", 0, "equal", 0);
    return json_pack("{s:i,s:i,s:f,s:f,s:f,s:s,s:o?}", "runs", (int)s->rows, "equal", (int)s->equal, "mean_percent",
                     s->mean, "bias_percent", s->bias, "worst_percent", s->worst, "worst_run", s->where->name, "r",
                     isnan(s->r) ? none : json_real(s->r));
}

void *fid_json(const struct fid_reference *f)
{
    json_t *rows = json_array(), *stats = json_object(), *aims = json_array();
    for (unsigned i = 0; i < f->nrows; i++) json_array_append_new(rows, row_json(f, &f->row[i]));
    for (unsigned c = 0; c < f->ncounters; c++) {
        struct fid_stat s = fid_statistics(f, c);
        json_object_set_new(stats, f->counter[c], stat_json(&s));
    }
    for (unsigned i = 0; i < f->naims; i++) {
        const struct fid_aim *a = &f->aim[i];
        struct fid_stat s = fid_statistics(f, a->counter);
        json_array_append_new(aims, json_pack("{s:s,s:o,s:o,s:o,s:o}", "counter", f->counter[a->counter],
                                              "mean_percent", number_json(a->mean), "worst_percent",
                                              number_json(a->worst), "r", number_json(a->r), "reached",
                                              s.rows ? json_boolean(fid_reached(a, &s)) : json_null()));
    }
    return json_pack("{s:s,s:s,s:o,s:o,s:o}", "reference", f->file, "title", f->title, "runs", rows, "statistics",
                     stats, "aims", aims);
}

void fid_write_reference(const struct fid_reference *f, FILE *out)
{
    void *before = text_locale_c();
    fprintf(out, "title = %s\n", f->title);
    if (*f->options) fprintf(out, "options = %s\n", f->options);
    fputs("name,command,launch,grid,block", out);
    for (unsigned c = 0; c < f->ncounters; c++) fprintf(out, ",%s", f->counter[c]);
    fputs("\n", out);
    for (unsigned i = 0; i < f->nrows; i++) {
        const struct fid_row *r = &f->row[i];
        const char *const text[] = {r->name, r->command, r->launch, r->grid, r->block};
        for (unsigned k = 0; k < 5; k++) {
            if (k) fputs(",", out);
            put_csv(out, text[k]);
        }
        for (unsigned c = 0; c < f->ncounters; c++) {
            fputs(",", out);
            put_number(out, r->reference[c]);
        }
        fputs("\n", out);
    }
    text_locale_back(before);
}
