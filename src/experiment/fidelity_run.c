/* fidelity_run.c - runs the commands of a reference, each once and in a process of its own, and reads their records.
 *
 * A command is a call of our own program; it writes its JSON record into a scratch folder. Rows that share a command
 * take their numbers from one record: the whole of it, or one launch. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiment/fidelity.h"

struct fid_task {
    const struct fid_row *row; /* the first with this command */
    pid_t pid;                 /* 0: not begun, -1: has ended */
    bool failed;               /* it has ended without a record */
    double spent;              /* CPU seconds, when it has ended */
    char record[64], said[64]; /* files */
};

struct fid_pool {
    struct fid_reference *f;
    const struct fid_runs *how;
    char scratch[40];
    struct fid_task *task;
    unsigned ntasks;
    struct wl_err *e;
};

static int fail_row(const struct fid_pool *p, const struct fid_row *r, const char *why, const char *detail)
{
    return wl_fail(p->e, WL_ERUN, "%s:%u: %s: %s%s%s", p->f->file, r->line, r->name, why, *detail ? ": " : "", detail);
}

/* ---- commands ---- */

static bool replaced(const char *const *extra, const char *option)
{
    for (; extra && *extra; extra += 2)
        if (strcmp(*extra, option) == 0 && strcmp(option, "--set") != 0) return true;
    return false;
}

/* The words of a task: ours, the file's and the command's; what is asked for on the command line goes before. */
static int task_words(const struct fid_pool *p, const struct fid_task *t, const char **argv, unsigned max)
{
    const char *word[FID_MAX_WORDS], *option[FID_MAX_WORDS];
    unsigned n, m, k = 0;
    bool program = false;
    if (!fid_words(&p->f->arena, t->row->command, word, FID_MAX_WORDS, &n) ||
        !fid_words(&p->f->arena, p->f->options, option, FID_MAX_WORDS, &m) || n + m + 16 > max)
        return fail_row(p, t->row, "the command has an open quote or too many words", "");
    argv[k++] = p->how->program;
    argv[k++] = word[0];
    for (unsigned i = 0; i < m; i++) {
        if (replaced(p->how->extra, option[i])) i++;
        else argv[k++] = option[i];
    }
    argv[k++] = "--json";
    argv[k++] = t->record;
    argv[k++] = "-q";
    unsigned own = k;
    for (unsigned i = 1; i < n; i++) {
        program = program || strcmp(word[i], "--") == 0;
        if (!program && replaced(p->how->extra, word[i])) i++;
        else argv[k++] = word[i];
    }
    for (const char *const *x = p->how->extra; x && *x; x++, own++, k++) {
        if (k + 1 >= max) return fail_row(p, t->row, "too many words", "");
        memmove(argv + own + 1, argv + own, sizeof *argv * (k - own));
        argv[own] = *x;
    }
    argv[k] = NULL;
    return 0;
}

static int start(struct fid_pool *p, struct fid_task *t)
{
    const char *argv[2 * FID_MAX_WORDS];
    int rc = task_words(p, t, argv, 2 * FID_MAX_WORDS);
    if (rc) return rc;
    if (p->how->say) p->how->say(t->row->name);
    t->pid = fork();
    if (t->pid < 0) return fail_row(p, t->row, "cannot start a process", strerror(errno));
    if (t->pid) return 0;
    int fd = open(t->said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0 || (p->how->folder && chdir(p->how->folder))) _exit(127);
    execv(p->how->program, (char *const *)argv);
    _exit(127);
}

static double seconds_of(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec / 1e6; }

/* Why a task has no record: its own words, or how it ended. */
static void say_failure(struct fid_pool *p, const struct fid_task *t, int status)
{
    char said[1024];
    FILE *in = fopen(t->said, "r");
    size_t n = in ? fread(said, 1, sizeof said - 1, in) : 0;
    if (in) fclose(in);
    while (n && said[n - 1] == '\n') n--;
    said[n] = 0;
    if (WIFSIGNALED(status))
        snprintf(said, sizeof said, "it was ended by signal %d%s", WTERMSIG(status),
                 WTERMSIG(status) == SIGKILL ? ", as when memory is short (-j 1 takes less)" : "");
    else if (!n) snprintf(said, sizeof said, "exit status %d", WEXITSTATUS(status));
    fail_row(p, t->row, "its run failed", said);
}

