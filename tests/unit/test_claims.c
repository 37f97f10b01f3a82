/* test_claims.c - what a claim's verdict is, what counts as a claim, measures over several metrics, conditions,
 * correlation, and the same experiment on another machine. No simulation: results are made up. */

#include "test.h"

#include <math.h>

#include "experiment/table.h"
#include "experiment/value.h"

static struct wl_err e;
static struct experiment *x;
static struct plan *p;

static int done(void **state)
{
    (void)state;
    plan_free(p);
    experiment_free(x);
    p = NULL;
    x = NULL;
    return 0;
}

static void parse(const char *text)
{
    done(NULL);
    memset(&e, 0, sizeof e);
    x = experiment_parse("t", "t.ini", text, &e);
    if (!x) fail_msg("refused: %s", e.text);
    p = plan_new(x, SIZE_TINY, "build", &e);
    for (unsigned i = 0; i < x->nfigures; i++) assert_int_equal(plan_figure(p, &x->figures[i], &e), 0);
    for (unsigned i = 0; i < x->nclaims; i++) assert_int_equal(plan_claim(p, &x->claims[i], &e), 0);
}

static void refused(const char *text, const char *part)
{
    done(NULL);
    memset(&e, 0, sizeof e);
    x = experiment_parse("t", "t.ini", text, &e);
    if (x) fail_msg("accepted: %s", text);
    if (!strstr(e.text, part)) fail_msg("'%s' does not say '%s'", e.text, part);
}

/* A result: ipc and cycles. */
static void give(const char *series, const char *workload, double ipc, int cycles)
{
    for (unsigned s = 0; s < x->nseries; s++)
        for (unsigned w = 0; w < x->nworkloads; w++) {
            if (strcmp(x->series[s]->name, series) != 0 || strcmp(x->workloads[w]->name, workload) != 0) continue;
            struct exp_run *r = p->cell[s * x->nworkloads + w];
            if (!r) fail_msg("%s on %s is not planned", series, workload);
            json_decref(r->result);
            r->result = json_pack("{s:f,s:i}", "ipc", ipc, "cycles", cycles);
            r->state = RUN_DONE;
        }
}

static double measured(unsigned claim) { return claim_value(p, &x->claims[claim]); }

#define HEAD "workloads = atax bfs gemm\n[series lrr]\nsched = lrr\n[series gto]\nsched = gto\n"

/* ---- verdicts ---- */

static void verdict_is(const char *claim, const char *measure, enum verdict want)
{
    char text[400];
    snprintf(text, sizeof text, HEAD "[claim a]\n%s\nmeasure = %s\n", claim, measure);
    parse(text);
    enum verdict v = claim_verdict(&x->claims[0], measured(0));
    if (v != want) fail_msg("%s measured %s: %s, not %s", claim, measure, verdict_names[v], verdict_names[want]);
}

/* A match of an effect is an effect of the same sign; 0.02 is the least. */
TEST_WITH(nothing_is_no_match_of_something, NULL, done)
{
    verdict_is("value = 0.9773", "1.020", VERDICT_MISS); /* within 0.05, but the contrary */
    verdict_is("value = 0.9773", "1.000", VERDICT_MISS);
    verdict_is("value = 0.9773", "0.981", VERDICT_MISS);
    verdict_is("value = 0.9773", "0.980", VERDICT_MATCH);
    verdict_is("value = 1.04", "1.000", VERDICT_MISS);
    verdict_is("value = 1.04", "1.019", VERDICT_MISS);
    verdict_is("value = 1.04", "1.020", VERDICT_MATCH);
    verdict_is("value = 0.95", "1.000", VERDICT_MISS); /* was on the border of a match */
    verdict_is("value = 1.00", "0.96", VERDICT_MATCH); /* a claim of no effect has no side */
    verdict_is("value = 1.02", "1.00", VERDICT_MATCH);
    verdict_is("value = 1.015", "0.97", VERDICT_MATCH);
    verdict_is("value = 1.00", "0.90", VERDICT_MISS);
    verdict_is("value = > 1.0", "1.001", VERDICT_MATCH); /* bounds hold or do not */
}

