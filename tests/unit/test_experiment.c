/* test_experiment.c - experiment files: what is read, what is refused and how, metrics, means,
 * verdicts with their borders, plans, the best of several. No simulation: results are made up. */

#include "test.h"

#include <math.h>

#include "experiment/table.h"
#include "experiment/value.h"

static struct wl_err e;
static struct experiment *x;

static struct experiment *parse(const char *text)
{
    memset(&e, 0, sizeof e);
    experiment_free(x);
    x = experiment_parse("t", "t.ini", text, &e);
    if (!x) fail_msg("refused: %s", e.text);
    return x;
}

static void refused(const char *text, const char *place, const char *part)
{
    memset(&e, 0, sizeof e);
    experiment_free(x);
    x = experiment_parse("t", "t.ini", text, &e);
    if (x) fail_msg("accepted: %s", text);
    assert_int_equal(e.code, WL_EINPUT);
    if (strncmp(e.text, place, strlen(place)) != 0) fail_msg("'%s' is not at %s", e.text, place);
    if (!strstr(e.text, part)) fail_msg("'%s' does not say '%s'", e.text, part);
}

static int done(void **state)
{
    (void)state;
    experiment_free(x);
    x = NULL;
    return 0;
}

#define HEAD   "workloads = atax bfs gemm\n[series lrr]\nsched = lrr\n[series gto]\nsched = gto\n"
#define FIGURE HEAD "[figure 1]\nmetric = ipc\nbase = lrr\n"

/* 1. Ten lines are an experiment. */
TEST_WITH(ten_lines, NULL, done)
{
    parse("workloads = atax bfs\n"
          "[series lrr]\nsched = lrr\n"
          "[series gto]\nsched = gto\n"
          "[figure 1]\ntitle = Speedup\nmetric = ipc\nbase = lrr\nmean = geometric\n");
    assert_int_equal(x->nseries, 2);
    assert_int_equal(x->nworkloads, 2);
    assert_int_equal(x->nfigures, 1);
    assert_string_equal(x->figures[0].title, "Speedup");
    assert_int_equal(x->figures[0].nseries, 2);
    assert_int_equal(x->figures[0].view.base, 0);
    assert_int_equal(x->figures[0].chart, CHART_BARS);
    assert_string_equal(x->series[1]->config.sched.policy->name, "gto");
    parse("workloads = atax\n[figure 1]\nmetric = ipc\n"); /* the head is the only series */
    assert_int_equal(x->nseries, 1);
}

/* 2. Text: comments, indentation, continuation, byte order mark, sections without keys. */
TEST_WITH(texts, NULL, done)
{
    parse("\xEF\xBB\xBFworkloads = atax   # the first\n   bfs\n   gemm\n; a comment\n[series base]\n[series other]\n"
          "  sched = lrr\n  label = Other one\n[figure 1]\nmetric = ipc\n");
    assert_int_equal(x->nworkloads, 3);
    assert_int_equal(x->nseries, 2);
    assert_string_equal(x->series[1]->label, "Other one");
    parse("workloads = atax\r\n[figure 1]\r\nmetric = ipc\r\n");
    assert_string_equal(x->figures[0].view.metric_text, "ipc");
}

