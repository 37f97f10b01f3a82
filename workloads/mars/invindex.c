/* invindex.c - host code of invindex.cu: counts, places, links of generated HTML. */
#include <string.h>

#include "workloads/mars/mars.h"

enum { IN_BYTES, IN_BLOCK, IN_READ };

struct block {
    int start, length, document, unused;
};
struct record {
    int key, length, document, position;
};
struct index {
    struct record *record;
    char *keys;
    int records, bytes;
};

static const char opening[] = "<a href=\"";

/* The links of one block, found with the library's string functions instead of an automaton. */
static void scan_block(struct index *x, const char *text, const struct block *b)
{
    const char *at = text + b->start, *end = at + b->length;
    size_t open = strlen(opening);
    while ((size_t)(end - at) >= open) {
        if (memcmp(at, opening, open) != 0) {
            at++;
            continue;
        }
        const char *first = at + open, *quote = memchr(first, '"', (size_t)(end - first));
        if (!quote) return;
        int length = (int)(quote - first);
        x->record[x->records++] = (struct record){x->bytes, length, b->document, (int)(first - text)};
        memcpy(x->keys + x->bytes, first, (size_t)length);
        x->bytes += length;
        at = quote;
    }
}

static void check(struct job *j, const char *text, size_t bytes, const struct block *blocks, int n, struct index *got,
                  CUdeviceptr records, CUdeviceptr keys)
{
    struct index want = {0};
    want.record = job_host(j, bytes / (sizeof opening - 1) + 1, sizeof *want.record);
    want.keys = job_host(j, bytes, 1);
    if (j->failed) return;
    for (int i = 0; i < n; i++) scan_block(&want, text, &blocks[i]);
    const int totals[] = {got->records, got->bytes}, wanted[] = {want.records, want.bytes};
    job_compare(j, "totals", totals, wanted, 2);
    mars_check(j, "records", records, &want.record->key, 4 * want.records);
    mars_check_bytes(j, "keys", keys, want.keys, want.bytes);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_invindex, r, "invindex.ptx")) return 1;
    int bytes = (int)r->in[IN_BYTES], block = (int)r->in[IN_BLOCK], n = (bytes + block - 1) / block,
        read = r->in[IN_READ] && r->in[IN_READ] < block ? (int)r->in[IN_READ] : block;
    char *text = job_host(&j, (size_t)bytes, 1);
    struct block *blocks = job_host(&j, (size_t)n, sizeof *blocks);
    if (j.failed) return job_end(&j);
    random_html(text, (size_t)bytes, random_new(r->seed, 0));
    for (int i = 0; i < n; i++)
        blocks[i] = (struct block){i * block, bytes - i * block < read ? bytes - i * block : read, i / 16, 0};

    struct shape s = shape_cover(n, 1, 256, 1);
    CUdeviceptr dtext = job_upload(&j, text, (size_t)bytes, 1);
    CUdeviceptr dblocks = job_upload(&j, blocks, (size_t)n, sizeof *blocks);
    CUdeviceptr links = job_device(&j, (size_t)n + 1, sizeof(int)), sizes = job_device(&j, (size_t)n + 1, sizeof(int));
    job_launch(&j, job_kernel(&j, "invindex_count"), s, (void *[]){&dtext, &dblocks, &links, &sizes, &n});
    struct index got = {.records = mars_scan(&j, links, n), .bytes = mars_scan(&j, sizes, n)};
    CUdeviceptr records = mars_output(&j, got.records, sizeof(struct record)), keys = mars_output(&j, got.bytes, 1);
    job_launch(&j, job_kernel(&j, "invindex_emit"), s,
               (void *[]){&dtext, &dblocks, &links, &sizes, &records, &keys, &n});
    if (r->check && !j.failed) check(&j, text, (size_t)bytes, blocks, n, &got, records, keys);
    return job_end(&j);
}

const struct workload workload_invindex = {
    .name = "invindex",
    .suite = "mars",
    .help = "inverted index, map phase: links in HTML, a thread per block of text",
    .aliases = "IIX mars/invertedindex dacache/iix apcm/iix",
    .input = {{"bytes", "characters of text", {20000, 6800000, 6800000}, 1, 1 << 28},
              {"block", "characters from one thread's text to the next's", {256, 256, 256}, 16, 65536},
              {"read", "characters a thread reads; 0: its block", {0, 128, 0}, 0, 65536}},
    .run = run,
};