TEST_WITH(a_direction_has_a_least_effect, NULL, done)
{
    verdict_is("value = 0.22\ntolerance = 0.05\nneutral = 0", "0.0003", VERDICT_MISS);
    verdict_is("value = 0.22\ntolerance = 0.05\nneutral = 0", "0.0199", VERDICT_MISS);
    verdict_is("value = 0.22\ntolerance = 0.05\nneutral = 0", "0.0200", VERDICT_DIRECTION);
    verdict_is("value = 0.22\ntolerance = 0.05\nneutral = 0", "-0.1", VERDICT_MISS);
    verdict_is("value = 0.22\ntolerance = 0.05\nneutral = 0", "0.18", VERDICT_MATCH);
    verdict_is("value = 0.04\ntolerance = 0.03\nneutral = 0", "0.011", VERDICT_MISS); /* near, but no effect */
    verdict_is("value = 0.04\ntolerance = 0.03\nneutral = 0", "0.021", VERDICT_MATCH);
    verdict_is("value = 0.016\ntolerance = 0.01\nneutral = 0", "0.007", VERDICT_MATCH); /* states less than one */
    verdict_is("value = 0.016\ntolerance = 0.01\nneutral = 0", "-0.003", VERDICT_MISS);
}

/* "Changes by less than 10 %": no side of 1 to be on. */
TEST_WITH(a_bound_on_a_change, NULL, done)
{
    verdict_is("value = < 10%\ntolerance = 0", "0.609", VERDICT_MISS);
    verdict_is("value = < 10%\ntolerance = 0", "0.05", VERDICT_MATCH);
    refused(HEAD "[claim a]\nvalue = < 10%\nmeasure = 0.6\n", "a percentage is a change");
    refused(HEAD "[claim a]\nvalue = 12%\nmeasure = 0.6\n", "give it a tolerance");
}

TEST_WITH(within_a_factor, NULL, done)
{
    verdict_is("value = 0.27\ntolerance = x2", "0.135", VERDICT_MATCH);
    verdict_is("value = 0.27\ntolerance = x2", "0.134", VERDICT_MISS);
    verdict_is("value = 0.27\ntolerance = x2", "0.54", VERDICT_MATCH);
    verdict_is("value = 0.27\ntolerance = x2", "0.55", VERDICT_MISS);
    refused(HEAD "[claim a]\nvalue = < 2\ntolerance = x2\nmeasure = 1\n", "a factor");
    refused(HEAD "[claim a]\nvalue = 2\ntolerance = x0.5\nmeasure = 1\n", "a factor");
    refused(HEAD "[claim a]\nvalue = 2\ntolerance = x2\nneutral = 0\nmeasure = 1\n", "no neutral");
}

/* ---- as they are shown ---- */

static void shown_as(const char *claim, const char *measure, const char *want)
{
    char text[400], out[32];
    snprintf(text, sizeof text, HEAD "[claim a]\n%s\nmeasure = %s\n", claim, measure);
    parse(text);
    claim_text(&x->claims[0], measured(0), out, sizeof out);
    assert_string_equal(out, want);
}

TEST_WITH(a_count_has_no_decimals, NULL, done)
{
    shown_as("value = 13\ntolerance = 2", "5", "5");
    shown_as("value = 107\ntolerance = x2", "89.8", "89.800");
    shown_as("value = 0.10\ntolerance = 0.05", "0", "0.000"); /* a share that is 0 is no count */
    shown_as("value = 1.00", "1", "1.000");
    shown_as("value = 3479\ntolerance = x2", "2294.4", "2294");
    shown_as("text = a", "2 > 1", "holds");
    shown_as("text = a", "1 > 2", "does not");
}

/* ---- what counts ---- */

