/* launches.c - each launch of a run as a record of its own, so that whatever writes a run can write a launch. */
#include <stdlib.h>

#include "run/collect.h"

/* Whether it overlapped with the launch before it: the first of such launches has what all of them counted. */
static bool is_counted_before(const struct run_result *r, unsigned i)
{
    return i && r->kernels[i].overlap && r->kernels[i - 1].overlap == r->kernels[i].overlap;
}

/* What one launch counted, as the record of a run of its own; it points into `whole`, whose launches were kept apart.
 */
static void result_launch(const struct run_result *whole, unsigned i, struct run_result *out)
{
    struct policy_stats policies = {0}; /* how large their tables are, is known of the whole */
    *out = *whole;
    out->profile = (struct profile_report){0}; /* of all launches together, as the samples are */
    out->samples = NULL;
    out->nsamples = 0;
    out->host.seconds = 0;
    out->host.peak_memory_bytes = 0;
    if (whole->each_policy) policies = whole->each_policy[i];
    result_count(out, whole->config, &whole->each[i], &policies);
    out->l1.storage_bits = whole->l1.storage_bits;
    out->l2.storage_bits = whole->l2.storage_bits;
    out->sched.storage_bits = whole->sched.storage_bits;
    snprintf(out->workload, sizeof out->workload, "%.60s:%.60s", whole->workload, whole->kernels[i].name);
    unsigned n = 1; /* with those that overlapped with it, which are counted with it */
    while (i + n < whole->nkernels && is_counted_before(whole, i + n)) n++;
    if (n == 1) snprintf(out->inputs, sizeof out->inputs, "launch %u", i + 1);
    else snprintf(out->inputs, sizeof out->inputs, "launches %u to %u", i + 1, i + n);
    out->kernels = &whole->kernels[i];
    out->each = NULL;
    out->each_policy = NULL;
    out->nkernels = n;
}

int result_write_launches(const struct run_result *const *r, unsigned count, FILE *out, struct wl_err *e)
{
    unsigned rows = 0, at = 0;
    for (unsigned i = 0; i < count; i++) rows += r[i]->each ? r[i]->nkernels : 0;
    struct run_result *result = calloc(rows ? rows : 1, sizeof *result);
    const struct run_result **row = calloc(rows ? rows : 1, sizeof(const struct run_result *));
    bool ok = result && row;
    for (unsigned i = 0; ok && i < count; i++)
        for (unsigned k = 0; r[i]->each && k < r[i]->nkernels; k++) {
            if (is_counted_before(r[i], k)) continue;
            result_launch(r[i], k, &result[at]);
            row[at] = &result[at];
            at++;
        }
    if (ok) result_write_csv(row, at, out);
    free(result);
    free(row);
    return ok ? 0 : wl_fail(e, WL_ERUN, "out of memory");
}
