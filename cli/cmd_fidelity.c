/* cmd_fidelity.c - our counters next to those of another simulator or of silicon, with statistics.
 *
 * A word is a built-in reference, a reference file, or what `ncu --csv` printed; the last needs the program that was
 * profiled, behind "--". A reference whose commands run traces that are not ours is followed by their folder. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/references.h"
#include "experiment/fidelity_builtin.h"

enum { MAX_EXTRA = 2 * MAX_ITEMS + 12 };

struct fidelity_call {
    const struct options *o;
    char program[4096], command[4096], options[4096]; /* the last two as a shell reads them */
    const char *extra[MAX_EXTRA];
    unsigned nextra, repeats, jobs;
    references_show *show;
    void *self;
    const char *traces; /* the word behind the one that is read, if it is a folder; NULL: it is not */
};

/* What `warpline fidelity` makes of them. */
struct fidelity_output {
    struct output out;
    json_t *list;
    bool begun; /* the CSV has its head */
};

static void say_run(const char *name) { fprintf(stderr, "%s\n", name); }

static void add_extra(struct fidelity_call *c, const char *option, const char *value)
{
    if (!value) return;
    c->extra[c->nextra++] = option;
    c->extra[c->nextra++] = value;
}

static bool add_word(char *to, size_t size, const char *word)
{
    size_t used = strlen(to);
    if (used + 2 > size) return false;
    if (used) memcpy(to + used, " ", 2);
    return shell_quote(to, size, word);
}

/* The options that every run gets, and the program behind "--" as a command. */
static int call_words(struct fidelity_call *c, struct wl_err *e)
{
    const struct options *o = c->o;
    ssize_t n = readlink("/proc/self/exe", c->program, sizeof c->program - 1);
    if (n < 0) return wl_fail(e, WL_ERUN, "cannot find this program: %s", strerror(errno));
    c->program[n] = 0;
    add_extra(c, "--gpu", o->gpu);
    add_extra(c, "--scheme", o->scheme);
    add_extra(c, "--l1", o->l1);
    add_extra(c, "--l2", o->l2);
    add_extra(c, "--sched", o->sched);
    add_extra(c, "--engine", o->engine);
    for (unsigned i = 0; i < o->set.count; i++) add_extra(c, "--set", o->set.item[i]);
    bool fits = true;
    for (unsigned i = 0; fits && i < c->nextra; i++) fits = add_word(c->options, sizeof c->options, c->extra[i]);
    if (o->program && !o->program[0]) return wl_fail(e, WL_EINPUT, "no program behind '--'");
    bool run = o->program && strcmp(o->program[0], "run") == 0;
    snprintf(c->command, sizeof c->command, "%s", run ? "" : "exec --");
    for (char **w = o->program; w && *w; w++) fits = fits && add_word(c->command, sizeof c->command, *w);
    return fits ? 0 : wl_fail(e, WL_EINPUT, "the words of a run are too long");
}

static char *read_text(const char *file, struct wl_err *e)
{
    FILE *in = fopen(file, "r");
    char *text = NULL;
    size_t room = 0, n = 0, got = 1;
    if (!in) {
        char names[256] = "", one[64];
        for (unsigned i = 0; fid_builtin_name(i, one, sizeof one); i++)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", one);
        wl_fail(e, WL_EINPUT, "%s: %s; built-in references are %s", file, strerror(errno), names);
        return NULL;
    }
    while (got) {
        char *more = n + 1 < room ? text : realloc(text, room = 2 * room + 65536);
        if (!more) break;
        text = more;
        got = fread(text + n, 1, room - n - 1, in);
        n += got;
        text[n] = 0;
    }
    if (got || ferror(in)) {
        if (got) wl_no_memory(e);
        else wl_fail(e, WL_EINPUT, "%s: %s", file, strerror(errno));
        free(text);
        text = NULL;
    }
    fclose(in);
    return text;
}

/* ---- one reference ---- */

static int run_reference(struct fidelity_call *c, struct fid_reference *f, const char *folder, struct wl_err *e)
{
    const struct options *o = c->o;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct fid_runs how = {.program = c->program, .folder = folder, .extra = c->extra, .jobs = c->jobs};
    if (!how.jobs) how.jobs = cores > 0 ? (unsigned)cores : 1;
    if (o->verbose) how.say = say_run;
    if (f->needs && !c->traces)
        return wl_fail(e, WL_EINPUT, "%s needs a folder with %s: warpline fidelity %s DIR", f->file, f->needs, f->file);
    if (c->traces) how.folder = c->traces;
    int rc = o->only ? fid_choose(f, o->only, e) : 0;
    for (unsigned i = 0; !rc && i < c->repeats; i++) rc = fid_run(f, &how, e);
    if (rc && !(f->failed && f->nrows)) return rc;
    int shown = c->show(c->self, f, rc ? NULL : e); /* what others found is not lost because one failed */
    return rc ? rc : shown;
}

