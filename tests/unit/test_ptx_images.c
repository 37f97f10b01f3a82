/* test_ptx_images.c - textures of three dimensions, layers and cubes, gathers, queries; surfaces. */
#include "ptx_run.h"

#include "ptx/fpmath.h"

static struct ptx_test T;
enum { W = 4, H = 3, D = 6, HANDLE = 64 };

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define BEGIN                                                                                                          \
    ".entry k(.param .u64 h, .param .u64 i, .param .u64 o) {\n.reg .b64 %h,%in,%out; .reg .b32 %t,%r<8>; .reg .b16 "   \
    "%s<4>; .reg .f32 %c<8>; ld.param.u64 %h,[h]; ld.param.u64 %in,[i]; ld.param.u64 %out,[o]; mov.u32 %t,%tid.x;\n"   \
    "mad.wide.u32 %in,%t,16,%in; mad.wide.u32 %out,%t,16,%out; ld.global.v4.b32 {%r0,%r1,%r2,%r3},[%in]; "             \
    "ld.global.v4.f32 {%c0,%c1,%c2,%c3},[%in];\n"
#define END "st.global.v4.b32 [%out],{%r4,%r5,%r6,%r7}; ret; }\n"

/* A volume of floats, value 100 z + 10 y + x; rows of 32 bytes. */
static uint64_t volume(struct texture t)
{
    uint64_t base = dev_alloc(T.mem, 32 * H * D);
    float *p = dev_ptr(T.mem, base, 32 * H * D);
    for (unsigned z = 0; z < D; z++)
        for (unsigned y = 0; y < H; y++)
            for (unsigned x = 0; x < W; x++) p[(z * H + y) * 8 + x] = (float)(100 * z + 10 * y + x);
    t.base = base;
    t.pitch = 32;
    t.slice = 32 * H;
    t.width = W;
    t.height = H;
    t.depth = D;
    if (!t.bits) t.bits = 32;
    if (!t.channels) t.channels = 1;
    t.address[0] = t.address[1] = t.address[2] = TEX_CLAMP;
    assert_int_equal(dev_texture_set(T.mem, HANDLE, &t), 0);
    return base;
}

static const uint32_t *ask(const char *text, struct texture t, const void *in, unsigned lanes, uint64_t *base)
{
    ptx_test_load(&T, text);
    uint64_t b = volume(t), i = dev_alloc(T.mem, 16 * 32), o = dev_alloc(T.mem, 16 * 32), params[] = {HANDLE, i, o};
    if (base) *base = b;
    memcpy(dev_ptr(T.mem, i, 16 * lanes), in, 16 * lanes);
    ptx_test_must_run(&T, "k", 1, lanes, params);
    return dev_ptr(T.mem, o, 16 * 32);
}

TEST(a_volume_is_fetched_and_filtered)
{
    float at[4][4] = {{1.5f, 2.5f, 4.5f}, {-3, 0.5f, 9}, {1, 1, 1}, {2, 1.5f, 3}};
    const struct texture point = {.format = TEX_FLOAT}, linear = {.format = TEX_FLOAT, .linear = true};
    const char *kernel = HEAD BEGIN "tex.3d.v4.u32.f32 {%r4,%r5,%r6,%r7},[%h,{%c0,%c1,%c2,%c3}];\n" END;
    const float want_point[] = {421, 500, 111, 312}, want_linear[] = {421, 500, 55.5f, 261.5f};
    const uint32_t *v = ask(kernel, point, at, 4, NULL);
    for (unsigned i = 0; i < 4; i++) assert_true(f32_of(v[4 * i]) == want_point[i]);
    ptx_test_free(&T);
    v = ask(kernel, linear, at, 4, NULL);
    for (unsigned i = 0; i < 4; i++) assert_true(f32_of(v[4 * i]) == want_linear[i]);
    ptx_test_free(&T);
}

