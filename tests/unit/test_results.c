/* test_results.c - results files: what is written is read back number for number, also elements of arrays, failed
 * and missing runs; what changed since is said; files that are none are refused. No simulation: results are made up. */

#include "test.h"

#include <math.h>
#include <unistd.h>

#include "experiment/results.h"
#include "experiment/table.h"

static struct wl_err e;
static char file[64];

static int fresh(void **state)
{
    (void)state;
    memset(&e, 0, sizeof e);
    snprintf(file, sizeof file, "/tmp/wl-results-XXXXXX");
    close(mkstemp(file));
    return 0;
}

static int clean(void **state)
{
    (void)state;
    return unlink(file);
}

#define TEXT                                                                                                           \
    "workloads = atax bfs\nsched = lrr\n[series lrr]\n[series same]\nlike = lrr\n[series gto]\nsched = gto\n"          \
    "[series best]\nbest = lrr gto\nby = -cycles\n"                                                                    \
    "[figure 1]\nmetric = ipc * gpu.sm.count\nbase = lrr\nseries = gto best\n"                                         \
    "[figure 2]\nchart = time\neach = samples\nmetric = l1d.misses / index\nseries = gto\nworkloads = bfs\n"           \
    "[figure 3]\nchart = cdf\neach = issue_ranks\nmetric = value\nseries = gto\nworkloads = bfs\n"                     \
    "[figure 4]\nchart = sweep\nsweep = l1d.ways: 2 8\nmetric = ipc\nseries = gto\n"                                   \
    "[figure 5]\nchart = sweep\nsweep = l1d.mshr: 8\nmetric = ipc\nseries = gto\n"                                     \
    "[claim a]\nmetric = loads[1].misses\nvalue = 7\ntolerance = 0\nmeasure = at(same, bfs)\n"                         \
    "[claim b]\nmetric.s = spread(l1d.misses, samples)\nvalue = 1\ntolerance = 0\nmeasure = at(gto.s, bfs)\n"

static struct experiment *read_experiment(const char *text)
{
    struct experiment *x = experiment_parse("t", "t.ini", text, &e);
    if (!x) fail_msg("%s", e.text);
    return x;
}

static struct plan *plan_all(const struct experiment *x)
{
    struct plan *p = plan_new(x, SIZE_TINY, "fedcba", &e);
    for (unsigned i = 0; i < x->nfigures; i++) assert_int_equal(plan_figure(p, &x->figures[i], &e), 0);
    for (unsigned i = 0; i < x->nclaims; i++) assert_int_equal(plan_claim(p, &x->claims[i], &e), 0);
    return p;
}

static void fill(struct plan *p)
{
    for (unsigned i = 0; i < p->nruns; i++) {
        struct exp_run *r = p->runs[i];
        r->result = json_pack("{s:f,s:i,s:[{s:{s:i}},{s:i},{s:{s:i}}],s:[i,i],s:[{s:i},{s:i}],s:i}", "ipc",
                              1.0 / (3 + i), "cycles", 100 - (int)i, "samples", "l1d", "misses", 3, "cycle", 9, "l1d",
                              "misses", 5, "issue_ranks", 6, 2, "loads", "misses", 4, "misses", 7, "unused", 987654);
        r->state = RUN_DONE;
    }
    struct exp_run *last = p->runs[p->nruns - 1], *before = p->runs[p->nruns - 2];
    json_decref(last->result);
    last->result = NULL;
    last->state = RUN_FAILED;
    last->reason = strdup("took \"too\" long,\nand more");
    json_decref(before->result);
    before->result = NULL;
    before->state = RUN_MISSING;
}

static void write_file(const struct plan *p)
{
    FILE *f = fopen(file, "w");
    assert_int_equal(results_write(p, "1.2.3", f, &e), 0);
    fclose(f);
}

static void same_number(double a, double b)
{
    if (isnan(a) ? !isnan(b) : a != b) fail_msg("%.17g became %.17g", a, b);
}

TEST_WITH(round_trip, fresh, clean)
{
    struct experiment *x = read_experiment(TEXT);
    struct plan *p = plan_all(x), *q = plan_all(x);
    struct results_head head;
    unsigned changed = 9, failed = plan_count(p, RUN_FAILED);
    fill(p);
    failed = plan_count(p, RUN_FAILED);
    write_file(p);
    assert_int_equal(results_read_head(file, &head, &e), 0);
    assert_string_equal(head.experiment, "t.ini");
    assert_string_equal(head.size, "tiny");
    assert_string_equal(head.build, "fedcba");
    assert_string_equal(head.version, "1.2.3");
    if (results_read(q, file, &changed, &e)) fail_msg("%s", e.text);
    assert_int_equal(changed, 0);
    assert_int_equal(failed, 1);
    for (unsigned i = 0; i < p->nruns; i++) assert_int_equal(p->runs[i]->state, q->runs[i]->state);
    assert_string_equal(q->runs[q->nruns - 1]->reason, "took \"too\" long, and more"); /* one line */
    for (unsigned i = 0; i < x->nfigures; i++) {
        struct table *a = table_make(p, &x->figures[i], &e), *b = table_make(q, &x->figures[i], &e);
        assert_int_equal(a->rows, b->rows);
        for (unsigned r = 0; r < a->rows; r++)
            for (unsigned c = 0; c < a->columns; c++) same_number(a->row[r].value[c], b->row[r].value[c]);
        table_free(a), table_free(b);
    }
    for (unsigned i = 0; i < x->nclaims; i++) same_number(claim_value(p, &x->claims[i]), claim_value(q, &x->claims[i]));
    same_number(claim_value(q, &x->claims[0]), 7);
    same_number(claim_value(q, &x->claims[1]), 1); /* of 3, nothing and 5 */
    plan_free(p), plan_free(q);
    experiment_free(x);
}

