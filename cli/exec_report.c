/* exec_report.c - reads what the processes of `warpline exec` left, and writes it as results. */
#include "cli/exec_report.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PROCESSES = 4096 };

struct process {
    struct process_report report;
    struct result_kernel *kernels;
    struct run_stats *each; /* of the kernels */
    struct load_record *loads;
    struct sample *samples;
    struct run_result result;
};

/* ---- reading ---- */

/* The reports themselves, without what goes with them. */
static int is_report(const struct dirent *d) { return !strchr(d->d_name, '.'); }
static int visible(const struct dirent *d) { return d->d_name[0] != '.'; }

/* `count` elements of a file that goes with a report; NULL: there are none, or fewer. */
static void *read_array(const char *report, const char *ending, uint64_t count, size_t bytes)
{
    char file[PATH_MAX];
    snprintf(file, sizeof file, "%s%s", report, ending);
    FILE *f = count ? fopen(file, "rb") : NULL;
    void *p = f ? calloc(count, bytes) : NULL;
    if (p && fread(p, bytes, count, f) != count) {
        free(p);
        p = NULL;
    }
    if (f) fclose(f);
    return p;
}

static int read_kernels(struct process *p, FILE *f)
{
    uint32_t n = p->report.kernels;
    p->kernels = calloc(n ? n : 1, sizeof *p->kernels);
    p->each = calloc(n ? n : 1, sizeof *p->each);
    if (!p->kernels || !p->each) return -1;
    for (uint32_t i = 0; i < n; i++) {
        struct launch_record record;
        struct result_kernel *to = &p->kernels[i];
        if (fread(&record, sizeof record, 1, f) != 1) return -1;
        struct kernel_record k = record.kernel;
        p->each[i] = record.stats;
        memcpy(to->name, k.name, sizeof to->name);
        memcpy(to->grid, k.grid, sizeof to->grid);
        memcpy(to->block, k.block, sizeof to->block);
        to->cycles = k.cycles;
        to->warp_instructions = k.warp_instructions;
        to->thread_instructions = k.thread_instructions;
    }
    return 0;
}

static void free_process(struct process *p)
{
    if (!p) return;
    free(p->kernels);
    free(p->each);
    free(p->loads);
    free(p->samples);
    free(p);
}

static struct process *read_process(const char *folder, const char *name)
{
    char file[PATH_MAX - 16];
    snprintf(file, sizeof file, "%s/%s", folder, name);
    struct process *p = calloc(1, sizeof *p);
    FILE *f = p ? fopen(file, "rb") : NULL;
    bool ok = f && fread(&p->report, sizeof p->report, 1, f) == 1 && p->report.magic == PROCESS_REPORT_MAGIC &&
              p->report.bytes == sizeof p->report && read_kernels(p, f) == 0;
    if (f) fclose(f);
    if (!ok) {
        free_process(p);
        return NULL;
    }
    p->loads = read_array(file, LOADS_ENDING, p->report.profile.loads, sizeof *p->loads);
    p->samples = read_array(file, SAMPLES_ENDING, p->report.samples, sizeof *p->samples);
    return p;
}

/* ---- a result ---- */

static void make_result(struct job *j, struct process *p)
{
    const struct process_report *from = &p->report;
    struct run_result *r = &p->result;
    memset(&j->result, 0, sizeof j->result);
    job_describe(j);
    if (!j->functional) job_count(j, &from->stats, &from->policies);
    *r = j->result;
    memcpy(r->workload, from->program, sizeof r->workload);
    memcpy(r->inputs, from->arguments, sizeof r->inputs);
    r->workload_hash = from->program_hash;
    r->kernels = p->kernels;
    r->nkernels = from->kernels;
    if (j->functional) {
        r->stats.sm.warp_instructions = from->counts.warp_instructions;
        r->stats.sm.thread_instructions = from->counts.thread_instructions;
    }
    r->profile = from->profile;
    r->profile.load = p->loads;
    r->profile.loads = p->loads ? from->profile.loads : 0;
    r->samples = p->samples;
    r->nsamples = p->samples ? (unsigned)from->samples : 0;
    r->host.seconds = from->seconds;
    r->host.peak_memory_bytes = from->peak_memory_bytes;
}

/* A row of --launches: the result of a program of one launch. */
static void one_launch(struct job *j, const struct process *p, unsigned i, struct run_result *r)
{
    const struct policy_stats none = {0};
    job_describe(j);
    job_count(j, &p->each[i], &none);
    *r = j->result;
    snprintf(r->workload, sizeof r->workload, "%.60s:%.60s", p->report.program, p->kernels[i].name);
    snprintf(r->inputs, sizeof r->inputs, "launch %u", i + 1);
    r->workload_hash = p->report.program_hash;
    r->l1.counters = r->l2.counters = r->sched.counters = NULL; /* policies count over all launches */
    r->kernels = &p->kernels[i];
    r->nkernels = 1;
}

static int write_launches(struct job *j, struct process *const *p, unsigned n, FILE *out, struct wl_err *e)
{
    unsigned rows = 0, at = 0;
    for (unsigned i = 0; i < n; i++) rows += p[i]->report.kernels;
    struct run_result *result = calloc(rows ? rows : 1, sizeof *result);
    const struct run_result **row = calloc(rows ? rows : 1, sizeof(const struct run_result *));
    for (unsigned i = 0; result && row && i < n; i++) {
        for (unsigned k = 0; k < p[i]->report.kernels; k++, at++) {
            one_launch(j, p[i], k, &result[at]);
            row[at] = &result[at];
        }
    }
    int rc = result && row ? 0 : wl_fail(e, WL_ERUN, "out of memory");
    if (!rc) result_write_csv(row, rows, out);
    free(result);
    free(row);
    return rc;
}

