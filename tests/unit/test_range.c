/* test_range.c - what an experiment leaves unknown: which sections are refused and where, what a choice of values
 * changes and what it leaves alone, the design of points, and what a range says of a claim. No simulation: values are
 * made up. */
#include "test.h"

#include <math.h>

#include "experiment/design.h"
#include "experiment/range.h"

static struct wl_err e;
static struct experiment *x, *at;

static int done(void **state)
{
    (void)state;
    experiment_free(at);
    experiment_free(x);
    at = x = NULL;
    return 0;
}

static void parse(const char *text)
{
    done(NULL);
    memset(&e, 0, sizeof e);
    x = experiment_parse("t", "t.ini", text, &e);
    if (!x) fail_msg("refused: %s", e.text);
}

static void refused(const char *text, const char *place, const char *part)
{
    done(NULL);
    memset(&e, 0, sizeof e);
    x = experiment_parse("t", "t.ini", text, &e);
    if (x) fail_msg("accepted: %s", text);
    assert_int_equal(e.code, WL_EINPUT);
    if (strncmp(e.text, place, strlen(place)) != 0) fail_msg("'%s' is not at %s", e.text, place);
    if (!strstr(e.text, part)) fail_msg("'%s' does not say '%s'", e.text, part);
}

/* The experiment with the unknowns at these values. */
static void choose(unsigned a, unsigned b, unsigned c)
{
    unsigned choice[EXP_MAX_UNKNOWNS] = {a, b, c};
    experiment_free(at);
    memset(&e, 0, sizeof e);
    at = experiment_at(x, choice, &e);
    if (!at) fail_msg("refused: %s", e.text);
}

static int64_t param(unsigned series, enum param_id p) { return at->series[series]->config.v[p]; }

#define HEAD                                                                                                           \
    "workloads = atax bfs\ngpu = gtx480\nset = l1d.mshr=48\n"                                                          \
    "[series lrr]\nsched = lrr\n[series few]\nset = l1d.mshr=4\n[series da]\nl1 = dacache\n"                           \
    "[series da1]\nl1 = dacache:promo=1\n[series big]\ngpu = mascar\n"                                                 \
    "[claim c]\nmetric = ipc\nbase = lrr\nvalue = 1.2\nmeasure = gmean(da)\n" /* 18 lines */
#define UNKNOWN(set, values, rest) HEAD "[unknown u]\nset = " set "\nvalues = " values "\nwhy = w\n" rest

/* ---- sections ---- */

TEST_WITH(an_unknown_has_keys_values_and_reasons, NULL, done)
{
    parse(UNKNOWN("l1d.mshr l1d.missq", "64/16, all",
                  "why.64/16 = a file\nvalue.all = 256 256\nwhy.all = no limit\ntext = Misses\nnoise = yes\n"));
    assert_int_equal(x->nunknowns, 1);
    const struct exp_unknown *u = &x->unknowns[0];
    assert_string_equal(u->name, "u");
    assert_string_equal(u->text, "Misses");
    assert_string_equal(u->why, "w");
    assert_true(u->noise);
    assert_int_equal(u->nkeys, 2);
    assert_int_equal(u->nvalues, 2);
    assert_string_equal(u->values[0].part[1], "16");
    assert_string_equal(u->values[1].label, "all");
    assert_string_equal(u->values[1].part[0], "256");
    assert_string_equal(u->values[1].why, "no limit");
    assert_int_equal(u->values[1].line, 24); /* where it is spelt out */
}

TEST_WITH(mistakes_have_their_place, NULL, done)
{
    refused(HEAD "[unknown]\nset = l1d.mshr\n", "t.ini:19:", "needs a name");
    refused(HEAD "[unknown a-b]\nset = l1d.mshr\n", "t.ini:19:", "needs a name");
    refused(HEAD "[unknown u]\nvalues = 1\nwhy = w\n", "t.ini:19:", "set = l1d.mshr");
    refused(HEAD "[unknown u]\nset = l1d.mshr\nvalues = 1\nwhy.1 = w\n", "t.ini:19:", "why = ... is missing");
    refused(HEAD "[unknown u]\nset = l1d.mshr\nwhy = w\n", "t.ini:19:", "needs its values");
    refused(UNKNOWN("l1d.mshr", "", ""), "t.ini:21:", "at least one value");
    refused(UNKNOWN("l1d.mshr", "64", ""), "t.ini:21:", "needs its reason");
    refused(UNKNOWN("l1d.mshr", "64", "why.64 =\n"), "t.ini:21:", "needs its reason");
    refused(UNKNOWN("l1d.mshr", "64 64", "why.64 = r\n"), "t.ini:21:", "listed twice");
    refused(UNKNOWN("l1d.mshr", "default", "why.default = r\n"), "t.ini:21:", "the file as it stands");
    refused(UNKNOWN("l1d.mshr", "64", "why.64 = r\nwhy.65 = r\n"), "t.ini:24:", "no key in [unknown] 'why.65'");
    refused(UNKNOWN("l1d.mshr", "64", "why.64 = r\nnoise = maybe\n"), "t.ini:24:", "yes or no");
    refused(UNKNOWN("l1d.mshr l1d.missq", "64", "why.64 = r\n"), "t.ini:21:", "set has 2 keys, this value has 1 part");
    refused(UNKNOWN("l1", "dacache:promo=1", ""), "t.ini:21:", "needs a name");
    refused(HEAD "[unknwon u]\n", "t.ini:19:", "did you mean 'unknown'?");
    refused(UNKNOWN("seed", "2", "why.2 = r\n[unknown u]\nset = l2.mshr\nvalues = 8\nwhy = w\nwhy.8 = r\n"),
            "t.ini:24:", "of this name already");
}