/* Only what is needed is there, and each run once. */
TEST_WITH(compact, fresh, clean)
{
    struct experiment *x = read_experiment(TEXT);
    struct plan *p = plan_all(x);
    char text[8192];
    unsigned lines = 0;
    fill(p);
    write_file(p);
    FILE *f = fopen(file, "r");
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    for (const char *s = text; *s; s++) lines += *s == '\n';
    assert_int_equal(lines, 2 + p->nruns - 1); /* one is missing */
    assert_null(strstr(text, "987654"));
    assert_null(strstr(text, "gpu.sm.count"));
    assert_non_null(strstr(text, "failed,cycles,ipc,samples[].l1d.misses,issue_ranks[],loads[1].misses\n"));
    assert_non_null(strstr(text, "bfs,lrr same,"));
    assert_non_null(strstr(text, ",3 - 5,6 2,7\n"));
    plan_free(p);
    experiment_free(x);
}

/* The file stays good when the experiment goes on; what is another machine today is counted. */
TEST_WITH(later, fresh, clean)
{
    struct experiment *x = read_experiment(TEXT);
    struct experiment *y = read_experiment("workloads = bfs atax gemm\n[series new]\nsched = lrr\nset = l1d.ways=16\n"
                                           "[series gto]\nsched = gto\nset = l1d.mshr=77\n[series lrr]\nsched = lrr\n"
                                           "[figure 1]\nmetric = ipc\n");
    struct plan *p = plan_all(x), *q = plan_all(y);
    unsigned changed = 0;
    fill(p);
    write_file(p);
    assert_int_equal(results_read(q, file, &changed, &e), 0);
    assert_int_equal(changed, 2);                    /* gto on two programs */
    assert_int_equal(plan_count(q, RUN_DONE), 4);    /* gto and lrr */
    assert_int_equal(plan_count(q, RUN_MISSING), 5); /* the new series, and gemm */
    plan_free(p), plan_free(q);
    experiment_free(x), experiment_free(y);
}

/* What is known need not be run again: not what failed, nor what another machine gave. */
TEST_WITH(known, fresh, clean)
{
    struct experiment *x = read_experiment(TEXT);
    struct experiment *y = read_experiment("workloads = bfs atax gemm\n[series gto]\nsched = gto\nset = l1d.mshr=77\n"
                                           "[series lrr]\nsched = lrr\n[figure 1]\nmetric = ipc\n");
    struct plan *p = plan_all(x), *q = plan_all(y);
    unsigned found = 0;
    fill(p);
    unsigned done = plan_count(p, RUN_DONE);
    write_file(p);
    assert_int_equal(results_known(q, file, &found, &e), 0);
    assert_int_equal(found, 2); /* lrr on two programs */
    assert_int_equal(plan_count(q, RUN_DONE), 2);
    assert_int_equal(plan_count(q, RUN_FAILED), 0);
    struct plan *again = plan_all(x);
    assert_int_equal(results_known(again, file, &found, &e), 0);
    assert_int_equal(plan_count(again, RUN_DONE), done);
    assert_int_equal(plan_count(again, RUN_FAILED), 0);
    plan_free(p), plan_free(q), plan_free(again);
    experiment_free(x), experiment_free(y);
}

static void refuses(const char *text, const char *part)
{
    struct experiment *x = read_experiment(TEXT);
    struct plan *p = plan_all(x);
    unsigned changed;
    FILE *f = fopen(file, "w");
    fputs(text, f);
    fclose(f);
    memset(&e, 0, sizeof e);
    if (results_read(p, file, &changed, &e) != WL_EINPUT) fail_msg("accepted: %s", text);
    if (!strstr(e.text, part) || !strstr(e.text, file)) fail_msg("'%s' does not say '%s'", e.text, part);
    plan_free(p);
    experiment_free(x);
}

#define FIRST "warpline-results,1,t.ini,tiny,b,v\n"
#define NAMES "workload,series,machine,failed,ipc,samples[].l1d.misses\n"
TEST_WITH(no_results_file, fresh, clean)
{
    refuses("", "no results file");
    refuses("key,build,created\n", "no results file");
    refuses("warpline-results,2,t.ini,tiny,b,v\n", "format 2");
    refuses(FIRST, "columns are missing");
    refuses(FIRST "a,b,c\n", "no names of columns");
    refuses(FIRST NAMES "atax,gto,0,,1\n", ":3: this row has another number of fields");
    refuses(FIRST NAMES "atax,gto,0,,one,\n", ":3: a field is no number");
    refuses(FIRST NAMES "atax,gto,0,,1,2 x\n", ":3: a field is no number");
    refuses(FIRST "workload,series,machine,failed,[3].a\natax,gto,0,,1\n", "no number");
    refuses(FIRST "workload,series,machine,failed,a[99999999].b\natax,gto,0,,1\n", "no number");
}
