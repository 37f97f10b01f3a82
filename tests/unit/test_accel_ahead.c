/* test_accel_ahead.c - long files of Accel-Sim's format, which a thread reads ahead of who runs them: the same blocks
 * in the same order, counts of what was handed out and not of what was read, and an end at any moment. */
#include <unistd.h>

#include "accel_text.h"

enum { CTAS = 40, INSTS = 700 };

/* Blocks of one warp with a load per line, 1.5 MiB in all; block n's first address is 0x7f0100000000 + 4096 n. */
static char *long_kernel(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    put_header(f, "grid dim = (40,1,1)");
    for (unsigned b = 0; b < CTAS; b++) {
        fprintf(f, "#BEGIN_TB\nthread block = %u,0,0\nwarp = 0\ninsts = %d\n", b, INSTS);
        for (unsigned i = 0; i < INSTS; i++)
            fprintf(f, "%04x ffffffff 1 R4 LDG.E 1 R2 4 1 0x%llx 4 0\n", i % 16 * 16,
                    0x7f0100000000ULL + b * 4096ULL + i * 128ULL);
        fputs("#END_TB\n", f);
    }
    fclose(f);
    assert_true(size > 1 << 20);
    return text;
}

static struct accel_reader *open_text(const char *text)
{
    struct wl_err e;
    struct accel_reader *r = accel_open_memory("k.traceg", text, strlen(text), 0, &e);
    assert_non_null(r);
    return r;
}

static struct stream_source *first_launch(struct accel_reader *r)
{
    struct wlt_item item;
    struct wl_err e;
    if (accel_next(r, &item, &e) <= 0) fail_msg("%s", e.text);
    return item.source;
}

static void take(struct accel_reader *r, struct stream_source *s, unsigned b, struct cta_stream *cta)
{
    struct story story = {0};
    struct wl_err e;
    assert_int_equal(s->next(s, cta, &e), 1);
    assert_int_equal(cta->cta, b);
    assert_int_equal(cta->nwarps, 1);
    wlt_walk(s->info->code, cta->warp[0], note, &story);
    assert_int_equal(story.count, INSTS);
    assert_int_equal(story.item[0].first, 0x7f0100000000ULL + b * 4096ULL);
    assert_int_equal(story.item[INSTS - 1].last, 0x7f0100000000ULL + b * 4096ULL + (INSTS - 1) * 128ULL + 31 * 4);
    free(story.item);
    assert_int_equal(accel_launch_counts(r).warp_instructions, (b + 1) * INSTS);
    assert_int_equal(accel_totals(r).ctas, b + 1);
}

TEST(test_blocks_come_in_order)
{
    char *text = long_kernel();
    struct accel_reader *r = open_text(text);
    struct stream_source *s = first_launch(r);
    struct cta_stream cta[CTAS], none;
    struct wl_err e;
    for (unsigned b = 0; b < CTAS; b++) {
        take(r, s, b, &cta[b]);
        if (b % 3) s->release(s, &cta[b]); /* some run longer than others */
    }
    assert_int_equal(s->next(s, &none, &e), 0);
    for (unsigned b = 0; b < CTAS; b += 3) { /* still there, though the file is closed */
        assert_int_equal(stream_check(s->info->code, cta[b].warp[0], &e), 0);
        s->release(s, &cta[b]);
    }
    assert_int_equal(accel_launch_counts(r).thread_instructions, CTAS * INSTS * 32);
    assert_int_equal(accel_totals(r).content_bytes, strlen(text)); /* once, though it was read twice */
    accel_close(r);
    free(text);
}

TEST(test_an_end_at_any_moment)
{
    char *text = long_kernel();
    for (unsigned n = 0; n < CTAS; n += 9) {
        struct accel_reader *r = open_text(text);
        struct stream_source *s = first_launch(r);
        struct cta_stream cta;
        for (unsigned b = 0; b < n; b++) {
            take(r, s, b, &cta);
            if (b + 1 < n) s->release(s, &cta);
        }
        accel_close(r); /* the last block is not given back */
    }
    free(text);
}

TEST(test_the_rest_is_passed_over)
{
    char *text = long_kernel();
    struct accel_reader *r = open_text(text);
    struct stream_source *s = first_launch(r);
    struct cta_stream cta;
    struct wlt_item item;
    struct wl_err e;
    take(r, s, 0, &cta);
    s->release(s, &cta);
    assert_int_equal(accel_next(r, &item, &e), 0);
    assert_int_equal(accel_launch_counts(r).warp_instructions, CTAS * INSTS);
    accel_close(r);
    free(text);
}

/* The file is another one when it is read again: the blocks before the fault run, and the message names its line. */
TEST(test_a_fault_in_the_second_reading)
{
    char name[] = "/tmp/warpline-ahead-XXXXXX", *text = long_kernel();
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    size_t size = strlen(text);
    assert_int_equal(write(fd, text, size), size);
    struct wl_err e;
    struct accel_reader *r = accel_open(name, &e);
    assert_non_null(r);
    struct stream_source *s = first_launch(r);
    text[size - 100] = 0;
    assert_int_equal(ftruncate(fd, strrchr(text, '\n') + 1 - text), 0);
    struct cta_stream cta;
    int got;
    unsigned blocks = 0;
    while ((got = s->next(s, &cta, &e)) > 0) {
        assert_int_equal(cta.cta, blocks++);
        s->release(s, &cta);
    }
    assert_int_equal(got, -WL_EINPUT);
    assert_int_equal(blocks, CTAS - 1);
    assert_non_null(strstr(e.text, "truncated"));
    assert_int_equal(s->next(s, &cta, &e), -WL_EINPUT); /* and it stays so */
    accel_close(r);
    close(fd);
    unlink(name);
    free(text);
}