/* A value that can be seen to be wrong without building a machine names its line when the file is read. */
TEST_WITH(values_are_checked_when_the_file_is_read, NULL, done)
{
    refused(UNKNOWN("l1d.msh", "64", "why.64 = r\n"), "t.ini:21:", "did you mean 'l1d.mshr'?");
    refused(UNKNOWN("l1d.mshr", "0", "why.0 = r\n"), "t.ini:21:", "l1d.mshr");
    refused(UNKNOWN("l1d.mshr", "-100", "why.-100 = r\n"), "t.ini:21:", "l1d.mshr");
    refused(UNKNOWN("l1d.index", "+1", "why.+1 = r\n"), "t.ini:21:", "it is no number");
    refused(UNKNOWN("l1d.index", "fermy", "why.fermy = r\n"), "t.ini:21:", "l1d.index");
    refused(UNKNOWN("gpu", "gtx999", "why.gtx999 = r\n"), "t.ini:21:", "gtx999");
    refused(UNKNOWN("seed", "x", "why.x = r\n"), "t.ini:21:", "whole number");
    refused(UNKNOWN("l1:prom", "2", "why.2 = r\n"), "t.ini:21:", "no series has a policy with this parameter");
    refused(UNKNOWN("l1:promo", "99", "why.99 = r\n"), "t.ini:21:", "promo");
    refused(UNKNOWN("input:gemm:n", "9", "why.9 = r\n"), "t.ini:21:", "no program 'gemm'");
    refused(UNKNOWN("input:atax:m", "9", "why.9 = r\n"), "t.ini:21:", "no input 'm'");
    refused(UNKNOWN("input.huge:atax:n", "9", "why.9 = r\n"), "t.ini:21:", "sizes are");
    refused(UNKNOWN("input:atax:n", "0", "why.0 = r\n"), "t.ini:21:", "whole number");
    refused(UNKNOWN("input:atax", "0", "why.0 = r\n"), "t.ini:21:", "input:WORKLOAD:NAME");
}

/* Two unknowns with one key could not be combined: one would silently win. */
TEST_WITH(one_key_belongs_to_one_unknown, NULL, done)
{
    refused(UNKNOWN("l1d.mshr", "64",
                    "why.64 = r\n[unknown v]\nset = l1d.missq l1d.mshr\nvalues = 1/2\nwhy = w\nwhy.1/2 = r\n"),
            "t.ini:25:", "moved by [unknown u] in line 19 already");
    refused(UNKNOWN("l1d.mshr l1d.mshr", "1/2", "why.1/2 = r\n"), "t.ini:20:", "already");
}

/* ---- choices ---- */

TEST_WITH(a_machine_parameter_reaches_series_that_do_not_set_it, NULL, done)
{
    parse(UNKNOWN("l1d.mshr", "64 100", "why.64 = r\nwhy.100 = r\n"));
    choose(0, 0, 0);
    assert_int_equal(param(0, P_L1D_MSHR), 48);
    choose(2, 0, 0);
    assert_int_equal(param(0, P_L1D_MSHR), 100); /* over the head of the file */
    assert_int_equal(param(1, P_L1D_MSHR), 4);   /* what a series is about stays */
    assert_int_equal(param(2, P_L1D_MSHR), 100);
    assert_int_equal(param(4, P_L1D_MSHR), 100); /* on another machine too, as the head's own `set` */
    assert_int_equal(x->series[0]->config.v[P_L1D_MSHR], 48);
}