TEST(layers_and_faces_are_not_filtered)
{
    uint32_t at[3][4] = {{2, f32_bits(1.5f), f32_bits(0.5f), 0}, {9, f32_bits(0), f32_bits(2.5f), 0}, {0, 0, 0, 0}};
    const uint32_t *v = ask(HEAD BEGIN "tex.a2d.v4.u32.f32 {%r4,%r5,%r6,%r7},[%h,{%r0,%c1,%c2,%c2}];\n" END,
                            (struct texture){.format = TEX_FLOAT, .layered = true}, at, 3, NULL);
    assert_true(f32_of(v[0]) == 201);
    assert_true(f32_of(v[4]) == 520); /* the last layer */
    ptx_test_free(&T);
    float to[2][4] = {{1, 0.01f, -0.01f}, {0.01f, 0.01f, -1}}; /* faces 0 and 5, a little beside the middle */
    v = ask(HEAD BEGIN "tex.cube.v4.u32.f32 {%r4,%r5,%r6,%r7},[%h,{%c0,%c1,%c2,%c3}];\n" END,
            (struct texture){.format = TEX_FLOAT, .layered = true, .cube = true}, to, 2, NULL);
    assert_true(f32_of(v[0]) == 12);
    assert_true(f32_of(v[4]) == 511);
    ptx_test_free(&T);
}

TEST(a_gather_takes_four_texels)
{
    float at[1][4] = {{2, 1}};
    const uint32_t *v = ask(HEAD BEGIN "tld4.r.2d.v4.u32.f32 {%r4,%r5,%r6,%r7},[%h,{%c0,%c1}];\n" END,
                            (struct texture){.format = TEX_FLOAT}, at, 1, NULL);
    const float want[] = {11, 12, 2, 1};
    for (unsigned i = 0; i < 4; i++) assert_true(f32_of(v[i]) == want[i]);
    ptx_test_free(&T);
    v = ask(HEAD BEGIN "txq.width.b32 %r4,[%h]; txq.height.b32 %r5,[%h]; txq.depth.b32 %r6,[%h]; mov.u32 %r7,0;\n" END,
            (struct texture){.format = TEX_FLOAT}, at, 1, NULL);
    assert_true(v[0] == W && v[1] == H && v[2] == D);
    ptx_test_free(&T);
}

TEST(surfaces_are_read_and_written)
{
    uint32_t at[2][4] = {{4, 1, 3, 0}, {400, 1, 3, 0}}; /* x in bytes */
    uint64_t base;
    const uint32_t *v =
        ask(HEAD BEGIN "mov.u32 %r4,7; suld.b.3d.b32.zero {%r5},[%h,{%r0,%r1,%r2,%r3}];\n"
                       "sust.b.3d.b32.clamp [%h,{%r0,%r1,%r2,%r3}],{%r4};\n"
                       "suld.b.3d.b32.clamp %r6,[%h,{%r0,%r1,%r2,%r3}];\n"
                       "sured.b.add.3d.u32.zero [%h,{%r0,%r1,%r2,%r3}],%r4; mov.u32 %r7,0;\n" END,
            (struct texture){.format = TEX_UNSIGNED, .surface = true, .as_integer = true}, at, 2, &base);
    assert_true(f32_of(v[1]) == 311 && v[2] == 7);
    assert_true(v[5] == 0 && v[6] == 7);
    const uint32_t *p = dev_ptr(T.mem, base, 32 * H * D);
    assert_int_equal(p[(3 * H + 1) * 8 + 1], 14);
    assert_int_equal(p[(3 * H + 1) * 8 + 3], 7);
    ptx_test_free(&T);
}

TEST(a_surface_traps_outside)
{
    ptx_test_load(&T, HEAD BEGIN
                  "sust.b.2d.b32.trap [%h,{%r0,%r1}],{%r2}; mov.b32 %r4,0; mov.b32 %r5,0; mov.b32 %r6,0; mov.b32 "
                  "%r7,0;\n" END);
    uint32_t at[4] = {16, 0, 0, 0};
    volume((struct texture){.format = TEX_UNSIGNED, .surface = true});
    uint64_t i = dev_alloc(T.mem, 16), o = dev_alloc(T.mem, 16), params[] = {HANDLE, i, o};
    memcpy(dev_ptr(T.mem, i, 16), at, 16);
    assert_true(ptx_test_run(&T, "k", 1, 1, params) < 0);
    assert_non_null(strstr(T.err.text, "a surface of 4 x 3 x 6 is accessed at (16, 0, 0)"));
    ptx_test_free(&T);
}

/* ---- where the timing half sees texels of an array ---- */

struct seen_at {
    uint32_t x, y;
    uint64_t offset; /* from the array's base */
};

