/* pageview.c - host code of pageview.cu: a generated web log through both map phases. */
#include <string.h>

#include "workloads/mars/mars.h"

enum { IN_LINES };

struct log {
    char *text;
    int *start, lines;
};

static void make_log(struct job *j, struct log *log)
{
    log->text = job_host(j, (size_t)log->lines, LOG_LINE_MAX);
    log->start = job_host(j, (size_t)log->lines + 1, sizeof(int));
    struct random r = random_new(j->run->seed, 0);
    for (int i = 0; !j->failed && i < log->lines; i++)
        log->start[i + 1] = log->start[i] + (int)random_log_line(log->text + log->start[i], &r);
}

static int hash_of(const char *s, int length)
{
    uint32_t h = 2166136261u;
    for (int k = 0; k < length; k++) h = (h ^ (uint8_t)s[k]) * 16777619u;
    return (int)h;
}

static void check(struct job *j, const struct log *log, int key_bytes, CUdeviceptr lines, CUdeviceptr pages,
                  CUdeviceptr keys)
{
    size_t n = (size_t)log->lines;
    int(*line)[3] = job_host(j, n, sizeof *line), (*page)[6] = job_host(j, n, sizeof *page), used = 0;
    char *key = job_host(j, n, LOG_LINE_MAX);
    if (j->failed) return;
    for (size_t i = 0; i < n; i++) {
        const char *s = log->text + log->start[i];
        int length = log->start[i + 1] - log->start[i] - 1, name = (int)(strchr(s, '\t') - s);
        memcpy(line[i], (int[]){hash_of(s, length), log->start[i], length}, sizeof line[i]);
        memcpy(page[i], (int[]){hash_of(s, name), used, name, line[i][0], length, 1}, sizeof page[i]);
        memcpy(key + used, s, (size_t)name);
        used += name;
    }
    job_compare(j, "key bytes", &key_bytes, &used, 1);
    mars_check(j, "lines", lines, line[0], 3 * log->lines);
    mars_check(j, "pages", pages, page[0], 6 * log->lines);
    mars_check_bytes(j, "keys", keys, key, used);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_pageview, r, "pageview.ptx")) return 1;
    struct log log = {.lines = (int)r->in[IN_LINES]};
    make_log(&j, &log);
    if (j.failed) return job_end(&j);
    int n = log.lines;
    size_t count = (size_t)n;
    struct shape s = shape_cover(n, 1, 256, 1);
    CUdeviceptr text = job_upload(&j, log.text, (size_t)log.start[n], 1);
    CUdeviceptr start = job_upload(&j, log.start, count, sizeof(int));
    CUdeviceptr places = job_device(&j, count + 1, sizeof(int));
    CUdeviceptr lines = job_device(&j, count, 12), pages = job_device(&j, count, 24);

    job_launch(&j, job_kernel(&j, "pageview_line_count"), s, (void *[]){&text, &start, &places, &n});
    int visits = mars_scan(&j, places, n);
    job_compare(&j, "visits", &visits, &n, 1); /* no generated line is empty: the buffers fit */
    job_launch(&j, job_kernel(&j, "pageview_line_emit"), s, (void *[]){&text, &start, &places, &lines, &n});
    job_launch(&j, job_kernel(&j, "pageview_page_count"), s, (void *[]){&text, &lines, &places, &n});
    int key_bytes = mars_scan(&j, places, n);
    CUdeviceptr keys = mars_output(&j, key_bytes, 1);
    job_launch(&j, job_kernel(&j, "pageview_page_emit"), s, (void *[]){&text, &lines, &places, &keys, &pages, &n});
    if (r->check && !j.failed) check(&j, &log, key_bytes, lines, pages, keys);
    return job_end(&j);
}

const struct workload workload_pageview = {
    .name = "pageview",
    .suite = "mars",
    .help = "page view count, both map phases: a thread per line of a web log",
    .aliases = "PVC mars/pageviewcount dacache/pvc",
    .input = {{"lines", "lines of the log", {400, 30720, 100000}, 1, 1 << 22}},
    .run = run,
};