TEST_WITH(a_policy_parameter_reaches_series_whose_policy_has_it, NULL, done)
{
    parse(UNKNOWN("l1:promo", "2", "why.2 = r\n"));
    choose(1, 0, 0);
    char spec[128];
    const struct cache_choice *da = &at->series[2]->config.l1, *da1 = &at->series[3]->config.l1;
    policy_spec(da->policy->name, da->policy->params, da->values, spec, sizeof spec);
    assert_string_equal(spec, "dacache:promo=2");
    policy_spec(da1->policy->name, da1->policy->params, da1->values, spec, sizeof spec);
    assert_string_equal(spec, "dacache:promo=1");
    assert_true(config_hash(&at->series[0]->config) == config_hash(&x->series[0]->config)); /* the same run */
}

TEST_WITH(a_number_with_a_sign_is_relative_to_each_machine, NULL, done)
{
    parse(UNKNOWN("icnt.latency seed", "+2/7", "why.+2/7 = r\n"));
    choose(1, 0, 0);
    for (unsigned i = 0; i < x->nseries; i++)
        assert_int_equal(param(i, P_ICNT_LATENCY), x->series[i]->config.v[P_ICNT_LATENCY] + 2);
    assert_int_equal(at->workloads[0]->seed, 7);
    assert_int_equal(x->workloads[0]->seed, 1);
}

TEST_WITH(inputs_of_one_size_or_of_all, NULL, done)
{
    parse(UNKNOWN("input.small:atax:n", "96",
                  "why.96 = r\n[unknown v]\nset = input:bfs:nodes\nvalues = 500\nwhy = "
                  "w\nwhy.500 = r\n[unknown g]\nset = gpu\nvalues = mascar\nwhy = w\n"
                  "why.mascar = r\n"));
    choose(1, 1, 0);
    assert_true(at->workloads[0]->given[SIZE_SMALL][0] && !at->workloads[0]->given[SIZE_TINY][0]);
    assert_int_equal(at->workloads[0]->input[SIZE_SMALL][0], 96);
    assert_int_equal(at->workloads[1]->input[SIZE_TINY][0], 500);
    assert_int_equal(at->workloads[1]->input[SIZE_PAPER][0], 500);
    choose(0, 0, 1);
    assert_string_equal(at->series[0]->config.name, "mascar");
}

/* A value that only the machine as a whole refuses: alone with its line, together as a pair. */
TEST_WITH(a_machine_refuses_with_file_and_line, NULL, done)
{
    unsigned one[EXP_MAX_UNKNOWNS] = {1};
    parse(UNKNOWN("l1d.sets", "256", "why.256 = r\n"));
    at = experiment_at(x, one, &e);
    assert_null(at);
    assert_int_equal(e.code, WL_EINPUT);
    if (strncmp(e.text, "t.ini:21:", 9) != 0 || !strstr(e.text, "u=256")) fail_msg("%s", e.text);
}

TEST_WITH(two_values_that_exclude_each_other_are_named, NULL, done)
{
    parse("workloads = atax\ngpu = gtx480\nset = l1d.index=linear\n[claim c]\nmetric = ipc\nvalue = 1\nmeasure = "
          "gmean(run)\n[unknown sets]\nset = l1d.sets\nvalues = 256\nwhy = w\nwhy.256 = r\n"
          "[unknown index]\nset = l1d.index\nvalues = fermi\nwhy = w\nwhy.fermi = r\n");
    struct plan *p = plan_new(x, SIZE_TINY, "build", &e);
    struct range_spec spec = {0};
    struct exp_range *r = range_new(p, &spec, &e);
    assert_non_null(r); /* each alone is fine */
    assert_int_equal(r->npoints, 3);
    range_free(r);
    spec.design_points = 8;
    assert_null(range_new(p, &spec, &e));
    assert_int_equal(e.code, WL_EINPUT);
    if (!strstr(e.text, "the unknowns sets and index cannot be combined")) fail_msg("%s", e.text);
    plan_free(p);
}

/* ---- the design ---- */

TEST(a_design_is_balanced_at_every_length)
{
    static const unsigned levels[] = {2, 3, 2, 5, 1, 4};
    enum { FACTORS = 6, POINTS = 60 };
    unsigned points[POINTS * FACTORS], again[7 * FACTORS];
    assert_int_equal(design_make(levels, FACTORS, POINTS, points, &e), 0);
    assert_int_equal(design_make(levels, FACTORS, 7, again, &e), 0);
    assert_memory_equal(points, again, sizeof again); /* a smaller one is the beginning of a larger */
    for (unsigned f = 0; f < FACTORS; f++) {
        unsigned used[8] = {1}; /* the default */
        for (unsigned p = 0; p < POINTS; p++) {
            unsigned least = 1000, most = 0;
            assert_true(points[p * FACTORS + f] < levels[f]);
            used[points[p * FACTORS + f]]++;
            for (unsigned v = 0; v < levels[f]; v++) {
                if (used[v] < least) least = used[v];
                if (used[v] > most) most = used[v];
            }
            assert_true(most - least <= 1);
        }
    }
}

