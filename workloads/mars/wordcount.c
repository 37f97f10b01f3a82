/* wordcount.c - host code of wordcount.cu: the words of generated text. */
#include "workloads/mars/mars.h"

enum { IN_BYTES, IN_BLOCK, IN_READ };

struct block {
    int start, length, unused[2];
};

/* The words of each block and the text with its terminators; returns the number of words. */
static int reference(char *text, const struct block *blocks, int n, int *records)
{
    int words = 0;
    for (int i = 0; i < n; i++) {
        int end = blocks[i].start + blocks[i].length, length = 0;
        for (int k = blocks[i].start; k <= end; k++) {
            if (k < end && text[k] >= 'A' && text[k] <= 'Z') {
                length++;
                continue;
            }
            if (length == 0) continue;
            records[2 * words] = k - length;
            records[2 * words + 1] = length;
            words++;
            length = 0;
            if (k < end) text[k] = 0;
        }
    }
    return words;
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_wordcount, r, "wordcount.ptx")) return 1;
    int bytes = (int)r->in[IN_BYTES], block = (int)r->in[IN_BLOCK], n = (bytes + block - 1) / block,
        read = r->in[IN_READ] && r->in[IN_READ] < block ? (int)r->in[IN_READ] : block;
    char *text = job_host(&j, (size_t)bytes, 1);
    struct block *blocks = job_host(&j, (size_t)n, sizeof *blocks);
    int *want =
        job_host(&j, (size_t)bytes + (size_t)n, sizeof *want); /* a word and its gap: two ints, two characters */
    if (j.failed) return job_end(&j);
    random_words(text, (size_t)bytes, random_new(r->seed, 0));
    for (int i = 0; i < n; i++)
        blocks[i] = (struct block){i * block, bytes - i * block < read ? bytes - i * block : read, {0, 0}};

    struct shape s = shape_cover(n, 1, 256, 1);
    CUdeviceptr dtext = job_upload(&j, text, (size_t)bytes, 1);
    CUdeviceptr dblocks = job_upload(&j, blocks, (size_t)n, sizeof *blocks);
    CUdeviceptr words = job_device(&j, (size_t)n + 1, sizeof(int));
    job_launch(&j, job_kernel(&j, "wordcount_count"), s, (void *[]){&dtext, &dblocks, &words, &n});
    int total = mars_scan(&j, words, n);
    CUdeviceptr records = mars_output(&j, total, 2 * sizeof(int));
    job_launch(&j, job_kernel(&j, "wordcount_emit"), s, (void *[]){&dtext, &dblocks, &words, &records, &n});
    if (r->check && !j.failed) {
        int expected = reference(text, blocks, n, want);
        job_compare(&j, "words", &total, &expected, 1);
        mars_check(&j, "records", records, want, 2 * expected);
        mars_check_bytes(&j, "text", dtext, text, bytes);
    }
    return job_end(&j);
}

const struct workload workload_wordcount = {
    .name = "wordcount",
    .suite = "mars",
    .help = "word count, map phase: a thread per block of text, which it cuts into words",
    .aliases = "WC mars/wordcount apcm/wc",
    .input = {{"bytes", "characters of text", {20000, 10000000, 10000000}, 1, 1 << 28},
              {"block", "characters from one thread's text to the next's", {256, 1024, 1024}, 16, 65536},
              {"read", "characters a thread reads; 0: its block", {0, 128, 0}, 0, 65536}},
    .run = run,
};