/* What the counters do not tell. */
static void print_notes(const struct process_report *r, const struct options *o)
{
    char a[32], b[32];
    if (r->launches.skipped)
        fprintf(stderr, "  selected   %s of %s launches; the others were executed, not %s\n",
                with_commas(r->launches.all - r->launches.skipped, a), with_commas(r->launches.all, b),
                o->record ? "recorded" : "timed");
    if (r->launches.cut)
        fprintf(stderr, "  cut        %s launches were timed up to %s cycles only\n", with_commas(r->launches.cut, a),
                with_commas(o->max_cycles, b));
    if (!*r->trace) return;
    if (r->trace_finished)
        fprintf(stderr, "  trace      %s: %s launches, %s bytes\n", r->trace, with_commas(r->trace_launches, a),
                with_commas(r->trace_bytes, b));
    else fprintf(stderr, "  trace      %s was removed: the program ended before it was finished\n", r->trace);
}

/* ---- all of them ---- */

static bool file_has(const char *text, size_t size, const char *word) { return memmem(text, size, word, strlen(word)); }

/* Why a program made no CUDA call here, when its executable shows it. */
static void explain_silence(const char *program)
{
    FILE *f = fopen(program, "rb");
    char *text = NULL;
    size_t size = 0;
    if (f && fseek(f, 0, SEEK_END) == 0) {
        long end = ftell(f);
        size = end > 0 ? (size_t)end : 0;
        rewind(f);
        text = malloc(size + 1);
        if (text && fread(text, 1, size, f) != size) size = 0;
    }
    if (f) fclose(f);
    bool device_code = text && file_has(text, size, ".nv_fatbin"),
         shared = text && file_has(text, size, "libcudart.so");
    if (device_code && !shared)
        fprintf(stderr, "warpline: %s carries the CUDA runtime inside; link it with 'nvcc -cudart shared'\n", program);
    else if (shared && !file_has(text, size, "libcudart.so.11.0") && !file_has(text, size, "libcudart.so.12") &&
             !file_has(text, size, "libcudart.so.13"))
        fprintf(stderr, "warpline: %s wants another libcudart than 11.0, 12 or 13; build it with one of these\n",
                program);
    else fprintf(stderr, "warpline: no CUDA call was made here\n");
    free(text);
}

static int write_json(struct process *const *p, unsigned n, FILE *out, struct wl_err *e)
{
    if (n == 1) return result_write_json(&p[0]->result, out, e);
    json_t *list = json_array(); /* a script that ran several programs, or none that used the device */
    int bad = list ? 0 : -1;
    for (unsigned i = 0; i < n; i++) bad |= json_array_append_new(list, result_json(&p[i]->result));
    if (!bad) bad = json_dumpf(list, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) && !ferror(out);
    fputc('\n', out);
    json_decref(list);
    return bad ? wl_fail(e, WL_ERUN, "out of memory while writing JSON") : 0;
}

static int write_all(struct process *const *p, unsigned n, const struct options *o, struct output *out,
                     struct wl_err *e)
{
    const struct run_result **r = calloc(n ? n : 1, sizeof(const struct run_result *));
    if (!r) return wl_fail(e, WL_ERUN, "out of memory");
    int rc = out->json ? write_json(p, n, out->json, e) : 0;
    for (unsigned i = 0; i < n; i++) {
        const struct process_report *from = &p[i]->report;
        r[i] = &p[i]->result;
        bool silent = !out->text || (from->failed && !from->kernels); /* it has said why there is nothing */
        if (!silent) result_write_text(&p[i]->result, stderr);
        if (!silent) print_notes(from, o);
        if (*from->trace && !from->trace_finished) unlink(from->trace);
        if (from->failed == WL_ELAW && !rc) rc = wl_fail(e, WL_ELAW, "%s", from->error);
    }
    if (out->csv) result_write_csv(r, n, out->csv);
    free(r);
    return rc;
}

int write_reports(struct job *j, const struct options *o, const char *folder, struct output *out, FILE *launches,
                  int status, struct wl_err *e)
{
    struct dirent **names;
    int n = scandir(folder, &names, is_report, alphasort);
    if (n < 0) return wl_fail(e, WL_ERUN, "cannot read %s: %s", folder, strerror(errno));
    static struct process *p[MAX_PROCESSES];
    unsigned count = 0;
    for (int i = 0; i < n; i++) {
        if (count < MAX_PROCESSES && (p[count] = read_process(folder, names[i]->d_name))) make_result(j, p[count++]);
        free(names[i]);
    }
    free(names);
    if (!count && status != 126 && status != 127) explain_silence(o->program[0]);
    int rc = write_all(p, count, o, out, e);
    if (!rc && launches) rc = write_launches(j, p, count, launches, e);
    for (unsigned i = 0; i < count; i++) free_process(p[i]);
    return rc;
}

void remove_reports(const char *folder)
{
    struct dirent **names;
    int n = scandir(folder, &names, visible, alphasort);
    for (int i = 0; i < n; i++) {
        char file[PATH_MAX];
        snprintf(file, sizeof file, "%s/%s", folder, names[i]->d_name);
        unlink(file);
        free(names[i]);
    }
    if (n >= 0) free(names);
    rmdir(folder);
}
