/* slurm.c - sbatch, squeue, and a folder of finished rows.
 *
 * An array has at most as many tasks as most clusters allow (1000), so a large plan becomes
 * several arrays, one after the other. The id of the running array is in the spool: who
 * comes back after an interruption waits for it instead of submitting the same runs again. */
#include "experiment/slurm.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/out_file.h"
#include "base/text.h"
#include "experiment/process.h"

enum { MAX_TASKS = 1000, PATH = 1400 };

/* ---- the spool ---- */

static int write_text(const char *file, const char *text, struct wl_err *e)
{
    struct out_file f;
    int rc = out_file_open(&f, file, e);
    if (!rc) fputs(text, f.file);
    return rc ? rc : out_file_close(&f, 0, e);
}

int spool_put(const char *folder, const struct store_row *row, struct wl_err *e)
{
    char file[PATH];
    json_t *o = json_pack("{s:s,s:b,s:s,s:f,s:s}", "key", row->key, "failed", (int)row->failed, "reason", row->reason,
                          "seconds", row->seconds, "json", row->json);
    snprintf(file, sizeof file, "%.1200s/%s.row", folder, row->key);
    char *text = o ? json_dumps(o, 0) : NULL;
    json_decref(o);
    int rc = text ? write_text(file, text, e) : wl_no_memory(e);
    free(text);
    return rc;
}

/* One finished row into the store; *found tells whether there was one. */
static int collect_one(struct plan *p, struct store *s, struct exp_run *r, const char *folder, bool *found,
                       struct wl_err *e)
{
    char file[PATH];
    struct plan_row_room room;
    struct store_row row;
    int failed = 0;
    *found = false;
    snprintf(file, sizeof file, "%.1200s/%s.row", folder, r->key);
    json_t *o = json_load_file(file, 0, NULL);
    if (!o) return 0;
    plan_row(p, r, &room, &row);
    const char *key = NULL;
    int rc = json_unpack(o, "{s:s,s:b,s:s,s:f,s:s}", "key", &key, "failed", &failed, "reason", &row.reason, "seconds",
                         &row.seconds, "json", &row.json);
    if (rc || strcmp(key, r->key) != 0) rc = wl_fail(e, WL_ERUN, "%s is not a result of this run", file);
    row.failed = failed != 0;
    if (!rc) rc = store_put(s, &row, e);
    if (!rc) unlink(file);
    if (!rc) r->state = row.failed ? RUN_FAILED : RUN_DONE; /* its numbers are fetched later */
    *found = !rc;
    json_decref(o);
    return rc;
}

/* ---- one array ---- */

