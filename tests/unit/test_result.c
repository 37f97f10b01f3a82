/* test_result.c - the record of a run as JSON, CSV and text. */

#include "test.h"
#include <jansson.h>

#include "run/result.h"

static struct run_result r;
static struct kernel_record kernels[3];
static struct load_record loads[2] = {{.kernel = "k1", .pc = 8, .loads = 2, .requests = 5, .outcome = {1, 0, 4, 0}},
                                      {.pc = 16}};
static const struct wl_counter counters[] = {
    {"promotions", "lines", "h"}, {"bypasses", "requests", "h"}, WL_COUNTER_END};

static int fill(void **state)
{
    (void)state;
    memset(&r, 0, sizeof r);
    strcpy(r.workload, "atax");
    strcpy(r.size, "tiny");
    strcpy(r.gpu, "gtx480");
    strcpy(r.engine, "fast");
    strcpy(r.l1.spec, "dacache:promote=2,replace=stall");
    strcpy(r.l2.spec, "lru");
    strcpy(r.sched.spec, "gto");
    r.version = "1.2.3";
    r.build = "0123abcd";
    r.config_hash = 0xab;
    r.sms = 15, r.channels = 6, r.core_khz = 700000, r.dram_khz = 924000;
    for (const struct counter_desc *d = counter_descs; d->key; d++)
        *(uint64_t *)(void *)((char *)&r.stats + d->offset) = (uint64_t)(d - counter_descs) + 1;
    r.stats.cycles = 3;
    r.stats.sm.thread_instructions = 10;
    r.l1.counters = counters;
    r.l1.value[1] = 77;
    strcpy(kernels[0].name, "k1");
    strcpy(kernels[1].name, "k2");
    kernels[2] = kernels[0];
    for (unsigned i = 0; i < 3; i++) kernels[i].grid[0] = kernels[i].block[0] = 1, kernels[i].cycles = 1;
    kernels[2] = kernels[0];
    r.kernels = kernels;
    r.nkernels = 3;
    r.profiled = true;
    r.profile = (struct profile_report){.load = loads, .loads = 2, .rank = {5, 4, 0, 3}};
    r.profile.reuse[1][2] = 6;
    return 0;
}

static char *captured(void (*write)(FILE *))
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    write(f);
    fclose(f);
    return text;
}

static void as_json(FILE *f) { assert_int_equal(result_write_json(&r, f, NULL), 0); }
static void as_text(FILE *f) { result_write_text(&r, f); }
static void as_csv(FILE *f)
{
    const struct run_result *rows[] = {&r, &r};
    result_write_csv(rows, 2, f);
}

/* 1. JSON parses and holds every counter under its group and key. */
TEST_WITH(json_has_everything, fill, NULL)
{
    char *text = captured(as_json);
    json_t *j = json_loads(text, 0, NULL);
    assert_non_null(j);
    assert_string_equal(json_string_value(json_object_get(j, "config_hash")), "00000000000000ab");
    assert_string_equal(json_string_value(json_object_get(j, "l1_policy")), r.l1.spec);
    assert_true(json_real_value(json_object_get(j, "ipc")) > 3.333332 &&
                json_real_value(json_object_get(j, "ipc")) < 3.333334);
    assert_non_null(strstr(text, "\"ipc\": 3.333333,"));
    for (const struct counter_desc *d = counter_descs; d->key; d++) {
        json_t *at = json_object_get(j, counter_group_names[d->group]);
        char key[64], *save = NULL;
        strcpy(key, d->key);
        for (char *part = strtok_r(key, ".", &save); part; part = strtok_r(NULL, ".", &save))
            at = json_object_get(at, part);
        assert_true(json_is_integer(at));
        assert_int_equal(json_integer_value(at), counter_value(&r.stats, d));
    }
    assert_int_equal(json_integer_value(json_object_get(json_object_get(j, "l1_policy_counters"), "bypasses")), 77);
    assert_int_equal(json_array_size(json_object_get(j, "kernels")), 3);
    json_decref(j);
    free(text);
}

/* 2. A name that is no UTF-8 does not break the record. */
TEST_WITH(json_survives_bytes, fill, NULL)
{
    strcpy(kernels[0].name, "k\xff\xfe");
    char *text = captured(as_json);
    assert_non_null(strstr(text, "\"k??\""));
    free(text);
    strcpy(kernels[0].name, "k1");
}

/* 3. CSV: as many columns as names in every row; commas are quoted. */
TEST_WITH(csv_is_rectangular, fill, NULL)
{
    char *text = captured(as_csv), *save = NULL;
    unsigned lines = 0, columns[3] = {0};
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save), lines++) {
        bool quoted = false;
        assert_in_range(lines, 0, 2);
        columns[lines] = 1;
        for (char *p = line; *p; p++) {
            if (*p == '"') quoted = !quoted;
            if (*p == ',' && !quoted) columns[lines]++;
        }
    }
    assert_int_equal(lines, 3);
    assert_int_equal(columns[0], columns[1]);
    assert_int_equal(columns[0], columns[2]);
    free(text);
}

/* 4. Text: equal launches are one row; unused parts are silent; nothing divides by zero. */
TEST_WITH(text_is_readable, fill, NULL)
{
    char *text = captured(as_text);
    assert_non_null(strstr(text, "  k1                              2  1"));
    assert_non_null(strstr(text, "77 bypasses"));
    free(text);
    memset(&r.stats, 0, sizeof r.stats);
    r.nkernels = 0;
    text = captured(as_text);
    assert_non_null(strstr(text, "not timed"));
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "L1D "));
    free(text);
    r.stats.cycles = 1; /* timed, but nothing happened */
    text = captured(as_text);
    assert_null(strstr(text, "nan"));
    free(text);
}

static json_t *parsed(void)
{
    char *text = captured(as_json);
    json_t *j = json_loads(text, 0, NULL);
    assert_non_null(j);
    free(text);
    return j;
}

/* 5. The arrays of a profile end with what was seen; without a profile nothing of it is written. */
TEST_WITH(profile_is_written_when_there, fill, NULL)
{
    json_t *j = parsed(), *list = json_object_get(j, "loads"), *reuse = json_object_get(j, "reuse");
    assert_int_equal(json_array_size(list), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 0), "misses")), 4);
    assert_int_equal(json_array_size(json_object_get(j, "issue_ranks")), 4);
    assert_int_equal(json_array_size(reuse), 3);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(reuse, 2), "distance")), 4);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(reuse, 2), "intra_warp")), 6);
    json_decref(j);
    char *text = captured(as_csv);
    assert_non_null(strstr(text, ",profile.access.cold,"));
    free(text);
    r.profiled = false;
    j = parsed();
    assert_null(json_object_get(j, "profile"));
    assert_null(json_object_get(j, "loads"));
    json_decref(j);
    text = captured(as_csv);
    assert_null(strstr(text, "profile"));
    free(text);
}

/* 6. Digits in groups. */
TEST(commas)
{
    char out[32];
    assert_string_equal(with_commas(0, out), "0");
    assert_string_equal(with_commas(999, out), "999");
    assert_string_equal(with_commas(1000, out), "1,000");
    assert_string_equal(with_commas(UINT64_MAX, out), "18,446,744,073,709,551,615");
}