/* 3. Sets: groups, taking out, order of the head, programs with inputs. */
TEST_WITH(sets, NULL, done)
{
    parse("workloads = atax bfs gemm big\n[groups]\nsome = gemm atax\n"
          "[workload big]\nprogram = atax\ninputs = n=96\ninputs.small = n=200\nlabel = ATAX 96\n"
          "[figure 1]\nmetric = ipc\nworkloads = all -some\n[figure 2]\nmetric = ipc\nworkloads = some big\n");
    assert_int_equal(x->nworkloads, 4);
    assert_int_equal(x->figures[0].view.workloads.count, 2);
    assert_string_equal(x->workloads[x->figures[0].view.workloads.item[1]]->name, "bfs");
    assert_int_equal(x->figures[1].view.workloads.count, 3);
    const struct exp_workload *big = x->workloads[x->figures[1].view.workloads.item[2]];
    assert_string_equal(big->label, "ATAX 96");
    assert_true(big->given[0][0] && big->given[1][0] && big->given[2][0] && !big->given[1][1]);
    assert_int_equal(big->input[0][0], 96);
    assert_int_equal(big->input[1][0], 200); /* at small */
    assert_int_equal(big->input[2][0], 96);
    parse("workloads = @dacache.divergent -bfs mm2\n[groups]\nrest = all -@dacache.divergent\n"
          "[figure 1]\nmetric = ipc\n[figure 2]\nmetric = ipc\nworkloads = rest\n");
    assert_int_equal(x->nworkloads, 13);
    assert_int_equal(x->figures[0].view.workloads.count, 12);
    assert_int_equal(x->figures[1].view.workloads.count, 1);
    assert_string_equal(x->workloads[x->figures[1].view.workloads.item[0]]->name, "mm2");
}

/* 3b. A trace stands where a program could. */
TEST_WITH(traces, NULL, done)
{
    static const char text[] =
        "workloads = app\n[workload app]\ntrace = a.wlt\nlabel = My app\n[figure 1]\nmetric = ipc\n";
    (void)state;
    parse(text);
    assert_null(x->workloads[0]->program);
    assert_string_equal(x->workloads[0]->trace, "a.wlt");
    assert_string_equal(x->workloads[0]->label, "My app");
    experiment_free(x);
    x = experiment_parse("t", "some/where/t.ini", text, &e); /* beside its experiment */
    assert_string_equal(x->workloads[0]->trace, "some/where/a.wlt");
    experiment_free(x);
    x = experiment_parse("t", "some/t.ini",
                         "workloads = app\n[workload app]\ntrace = /b.wlt\n[figure 1]\nmetric = ipc\n", &e);
    assert_string_equal(x->workloads[0]->trace, "/b.wlt");
    refused("[workload app]\ntrace = a.wlt\ninputs = n=3\n", "t.ini:3:", "takes no inputs");
    refused("[workload app]\ntrace = a.wlt\nprogram = atax\n", "t.ini:3:", "takes no program");
    refused("[workload app]\nprogram = atax\nkernel = x\n", "t.ini:3:", "kernel");
    parse("workloads = app\n[workload app]\ntrace = app/traces\nkernel = *gemm*\n[figure 1]\nmetric = ipc\n");
    assert_string_equal(x->workloads[0]->trace, "app/traces");
    assert_string_equal(x->workloads[0]->kernel, "*gemm*");
    refused("[workload app]\nlabel = a\n", "t.ini:1:", "trace = FILE.wlt");
}

/* 4. Sweeps become series; bases follow the point or stand still. */
TEST_WITH(sweeps, NULL, done)
{
    parse(HEAD "[figure 1]\nchart = sweep\nsweep = l1d.ways: 2 4 8\nmetric = ipc\nbase = lrr\n"
               "[figure 2]\nchart = sweep\nsweep = l1d.ways: 2 8\nmetric = ipc\nbase = lrr@4\n"
               "[claim c]\nfigure = 1\nvalue = 1.2\nmeasure = gmean(gto@8)\n");
    const struct exp_figure *f = &x->figures[0];
    assert_int_equal(f->npoints, 3);
    const struct exp_series *gto8 = x->series[f->series[2 * 2 + 1]];
    assert_string_equal(gto8->name, "gto@8");
    assert_int_equal(gto8->config.v[P_L1D_WAYS], 8);
    assert_string_equal(x->series[gto8->base]->name, "lrr@8");
    assert_string_equal(x->series[x->figures[1].view.base]->name, "lrr@4");
    const struct name_binding *bound = x->claims[0].measure->a->bound;
    assert_ptr_equal(bound->series, gto8);
    parse(HEAD "[figure 1]\nchart = sweep\nsweep = sched: lrr gto\nseries = lrr\nmetric = ipc\n");
    assert_string_equal(x->series[x->figures[0].series[1]]->config.sched.policy->name, "gto");
}

