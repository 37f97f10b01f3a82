/* test_config.c - parameters, configuration text, presets, checks, hashes. */

#include "test.h"

#include "param/config.h"
#include "param/param_table.h"

static struct gpu_config c;
static struct wl_err e;

static int fresh(void **state)
{
    (void)state;
    memset(&e, 0, sizeof e);
    config_defaults(&c);
    return 0;
}

static void assert_says(const char *part)
{
    if (!strstr(e.text, part)) fail_msg("'%s' does not say '%s'", e.text, part);
}

static void refused(const char *text, const char *part)
{
    memset(&e, 0, sizeof e);
    config_defaults(&c);
    assert_int_equal(config_parse(&c, "t.ini", text, &e), WL_EINPUT);
    assert_int_equal(e.code, WL_EINPUT);
    assert_says(part);
}

/* 1. Every row is usable: default in range, choices count, name unique, help and source there. */
TEST_WITH(table_is_sane, fresh, NULL)
{
    for (unsigned i = 0; i < P_COUNT; i++) {
        const struct wl_param *p = &gpu_params[i];
        assert_in_range(p->def - p->min, 0, p->max - p->min);
        assert_int_equal(param_find(gpu_params, p->name), i);
        assert_true(*p->help && *p->source && strchr(p->name, '.'));
        int64_t back = -1;
        char text[64];
        for (int64_t v = p->min; p->choices && v <= p->max; v++) {
            param_write(p, v, text, sizeof text);
            assert_int_equal(param_read(p, text, &back, &e), 0);
            assert_int_equal(back, v);
        }
    }
    assert_null(gpu_params[P_COUNT].name);
}

/* 2. Numbers: decimal, hex, suffix for bytes only; limits are inclusive. */
TEST_WITH(numbers, fresh, NULL)
{
    assert_int_equal(config_set(&c, "sm.shared=48K", &e), 0);
    assert_int_equal(c.v[P_SM_SHARED], 49152);
    assert_int_equal(config_set(&c, "l1d.mshr=0x20", &e), 0);
    assert_int_equal(c.v[P_L1D_MSHR], 32);
    assert_int_equal(config_set(&c, "l1d.mshr=65536", &e), 0);
    static const char *const bad[] = {"l1d.mshr=65537", "l1d.mshr=0",  "l1d.mshr=-1",  "l1d.mshr=",
                                      "l1d.mshr=4K",    "l1d.mshr= 4", "l1d.mshr=1e3", "sm.shared=9999999999999G",
                                      "sm.shared=4KK",  "l1d.index=2"};
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) assert_int_equal(config_set(&c, bad[i], &e), WL_EINPUT);
    assert_int_equal(c.v[P_L1D_MSHR], 65536); /* a refused value leaves the old one */
}

/* 3. Text: sections, comments, both separators; policies and map. */
TEST_WITH(text, fresh, NULL)
{
    const char *t =
        "# mine\n l1d.mshr = 5 # five\n[l1d]\nways: 3 ; three\n\tmerge=2\r\n[other]\nl2.ways = 7\nsched = lrr\n";
    assert_int_equal(config_parse(&c, "t.ini", t, &e), 0);
    assert_int_equal(c.v[P_L1D_MSHR], 5);
    assert_int_equal(c.v[P_L1D_WAYS], 3);
    assert_int_equal(c.v[P_L1D_MERGE], 2);
    assert_int_equal(c.v[P_L2_WAYS], 7);
    assert_string_equal(c.sched.policy->name, "lrr");
    assert_int_equal(config_parse(&c, "t.ini", "", &e), 0);
    assert_int_equal(config_parse(&c, "t.ini", "l1d.mshr = 6", &e), 0); /* no newline at the end */
    assert_int_equal(c.v[P_L1D_MSHR], 6);
}