struct batch {
    struct plan *p;
    struct store *s;
    const struct slurm *how;
    struct exp_run *run[MAX_TASKS];
    unsigned count;
    struct run_progress now;
    double started;
    char id[64];
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int collect(struct batch *b, struct wl_err *e)
{
    int rc = 0;
    for (unsigned i = 0; !rc && i < b->p->nruns; i++) {
        struct exp_run *r = b->p->runs[i];
        bool found = false;
        if (r->state != RUN_MISSING) continue;
        rc = collect_one(b->p, b->s, r, b->how->spool, &found, e);
        if (!found) continue;
        b->now.done++;
        b->now.failed += r->state == RUN_FAILED;
        b->now.workload = r->workload->label;
        b->now.series = r->series_label;
    }
    double spent = seconds() - b->started;
    b->now.seconds_left = b->now.done ? spent / b->now.done * (b->now.total - b->now.done) : -1;
    if (!rc && b->how->runner->progress) b->how->runner->progress(b->how->runner->arg, &b->now);
    return rc;
}

/* Whether the array still has tasks in the queue. */
static bool is_queued(const char *id)
{
    const char *const argv[] = {"squeue", "--noheader", "--jobs", id, NULL};
    char said[256];
    struct wl_err ignored;
    return process_run(argv, "", said, sizeof said, &ignored) == 0 && *said;
}

static void active_name(const struct slurm *how, char *out) { snprintf(out, PATH, "%.1200s/active", how->spool); }

static int wait_for(struct batch *b, struct wl_err *e)
{
    char file[PATH];
    int rc = 0;
    for (bool queued = true; queued && !rc;) {
        if (*b->how->runner->stop)
            return wl_fail(e, WL_ERUN, "interrupted; Slurm job %s goes on: repeat the command to collect its results",
                           b->id);
        struct timespec second = {.tv_sec = 1};
        nanosleep(&second, NULL);
        queued = is_queued(b->id);
        rc = collect(b, e);
    }
    active_name(b->how, file);
    if (!rc) unlink(file);
    return rc;
}

static int submit(struct batch *b, struct wl_err *e)
{
    char list[PATH], active[PATH], array[64], output[PATH + 32], keys[MAX_TASKS * STORE_KEY + 1], script[8192],
        said[512];
    size_t at = 0;
    snprintf(list, sizeof list, "%.1200s/tasks.%s", b->how->spool, b->run[0]->key);
    for (unsigned i = 0; i < b->count; i++) at += (size_t)snprintf(keys + at, sizeof keys - at, "%s\n", b->run[i]->key);
    int rc = write_text(list, keys, e);
    if (rc) return rc;
    snprintf(script, sizeof script, "#!/bin/sh\nkey=$(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" ");
    if (!shell_quote(script, sizeof script, list)) return wl_fail(e, WL_EINPUT, "the name of the spool is too long");
    at = strlen(script);
    if (snprintf(script + at, sizeof script - at, ")\nexec %s --task \"$key\"\n", b->how->command) >=
        (int)(sizeof script - at))
        return wl_fail(e, WL_EINPUT, "the command of a Slurm task is too long");
    snprintf(array, sizeof array, "--array=0-%u", b->count - 1);
    snprintf(output, sizeof output, "--output=%.1200s/slurm-%%A_%%a.out", b->how->spool);
    const char *const argv[] = {"sbatch", "--parsable", "--job-name=warpline", array, output, NULL};
    rc = process_run(argv, script, said, sizeof said, e);
    if (rc == PROCESS_FAILED) return WL_ERUN;
    if (rc == PROCESS_MISSING)
        return wl_fail(e, WL_EINPUT, "there is no sbatch here: --slurm needs a Slurm installation");
    if (rc || !isdigit((unsigned char)*said)) return wl_fail(e, WL_ERUN, "sbatch refused the job: %s", said);
    snprintf(b->id, sizeof b->id, "%.*s", (int)strspn(said, "0123456789"), said);
    active_name(b->how, active);
    return write_text(active, b->id, e);
}

/* Tasks that ended and left nothing: killed, out of memory, a node lost. */
static int store_lost(struct batch *b, struct wl_err *e)
{
    int rc = 0;
    for (unsigned i = 0; !rc && i < b->count; i++) {
        struct plan_row_room room;
        struct store_row row;
        char why[PATH + 100];
        if (b->run[i]->state != RUN_MISSING) continue;
        plan_row(b->p, b->run[i], &room, &row);
        snprintf(why, sizeof why, "Slurm task %s_%u ended without a result; see %.1200s/slurm-%s_%u.out", b->id, i,
                 b->how->spool, b->id, i);
        row.failed = true;
        row.reason = why;
        rc = store_put(b->s, &row, e);
        b->run[i]->state = RUN_FAILED;
    }
    return rc;
}

/* ---- all of them ---- */

/* A job from an earlier call that was interrupted. */
static int finish_earlier(struct batch *b, struct wl_err *e)
{
    char file[PATH];
    active_name(b->how, file);
    FILE *f = fopen(file, "r");
    if (!f) return 0;
    bool known = fscanf(f, "%63[0-9]", b->id) == 1;
    fclose(f);
    return known && is_queued(b->id) ? wait_for(b, e) : 0;
}

static void next_batch(struct batch *b)
{
    b->count = 0;
    for (unsigned i = 0; i < b->p->nruns && b->count < MAX_TASKS; i++)
        if (b->p->runs[i]->state == RUN_MISSING) b->run[b->count++] = b->p->runs[i];
}

int slurm_run(struct plan *p, struct store *s, const struct slurm *how, struct wl_err *e)
{
    struct batch *b = calloc(1, sizeof *b);
    if (!b) return wl_no_memory(e);
    *b = (struct batch){.p = p, .s = s, .how = how, .started = seconds()};
    for (unsigned i = 0; i < p->nruns; i++) {
        if (p->runs[i]->state == RUN_FAILED && how->runner->retry) p->runs[i]->state = RUN_MISSING;
        b->now.total += p->runs[i]->state == RUN_MISSING;
    }
    int rc = mkdir(how->spool, 0777) != 0 && errno != EEXIST
                 ? wl_fail(e, WL_EINPUT, "cannot make the folder %s: %s", how->spool, strerror(errno))
                 : collect(b, e);
    if (!rc) rc = finish_earlier(b, e);
    for (next_batch(b); !rc && b->count; next_batch(b)) {
        rc = submit(b, e);
        if (!rc) rc = wait_for(b, e);
        if (!rc) rc = store_lost(b, e);
    }
    free(b);
    return rc;
}