/* 5. Every mistake has its line and says what would be right. */
TEST_WITH(mistakes, NULL, done)
{
    refused("", "t.ini:1", "nothing to do");
    refused("workloads = atac\n", "t.ini:1:13", "did you mean 'atax'");
    refused("workloads = atax @dacache.divergnt\n", "t.ini:1:18", "did you mean '@dacache.divergent'");
    refused("worklods = atax\n[figure 1]\nmetric = ipc\n", "t.ini:1", "did you mean 'workloads'");
    refused("gpu = gtx48\n", "t.ini:1:7", "did you mean 'gtx480'");
    refused("set = l1d.way=3\n", "t.ini:1:7", "did you mean 'l1d.ways'");
    refused("size = tinny\n", "t.ini:1:8", "did you mean 'tiny'");
    refused("rubbish\n", "t.ini:1", "neither 'key = value'");
    refused("[figur 1]\n", "t.ini:1", "did you mean 'figure'");
    refused("[figure 1\n", "t.ini:1", "neither");
    refused("title = a\ntitle = b\n", "t.ini:2", "given twice; line 1");
    refused("[series a]\nsched = gtoo\n", "t.ini:2:9", "did you mean 'gto'");
    refused("[series a-b]\n", "t.ini:1", "letters, digits and _");
    refused("[series a]\n[series a]\n", "t.ini:2", "already");
    refused("[series a]\nlike = b\n", "t.ini:2:8", "no series 'b'");
    refused("[series a]\nset = l1d.ways=3 l1d.sets=7\n", "t.ini:1", "");
    refused(HEAD "[figure 1]\n", "t.ini:6", "needs a metric");
    refused(HEAD "[figure 1]\nmetric = ipd\n", "t.ini:7:10", "did you mean 'ipc'");
    refused(HEAD "[figure 1]\nmetric = l1d.mises / l1d.accesses\n", "t.ini:7:10", "did you mean 'l1d.misses'");
    refused(HEAD "[figure 1]\nmetric = (ipc\n", "t.ini:7", "')' is missing");
    refused(HEAD "[figure 1]\nmetric = ipc +\n", "t.ini:7", "missing here");
    refused(HEAD "[figure 1]\nmetric = ipc ipc\n", "t.ini:7:14", "operator");
    refused(HEAD "[figure 1]\nmetric = gmean(ipc)\n", "t.ini:7:10", "only abs, floor and spread");
    refused(HEAD "[figure 1]\nmetric = ipc\nseries = lrr gtp\n", "t.ini:8:14", "did you mean 'gto'");
    refused(HEAD "[figure 1]\nmetric = ipc\nbase = lru\n", "t.ini:8:8", "did you mean 'lrr'");
    refused(HEAD "[figure 1]\nmetric = ipc\nchart = bar\n", "t.ini:8:9", "did you mean 'bars'");
    refused(HEAD "[figure 1]\nmetric = ipc\nmean = harmonic\n", "t.ini:8:8", "geometric, arithmetic");
    refused(HEAD "[figure 1]\nmetric = ipc\nmean = geometric of nobody\n", "t.ini:8:21", "no workload or group");
    refused(HEAD "[figure 1]\nmetric = ipc\nsweep = l1d.ways: 2\n", "t.ini:8", "chart = sweep");
    refused(HEAD "[figure 1]\nmetric = ipc\nchart = sweep\n", "t.ini:6", "sweep = l1d.ways");
    refused(HEAD "[figure 1]\nmetric = ipc\nchart = sweep\nsweep = l1d.ways 2\n", "t.ini:9:9", "a colon");
    refused(HEAD "[figure 1]\nmetric = ipc\nchart = sweep\nsweep = l1d.way: 2\n", "t.ini:9:18",
            "did you mean 'l1d.ways'");
    refused(HEAD "[figure 1]\nchart = stacked\n", "t.ini:6", "part.hits");
    refused(HEAD "[figure 1]\nmetric = cycles\nchart = time\n", "t.ini:6", "each = kernels");
    refused(HEAD "[figure a/b]\nmetric = ipc\n", "t.ini:6", "without blanks or slashes");
    refused(FIGURE "[figure 1]\nmetric = ipc\n", "t.ini:9", "already");
    refused("[workload w]\nprogram = ataks\n", "t.ini:2:11", "did you mean 'atax'");
    refused("[workload w]\nprogram = atax\ninputs = q=1\n", "t.ini:3:10", "no input 'q'");
    refused("[workload w]\nprogram = atax\ninputs = n=0\n", "t.ini:3:10", "whole number");
}