/* 60 points over 3 x 5 pairs: four each. Points drawn blindly leave a pair out or repeat one nine times. */
TEST(two_factors_vary_independently)
{
    static const unsigned levels[] = {2, 3, 2, 5, 1, 4};
    enum { FACTORS = 6, POINTS = 59 };
    unsigned points[POINTS * FACTORS];
    assert_int_equal(design_make(levels, FACTORS, POINTS, points, &e), 0);
    for (unsigned f = 0; f < FACTORS; f++)
        for (unsigned g = 0; g < f; g++) {
            unsigned met[8][8] = {{1}};
            for (unsigned p = 0; p < POINTS; p++) met[points[p * FACTORS + f]][points[p * FACTORS + g]]++;
            unsigned fair = (POINTS + 1) / (levels[f] * levels[g]);
            for (unsigned a = 0; a < levels[f]; a++)
                for (unsigned b = 0; b < levels[g]; b++)
                    if (met[a][b] + 2 < fair || met[a][b] > fair + 2)
                        fail_msg("factors %u and %u: values %u and %u met %u times, not %u", f, g, a, b, met[a][b],
                                 fair);
        }
}

TEST(a_design_refuses_too_many_values)
{
    unsigned levels[] = {DESIGN_LEVELS + 1}, point[1];
    assert_int_equal(design_make(levels, 1, 1, point, &e), WL_EINPUT);
}

/* ---- a claim over points ---- */

/* Three unknowns: u has two values, v one, n one and is noise; so points 0, u1, u2, v1, n1. */
static struct exp_range made;
static struct range_point points[5];

static struct claim_range over(const char *claim, double zero, double u1, double u2, double v1, double n1)
{
    static char text[2048];
    double values[] = {zero, u1, u2, v1, n1};
    static double kept[5];
    snprintf(text, sizeof text,
             "workloads = atax\n[series a]\n%s\n[unknown u]\nset = l1d.mshr\nvalues = 1 2\nwhy = w\nwhy.1 = r\nwhy.2 = "
             "r\n[unknown v]\nset = l1d.missq\nvalues = 1\nwhy = w\nwhy.1 = r\n[unknown n]\nset = seed\nvalues = 2\n"
             "why = w\nwhy.2 = r\nnoise = yes\n",
             claim);
    parse(text);
    memset(points, 0, sizeof points);
    static const int which[] = {-1, 0, 0, 1, 2};
    for (unsigned i = 0; i < 5; i++) points[i].unknown = which[i];
    points[1].choice[0] = points[3].choice[1] = points[4].choice[2] = 1;
    points[2].choice[0] = 2;
    memcpy(kept, values, sizeof kept);
    made = (struct exp_range){.x = x, .points = points, .npoints = 5, .value = kept};
    return range_claim(&made, 0);
}

#define RATIO "[claim c]\nmetric = ipc\nvalue = 1.4\nmeasure = gmean(a)"

TEST_WITH(lowest_highest_and_who_moves_it, NULL, done)
{
    struct claim_range k = over(RATIO, 1.10, 1.08, 1.45, 1.2, 1.12);
    assert_true(k.value == 1.10 && k.low == 1.08 && k.high == 1.45);
    assert_int_equal(k.known, 5);
    assert_int_equal(k.most, 0);
    assert_int_equal(k.most_value, 1); /* its second value */
    assert_true(fabs(k.move - 0.35) < 1e-12 && fabs(k.noise - 0.02) < 1e-12);
    assert_false(k.within_noise);
    assert_int_equal(k.inside, INSIDE_YES);
}

TEST_WITH(near_is_a_match_somewhere, NULL, done)
{
    assert_int_equal(over(RATIO, 1.10, 1.08, 1.35, 1.2, 1.12).inside, INSIDE_NEAR); /* 1.35 is within 0.1 of 1.4 */
    assert_int_equal(over(RATIO, 1.10, 1.08, 1.25, 1.2, 1.12).inside, INSIDE_NO);
    assert_int_equal(over(RATIO, 1.10, 1.08, 1.4, 1.2, 1.12).inside, INSIDE_YES); /* the border is inside */
    assert_int_equal(over(RATIO, 1.5, 1.45, 1.6, 1.5, 1.5).inside, INSIDE_NEAR);  /* from above too */
}

