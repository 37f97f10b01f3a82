/* cmd_figure.c - figures by their ids: a table on standard output, .csv and .svg in a folder. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/lab.h"

/* Said once: without gnuplot everything but the pictures is there. */
static void say_no_gnuplot(void)
{
    static bool said;
    if (!said) fprintf(stderr, "warpline: gnuplot is not installed: .csv files are written, .svg files are not\n");
    said = true;
}

static int write_csv(const struct table *t, const char *file, struct wl_err *e)
{
    struct out_file f;
    int rc = out_file_open(&f, file, e);
    if (!rc) table_csv(t, f.file);
    return rc ? rc : out_file_close(&f, 0, e);
}

/* That there is no gnuplot, or no number to draw, is said and no failure. */
static int write_svg(const struct table *t, const char *file, struct wl_err *e)
{
    struct out_file f;
    char *svg;
    int rc = table_svg(t, &svg, e);
    if (rc == TABLE_NO_GNUPLOT) say_no_gnuplot();
    if (rc == TABLE_EMPTY) fprintf(stderr, "warpline: %s\n", e->text);
    if (rc < 0) return 0;
    if (!rc && !(rc = out_file_open(&f, file, e))) {
        fputs(svg, f.file);
        rc = out_file_close(&f, 0, e);
    }
    free(svg);
    return rc;
}

static int write_files(const struct table *t, const char *folder, struct wl_err *e)
{
    char file[1200];
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return wl_fail(e, WL_EINPUT, "cannot make the folder %s: %s", folder, strerror(errno));
    snprintf(file, sizeof file, "%.900s/%.120s.%.120s.csv", folder, t->x->name, t->figure->id);
    int rc = write_csv(t, file, e);
    if (rc || t->figure->chart == CHART_TABLE) return rc;
    memcpy(strrchr(file, '.'), ".svg", 4);
    return write_svg(t, file, e);
}

int show_figure(const struct lab *l, const struct exp_figure *f, const struct options *o, struct wl_err *e)
{
    struct table *t = table_make(l->plan, f, e);
    if (!t) return WL_ERUN;
    if (!o->quiet) {
        table_text(t, f->each ? 20 : 0, stdout);
        if (f->note) printf("%s\n", f->note);
        putchar('\n');
    }
    int rc = table_stated(t, e); /* what the source states becomes marks in the picture */
    if (!rc) rc = write_files(t, o->out ? o->out : ".", e);
    table_free(t);
    return rc;
}

/* ---- ids ---- */

static int unknown_figure(const struct experiment *x, const char *id, struct wl_err *e)
{
    const char *ids[512];
    unsigned n = 0;
    for (unsigned i = 0; i < x->nfigures && n < 512; i++) ids[n++] = x->figures[i].id;
    const char *near = wl_nearest(id, ids, n);
    return wl_fail(e, WL_EINPUT, "%s has no figure '%s'; %s%s%s%s%s", x->name, id, near ? "did you mean '" : "see ",
                   near ? x->name : "'warpline list figures", near ? "." : "", near ? near : "", near ? "'?" : "'");
}

static int figures_of(struct lab *l, const char *id, const struct options *o, struct wl_err *e)
{
    const struct exp_figure *one = id ? experiment_figure(l->x, id) : NULL;
    if (id && !one) return unknown_figure(l->x, id, e);
    int rc = 0;
    for (unsigned i = 0; !rc && i < l->x->nfigures; i++)
        if (!id || one == &l->x->figures[i]) rc = plan_figure(l->plan, &l->x->figures[i], e);
    if (!rc) rc = lab_run(l, o, e);
    for (unsigned i = 0; !rc && i < l->x->nfigures; i++)
        if (!id || one == &l->x->figures[i]) rc = show_figure(l, &l->x->figures[i], o, e);
    return rc ? rc : lab_failed(l, o, e);
}

/* "baseline.1" or "baseline"; with --from a results file, of which everything is shown. */
static int by_id(const char *word, const struct options *o, struct wl_err *e)
{
    char name[128];
    size_t dot = o->from ? strlen(word) : strcspn(word, ".");
    struct lab l;
    snprintf(name, sizeof name, "%.*s", (int)dot, word);
    int rc = lab_open(&l, o->from ? word : name, o, e);
    if (!rc) rc = figures_of(&l, word[dot] ? word + dot + 1 : NULL, o, e);
    lab_close(&l);
    return rc;
}

int cmd_figure(const struct options *o, struct wl_err *e)
{
    const char *names[64];
    unsigned n = o->all ? experiment_names(names, 64) : 0;
    if (o->all && o->words.count) return wl_fail(e, WL_EINPUT, "give either --all or ids");
    if (!o->all && !o->words.count)
        return wl_fail(e, WL_EINPUT,
                       "figure needs an id, as in 'warpline figure baseline.1'; see 'warpline list figures'");
    int rc = 0;
    for (unsigned i = 0; !rc && i < n; i++) rc = by_id(names[i], o, e);
    for (unsigned i = 0; !rc && i < o->words.count; i++) rc = by_id(o->words.item[i], o, e);
    return rc;
}