TEST_WITH(claim_mistakes, NULL, done)
{
    refused(FIGURE "[claim a]\nfigure = 1\nvalue = 1.2\n", "t.ini:9", "needs measure");
    refused(FIGURE "[claim a]\nfigure = 2\nvalue = 1.2\nmeasure = 1\n", "t.ini:10:10", "no figure '2'");
    refused(FIGURE "[claim a]\nfigure = 1\nvalue = 1.2\nmeasure = gto\n", "t.ini:12:11", "gmean(gto)");
    refused(FIGURE "[claim a]\nfigure = 1\nvalue = 1.2\nmeasure = gmea(gto)\n", "t.ini:12:11", "did you mean 'gmean'");
    refused(FIGURE "[claim a]\nfigure = 1\nvalue = 1.2\nmeasure = gmean(gtp)\n", "t.ini:12:17", "did you mean 'gto'");
    refused(FIGURE "[claim a]\nfigure = 1\nvalue = 1.2\nmeasure = gmean(gto, ataxx)\n", "t.ini:12:22",
            "did you mean 'atax'");
    refused(FIGURE "[claim a]\nfigure = 1\nvalue = 1.2\nmeasure = at(gto, atax bfs)\n", "t.ini:12", "one workload");
    refused(FIGURE "[claim a]\nfigure = 1\nvalue = 1.2\nmeasure = gmean(gmean(gto))\n", "t.ini:12:17",
            "inside another");
    refused(FIGURE "[claim a]\nfigure = 1\nvalue = x\nmeasure = gmean(gto)\n", "t.ini:11:9", "no value");
    refused(FIGURE "[claim a]\nfigure = 1\nvalue = 2\nmeasure = all(gto > 1)\n", "t.ini:9", "take the value away");
    refused(FIGURE "[claim a]\nfigure = 1\nkind = order\nmeasure = gmean(gto)\n", "t.ini:9", "comparison");
    refused(FIGURE "[claim a]\nfigure = 1\nkind = value\nvalue = 2\nmeasure = gmean(gto)\n", "t.ini:9", "tolerance");
    refused(FIGURE "[claim a]\nfigure = 1\nvalue = 2\ntolerance = -1\nmeasure = gmean(gto)\n", "t.ini:12",
            "tolerance is");
    refused(FIGURE "[claim a]\nvalue = 2\nmeasure = gmean(gto)\n", "t.ini:11:17", "needs a metric");
    refused(FIGURE "[claim a]\nfigure = 1\nvalue = 2\nmeasure = gmean(gto@8)\n", "t.ini:12:17", "does not sweep");
}

/* 6. Expressions. */
static double one_name(void *arg, const struct expr *n)
{
    return strcmp(n->name, "nan") == 0 ? (double)NAN : *(double *)arg;
}

static double value_of(const char *text)
{
    struct arena a = {0};
    unsigned at = 0;
    double v = 7;
    struct expr_env env = {.name = one_name, .arg = &v};
    struct expr *t = expr_parse(&a, text, &at, &e);
    if (!t) fail_msg("%s: %s", text, e.text);
    v = expr_value(t, &env);
    arena_free(&a);
    return v;
}

