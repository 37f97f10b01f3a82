/* fuzz_reference.c - any bytes as a reference file of 'fidelity', or as what ncu --csv prints: refused with file and
 * line, or a reference that can be written and read again as the same. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "experiment/fidelity.h"
#include "tests/fuzz/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Its printed form says the same. */
static void check_printed(const struct fid_reference *f)
{
    struct fid_reference again = {0};
    struct wl_err e = {.code = WL_OK};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    require(out != NULL);
    fid_write_reference(f, out);
    fclose(out);
    int rc = fid_read(&again, "printed", text, &e);
    if (rc) fprintf(stderr, "%s\n%s\n", e.text, text);
    require(rc == 0 && again.nrows == f->nrows && again.ncounters == f->ncounters);
    for (unsigned r = 0; r < f->nrows; r++)
        for (unsigned c = 0; c < f->ncounters; c++) {
            double a = f->row[r].reference[c], b = again.row[r].reference[c];
            require(isnan(a) ? isnan(b) : fabs(a - b) <= 1e-5 * fabs(a));
        }
    fid_free(&again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *out;
    struct fid_reference f = {0};
    struct wl_err e = {.code = WL_OK};
    if (!out) out = fopen("/dev/null", "w");
    if (size > 1 << 15) return 0;
    char *text = malloc(size + 1);
    require(text && out);
    memcpy(text, data, size);
    text[size] = 0;
    bool ncu = fid_is_ncu(text);
    int rc = ncu ? fid_read_ncu(&f, "fuzz.csv", text, "run x", &e) : fid_read(&f, "fuzz.csv", text, &e);
    require(rc == 0 || (e.code == WL_EINPUT && strncmp(e.text, "fuzz.csv", 8) == 0));
    if (!rc) {
        for (unsigned r = 0; r < f.nrows; r++) /* as if all ran with the reference's own numbers, one row without */
            for (unsigned c = 0; r && c < f.ncounters; c++) f.row[r].ours[c] = f.row[r].reference[c] * 1.25;
        for (unsigned c = 0; c < f.ncounters; c++) {
            struct fid_stat s = fid_statistics(&f, c);
            require(s.equal <= s.rows && s.rows <= f.nrows);
        }
        fid_write_tables(&f, out);
        fid_write_csv(&f, true, out);
        json_decref(fid_json(&f));
        if (ncu) check_printed(&f);
    }
    fid_free(&f);
    free(text);
    return 0;
}
