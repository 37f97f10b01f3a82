/* test_constants.c - constants at hand and further away: which lines are near, how long each takes, turns of different
 * addresses. */
#include "unit/rig.h"

#include "sm/constants.h"
#include "stream/spaces.h"

static struct constants made(const char *near)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    const char *const settings[] = {near, "l1c.near_hit=25", "l1c.far_hit=95", "l1c.turn=2"};
    struct constants k;
    config_defaults(&c);
    for (unsigned i = 0; i < COUNT(settings); i++) assert_int_equal(config_set(&c, settings[i], &e), 0);
    constants_init(&k, c.v, 10);
    return k;
}

static tick_t wait_for(struct constants *k, uint64_t byte)
{
    struct req r = rig_req(WL_LOAD, byte / 128, (uint8_t)(1 << byte / 32 % 4));
    r.touched = r.sectors;
    return constants_wait(k, &r);
}

/* Walks `bytes` of constants twice, 64 bytes a step; the cycles of the second time, per step. */
static tick_t second_walk(uint64_t bytes)
{
    struct constants k = made("l1c.near=32");
    tick_t sum = 0;
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint64_t b = 0; b < bytes; b += 64) {
            tick_t t = wait_for(&k, b);
            if (pass) sum += t;
        }
    return sum / (bytes / 64) / 10;
}

TEST(a_chain_through_two_kilobytes_is_near_and_through_more_is_far)
{
    assert_int_equal(second_walk(1024), 25);
    assert_int_equal(second_walk(2048), 25);
    assert_int_equal(second_walk(2560), 95);
    assert_int_equal(second_walk(16384), 95);
}

TEST(a_line_at_hand_has_64_bytes)
{
    struct constants k = made("l1c.near=32");
    assert_int_equal(wait_for(&k, 0), 950);
    assert_int_equal(wait_for(&k, 32), 250);
    assert_int_equal(wait_for(&k, 64), 950);
    constants_flush(&k);
    assert_int_equal(wait_for(&k, 0), 950);
}

TEST(each_address_takes_its_turn)
{
    struct constants k = made("l1c.near=32");
    struct warp_addrs a = {.mask = UINT32_MAX, .affine = true, .stride = 0, .base = 64};
    assert_int_equal(constants_turns(&k, &a), 2);
    a.stride = 4;
    assert_int_equal(constants_turns(&k, &a), 64);
    a.mask = 0xff;
    assert_int_equal(constants_turns(&k, &a), 16);
}

TEST(parameters_are_not_concerned)
{
    struct req r = rig_req(WL_LOAD, L2_CONST >> LINE_SHIFT, 1);
    assert_true(constants_own(&r));
    r.line = L2_PARAM >> LINE_SHIFT;
    assert_false(constants_own(&r));
}