TEST_WITH(expressions, NULL, done)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"1 + 2 * 3", 7},
                 {"(1 + 2) * 3", 9},
                 {"8 / 4 / 2", 1},
                 {"10 - 3 - 2", 5},
                 {"-2 * -3", 6},
                 {"x", 7},
                 {"x.y[3].z * 2", 14},
                 {"abs(-4) + floor(2.9)", 6},
                 {"1 < 2", 1},
                 {"2 <= 1", 0},
                 {"3 > 2 > 1", 1},
                 {"3 > 1 > 2", 0},
                 {"1 == 1 and 2 == 2", 1},
                 {"1 > 2 or 2 > 1", 1},
                 {"1 or 0 and 0", 1},
                 {"1.5e2 + .5", 150.5},
                 {"--3", 3},
                 {"x@16 - 7", 0}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        if (value_of(cases[i].text) != cases[i].value) fail_msg("%s is %g", cases[i].text, value_of(cases[i].text));
    assert_true(isnan(value_of("1 / 0")));
    assert_true(isnan(value_of("nan > 1 or 1")));
    assert_true(isnan(value_of("0 and nan")));
    struct arena a = {0};
    unsigned at = 0;
    assert_null(expr_parse(&a, "((((((((((((((((1))))))))))))))))", &at, &e));
    assert_non_null(strstr(e.text, "deep"));
    assert_null(expr_parse(&a, "1 $ 2", &at, &e));
    assert_int_equal(at, 2);
    arena_free(&a);
}

/* 7. Means. */
TEST_WITH(means, NULL, done)
{
    const double v[] = {1, 2, 4}, hole[] = {1, (double)NAN}, zero[] = {0, 4};
    assert_float_equal(mean_of(MEAN_GEOMETRIC, v, 3), 2, 1e-12);
    assert_float_equal(mean_of(MEAN_ARITHMETIC, v, 3), 7.0 / 3, 1e-12);
    assert_true(isnan(mean_of(MEAN_GEOMETRIC, hole, 2)));
    assert_true(isnan(mean_of(MEAN_ARITHMETIC, hole, 2)));
    assert_true(isnan(mean_of(MEAN_GEOMETRIC, zero, 2)));
    assert_float_equal(mean_of(MEAN_ARITHMETIC, zero, 2), 2, 0);
    assert_true(isnan(mean_of(MEAN_ARITHMETIC, v, 0)));
    double m[15]; /* eight at a and seven at b: how published group means compose */
    for (unsigned i = 0; i < 15; i++) m[i] = i < 8 ? 1.17 : 1.56;
    assert_float_equal(mean_of(MEAN_GEOMETRIC, m, 15), 1.338, 0.0005);
}

/* 8. Verdicts, on both sides of every border. */
static void verdict_is(const struct exp_claim *c, double m, enum verdict want)
{
    enum verdict v = claim_verdict(c, m);
    if (v != want)
        fail_msg("stated %g, measured %.10g: %s, not %s", c->value, m, verdict_names[v], verdict_names[want]);
}

TEST_WITH(ratio_verdicts, NULL, done)
{
    static const struct {
        double v, m;
        enum verdict want;
    } cases[] = {
        {1.404, 1.404, VERDICT_MATCH},    {1.404, 1.505, VERDICT_MATCH},      {1.404, 1.5051, VERDICT_DIRECTION},
        {1.404, 1.303, VERDICT_MATCH},    {1.404, 1.3029, VERDICT_DIRECTION}, {1.404, 1.02, VERDICT_DIRECTION},
        {1.404, 1.0199, VERDICT_MISS},    {1.404, 1.0, VERDICT_MISS},         {1.404, 0.9, VERDICT_MISS},
        {1.1, 1.05, VERDICT_MATCH},       {1.1, 1.0499, VERDICT_DIRECTION},   {1.1, 1.15, VERDICT_MATCH},
        {1.1, 1.1501, VERDICT_DIRECTION}, {0.8, 0.75, VERDICT_MATCH},         {0.8, 0.85, VERDICT_MATCH},
        {0.8, 0.8501, VERDICT_DIRECTION}, {0.8, 0.98, VERDICT_DIRECTION},     {0.8, 0.981, VERDICT_MISS},
        {0.8, 1.2, VERDICT_MISS},         {0.4, 0.25, VERDICT_MATCH},         {0.4, 0.55, VERDICT_MATCH},
        {0.4, 0.5501, VERDICT_DIRECTION}, {1.0, 1.05, VERDICT_MATCH},         {1.0, 1.0501, VERDICT_MISS},
        {1.0, 0.95, VERDICT_MATCH},       {1.0, 0.9, VERDICT_MISS},           {1.015, 1.07, VERDICT_DIRECTION},
        {1.015, 0.965, VERDICT_MATCH},    {1.015, 0.96, VERDICT_MISS},        {1.404, (double)NAN, VERDICT_NOT_RUN},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct exp_claim c = {.kind = CLAIM_RATIO, .value = cases[i].v};
        verdict_is(&c, cases[i].m, cases[i].want);
    }
}

