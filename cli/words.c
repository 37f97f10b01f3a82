/* words.c - what the user typed, as the words of a run. */
#include <string.h>

#include "cli/cli.h"
#include "run/scheme.h"

struct word_list list_words(const struct text_list *l) { return (struct word_list){l->item, l->count}; }

int expand_words(const struct text_list *in, struct text_list *out, struct wl_err *e)
{
    return expand_groups(list_words(in), out->item, MAX_ITEMS, &out->count, e);
}

struct machine_spec machine_words(const struct options *o)
{
    static char warned[512]; /* what the warnings printed last were about: comparisons make a machine many times */
    char now[sizeof warned];
    snprintf(now, sizeof now, "%s %s", o->gpu ? o->gpu : "", o->scheme ? o->scheme : "");
    bool again = strcmp(warned, now) == 0;
    memcpy(warned, now, sizeof now);
    /* The parts too, for a process that gets the policies and not the name of the scheme; a wrong name is found when
     * the machine is made. */
    static struct scheme_parts parts;
    parts = (struct scheme_parts){0};
    if (o->scheme) scheme_find(o->scheme, &parts, NULL);
    return (struct machine_spec){.gpu = o->gpu,
                                 .set = o->set.item,
                                 .sets = o->set.count,
                                 .scheme = o->scheme,
                                 .l1 = o->l1 ? o->l1 : parts.l1,
                                 .l2 = o->l2 ? o->l2 : parts.l2,
                                 .sched = o->sched ? o->sched : parts.sched,
                                 .say = again ? NULL : print_warning};
}

const struct options *loads_words(const struct options *o, struct options *own)
{
    if (!o->loads) return o;
    *own = *o;
    if (own->set.count < MAX_ITEMS) own->set.item[own->set.count++] = "stats.profile=1";
    return own;
}

static void print_kernel_text(void *arg, const char *text, size_t len)
{
    (void)arg;
    fwrite(text, 1, len, stderr);
}

struct run_spec run_words(const struct options *o, const char *program)
{
    return (struct run_spec){.program = program,
                             .machine = machine_words(o),
                             .engine = o->engine,
                             .shuffle = o->shuffle,
                             .threads = o->threads,
                             .paranoid = o->paranoid,
                             .max_cycles = o->max_cycles,
                             .functional = o->functional,
                             .each = true,
                             .seed = o->seed,
                             .size = o->size,
                             .input = list_words(&o->input),
                             .check = o->check,
                             .kernel = o->kernel,
                             .grid = o->grid,
                             .block = o->block,
                             .arg = list_words(&o->arg),
                             .dump = list_words(&o->dump),
                             .shared = o->shared,
                             .regs = o->regs,
                             .say = print_warning,
                             .quiet = o->quiet,
                             .print = print_kernel_text};
}

static int refuse_program_options(const struct options *o, struct wl_err *e)
{
    const char *name = o->size          ? "size"
                       : o->input.count ? "input"
                       : o->seed_given  ? "seed"
                       : o->check       ? "check"
                       : o->functional  ? "functional"
                                        : NULL;
    return name ? wl_fail(e, WL_EINPUT, "--%s changes a program; a trace holds what a program has done", name) : 0;
}

int refuse_options(const struct options *o, enum run_kind kind, struct wl_err *e)
{
    if (kind == RUN_PTX) return 0; /* run_new knows what a .ptx file takes */
    int rc = kind == RUN_TRACE ? refuse_program_options(o, e) : 0;
    const char *name = o->kernel && kind != RUN_TRACE ? "kernel"
                       : o->grid                      ? "grid"
                       : o->block                     ? "block"
                       : o->arg.count                 ? "arg"
                       : o->dump.count                ? "dump"
                       : o->shared                    ? "shared"
                       : o->regs                      ? "regs"
                                                      : NULL;
    if (rc || !name) return rc;
    return wl_fail(e, WL_EINPUT, "--%s is for 'run FILE.ptx'; a workload or a trace brings its own launches", name);
}

void print_warning(void *arg, const char *text)
{
    (void)arg;
    fprintf(stderr, "warpline: warning: %s\n", text);
}
