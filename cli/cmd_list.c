/* cmd_list.c - what there is to choose from: tables for people, --plain for scripts and shells. */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "cli/character.h"
#include "experiment/experiment.h"
#include "run/catalogue.h"

/* The numbers come from a run, not from a table that could be out of date: all programs at tiny take
 * a few seconds. */
static int list_numbers(void *arg, const char *name, unsigned number, unsigned count, struct wl_err *e)
{
    const struct options *o = arg;
    const struct options tiny = {.size = o->size ? o->size : "tiny", .seed = 1};
    if (!o->quiet && isatty(2)) fprintf(stderr, "\r%u of %u: %-20s\r", number, count, name);
    struct run *run = character_run(name, &tiny, e);
    int rc = run ? run_go(run, e) : (int)e->code;
    if (!rc) {
        const struct run_result *r = run_result(run);
        struct program_size p = program_size(r);
        struct character c;
        char ctas[32], threads[32], instructions[32], loads[32];
        character_of(r, &c);
        printf("    %s: %" PRIu64 " kernel%s, %" PRIu64
               " launch%s, %s CTAs, %s threads, %s warp instructions; %s L1D loads, "
               "%.1f %% divergent; %.1f KiB loaded\n",
               r->size, p.kernels, p.kernels == 1 ? "" : "s", p.launches, p.launches == 1 ? "" : "es",
               with_commas(p.ctas, ctas), with_commas(p.threads, threads),
               with_commas(r->stats.sm.warp_instructions, instructions), with_commas(r->stats.sm.l1d_loads, loads),
               100 * metric_of(&c, "divergent_loads"), metric_of(&c, "footprint_bytes") / 1024);
    }
    run_free(run);
    return rc;
}

static int list_figures(const struct catalogue_view *how, struct wl_err *e)
{
    const char *names[64];
    unsigned n = experiment_names(names, 64);
    for (unsigned i = 0; i < n; i++) {
        struct experiment *x = experiment_load(names[i], e);
        if (!x) return e->code ? (int)e->code : WL_ERUN;
        for (unsigned f = 0; f < x->nfigures; f++) {
            char id[160];
            snprintf(id, sizeof id, "%s.%s", names[i], x->figures[f].id);
            catalogue_row(how, id, 14, x->figures[f].title, stdout);
        }
        experiment_free(x);
    }
    return 0;
}

static json_t *figures_json(struct wl_err *e)
{
    const char *names[64];
    unsigned n = experiment_names(names, 64);
    json_t *list = json_array();
    for (unsigned i = 0; i < n; i++) {
        struct experiment *x = experiment_load(names[i], e);
        if (!x) return json_decref(list), NULL;
        for (unsigned f = 0; f < x->nfigures; f++) {
            char id[160];
            snprintf(id, sizeof id, "%s.%s", names[i], x->figures[f].id);
            json_array_append_new(list, json_pack("{s:s,s:s?}", "name", id, "help", x->figures[f].title));
        }
        experiment_free(x);
    }
    return list;
}

/* Takes the reference to the list. */
static int write_json(const char *file, json_t *list, struct wl_err *e)
{
    struct out_file f;
    if (!list) return e->code ? (int)e->code : wl_no_memory(e);
    int rc = out_file_open(&f, file, e);
    if (!rc && json_dumpf(list, f.file, JSON_INDENT(2)) && !ferror(f.file)) rc = wl_no_memory(e);
    if (!rc) fputc('\n', f.file);
    json_decref(list);
    return out_file_close(&f, rc, e);
}

int cmd_list(const struct options *o, struct wl_err *e)
{
    enum { FIGURES = LIST_OPTIONS + 1, LISTS };
    static const char *const kinds[LISTS] = {
        [LIST_WORKLOADS] = "workloads",   [LIST_GROUPS] = "groups",   [LIST_POLICIES] = "policies",
        [LIST_SCHEDULERS] = "schedulers", [LIST_SCHEMES] = "schemes", [LIST_GPUS] = "gpus",
        [LIST_COUNTERS] = "counters",     [LIST_OPTIONS] = "options", [FIGURES] = "figures"};
    const char *kind = o->words.count == 1 ? o->words.item[0] : "";
    unsigned at = 0;
    while (at < LISTS && strcmp(kinds[at], kind) != 0) at++;
    if (at == LISTS) {
        const char *near = *kind ? wl_nearest(kind, kinds, LISTS) : NULL;
        if (near) return wl_fail(e, WL_EINPUT, "there is no list of '%s'; did you mean '%s'?", kind, near);
        return wl_fail(e, WL_EINPUT,
                       "list takes one of workloads, groups, policies, schedulers, schemes, gpus, figures, counters, "
                       "options");
    }
    if (o->size && (at != LIST_WORKLOADS || !o->verbose || o->plain))
        return wl_fail(e, WL_EINPUT, "--size goes with 'list workloads -v', which runs each program at it");
    if (o->json && (o->plain || o->verbose))
        return wl_fail(e, WL_EINPUT, "--json has everything in its own form; leave out --%s",
                       o->plain ? "plain" : "verbose");
    if (o->json)
        return write_json(o->json, at == FIGURES ? figures_json(e) : catalogue_json((enum catalogue_kind)at, e), e);
    const struct catalogue_view how = {o->plain, o->verbose, list_numbers, (void *)(uintptr_t)o};
    return at == FIGURES ? list_figures(&how, e) : catalogue_list((enum catalogue_kind)at, &how, stdout, e);
}