TEST_WITH(other_verdicts, NULL, done)
{
    struct exp_claim above = {.kind = CLAIM_RATIO, .bound = BOUND_ABOVE, .value = 1.5};
    verdict_is(&above, 1.51, VERDICT_MATCH);
    verdict_is(&above, 1.5, VERDICT_DIRECTION);
    verdict_is(&above, 1.01, VERDICT_MISS);
    struct exp_claim exact = {.kind = CLAIM_VALUE, .value = 21};
    verdict_is(&exact, 21, VERDICT_MATCH);
    verdict_is(&exact, 22, VERDICT_MISS);
    struct exp_claim count = {.kind = CLAIM_VALUE, .value = 13, .tolerance = 2};
    verdict_is(&count, 15, VERDICT_MATCH);
    verdict_is(&count, 16, VERDICT_MISS);
    struct exp_claim share = {
        .kind = CLAIM_VALUE, .value = -0.5, .tolerance = 0.1, .relative = true, .has_neutral = true};
    verdict_is(&share, -0.55, VERDICT_MATCH);
    verdict_is(&share, -0.56, VERDICT_DIRECTION);
    verdict_is(&share, 0.1, VERDICT_MISS);
    struct exp_claim range = {.kind = CLAIM_VALUE, .bound = BOUND_RANGE, .value = 0.58, .value_high = 0.91};
    verdict_is(&range, 0.58, VERDICT_MATCH);
    verdict_is(&range, 0.91, VERDICT_MATCH);
    verdict_is(&range, 0.92, VERDICT_MISS);
    struct exp_claim order = {.kind = CLAIM_ORDER};
    verdict_is(&order, 1, VERDICT_MATCH);
    verdict_is(&order, 0, VERDICT_MISS);
    verdict_is(&order, (double)NAN, VERDICT_NOT_RUN);
    parse(FIGURE "[claim a]\nvalue = 0.58..0.91\ntolerance = 0\nmeasure = 0.6\n"
                 "[claim b]\nvalue = 12%\ntolerance = 10%\nmeasure = 0.13\n"
                 "[claim c]\nvalue = about 1/8\nskip = needs a layout tool\n[claim d]\nvalue = < 0.1\ntolerance = "
                 "0\nmeasure = 0.05\n");
    assert_int_equal(x->claims[0].bound, BOUND_RANGE);
    assert_float_equal(x->claims[0].value_high, 0.91, 1e-12);
    assert_float_equal(x->claims[1].value, 0.12, 1e-12);
    assert_true(x->claims[1].relative);
    assert_non_null(x->claims[2].skip);
    assert_int_equal(x->claims[3].bound, BOUND_BELOW);
}

/* 9. Plans and results. */
static void give(struct plan *p, const char *series, const char *workload, double ipc)
{
    for (unsigned s = 0; s < p->x->nseries; s++)
        for (unsigned w = 0; w < p->x->nworkloads; w++) {
            if (strcmp(p->x->series[s]->name, series) != 0 || strcmp(p->x->workloads[w]->name, workload) != 0) continue;
            struct exp_run *r = p->cell[s * p->x->nworkloads + w];
            assert_non_null(r);
            json_decref(r->result);
            r->result = json_pack("{s:f,s:{s:{s:i}},s:[{s:i},{s:i}]}", "ipc", ipc, "l1d", "stalls", "mshr", 5,
                                  "kernels", "cycles", 30, "cycles", 10);
            r->state = RUN_DONE;
        }
}

