/* fuzz_experiment.c - any bytes as an experiment file: refused with a place, or an experiment
 * whose plan, (empty) tables and ranges can be made. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/range.h"
#include "experiment/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct experiment *x)
{
    struct wl_err e = {.code = WL_OK};
    struct plan *p = plan_new(x, SIZE_TINY, "fuzz", &e);
    if (!p) return;
    for (unsigned i = 0; i < x->nfigures; i++) {
        if (plan_figure(p, &x->figures[i], &e)) abort();
        struct table *t = table_make(p, &x->figures[i], &e);
        if (!t) abort();
        free(table_gnuplot(t));
        table_free(t);
    }
    for (unsigned i = 0; i < x->nclaims; i++) {
        if (plan_claim(p, &x->claims[i], &e)) abort();
        claim_verdict(&x->claims[i], claim_value(p, &x->claims[i]));
    }
    /* A value that a machine refuses is an ordinary outcome; that of two that exclude each other has no line. */
    const struct range_spec spec = {.design_points = 3};
    unsigned values = 0; /* the file is read again for each: not for hundreds */
    for (unsigned i = 0; i < x->nunknowns; i++) values += x->unknowns[i].nvalues;
    struct exp_range *r = values && values <= 8 ? range_new(p, &spec, &e) : NULL;
    if (!r && values && values <= 8 && e.code != WL_EINPUT) abort();
    for (unsigned i = 0; r && i < x->nclaims; i++) range_claim(r, i);
    range_free(r);
    plan_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wl_err e = {.code = WL_OK};
    if (size > 1 << 16) return 0;
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    struct experiment *x = experiment_parse("fuzz", "fuzz.ini", text, &e);
    if (x) use(x);
    else if (e.code != WL_EINPUT || strncmp(e.text, "fuzz.ini:", 9) != 0) abort();
    experiment_free(x);
    free(text);
    return 0;
}