/* 4. Mistakes: place, line, and what would be right. */
TEST_WITH(mistakes, fresh, NULL)
{
    refused("l1d.mshr = 4\nl1d.mshrs = 4\n",
            "t.ini:2:1: error: unknown parameter 'l1d.mshrs'; did you mean 'l1d.mshr'?");
    assert_says("\n  l1d.mshrs = 4\n  ^");
    refused("[l1d]\nmshrs = 4\n", "did you mean 'l1d.mshr'?");
    refused("l1d.mshr = none\n", "t.ini:1:12: error: l1d.mshr needs a whole number");
    refused("l1d.mshr = 4\nl1d.mshr = 4\n", "given twice; line 1");
    refused("[l1d]\nmshr = 4\nl1d.mshr = 4\n", "given twice; line 2");
    refused("l1d.mshr\n", "t.ini:1: error: neither");
    refused("nonsense\nl1d.mshrs = 4\n", "t.ini:1: error: neither");
    refused("l1d.mshrs = 4\nnonsense\n", "t.ini:1:1: error: unknown");
    refused("[l1d\n", "t.ini:1: error: neither");
    refused("l1d.mshr = 1\nbase = gtx480\n", "base must come first");
    refused("base = gtx481\n", "did you mean 'gtx480'?");
    refused("base = /\n", "is not a file");
    refused("sched = lrx\n", "t.ini:1:9: error: unknown scheduler 'lrx'; did you mean 'lrr'?");
    refused("l1 = lru:a=1\n", "no parameters");
    refused("dram.map = RB\n", "64 address bits");
    char longest[4096];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    refused(longest, "t.ini:1: error: this line has more than");
    longest[0] = '#';
    assert_int_equal(config_parse(&c, "t.ini", longest, &e), 0); /* a comment may be long */
    assert_int_equal(config_parse(&c, "t.ini", "l1d.mshrs = 1", NULL), WL_EINPUT);
}

/* 5. Every preset loads, is possible, and says so in its own words again. */
TEST_WITH(presets, fresh, NULL)
{
    const char *names[64];
    unsigned n = preset_names(names, 64);
    assert_true(n >= 8);
    for (unsigned i = 0; i < n; i++) {
        struct gpu_config again;
        char *printed = NULL;
        size_t size = 0;
        if (config_load(&c, names[i], &e) || config_check(&c, &e)) fail_msg("%s: %s", names[i], e.text);
        assert_string_equal(c.name, names[i]);
        FILE *f = open_memstream(&printed, &size);
        config_print(&c, f);
        fclose(f);
        config_defaults(&again);
        if (config_parse(&again, "printed", printed, &e)) fail_msg("%s: %s", names[i], e.text);
        assert_int_equal(config_hash(&again), config_hash(&c));
        free(printed);
    }
}

/* 6. The papers' tables, the numbers that matter. */
TEST_WITH(paper_machines, fresh, NULL)
{
    static const struct {
        const char *name;
        int64_t sms, warps, sets, ways, mshr, l2_kib, channels;
        const char *sched;
    } want[] = {
        {"gtx480", 15, 48, 32, 4, 64, 768, 6, "gto"},      {"gtx480-v42", 15, 48, 32, 4, 64, 768, 6, "gto"},
        {"gtx480-v321", 15, 48, 32, 4, 32, 768, 6, "gto"}, {"gtx480-v322", 15, 48, 32, 4, 32, 768, 6, "gto"},
        {"gtx480-v323", 15, 48, 32, 4, 32, 768, 6, "gto"}, {"dacache", 30, 48, 32, 8, 32, 768, 6, "gto"},
        {"apcm", 15, 48, 32, 4, 64, 768, 6, "lrr"},        {"apcm-kepler", 16, 64, 32, 4, 64, 1536, 6, "lrr"},
        {"dycache", 15, 48, 32, 4, 32, 768, 6, "gto"},     {"mascar", 15, 48, 64, 4, 64, 768, 6, "lrr"},
        {"hac", 15, 32, 32, 4, 32, 768, 12, "gto"},        {"gtx480-ideal", 15, 48, 32, 4, 64, 768, 6, "gto"},
    };
    for (unsigned i = 0; i < sizeof want / sizeof want[0]; i++) {
        assert_int_equal(config_load(&c, want[i].name, &e), 0);
        assert_int_equal(c.v[P_SM_COUNT], want[i].sms);
        assert_int_equal(c.v[P_SM_WARPS], want[i].warps);
        assert_int_equal(c.v[P_L1D_SETS], want[i].sets);
        assert_int_equal(c.v[P_L1D_WAYS], want[i].ways);
        assert_int_equal(c.v[P_L1D_MSHR], want[i].mshr);
        int64_t l2 = c.v[P_MEM_CHANNELS] * c.v[P_L2_SLICES] * c.v[P_L2_SETS] * c.v[P_L2_WAYS] * 128 / 1024;
        assert_int_equal(l2, want[i].l2_kib);
        assert_int_equal(c.v[P_MEM_CHANNELS], want[i].channels);
        assert_string_equal(c.sched.policy->name, want[i].sched);
    }
    struct gpu_config d;
    config_defaults(&d);
    assert_int_equal(config_load(&c, "gtx480-ideal", &e), 0);
    assert_int_equal(config_hash(&c), config_hash(&d)); /* the table's defaults are this machine */
}