TEST_WITH(plans, NULL, done)
{
    parse(HEAD "[series same]\nlike = gto\n[series big]\nset = l1d.ways=8\nbase = gto\n"
               "[figure 1]\nmetric = ipc\nseries = gto same\nbase = lrr\n[figure 2]\nmetric = ipc\nseries = "
               "big\nworkloads = bfs\n");
    struct plan *p = plan_new(x, SIZE_TINY, "build", &e), *q = plan_new(x, SIZE_TINY, "build 2", &e);
    assert_int_equal(plan_figure(p, &x->figures[0], &e), 0);
    assert_int_equal(p->nruns, 6); /* lrr and gto on three; `same` is gto */
    assert_int_equal(plan_figure(p, &x->figures[0], &e), 0);
    assert_int_equal(p->nruns, 6);
    assert_int_equal(plan_figure(p, &x->figures[1], &e), 0);
    assert_int_equal(p->nruns, 7); /* its own base, gto on bfs, is there */
    assert_int_equal(plan_figure(q, &x->figures[0], &e), 0);
    for (unsigned i = 0; i < q->nruns; i++) /* another build shares no key */
        for (unsigned k = 0; k < p->nruns; k++) assert_string_not_equal(p->runs[k]->key, q->runs[i]->key);
    plan_free(p);
    plan_free(q);
}

TEST_WITH(values, NULL, done)
{
    parse(HEAD "[series best]\nbest = lrr gto\n[series own]\nlike = gto\nset = l1d.ways=8\nbase = gto\n"
               "[figure 1]\nmetric = ipc\nbase = lrr\nseries = gto best own\nmean = geometric, arithmetic of atax bfs\n"
               "[figure 2]\nchart = cdf\neach = kernels\nmetric = cycles\nseries = gto\nworkloads = bfs\n"
               "[claim a]\nfigure = 1\nvalue = 1.5\nmeasure = gmean(gto)\n"
               "[claim b]\nfigure = 1\nmeasure = all(best >= gto and best >= 1) and max(gto) > min(gto)\n"
               "[claim c]\nfigure = 1\nvalue = 2\ntolerance = 0\nmeasure = count(gto > 1)\n"
               "[claim d]\nfigure = 1\nvalue = 4\nmeasure = at(gto, bfs) / at(gto, gemm)\n"
               "[claim e]\nfigure = 1\nmeasure = all(gto > 1, all -gemm)\n"
               "[claim f]\nmetric = l1d.stalls.mshr\nvalue = 15\ntolerance = 0\nmeasure = sum(gto)\n");
    struct plan *p = plan_new(x, SIZE_TINY, "build", &e);
    for (unsigned i = 0; i < x->nfigures; i++) assert_int_equal(plan_figure(p, &x->figures[i], &e), 0);
    for (unsigned i = 0; i < x->nclaims; i++) assert_int_equal(plan_claim(p, &x->claims[i], &e), 0);
    assert_int_equal(claim_verdict(&x->claims[0], claim_value(p, &x->claims[0])), VERDICT_NOT_RUN);
    static const char *const w[] = {"atax", "bfs", "gemm"};
    static const double lrr[] = {1, 2, 4}, gto[] = {2, 4, 2}, own[] = {4, 4, 1};
    for (unsigned i = 0; i < 3; i++)
        give(p, "lrr", w[i], lrr[i]), give(p, "gto", w[i], gto[i]), give(p, "own", w[i], own[i]);
    struct table *t = table_make(p, &x->figures[0], &e);
    assert_int_equal(t->rows, 5);
    assert_float_equal(t->row[0].value[0], 2, 1e-12);
    assert_float_equal(t->row[2].value[0], 0.5, 1e-12);
    assert_float_equal(t->row[2].value[1], 1, 1e-12); /* the best is lrr here */
    assert_float_equal(t->row[0].value[2], 2, 1e-12); /* over its own base, gto */
    assert_float_equal(t->row[3].value[0], exp((log(2) + log(2) + log(0.5)) / 3), 1e-12);
    assert_float_equal(t->row[4].value[0], 2, 1e-12);
    assert_int_equal(t->missing, 0);
    table_free(t);
    t = table_make(p, &x->figures[1], &e);
    assert_int_equal(t->rows, 2);
    assert_float_equal(t->row[0].value[0], 0.75, 1e-12);
    assert_float_equal(t->row[1].value[0], 1, 1e-12);
    table_free(t);
    static const double want[] = {1.2599, 1, 2, 4, 1, 15};
    for (unsigned i = 0; i < x->nclaims; i++) assert_float_equal(claim_value(p, &x->claims[i]), want[i], 1e-3);
    plan_free(p);
}