TEST_WITH(what_moves_no_further_than_the_noise, NULL, done)
{
    struct claim_range k = over(RATIO, 1.10, 1.09, 1.11, 1.10, 1.13);
    assert_true(k.within_noise);
    assert_int_equal(k.most, 2); /* the noise itself */
    k = over(RATIO, 1.1, 1.1, 1.1, 1.1, 1.1);
    assert_false(k.within_noise); /* nothing moves it: that is no noise */
    assert_int_equal(k.most, -1);
}

TEST_WITH(bounds_orders_and_gaps, NULL, done)
{
    const char *above = "[claim c]\nmetric = ipc\nvalue = > 1.5\nmeasure = gmean(a)",
               *below = "[claim c]\nmetric = ipc\nvalue = < 0.9\nmeasure = gmean(a)",
               *range = "[claim c]\nmetric = ipc\nvalue = 0.58 .. 0.91\nmeasure = gmean(a)",
               *order = "[claim c]\nmetric = ipc\nmeasure = gmean(a) > 1", *skipped = "[claim c]\nskip = areas\n";
    assert_int_equal(over(above, 1.1, 1.2, 1.6, 1.1, 1.1).inside, INSIDE_YES);
    assert_int_equal(over(above, 1.1, 1.2, 1.5, 1.1, 1.1).inside, INSIDE_NO);
    assert_int_equal(over(below, 1.1, 0.8, 1.5, 1.1, 1.1).inside, INSIDE_YES);
    assert_int_equal(over(range, 1.1, 0.95, 0.92, 1.1, 1.1).inside, INSIDE_NO);
    assert_int_equal(over(range, 1.1, 0.9, 1.2, 1.1, 1.1).inside, INSIDE_YES);
    assert_int_equal(over(order, 0, 0, 1, 0, 0).inside, INSIDE_YES);
    assert_int_equal(over(order, 0, 0, 0, 0, 0).inside, INSIDE_NO);
    assert_int_equal(over(skipped, NAN, NAN, NAN, NAN, NAN).inside, INSIDE_NOT_KNOWN);
    struct claim_range k = over(RATIO, 1.1, NAN, 1.2, NAN, 1.1); /* runs that failed */
    assert_int_equal(k.known, 3);
    assert_true(k.low == 1.1 && k.high == 1.2);
}

/* ---- plans ---- */

/* What two points have in common is one run; what an unknown does not reach costs nothing. */
TEST_WITH(points_share_their_runs, NULL, done)
{
    parse(UNKNOWN("l1:promo", "2", "why.2 = r\n[unknown v]\nset = l1d.missq\nvalues = 4\nwhy = w\nwhy.4 = r\n"));
    struct plan *p = plan_new(x, SIZE_TINY, "build", &e);
    struct range_spec spec = {0};
    struct exp_range *r = range_new(p, &spec, &e);
    assert_non_null(r);
    assert_int_equal(r->npoints, 3);
    assert_int_equal(p->nruns, 4 + 2 + 4); /* lrr and da on two programs; then da only; then both */
    for (unsigned i = 0; i < p->nruns; i++)
        for (unsigned k = 0; k < i; k++) assert_string_not_equal(p->runs[i]->key, p->runs[k]->key);
    range_free(r);
    plan_free(p);
    p = plan_new(x, SIZE_TINY, "build", &e);
    static const bool moved[] = {true, false};
    spec.moved = moved;
    r = range_new(p, &spec, &e);
    assert_int_equal(p->nruns, 4 + 2); /* --unknown u */
    range_free(r);
    plan_free(p);
}

/* Every value of every built-in experiment can be built, alone and at the first points of the design. */
TEST_WITH(built_in_unknowns_can_be_built, NULL, done)
{
    const char *names[64];
    unsigned n = experiment_names(names, 64), unknown = 0, noisy = 0;
    for (unsigned i = 0; i < n; i++) {
        done(NULL);
        x = experiment_load(names[i], &e);
        assert_non_null(x);
        if (!x->nunknowns) continue;
        unknown++;
        for (unsigned u = 0; u < x->nunknowns; u++) noisy += x->unknowns[u].noise;
        struct plan *p = plan_new(x, SIZE_SMALL, "build", &e);
        const struct range_spec spec = {.design_points = 16};
        struct exp_range *r = range_new(p, &spec, &e);
        if (!r) fail_msg("%s: %s", names[i], e.text);
        range_free(r);
        plan_free(p);
    }
    assert_int_equal(unknown, 5); /* the five papers */
    assert_int_equal(noisy, 5);   /* each shows its noise */
}