static int ncu_file(struct fidelity_call *c, const char *file, const char *text, struct wl_err *e)
{
    struct fid_reference f;
    if (!c->o->program)
        return wl_fail(e, WL_EINPUT,
                       "%s is of ncu; say what was profiled: 'warpline fidelity %s -- ./program', or "
                       "'-- run kernel.ptx ...'",
                       file, file);
    int rc = fid_read_ncu(&f, file, text, c->command, e);
    if (!rc && f.rounded)
        fprintf(stderr,
                "warpline: warning: %s: %u values are rounded to units like Mbyte; ncu --print-units base is exact\n",
                file, f.rounded);
    if (!rc && c->o->output) {
        struct out_file out = {.file = NULL};
        rc = out_file_open(&out, c->o->output, e);
        f.options = c->options; /* the machine goes with the numbers */
        if (!rc) fid_write_reference(&f, out.file);
        rc = out_file_close(&out, rc, e);
    } else if (!rc) {
        rc = run_reference(c, &f, NULL, e);
    }
    fid_free(&f);
    return rc;
}

static int builtin(struct fidelity_call *c, const char *name, const char *text, struct wl_err *e)
{
    struct fid_reference f;
    char folder[64];
    int rc = fid_read(&f, name, text, e);
    if (!rc) rc = fid_folder_make(folder, sizeof folder, e);
    if (!rc) {
        rc = run_reference(c, &f, folder, e);
        fid_folder_drop(folder);
    }
    fid_free(&f);
    return rc;
}

static int one_word(struct fidelity_call *c, const char *word, struct wl_err *e)
{
    const char *text = fid_builtin_text(word);
    if (text) return builtin(c, word, text, e);
    char *own = read_text(word, e);
    if (!own) return (int)e->code;
    int rc;
    if (fid_is_ncu(own)) {
        rc = ncu_file(c, word, own, e);
    } else if (c->o->program || c->o->output) {
        rc = wl_fail(e, WL_EINPUT, "%s is a reference file; -o and '-- PROGRAM' go with the output of ncu --csv", word);
    } else {
        struct fid_reference f;
        const char *slash = strrchr(word, '/');
        char folder[4096];
        snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - word) + 1 : 1, slash ? word : ".");
        rc = fid_read(&f, word, own, e);
        if (!rc) rc = run_reference(c, &f, folder, e);
        fid_free(&f);
    }
    free(own);
    return rc;
}

static bool is_folder(const char *word)
{
    struct stat s;
    return stat(word, &s) == 0 && S_ISDIR(s.st_mode);
}

/* Without a name, those that need nothing else. */
static int all_builtin(struct fidelity_call *c, struct wl_err *e)
{
    char name[64];
    int rc = 0;
    for (unsigned i = 0; !rc && fid_builtin_name(i, name, sizeof name); i++)
        if (!strstr(fid_builtin_text(name), "\nneeds = ")) rc = one_word(c, name, e);
    return rc;
}

int references_run(const struct options *o, unsigned repeats, unsigned jobs, references_show *show, void *self,
                   struct wl_err *e)
{
    static struct fidelity_call c;
    c = (struct fidelity_call){.o = o, .repeats = repeats, .jobs = jobs, .show = show, .self = self};
    int rc = call_words(&c, e);
    if (!rc && !o->words.count) return all_builtin(&c, e);
    for (unsigned i = 0; !rc && i < o->words.count; i++) {
        const char *next = i + 1 < o->words.count ? o->words.item[i + 1] : "";
        c.traces = is_folder(next) ? next : NULL;
        rc = one_word(&c, o->words.item[i], e);
        i += c.traces != NULL;
    }
    return rc;
}

/* ---- the command ---- */

static int show(void *self, const struct fid_reference *f, struct wl_err *e)
{
    struct fidelity_output *to = self;
    if (to->begun && to->out.text) printf("\n");
    if (to->out.text) fid_write_tables(f, stdout);
    if (to->out.csv) fid_write_csv(f, !to->begun, to->out.csv);
    to->begun = true;
    if (to->list && json_array_append_new(to->list, fid_json(f))) return wl_no_memory(e);
    return 0;
}

int cmd_fidelity(const struct options *o, struct wl_err *e)
{
    struct fidelity_output to = {.begun = false};
    if (o->output && o->words.count != 1)
        return wl_fail(e, WL_EINPUT, "-o takes one file of ncu: warpline fidelity app.csv -o app.ref.csv -- ./app");
    int rc = output_open(&to.out, o, e);
    if (!rc && o->json) to.list = json_array();
    if (!rc) rc = references_run(o, 1, (unsigned)o->jobs, show, &to, e);
    int failed = rc == WL_ERUN && to.begun ? rc : 0; /* some runs did, others have their numbers */
    if (failed) rc = 0;
    if (!rc && to.list && json_dumpf(to.list, to.out.json, JSON_INDENT(2))) rc = wl_no_memory(e);
    if (!rc && to.list) fputs("\n", to.out.json);
    json_decref(to.list);
    rc = output_close(&to.out, rc, e);
    return rc ? rc : failed;
}