/* Waits for one of the tasks. One that failed stops no other. */
static int finish_one(struct fid_pool *p)
{
    int status;
    struct rusage used;
    pid_t pid = wait4(-1, &status, 0, &used);
    if (pid < 0) return errno == EINTR ? 0 : wl_fail(p->e, WL_ERUN, "cannot wait for a run: %s", strerror(errno));
    for (unsigned i = 0; i < p->ntasks; i++) {
        struct fid_task *t = &p->task[i];
        if (t->pid != pid) continue;
        t->pid = -1;
        t->spent = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
        t->failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
        if (t->failed && !p->f->failed++) say_failure(p, t, status); /* the first failure is what is told */
    }
    return 0;
}

static int run_all(struct fid_pool *p)
{
    unsigned next = 0, alive = 0;
    int rc = 0, later;
    while ((next < p->ntasks && !rc) || alive) {
        if (!rc && next < p->ntasks && alive < p->how->jobs) {
            rc = start(p, &p->task[next]);
            alive += p->task[next++].pid > 0;
            continue;
        }
        later = finish_one(p);
        if (!rc) rc = later;
        alive = 0;
        for (unsigned i = 0; i < next; i++) alive += p->task[i].pid > 0;
    }
    return rc;
}

/* ---- records ---- */

/* "l1d.sectors.hits" in a record; NAN: there is no such number. */
static double record_number(const json_t *record, const char *name)
{
    char part[64];
    while (record && *name) {
        size_t n = strcspn(name, ".");
        if (n >= sizeof part) return NAN;
        memcpy(part, name, n);
        part[n] = 0;
        record = json_object_get(record, part);
        name += n + (name[n] == '.');
    }
    return json_is_number(record) ? json_number_value(record) : NAN;
}

/* The last name in a mangled one ("_ZN2ns3addIfEEvPf": "add"), or the name itself. */
static void plain_name(const char *s, char *out, size_t size)
{
    snprintf(out, size, "%s", s);
    if (strncmp(s, "_Z", 2) != 0) return;
    s += 2;
    bool nested = *s == 'N';
    for (s += nested; *s >= '0' && *s <= '9';) {
        char *end;
        unsigned long n = strtoul(s, &end, 10);
        if (n > strlen(end)) return;
        snprintf(out, size, "%.*s", (int)n, end);
        s = end + n;
        if (!nested) return;
    }
}

static const json_t *find_launch(const json_t *record, const char *launch)
{
    const json_t *list = json_object_get(record, "kernels"), *kernel;
    const char *hash = strrchr(launch, '#');
    unsigned long want = strtoul(hash ? hash + 1 : launch, NULL, 10), seen = 0;
    size_t i;
    json_array_foreach(list, i, kernel)
    {
        const char *name = json_string_value(json_object_get(kernel, "name"));
        char plain[256];
        if (hash && name) {
            plain_name(name, plain, sizeof plain);
            size_t n = (size_t)(hash - launch);
            bool same = (strlen(plain) == n && memcmp(plain, launch, n) == 0) ||
                        (strlen(name) == n && memcmp(name, launch, n) == 0);
            if (!same) continue;
        }
        if (++seen == want) return kernel;
    }
    return NULL;
}

/* Whether a launch had the shape "128,1" says; missing numbers are 1. */
static bool shape_is(const json_t *launch, const char *key, const char *want)
{
    const json_t *list = json_object_get(launch, key);
    for (size_t i = 0; *want && i < 3; i++) {
        char *end;
        unsigned long n = *want ? strtoul(want, &end, 10) : 1;
        if ((json_int_t)n != json_integer_value(json_array_get(list, i))) return false;
        want = end + (*end == ',');
        if (*want || i == 2) continue;
        for (size_t k = i + 1; k < 3; k++)
            if (json_integer_value(json_array_get(list, k)) != 1) return false;
    }
    return true;
}

