/* exec_report.c - reads what the processes of a program left, and makes records of it. */
#include "run/exec_report.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/collect.h"

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

static int read_kernels(struct exec_process *p, FILE *f)
{
    uint32_t n = p->report.kernels;
    p->kernels = calloc(n ? n : 1, sizeof *p->kernels);
    p->each = calloc(n ? n : 1, sizeof *p->each);
    p->each_policy = calloc(n ? n : 1, sizeof *p->each_policy);
    if (!p->kernels || !p->each || !p->each_policy) return -1;
    for (uint32_t i = 0; i < n; i++) {
        struct launch_record record;
        if (fread(&record, sizeof record, 1, f) != 1) return -1;
        p->kernels[i] = record.kernel;
        p->each[i] = record.stats;
        p->each_policy[i] = record.policies;
    }
    return 0;
}

static void free_process(struct exec_process *p)
{
    if (!p) return;
    free(p->kernels);
    free(p->each);
    free(p->each_policy);
    free(p->loads);
    free(p->insts);
    free(p->heat);
    free(p->samples);
    free(p);
}

static struct exec_process *read_process(const char *folder, const char *name)
{
    char file[PATH_MAX - 16];
    snprintf(file, sizeof file, "%s/%s", folder, name);
    struct exec_process *p = calloc(1, sizeof *p);
    FILE *f = p ? fopen(file, "rb") : NULL;
    bool ok = f && fread(&p->report, sizeof p->report, 1, f) == 1 && p->report.magic == PROCESS_REPORT_MAGIC &&
              p->report.bytes == sizeof p->report && read_kernels(p, f) == 0;
    if (f) fclose(f);
    if (!ok) {
        free_process(p);
        return NULL;
    }
    p->loads = read_array(file, LOADS_ENDING, p->report.profile.loads, sizeof *p->loads);
    p->insts = read_array(file, INSTS_ENDING, p->report.profile.insts, sizeof *p->insts);
    const struct heat_report *h = &p->report.profile.heat;
    p->heat = read_array(file, HEAT_ENDING, (uint64_t)h->samples * h->width, sizeof *p->heat);
    p->samples = read_array(file, SAMPLES_ENDING, p->report.samples, sizeof *p->samples);
    bool lost = (!p->loads && p->report.profile.loads) || (!p->insts && p->report.profile.insts) ||
                (!p->heat && h->samples && h->width) || (!p->samples && p->report.samples);
    if (!lost) return p;
    free_process(p);
    return NULL;
}

/* ---- a record ---- */

static void make_result(struct exec_process *p, const struct gpu_config *c, const struct exec_spec *spec)
{
    const struct process_report *from = &p->report;
    struct run_result *r = &p->result;
    bool untimed = spec->functional || spec->record;
    result_describe(r, c, untimed ? "functional" : spec->tick ? "tick" : "fast", 0);
    if (!untimed) result_count(r, c, &from->stats, &from->policies);
    if (!untimed && from->sampling.on) r->sampling = &from->sampling;
    memcpy(r->workload, from->program, sizeof r->workload);
    memcpy(r->inputs, from->arguments, sizeof r->inputs);
    r->workload_hash = from->program_hash;
    r->kernels = p->kernels;
    r->each = untimed ? NULL : p->each;
    r->each_policy = untimed ? NULL : p->each_policy;
    r->nkernels = from->kernels;
    if (untimed) {
        r->stats.sm.warp_instructions = from->counts.warp_instructions;
        r->stats.sm.thread_instructions = from->counts.thread_instructions;
    }
    r->profile = from->profile;
    r->profile.load = p->loads;
    r->profile.loads = p->loads ? from->profile.loads : 0;
    r->profile.inst = p->insts;
    r->profile.insts = p->insts ? from->profile.insts : 0;
    r->profile.heat.count = p->heat;
    r->samples = p->samples;
    r->nsamples = p->samples ? (unsigned)from->samples : 0;
    r->host.seconds = from->seconds;
    r->host.peak_memory_bytes = from->peak_memory_bytes;
}

/* ---- all of them ---- */

static bool file_has(const char *text, size_t size, const char *word) { return memmem(text, size, word, strlen(word)); }

void exec_silence(const char *program, char *out, size_t size)
{
    FILE *f = fopen(program, "rb");
    char *text = NULL;
    size_t bytes = 0;
    if (f && fseek(f, 0, SEEK_END) == 0) {
        long end = ftell(f);
        bytes = end > 0 ? (size_t)end : 0;
        rewind(f);
        text = malloc(bytes + 1);
        if (text && fread(text, 1, bytes, f) != bytes) bytes = 0;
    }
    if (f) fclose(f);
    bool device_code = text && file_has(text, bytes, ".nv_fatbin"),
         shared = text && file_has(text, bytes, "libcudart.so");
    if (device_code && !shared)
        snprintf(out, size, "%s carries the CUDA runtime inside; link it with 'nvcc -cudart shared'", program);
    else if (shared && !file_has(text, bytes, "libcudart.so.11.0") && !file_has(text, bytes, "libcudart.so.12") &&
             !file_has(text, bytes, "libcudart.so.13"))
        snprintf(out, size, "%s wants another libcudart than 11.0, 12 or 13; build it with one of these", program);
    else snprintf(out, size, "no CUDA call was made here");
    free(text);
}

/* Whether a process said that it could not write everything. */
static bool is_marked(const char *folder)
{
    char file[PATH_MAX];
    snprintf(file, sizeof file, "%s/%s", folder, LOST_FILE);
    FILE *f = fopen(file, "rb");
    bool sound = f && fgetc(f) == '0';
    if (f) fclose(f);
    return !sound;
}

/* A process that was forked and made no CUDA call leaves a file and nothing in it. */
static bool is_empty(const char *folder, const char *name)
{
    char file[PATH_MAX];
    struct stat st;
    snprintf(file, sizeof file, "%s/%s", folder, name);
    return stat(file, &st) == 0 && st.st_size == 0;
}

int read_reports(const char *folder, const struct exec_spec *spec, struct exec_outcome *out, struct wl_err *e)
{
    struct dirent **names;
    int n = scandir(folder, &names, is_report, alphasort);
    if (n < 0) return wl_fail(e, WL_ERUN, "cannot read %s: %s", folder, strerror(errno));
    out->process = calloc((size_t)n + 1, sizeof(struct exec_process *));
    int cut = 0;
    for (int i = 0; i < n; i++) {
        struct exec_process *p = out->process ? read_process(folder, names[i]->d_name) : NULL;
        if (p) make_result(p, &out->config, spec);
        if (p) out->process[out->processes++] = p;
        else cut += !is_empty(folder, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    if (!out->process) return wl_no_memory(e);
    if (!cut && !is_marked(folder)) return 0;
    return wl_fail(
        e, WL_ERUN,
        "results of the program are lost: they could not be written to %s or read from there (is its disk full? "
        "TMPDIR chooses another)",
        folder);
}

void exec_free(struct exec_outcome *o)
{
    for (unsigned i = 0; i < o->processes; i++) free_process(o->process[i]);
    free(o->process);
    *o = (struct exec_outcome){0};
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