TEST_WITH(own_checks_and_repeats_are_not_counted, NULL, done)
{
    struct claim_counts k = {{0}, {0}, {0}};
    parse(HEAD "[claim a]\nvalue = 1.2\nmeasure = 1.2\n[claim b]\nvalue = 1.2\nmeasure = 1.2\nsame_as = a\n"
               "[claim c]\nmeasure = 2 > 1\nown = yes\n[claim d]\nvalue = 1.2\nmeasure = 0.9\nown = no\n"
               "[claim e]\nskip = no scales\n");
    for (unsigned i = 0; i < x->nclaims; i++) claim_count(&k, &x->claims[i], claim_verdict(&x->claims[i], measured(i)));
    char text[100];
    counts_text(k.n, text, sizeof text);
    assert_string_equal(text, "3 total, 1 match, 0 direction, 1 miss, 1 not run");
    counts_text(k.own, text, sizeof text);
    assert_string_equal(text, "1 total, 1 match, 0 direction, 0 miss, 0 not run");
    assert_int_equal(counts_total(k.repeats), 1);
    assert_ptr_equal(x->claims[1].repeat, &x->claims[0]);
    refused(HEAD "[claim a]\nmeasure = 1 > 0\nown = maybe\n", "yes");
    refused(HEAD "[claim a]\nmeasure = 1 > 0\nsame_as = b\n[claim b]\nmeasure = 1 > 0\n", "no claim before");
    refused(HEAD "[claim a]\nmeasure = 1 > 0\nown = yes\n[claim b]\nmeasure = 1 > 0\nsame_as = a\n",
            "not counted itself");
    refused(HEAD "[claim a]\nmeasure = 1 > 0\n[claim b]\nmeasure = 1 > 0\nsame_as = a\nown = yes\n", "either own");
}

/* ---- measures ---- */

/* Points of another run's total: 20 of 100 cycles against 30 of 100. */
TEST_WITH(several_metrics, NULL, done)
{
    parse(HEAD "[claim a]\nvalue = 0.1\ntolerance = 0\nmetric.part = ipc\nmetric.whole = cycles\n"
               "measure = amean((lrr.part - gto.part) / lrr.whole, atax bfs)\n"
               "[claim b]\nmetric = ipc\nbase = lrr\nmetric.n = cycles\nvalue = 4\ntolerance = 0\n"
               "measure = at(gto * gto.n / gto.n, atax) + at(lrr.n / gto.n, atax)\n");
    give("lrr", "atax", 30, 100), give("gto", "atax", 20, 50);
    give("lrr", "bfs", 30, 100), give("gto", "bfs", 20, 10);
    assert_float_equal(measured(0), 0.1, 1e-12);
    assert_float_equal(measured(1), 2.0 / 3 + 2, 1e-12); /* a named metric is never normalised */
    refused(HEAD "[claim a]\nvalue = 1\nmetric.part = ipc\nmeasure = amean(gto.prt)\n", "did you mean 'part'");
    refused(HEAD "[claim a]\nvalue = 1\nmetric.part = ipd\nmeasure = amean(gto.part)\n", "did you mean 'ipc'");
    refused(HEAD "[claim a]\nvalue = 1\nmetric.part = ipc\nmeasure = amean(gtp.part)\n", "did you mean 'gto'");
}

/* A program that never writes back has no share of write-backs: it is left out, a missing run is not. */
TEST_WITH(conditions, NULL, done)
{
    parse(HEAD "[claim a]\nmetric = ipc\nbase = lrr\nwhere = lrr > 0\nvalue = 2\nmeasure = amean(gto)\n");
    give("lrr", "atax", 1, 1), give("gto", "atax", 3, 1);
    give("lrr", "bfs", 0, 1), give("gto", "bfs", 7, 1);
    give("lrr", "gemm", 2, 1), give("gto", "gemm", 2, 1);
    assert_float_equal(measured(0), 2, 1e-12);
    p->cell[1]->state = RUN_MISSING; /* lrr on bfs: whether it counts is not known */
    assert_true(isnan(measured(0)));
    refused(HEAD "[claim a]\nmetric = ipc\nwhere = lrr\nvalue = 2\nmeasure = amean(gto)\n", "a comparison");
    refused(HEAD "[claim a]\nmetric = ipc\nwhere = lru > 0\nvalue = 2\nmeasure = amean(gto)\n", "did you mean 'lrr'");
}