static void expect_seen(const struct seen_at *want, unsigned n, enum texel_layout layout, struct texture t)
{
    uint32_t at[8][4] = {0};
    for (unsigned i = 0; i < n; i++) at[i][0] = want[i].x, at[i][1] = want[i].y;
    ptx_test_load(&T, HEAD BEGIN "tex.2d.v4.u32.s32 {%r4,%r5,%r6,%r7},[%h,{%r0,%r1}];\n" END);
    t.pitch = (uint64_t)t.width * t.bits / 8 * t.channels;
    t.base = dev_alloc(T.mem, t.pitch * t.height);
    t.depth = 1;
    assert_int_equal(dev_texture_set(T.mem, HANDLE, &t), 0);
    dev_set_texels(T.mem, layout);
    uint64_t in = dev_alloc(T.mem, sizeof at), out = dev_alloc(T.mem, sizeof at), params[] = {HANDLE, in, out};
    memcpy(dev_ptr(T.mem, in, sizeof at), at, sizeof at);
    ptx_test_must_run(&T, "k", 1, n, params);
    for (unsigned i = 0; i < n; i++) assert_int_equal(warp_addr(&T.fetched, i), t.base + want[i].offset);
    ptx_test_free(&T);
}

/* Worked by hand from GPGPU-Sim 3.2.2's cuda-sim.cc:131-175 and instructions.cc:4020-4034. */
TEST(arrays_are_seen_in_tiles_that_overlap)
{
    /* 2 bytes: tiles of 16 x 4 texels, 40 texels are two and a half tiles wide. Row 4: 1 * 40 / 16 = 2 tiles. */
    const struct seen_at two[] = {{0, 0, 0},   {14, 0, 28}, {16, 0, 64},
                                  {2, 3, 100}, {0, 4, 128}, {18, 9, 5 * 64 + 64 + 36}};
    expect_seen(two, 6, TEXEL_TILES,
                (struct texture){.width = 40, .height = 12, .bits = 16, .channels = 1, .array = true});
    /* 4 bytes: 8 x 4. */
    const struct seen_at four[] = {{7, 0, 28}, {8, 0, 64}, {0, 1, 32}, {9, 6, (2 + 1) * 64 + 2 * 32 + 4}};
    expect_seen(four, 4, TEXEL_TILES,
                (struct texture){.width = 16, .height = 8, .bits = 32, .channels = 1, .array = true});
    /* 16 bytes: 4 x 2. */
    const struct seen_at sixteen[] = {{3, 0, 48}, {4, 0, 64}, {3, 1, 112}, {5, 5, (2 * 2 + 1) * 64 + 64 + 16}};
    expect_seen(sixteen, 4, TEXEL_TILES,
                (struct texture){.width = 8, .height = 6, .bits = 32, .channels = 4, .array = true});
}

/* Worked by hand from texture.c's description: sectors of 16 bytes by 2 rows, four of them down, then the next 32
 * bytes. */
TEST(arrays_are_seen_in_blocks_of_64_bytes_by_8_rows)
{
    const struct seen_at two[] = {{2, 0, 4},   {0, 1, 16},   {8, 0, 32},   {10, 1, 32 + 16 + 4}, {0, 2, 64},
                                  {0, 7, 208}, {16, 0, 256}, {32, 0, 512}, {0, 8, 1024}};
    expect_seen(two, 8, TEXEL_BLOCKS,
                (struct texture){.width = 40, .height = 16, .bits = 16, .channels = 1, .array = true});
    expect_seen(two + 8, 1, TEXEL_BLOCKS,
                (struct texture){.width = 40, .height = 16, .bits = 16, .channels = 1, .array = true});
}

TEST(rows_are_seen_in_rows)
{
    const struct seen_at rows[] = {{8, 0, 32}, {0, 1, 64}, {9, 6, 6 * 64 + 36}};
    const struct texture t = {.width = 16, .height = 8, .bits = 32, .channels = 1};
    struct texture array = t;
    array.array = true;
    expect_seen(rows, 3, TEXEL_ROWS, array); /* of a machine without tiles */
    expect_seen(rows, 3, TEXEL_TILES, t);    /* pitched memory, which GPGPU-Sim does not have, has no tiles */
}