static int take_row(struct fid_pool *p, struct fid_row *r, const json_t *record)
{
    if (json_is_array(record) && json_array_size(record) == 1) record = json_array_get(record, 0);
    if (!json_is_object(record)) return fail_row(p, r, "the program has several processes that use CUDA", "");
    if (*r->launch) record = find_launch(record, r->launch);
    if (!record) return fail_row(p, r, "the run has no launch", r->launch);
    if (*r->launch && !shape_is(record, "grid", r->grid))
        return fail_row(p, r, "the launch has another grid than the reference", r->grid);
    if (*r->launch && !shape_is(record, "block", r->block))
        return fail_row(p, r, "the launch has other blocks than the reference", r->block);
    for (unsigned c = 0; c < p->f->ncounters; c++) {
        r->ours[c] = record_number(record, p->f->counter[c]);
        if (isnan(r->ours[c]))
            return wl_fail(p->e, WL_EINPUT, "%s: there is no counter '%s'; 'warpline list counters' shows them",
                           p->f->file, p->f->counter[c]);
    }
    return 0;
}

static int take_records(struct fid_pool *p)
{
    int rc = 0;
    for (unsigned i = 0; !rc && i < p->ntasks; i++) {
        json_error_t why;
        if (p->task[i].failed) continue;
        json_t *record = json_load_file(p->task[i].record, 0, &why);
        if (!record) rc = fail_row(p, p->task[i].row, "its record cannot be read", why.text);
        for (unsigned k = 0; !rc && k < p->f->nrows; k++) {
            struct fid_row *row = &p->f->row[k];
            if (strcmp(row->command, p->task[i].row->command) != 0) continue;
            row->spent = isnan(row->spent) ? p->task[i].spent : fmin(row->spent, p->task[i].spent);
            rc = take_row(p, row, record);
        }
        json_decref(record);
    }
    return rc;
}

/* Takes the rows out whose run failed, and says how many of the runs did. */
static int drop_failed(struct fid_pool *p)
{
    struct fid_reference *f = p->f;
    unsigned kept = 0;
    for (unsigned i = 0; i < p->ntasks; i++)
        for (unsigned k = 0; p->task[i].failed && k < f->nrows; k++)
            f->row[k].lost = f->row[k].lost || strcmp(f->row[k].command, p->task[i].row->command) == 0;
    for (unsigned k = 0; k < f->nrows; k++)
        if (!f->row[k].lost) f->row[kept++] = f->row[k];
    f->nrows = kept;
    struct wl_err first = *p->e;
    return wl_fail(p->e, WL_ERUN, "%u of %u runs failed; the first: %.1500s", f->failed, p->ntasks, first.text);
}

int fid_run(struct fid_reference *f, const struct fid_runs *how, struct wl_err *e)
{
    struct fid_pool p = {.f = f, .how = how, .scratch = "/tmp/warpline-fidelity.XXXXXX", .e = e};
    p.task = ARENA_ARRAY(&f->arena, struct fid_task, f->nrows);
    if (!p.task) return wl_no_memory(e);
    if (!mkdtemp(p.scratch)) return wl_fail(e, WL_ERUN, "cannot make a folder in /tmp: %s", strerror(errno));
    for (unsigned i = 0; i < f->nrows; i++) {
        unsigned k = 0;
        while (k < p.ntasks && strcmp(p.task[k].row->command, f->row[i].command) != 0) k++;
        if (k < p.ntasks) continue;
        struct fid_task *t = &p.task[p.ntasks];
        t->row = &f->row[i];
        snprintf(t->record, sizeof t->record, "%s/%u.json", p.scratch, p.ntasks);
        snprintf(t->said, sizeof t->said, "%s/%u.txt", p.scratch, p.ntasks++);
    }
    int rc = run_all(&p);
    if (!rc) rc = take_records(&p);
    if (!rc && f->failed) rc = drop_failed(&p);
    for (unsigned i = 0; i < p.ntasks; i++) {
        unlink(p.task[i].record);
        unlink(p.task[i].said);
    }
    rmdir(p.scratch);
    return rc;
}