TEST_WITH(correlations, NULL, done)
{
    parse(HEAD "[claim a]\nmetric = ipc\nmeasure = corr(lrr, gto) > 0.9\n"
               "[claim b]\nmetric = ipc\nvalue = -1\ntolerance = 0\nmeasure = corr(lrr, -gto, atax bfs)\n");
    give("lrr", "atax", 1, 1), give("gto", "atax", 10, 1);
    give("lrr", "bfs", 2, 1), give("gto", "bfs", 20, 1);
    give("lrr", "gemm", 3, 1), give("gto", "gemm", 31, 1);
    assert_float_equal(measured(0), 1, 0);
    assert_float_equal(measured(1), -1, 1e-12);
    give("gto", "gemm", 5, 1);
    assert_float_equal(measured(0), 0, 0);
    give("gto", "bfs", 10, 1), give("gto", "gemm", 10, 1); /* a constant goes with nothing */
    assert_true(isnan(measured(0)));
    refused(HEAD "[claim a]\nmetric = ipc\nmeasure = corr(lrr) > 0.9\n", "two values");
}

/* Over the windows of one run; a window in which nothing happened has no share. */
TEST_WITH(spread_over_time, NULL, done)
{
    parse(HEAD
          "[claim a]\nmetric = spread(ipc / cycles, samples)\nvalue = 0.1\ntolerance = 0\nmeasure = at(gto, bfs)\n");
    give("gto", "bfs", 1, 1);
    struct exp_run *r = p->cell[1 * x->nworkloads + 1];
    assert_true(isnan(measured(0))); /* there are no samples */
    json_object_set_new(r->result, "samples",
                        json_pack("[{s:i,s:i},{s:i,s:i},{s:i,s:i}]", "ipc", 1, "cycles", 10, "ipc", 0, "cycles", 0,
                                  "ipc", 3, "cycles", 10));
    assert_float_equal(measured(0), 0.1, 1e-12);
    refused(HEAD "[claim a]\nmetric = spread(ipc, sample)\nvalue = 1\nmeasure = at(gto, bfs)\n", "spread");
}

/* A figure that is a paper's worked example needs no runs; its cells can be claimed. */
TEST_WITH(worked_examples, NULL, done)
{
    parse(HEAD "[figure 3]\nexample = mascar-fig3\n"
               "[claim a]\nfigure = 3\nvalue = 5\ntolerance = 0\nmeasure = cell(finish, rr2) - cell(finish, infinite)\n"
               "[claim b]\nfigure = 3\nmeasure = cell(W1.r1, mascar2) == 7\n");
    assert_int_equal(p->nruns, 0);
    assert_float_equal(measured(0), 5, 0);
    assert_float_equal(measured(1), 1, 0);
    struct table *t = table_make(p, &x->figures[0], &e);
    assert_non_null(t);
    assert_int_equal(t->missing, 0);
    assert_string_equal(t->row[t->rows - 1].label[0], "finish");
    free(table_gnuplot(t));
    table_free(t);
    refused(HEAD "[figure 3]\nexample = mascar-fig4\n", "did you mean 'mascar-fig");
    refused(HEAD "[figure 3]\nexample = mascar-fig3\nmetric = ipc\n", "no key");
    refused(HEAD "[figure 3]\nexample = mascar-fig3\n[claim a]\nfigure = 3\nvalue = 5\nmeasure = cell(finsh, rr2)\n",
            "no such row or column");
    refused(HEAD "[figure 3]\nexample = mascar-fig3\n[claim a]\nfigure = 3\nvalue = 5\nmeasure = cell(finish)\n",
            "no such row or column");
    refused(HEAD "[claim a]\nmetric = ipc\nvalue = 5\nmeasure = cell(finish, rr2)\n", "an example figure");
}

/* ---- the same on another machine ---- */