/* 7. The hash sees every value, the map and the policies, and nothing else. */
TEST_WITH(hashes, fresh, NULL)
{
    uint64_t h = config_hash(&c);
    for (unsigned i = 0; i < P_COUNT; i++) {
        c.v[i]++;
        assert_int_not_equal(config_hash(&c), h);
        c.v[i]--;
    }
    assert_int_equal(config_hash(&c), h);
    strcpy(c.name, "other name");
    assert_int_equal(config_hash(&c), h);
    assert_int_equal(config_set_sched(&c, "lrr", &e), 0);
    assert_int_not_equal(config_hash(&c), h);
}

/* The lasting one sees them too, but knows nothing of a parameter at its default: one that is added later changes
 * no hash of a machine that does not use it. */
TEST_WITH(lasting_hash, fresh, NULL)
{
    uint64_t h = config_lasting_hash(&c);
    for (unsigned i = 0; i < P_COUNT; i++) {
        int64_t was = c.v[i];
        c.v[i] = was != gpu_params[i].min ? gpu_params[i].min : gpu_params[i].max;
        assert_true((config_lasting_hash(&c) != h) == (c.v[i] != was));
        c.v[i] = was;
    }
    assert_int_equal(config_lasting_hash(&c), h);
    assert_int_equal(config_set_sched(&c, "lrr", &e), 0);
    assert_int_not_equal(config_lasting_hash(&c), h);
}

/* 8. Machines that cannot be. */
TEST_WITH(contradictions, fresh, NULL)
{
    static const struct {
        const char *set[3], *says;
    } bad[] = {
        {{"l1d.sets=16"}, "fermi needs 32 or 64 sets"},
        {{"l2.index=ipoly", "l2.sets=128"}, "ipoly needs 16, 32 or 64"},
        {{"l1d.index=linear", "l1d.sets=48"}, "not a power of two"},
        {{"l1t.sets=3"}, "l1t.sets = 3 is not a power of two"},
        {{"l2.port=24"}, "does not divide"},
        {{"sm.warps=47"}, "not a multiple"},
        {{"shared.banks=24"}, "not a power of two"},
        {{"l2.slices_per_channel=3"}, "not a power of two"},
        {{"dram.banks=12"}, "not a power of two"},
        {{"dram.groups=5"}, "does not divide"},
        {{"dram.trc=20"}, "shorter than"},
        {{"dram.banks=8"}, "cannot name dram.banks"},
        {{"l2.missq=1"}, "cannot hold what one miss sends"},
        {{"l2.write=forward", "l2.missq=2"}, "cannot hold what one miss sends"},
        {{"l1d.missq=1"}, "l1d.missq"},
        {{"l2.mshr=3"}, "sectored L2"},
        {{"dram.map=dramid@6;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS"},
         "split a 128-byte line"},
        {{"dram.map=RRRRRRRR.RRRRRRRR.RRRRRRRR.RRRRRRRR.RRRRRRRR.RRRRRRRR.BBBCCCCB.DDSSSSSS"},
         "cannot name mem.channels"},
        {{"l1d.index=linear", "l1d.sets=65536", "l1d.ways=1024"}, "lines"},
        {{"mem.channels=24", "l2.slices_per_channel=16"}, "the network has 256 ports"},
    };
    assert_int_equal(config_check(&c, &e), 0);
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        config_defaults(&c);
        for (unsigned k = 0; k < 3 && bad[i].set[k]; k++) assert_int_equal(config_set(&c, bad[i].set[k], &e), 0);
        assert_int_equal(config_check(&c, &e), WL_EINPUT);
        assert_says(bad[i].says);
    }
}