/* 10. The best of a sweep, and which point it chose. */
TEST_WITH(best_over, NULL, done)
{
    parse("workloads = atax bfs\nsched = gto\n[series base]\n[series best]\nbest_over = l1d.ways: 2 4 8\n"
          "[figure 1]\nmetric = ipc\nbase = base\nseries = best\n"
          "[claim a]\nfigure = 1\nmeasure = all(choice(best) == 8, bfs) and at(choice(best), atax) == 2\n");
    struct plan *p = plan_new(x, SIZE_TINY, "build", &e);
    assert_int_equal(plan_figure(p, &x->figures[0], &e), 0);
    assert_int_equal(p->nruns, 6); /* the base is the point 4 */
    give(p, "best@2", "atax", 3), give(p, "best@4", "atax", 1), give(p, "best@8", "atax", 2);
    give(p, "best@2", "bfs", 1), give(p, "best@4", "bfs", 2), give(p, "best@8", "bfs", 4);
    assert_float_equal(view_value(p, &x->figures[0].view, 1, 0), 3, 1e-12);
    assert_float_equal(view_value(p, &x->figures[0].view, 1, 1), 2, 1e-12);
    assert_float_equal(claim_value(p, &x->claims[0]), 1, 0);
    p->cell[3 * 2]->state = RUN_MISSING; /* with a candidate missing the best is not known */
    assert_true(isnan(view_value(p, &x->figures[0].view, 1, 0)));
    plan_free(p);
}

/* A choice among choices: over two parameters. */
TEST_WITH(best_of_best, NULL, done)
{
    parse("workloads = atax\nsched = gto\n[series narrow]\nset = l1d.mshr=16\nbest_over = l1d.ways: 2 4\n"
          "[series wide]\nset = l1d.mshr=64\nbest_over = l1d.ways: 2 4\n[series any]\nbest = narrow wide\n"
          "[figure 1]\nmetric = ipc\nseries = any\n");
    struct plan *p = plan_new(x, SIZE_TINY, "build", &e);
    assert_int_equal(plan_figure(p, &x->figures[0], &e), 0);
    assert_int_equal(p->nruns, 4);
    give(p, "narrow@2", "atax", 3), give(p, "narrow@4", "atax", 1), give(p, "wide@2", "atax", 5),
        give(p, "wide@4", "atax", 2);
    assert_float_equal(view_value(p, &x->figures[0].view, x->figures[0].series[0], 0), 5, 1e-12);
    plan_free(p);
}

/* 11. Every built-in experiment can be read. */
TEST_WITH(built_in, NULL, done)
{
    const char *names[64];
    unsigned n = experiment_names(names, 64);
    assert_true(n >= 2);
    for (unsigned i = 0; i < n; i++) {
        struct experiment *b = experiment_load(names[i], &e);
        if (!b) fail_msg("%s", e.text);
        experiment_free(b);
    }
    assert_null(experiment_load("basline", &e));
    assert_non_null(strstr(e.text, "did you mean 'baseline'"));
    assert_null(experiment_load("./nope.ini", &e));
    assert_non_null(strstr(e.text, "cannot read ./nope.ini"));
}