#define VARIED                                                                                                         \
    HEAD "[series wide]\nset = l1d.ways=8\nbase = gto\n[series best]\nbest = lrr gto\n"                                \
         "[figure 1]\nmetric = ipc\nbase = lrr\nseries = gto wide best\n"                                              \
         "[figure 2]\nchart = sweep\nsweep = l1d.mshr: 8 16\nmetric = ipc\nbase = lrr\nseries = gto\n"                 \
         "[variant big]\nlabel = twice the sets\nset = l1d.sets=64\n"                                                  \
         "[claim a]\nfigure = 1\nvalue = 1.5\nmeasure = gmean(gto)\n"                                                  \
         "[claim b]\nfigure = 1\nvalue = 2\nmeasure = gmean(wide)\n"

TEST_WITH(variants, NULL, done)
{
    parse(VARIED);
    const struct exp_variant *v = &x->variants[0];
    const struct exp_figure *there = experiment_figure(x, "1.big"), *sweep = experiment_figure(x, "2.big");
    assert_int_equal(x->nfigures, 4);
    assert_ptr_equal(there->of, experiment_figure(x, "1"));
    assert_ptr_equal(there->variant, v);
    const struct exp_series *gto = x->series[there->series[0]], *wide = x->series[there->series[1]],
                            *best = x->series[there->series[2]];
    assert_string_equal(gto->name, "gto~big");
    assert_int_equal(gto->config.v[P_L1D_SETS], 64);
    assert_int_equal(x->series[1]->config.v[P_L1D_SETS], x->series[0]->config.v[P_L1D_SETS]);
    assert_int_equal(wide->config.v[P_L1D_WAYS], 8);
    assert_string_equal(x->series[wide->base]->name, "gto~big"); /* divided by what is on the same machine */
    assert_string_equal(x->series[there->view.base]->name, "lrr~big");
    assert_string_equal(x->series[best->best[1]]->name, "gto~big");
    assert_string_equal(x->series[sweep->series[1]]->name, "gto@16~big");
    assert_int_equal(x->series[sweep->series[1]]->config.v[P_L1D_SETS], 64);
    static const char *const w[] = {"atax", "bfs", "gemm"};
    for (unsigned i = 0; i < 3; i++) {
        give("lrr", w[i], 1, 1), give("gto", w[i], 1.5, 1), give("wide", w[i], 3, 1);
        give("lrr~big", w[i], 2, 1), give("gto~big", w[i], 2, 1), give("wide~big", w[i], 3, 1);
    }
    assert_float_equal(claim_value(p, &x->claims[0]), 1.5, 1e-12);
    assert_float_equal(claim_value_on(p, &x->claims[0], v), 1, 1e-12);
    assert_float_equal(claim_value(p, &x->claims[1]), 2, 1e-12);
    assert_float_equal(claim_value_on(p, &x->claims[1], v), 1.5, 1e-12);
    assert_float_equal(view_value(p, &there->view, there->series[1], 0), 1.5, 1e-12);
}

TEST_WITH(variant_mistakes, NULL, done)
{
    refused(HEAD "[figure 1]\nmetric = ipc\n[variant a]\nlabel = b\n", "needs a machine");
    refused(HEAD "[figure 1]\nmetric = ipc\n[variant a]\ngpu = gtx48\n", "did you mean");
    refused(HEAD "[figure 1]\nmetric = ipc\n[variant a]\nset = l1d.sets=63\n", "");
    refused(HEAD "[figure 1]\nmetric = ipc\n[variant a]\nl1 = lru\n", "policies belong to series");
    refused(HEAD "[figure 1]\nmetric = ipc\n[variant a]\nset = l1d.sets=64\n[variant a]\nset = l1d.sets=64\n",
            "already");
    refused(HEAD "[figure 1]\nmetric = ipc\n[variant a.b]\nset = l1d.sets=64\n", "short name");
    refused(HEAD "[figure 1]\nmetric = ipc\n[variant a]\nset = l1d.sets=64\nlable = b\n", "did you mean 'label'");
}
