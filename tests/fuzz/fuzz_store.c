/* fuzz_store.c - a result store with damaged bytes: refused with a sentence, or read, written and verified.
 *
 * The first byte chooses: odd, the rest is the file; even, the rest are changes of a sound store, four bytes each
 * (place in two, how in one, value in one), which a fuzzer finds more with than with a file in which every page has its
 * sums. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment/store.h"
#include "tests/fuzz/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/dev/shm/wl-fuzz-XXXXXX", file[64], side[2][64]; /* no disk: it would wait for each fsync */
static uint8_t *sound;
static size_t sound_bytes;

static void forget(void)
{
    unlink(file);
    for (int i = 0; i < 2; i++) unlink(side[i]);
}

static void leave(void)
{
    forget();
    rmdir(folder);
}

static void put_rows(struct store *s)
{
    struct wl_err e;
    struct store_row row = {
        "0123456789abcdef0123456789abcdef", "b", "atax", "tiny", "n=1", "gtx480", "lru", "lru", "gto", .seed = 1};
    row.reason = "";
    row.json = "{\"workload\":\"atax\",\"cycles\":12,\"l1d\":{\"loads\":3},\"inputs\":{\"n\":1},\"config\":{\"l1d\":{"
               "\"ways\":4}}}";
    require(store_put(s, &row, &e) == 0);
    const struct store_use use = {row.key, "x", "a", "16"};
    require(store_use(s, &use, 1, &e) == 0);
    row.key = "f123456789abcdef0123456789abcdef";
    row.failed = true;
    row.reason = "out of luck";
    row.json = "";
    require(store_put(s, &row, &e) == 0);
}

static void begin(void)
{
    struct wl_err e;
    require(mkdtemp(folder) != NULL);
    atexit(leave);
    snprintf(file, sizeof file, "%s/r.db", folder);
    snprintf(side[0], sizeof side[0], "%s/r.db-wal", folder);
    snprintf(side[1], sizeof side[1], "%s/r.db-shm", folder);
    struct store *s = store_open(file, true, &e);
    require(s != NULL);
    put_rows(s);
    store_close(s);
    FILE *f = fopen(file, "rb");
    require(f != NULL);
    sound = malloc(1 << 17);
    require(sound != NULL);
    sound_bytes = fread(sound, 1, 1 << 17, f);
    fclose(f);
}

static void write_file(const uint8_t *bytes, size_t n)
{
    int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    require(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
    close(fd);
}

static size_t change(uint8_t *bytes, size_t n, const uint8_t *data, size_t size)
{
    for (; size >= 4 && n; data += 4, size -= 4) {
        size_t at = (size_t)(data[0] | data[1] << 8) % n;
        switch (data[2] & 7) {
        case 0: n = at; break; /* cut */
        case 1: bytes[at] ^= (uint8_t)(1u << (data[3] & 7)); break;
        case 2: memset(bytes + at, data[3], n - at < 16 ? n - at : 16); break;
        default: bytes[at] = data[3]; break;
        }
    }
    return n;
}

static int see(void *arg, const struct store_row *r)
{
    require(r->key && r->build && r->workload && r->reason && r->json && r->inputs && r->created);
    ++*(unsigned *)arg;
    return 0;
}

static void use(struct store *s)
{
    struct wl_err e = {.code = WL_OK};
    unsigned rows = 0, seen = 0, gone;
    bool failed;
    char *json = NULL, *reason = NULL;
    bool whole = store_verify(s, &rows, &e) == 0;
    require(whole || *e.text);
    int rc = store_each(s, see, &seen, &e);
    if (whole) require(rc == 0 && seen == rows);
    FILE *out = fopen("/dev/null", "w");
    require(out != NULL);
    store_export_csv(s, out, &e);
    store_export_json(s, out, &e);
    fclose(out);
    if (store_get(s, "0123456789abcdef0123456789abcdef", &failed, &json, &reason, &e) > 0) require(json && reason);
    free(json);
    free(reason);
    const struct store_row row = {"a123456789abcdef0123456789abcdef",
                                  "b",
                                  "bfs",
                                  "tiny",
                                  "",
                                  "g",
                                  "lru",
                                  "lru",
                                  "gto",
                                  .reason = "",
                                  .json = "{}"};
    store_put(s, &row, &e);
    store_prune(s, "b", true, &gone, &e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wl_err e = {.code = WL_OK};
    if (!sound) begin();
    if (size == 0 || size > 1 << 17) return 0;
    forget();
    if (data[0] & 1) {
        write_file(data + 1, size - 1);
    } else {
        uint8_t *copy = malloc(sound_bytes);
        require(copy != NULL);
        memcpy(copy, sound, sound_bytes);
        write_file(copy, change(copy, sound_bytes, data + 1, size - 1));
        free(copy);
    }
    struct store *s = store_open(file, false, &e);
    require(s || (e.code && *e.text));
    if (s) use(s);
    store_close(s);
    return 0;
}