/* 9. Address maps. */
TEST_WITH(maps, fresh, NULL)
{
    struct dram_map_shape m;
    assert_int_equal(dram_map_shape(c.dram_map, &m, &e), 0);
    assert_int_equal(m.dramid, 8);
    assert_int_equal(m.bank_bits, 4);
    assert_int_equal(m.row_bits, 12);
    assert_int_equal(m.column_bits, 12);
    assert_int_equal(dram_map_shape("dramid@8", &m, &e), WL_EINPUT);
    assert_int_equal(dram_map_shape("dramid@;0", &m, &e), WL_EINPUT);
    assert_int_equal(dram_map_shape("", &m, &e), WL_EINPUT);
}

/* 10. A size becomes sets and ways: as many ways as the machine has where the index function can address the sets, else
 * the nearest; the Fermi hash knows 32 and 64 sets. */
TEST_WITH(sizes, fresh, NULL)
{
    static const struct {
        const char *set[2];
        int64_t sets, ways;
    } good[] = {{{"l1d.size=16K"}, 32, 4},
                {{"l1d.size=32K"}, 64, 4},
                {{"l1d.size=48K"}, 64, 6},
                {{"l1d.size=64K"}, 64, 8},
                {{"l1d.size=8192"}, 32, 2},
                {{"l1d.size=64K", "l1d.index=xor"}, 128, 4},
                {{"l1d.size=32K", "l1d.ways=8"}, 32, 8}};
    for (unsigned i = 0; i < sizeof good / sizeof good[0]; i++) {
        config_defaults(&c);
        for (unsigned k = 0; k < 2 && good[i].set[k]; k++) assert_int_equal(config_set(&c, good[i].set[k], &e), 0);
        assert_int_equal(config_settle(&c, &e), 0);
        assert_int_equal(c.v[P_L1D_SETS], good[i].sets);
        assert_int_equal(c.v[P_L1D_WAYS], good[i].ways);
        assert_int_equal(config_check(&c, &e), 0);
        assert_int_equal(config_size(&c, SIZE_L1D), good[i].sets * good[i].ways * 128);
    }
    config_defaults(&c);
    assert_int_equal(config_set(&c, "l2.size=1536K", &e), 0); /* of 12 slices */
    assert_int_equal(config_settle(&c, &e), 0);
    assert_int_equal(c.v[P_L2_SETS] * c.v[P_L2_WAYS] * 12 * 128, 1536 * 1024);
    assert_int_equal(c.v[P_L2_WAYS], 8);
    assert_int_equal(config_set(&c, "l1d.size=4200", &e), 0);
    assert_int_equal(config_settle(&c, &e), WL_EINPUT);
    assert_says("the nearest are 4096 and 8192 bytes");
    refused("l1d.size = 32K\nl1d.sets = 64\n", "a size or sets");
    refused("l1d.size = 4200\n", "no size of a cache");
    refused("l2.size = 990749749999\n",
            "the nearest is 824633720832 bytes"); /* at once: it was searched for line by line */
}

static void count_change(void *arg, const char *name, const char *value, const int64_t *number)
{
    char *out = arg;
    snprintf(out + strlen(out), 200 - strlen(out), "%s=%s%s ", name, value, number ? "" : "!");
}

/* 11. What differs from the preset, whatever the machine is called; a machine without a preset is compared with the
 * defaults. */
TEST_WITH(changes, fresh, NULL)
{
    char said[200] = "";
    assert_int_equal(config_load(&c, "dacache", &e), 0);
    assert_string_equal(c.preset, "dacache");
    config_changes(&c, count_change, said);
    assert_string_equal(said, "");
    assert_int_equal(config_set(&c, "l1d.ways=16", &e), 0);
    assert_int_equal(config_set(&c, "l1d.index=xor", &e), 0);
    config_changes(&c, count_change, said);
    assert_string_equal(said, "l1d.ways=16 l1d.index=xor! ");
    config_defaults(&c);
    assert_int_equal(config_parse(&c, "t.ini", "base = gtx480-v322\nl1d.mshr = 33\n", &e), 0);
    assert_string_equal(c.preset, "gtx480-v322");
    said[0] = 0;
    config_changes(&c, count_change, said);
    assert_string_equal(said, "l1d.mshr=33 ");
    config_defaults(&c);
    assert_int_equal(config_parse(&c, "t.ini", "l1d.mshr = 33\n", &e), 0);
    assert_string_equal(c.preset, "");
    said[0] = 0;
    config_changes(&c, count_change, said);
    assert_string_equal(said, "l1d.mshr=33 ");
}
