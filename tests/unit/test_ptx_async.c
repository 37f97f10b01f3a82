/* test_ptx_async.c - asynchronous copies, mbarriers, tensors, elections, and the 16-bit formats: what newer machines
 * have that older ones do not. */
#include <stdio.h>

#include "ptx_run.h"

#include "ptx/tensor_map.h"

static struct ptx_test T;

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

static void *run_words(const char *kernel, uint32_t threads, const void *in, size_t nin, size_t nout)
{
    ptx_test_load(&T, kernel);
    uint64_t a = dev_alloc(T.mem, nin + 16), b = dev_alloc(T.mem, nout), params[] = {a, b};
    memcpy(dev_ptr(T.mem, a, nin), in, nin);
    ptx_test_must_run(&T, "k", 1, threads, params);
    return dev_ptr(T.mem, b, nout);
}

/* ---- cp.async ---- */

TEST(cp_async_copies_and_fills_with_zero)
{
    uint32_t in[32 * 4];
    for (unsigned i = 0; i < 128; i++) in[i] = i + 1;
    /* lane i reads i % 17 bytes; a quarter of the lanes ignores its source */
    const uint32_t *out = run_words(
        HEAD ".entry k(.param .u64 i, .param .u64 o) {\n.reg .b64 %in,%out; .reg .b32 %t,%s,%n,%v<4>; .reg .pred %p;\n"
             ".shared .align 16 .b8 m[1024];\nld.param.u64 %in,[i]; ld.param.u64 %out,[o]; mov.u32 %t,%tid.x;\n"
             "mad.wide.u32 %in,%t,16,%in; mad.wide.u32 %out,%t,32,%out; mov.u32 %s,m; mad.lo.u32 %s,%t,32,%s;\n"
             "rem.u32 %n,%t,17; and.b32 %v0,%t,3; setp.eq.u32 %p,%v0,0;\n"
             "cp.async.ca.shared.global [%s],[%in],16,%n; cp.async.commit_group;\n"
             "cp.async.cg.shared::cta.global.L2::128B [%s+16],[%in],16,%p; cp.async.commit_group;\n"
             "cp.async.wait_group 1; cp.async.wait_all;\n"
             "ld.shared.v4.b32 {%v0,%v1,%v2,%v3},[%s]; st.global.v4.b32 [%out],{%v0,%v1,%v2,%v3};\n"
             "ld.shared.v4.b32 {%v0,%v1,%v2,%v3},[%s+16]; st.global.v4.b32 [%out+16],{%v0,%v1,%v2,%v3}; ret; }\n",
        32, in, sizeof in, 1024);
    for (unsigned i = 0; i < 32; i++) {
        uint32_t want[4] = {0}, zero[4] = {0};
        memcpy(want, in + 4 * i, i % 17);
        assert_memory_equal(out + 8 * i, want, 16);
        assert_memory_equal(out + 8 * i + 4, i % 4 ? in + 4 * i : zero, 16);
    }
    ptx_test_free(&T);
}

TEST(a_copy_from_nowhere_is_a_fault)
{
    ptx_test_load(&T, HEAD ".entry k() {\n.reg .b64 %q; .shared .align 16 .b8 m[16]; mov.u64 %q,4096;\n"
                           "cp.async.ca.shared.global [m],[%q],16; ret; }\n");
    assert_true(ptx_test_run(&T, "k", 1, 1, NULL) < 0);
    assert_non_null(strstr(T.err.text, "out-of-bounds global copy of 16 bytes at 0x1000"));
    ptx_test_free(&T);
}

/* ---- mbarrier ---- */

/* Warp 0 fills a buffer four times, warp 1 adds it up; each waits for the other with the parity of a phase. */
TEST(a_producer_and_a_consumer_meet_at_mbarriers)
{
    uint32_t in[4] = {3, 5, 7, 11};
    const uint32_t *out = run_words(
        HEAD
        ".entry k(.param .u64 i, .param .u64 o) {\n.reg .b64 %in,%out,%st; .reg .b32 %t,%n,%v,%sum,%ph,%lane; "
        ".reg .pred %p,%w;\n.shared .align 8 .b64 full; .shared .align 8 .b64 empty; .shared .align 4 .b32 box[32];\n"
        "ld.param.u64 %in,[i]; ld.param.u64 %out,[o]; mov.u32 %t,%tid.x; and.b32 %lane,%t,31; mov.u32 %n,0;\n"
        "setp.ne.u32 %p,%t,0; @%p bra I; mbarrier.init.shared::cta.b64 [full],32; mbarrier.init.shared.b64 "
        "[empty],32; fence.mbarrier_init.release.cluster;\nI: bar.sync 0; mov.u32 %sum,0;\n"
        "setp.lt.u32 %w,%t,32; mul.lo.u32 %v,%lane,4; @%w bra P;\n"
        "C: and.b32 %ph,%n,1;\nC1: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p,[full],%ph; @!%p bra C1;\n"
        "{ .reg .b32 %a,%x; mov.u32 %a,box; add.u32 %a,%a,%v; ld.shared.u32 %x,[%a]; add.u32 %sum,%sum,%x; }\n"
        "mbarrier.arrive.shared::cta.b64 %st,[empty]; add.u32 %n,%n,1; setp.lt.u32 %p,%n,4; @%p bra C;\n"
        "mad.wide.u32 %out,%lane,4,%out; st.global.u32 [%out],%sum; ret;\n"
        "P: setp.eq.u32 %p,%n,0; @%p bra P2; sub.u32 %ph,%n,1; and.b32 %ph,%ph,1;\n"
        "P1: mbarrier.test_wait.parity.shared.b64 %p,[empty],%ph; @!%p bra P1;\n"
        "P2: { .reg .b32 %a,%x; .reg .b64 %q; mad.wide.u32 %q,%n,4,%in; ld.global.u32 %x,[%q]; add.u32 %x,%x,%lane; "
        "mov.u32 %a,box; add.u32 %a,%a,%v; st.shared.u32 [%a],%x; }\n"
        "mbarrier.arrive.release.cta.shared::cta.b64 _,[full]; add.u32 %n,%n,1; setp.lt.u32 %p,%n,4; @%p bra P; ret; "
        "}\n",
        64, in, sizeof in, 128);
    for (unsigned i = 0; i < 32; i++) assert_int_equal(out[i], 3 + 5 + 7 + 11 + 4 * i);
    ptx_test_free(&T);
}

TEST(a_phase_ends_with_its_bytes)
{
    uint32_t in[64];
    for (unsigned i = 0; i < 64; i++) in[i] = 1000 + i;
    /* out: waited before, waited after the copy, pending count of the state, the copied words */
    const uint32_t *out = run_words(
        HEAD ".entry k(.param .u64 i, .param .u64 o) {\n.reg .b64 %in,%out,%st; .reg .b32 %v<4>; .reg .pred %p,%q;\n"
             ".shared .align 16 .b8 m[256]; .shared .align 8 .b64 bar;\nld.param.u64 %in,[i]; ld.param.u64 %out,[o];\n"
             "mbarrier.init.shared.b64 [bar],1;\nmbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %st,[bar],256;\n"
             "mbarrier.test_wait.shared.b64 %p,[bar],%st; selp.u32 %v0,1,0,%p;\n"
             "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [m],[%in],256,[bar];\n"
             "mbarrier.test_wait.shared.b64 %q,[bar],%st; selp.u32 %v1,1,0,%q; mbarrier.pending_count.b64 %v2,%st;\n"
             "ld.shared.u32 %v3,[m+252]; st.global.v4.b32 [%out],{%v0,%v1,%v2,%v3};\n"
             "add.u64 %out,%out,256; cp.async.bulk.global.shared::cta.bulk_group [%out],[m],256;\n"
             "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%out],[m],16; cp.async.bulk.commit_group;\n"
             "cp.async.bulk.wait_group.read 0; ret; }\n",
        1, in, sizeof in, 512);
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], 1);
    assert_int_equal(out[2], 1);
    assert_int_equal(out[3], 1063);
    for (unsigned i = 0; i < 64; i++) assert_int_equal(out[64 + i], (i < 4 ? 2 : 1) * (1000 + i));
    ptx_test_free(&T);
}

TEST(an_arrival_too_many_is_a_fault)
{
    ptx_test_load(&T, HEAD ".entry k() {\n.reg .b64 %s; .shared .align 8 .b64 bar;\n"
                           "mbarrier.init.shared.b64 [bar],1; mbarrier.arrive.shared.b64 %s,[bar],2; ret; }\n");
    assert_true(ptx_test_run(&T, "k", 1, 1, NULL) < 0);
    assert_non_null(strstr(T.err.text, "2 arrivals where 1 are to come"));
    ptx_test_free(&T);
}

/* ---- tensors ---- */

/* A box of 8 x 8 words of a 20 x 10 tensor, with a corner outside; plain and with the swizzle of 32 bytes. */
static void tensor_box(unsigned swizzle)
{
    uint8_t map[TENSOR_MAP_BYTES];
    ptx_test_load(
        &T, HEAD
        ".entry k(.param .align 64 .b8 map[128], .param .u64 o) {\n.reg .b64 %q,%out; .reg .b32 %t,%v,%s; .reg .pred "
        "%p;\n"
        ".shared .align 128 .b8 m[256]; .shared .align 8 .b64 bar;\nld.param.u64 %out,[o]; mov.b64 %q,map; "
        "cvta.param.u64 %q,%q; mov.u32 %t,%tid.x; mbarrier.init.shared.b64 [bar],1;\n"
        "setp.ne.u32 %p,%t,0; @%p bra W; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar],256;\n"
        "mov.u32 %v,-2; mov.u32 %s,5; prefetch.tensormap [%q];\n"
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [m],[%q,{%v,%s}],[bar];\n"
        "W: bar.warp.sync -1; mov.u32 %s,m; mad.lo.u32 %s,%t,4,%s; mad.wide.u32 %out,%t,4,%out;\n"
        "ld.shared.u32 %v,[%s]; st.global.u32 [%out],%v; ld.shared.u32 %v,[%s+128]; st.global.u32 [%out+128],%v; ret; "
        "}\n");
    uint64_t data = dev_alloc(T.mem, 800), out = dev_alloc(T.mem, 256);
    uint32_t *d = dev_ptr(T.mem, data, 800);
    for (unsigned i = 0; i < 200; i++) d[i] = i + 1;
    struct tensor_map t = {.base = data,
                           .size = {20, 10},
                           .stride = {4, 80},
                           .box = {8, 8},
                           .step = {1, 1},
                           .dims = 2,
                           .type = T_U32,
                           .element = 4,
                           .swizzle = (uint8_t)swizzle};
    tensor_map_write(&t, map);
    struct {
        uint8_t map[128];
        uint64_t out;
    } params = {.out = out};
    memcpy(params.map, map, sizeof map);
    ptx_test_must_run(&T, "k", 1, 32, &params);
    const uint32_t *have = dev_ptr(T.mem, out, 256);
    for (unsigned y = 0; y < 8; y++)
        for (unsigned x = 0; x < 8; x++) {
            unsigned byte = 4 * (8 * y + x), at = swizzle ? byte ^ (byte >> 7 & 1) << 4 : byte;
            uint32_t want = x >= 2 && y < 5 ? 20 * (y + 5) + x - 2 + 1 : 0;
            assert_int_equal(have[at / 4], want);
        }
    ptx_test_free(&T);
}

/* As an H200 does it: rounded to even, one NaN; the fill is one pattern for all types. */
TEST(tensor_copies_round_tf32_and_fill)
{
    static const uint32_t pairs[][2] = {{0x3f801000, 0x3f800000}, {0x3f803000, 0x3f804000}, {0x3f801001, 0x3f802000},
                                        {0xbf803000, 0xbf804000}, {0x7f800000, 0x7f800000}, {0x7f800001, 0x7fffe000},
                                        {0xffc12345, 0x7fffe000}, {0x7f7fffff, 0x7f800000}, {0x00003000, 0x00004000}};
    struct tensor_map t = {.type = T_TF32, .element = 4, .nan_fill = true};
    uint32_t v;
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        v = pairs[i][0];
        tensor_round(&t, (uint8_t *)&v);
        assert_int_equal(v, pairs[i][1]);
    }
    tensor_fill(&t, (uint8_t *)&v);
    assert_int_equal(v, 0x7ff77ff7);
    t = (struct tensor_map){.type = T_F32, .element = 4};
    v = 0x3f801000;
    tensor_round(&t, (uint8_t *)&v);
    assert_int_equal(v, 0x3f801000);
}

/* A kernel brings a map to shared memory, changes it there and puts it back to global memory. */
TEST(kernels_change_tensor_maps)
{
    struct tensor_map t = {.base = 4096,
                           .size = {20, 10},
                           .stride = {4, 80},
                           .box = {8, 8},
                           .step = {1, 1, 1, 1, 1},
                           .dims = 2,
                           .type = T_U32,
                           .element = 4},
                      now;
    ptx_test_load(
        &T, HEAD ".entry k(.param .u64 i, .param .u64 o) {\n.reg .b64 %in,%out,%a; .reg .b32 %t,%v,%s; .reg .pred %p;\n"
                 ".shared .align 128 .b8 m[128]; ld.param.u64 %in,[i]; ld.param.u64 %out,[o]; mov.u32 %t,%tid.x;\n"
                 "mad.wide.u32 %a,%t,4,%in; ld.global.u32 %v,[%a]; mov.u32 %s,m; mad.lo.u32 %s,%t,4,%s;\n"
                 "st.shared.u32 [%s],%v; bar.warp.sync -1; setp.ne.u32 %p,%t,0; @%p bra W; mov.b64 %a,8192;\n"
                 "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [m],%a;\n"
                 "tensormap.replace.tile.rank.shared::cta.b1024.b32 [m],2;\n"
                 "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [m],2,30;\n"
                 "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [m],2,3; mov.b64 %a,160;\n"
                 "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [m],1,%a;\n"
                 "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [m],3;\n"
                 "tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [m],1;\n"
                 "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [m],9;\n"
                 "W: bar.warp.sync -1; mov.u32 %s,m;\n"
                 "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
                 "[%out],[%s],128;\n"
                 "@%p bra E; tensormap.replace.tile.element_stride.global.b1024.b32 [%out],0,2;\nE: ret; }\n");
    uint64_t params[] = {dev_alloc(T.mem, 128), dev_alloc(T.mem, 128)};
    tensor_map_write(&t, dev_ptr(T.mem, params[0], 128));
    ptx_test_must_run(&T, "k", 1, 32, params);
    assert_null(tensor_map_read(dev_ptr(T.mem, params[1], 128), &now));
    assert_int_equal(now.base, 8192);
    assert_int_equal(now.dims, 3);
    assert_int_equal(now.size[2], 30);
    assert_int_equal(now.box[2], 3);
    assert_int_equal(now.stride[2], 160);
    assert_int_equal(now.swizzle, 128);
    assert_true(now.nan_fill);
    assert_int_equal(now.type, T_F64); /* 9: what an H200 does with it */
    assert_int_equal(now.element, 8);
    assert_int_equal(now.step[0], 2);
    assert_int_equal(now.size[0], 20); /* the rest is as it was */
    assert_null(tensor_map_read(dev_ptr(T.mem, params[0], 128), &now));
    assert_int_equal(now.base, 4096);
    ptx_test_free(&T);
}

TEST(a_box_of_a_tensor_is_copied)
{
    tensor_box(0);
    tensor_box(32);
}

/* ---- small ones ---- */

TEST(one_lane_is_elected)
{
    uint32_t in[1] = {0};
    const uint32_t *out = run_words(
        HEAD ".entry k(.param .u64 i, .param .u64 o) {\n.reg .b64 %out,%h,%g; .reg .b32 %t,%v,%w; .reg .pred %p;\n"
             "ld.param.u64 %out,[o]; ld.param.u64 %g,[i]; mov.u32 %t,%tid.x; mad.wide.u32 %out,%t,4,%out;\n"
             "elect.sync %v|%p,0xfffffff0; selp.u32 %w,100,0,%p; add.u32 %v,%v,%w;\n"
             "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %h,0f3f800000;\n"
             "createpolicy.fractional.L2::evict_first.b64 %h;\n"
             "ld.global.L1::evict_last.L2::cache_hint.b32 {%w},[%g+0],%h; prefetch.global.L2::evict_last [%g]; "
             "prefetch.global.L1 [%h]; prefetch.L2 [%g];\n"
             "discard.global.L2 [%g],128; applypriority.global.L2::evict_normal [%g],128;\n"
             "griddepcontrol.wait; griddepcontrol.launch_dependents; setmaxnreg.inc.sync.aligned.u32 232;\n"
             "fence.proxy.async; fence.proxy.async.shared::cta; fence.acq_rel.cluster; "
             "fence.proxy.tensormap::generic.acquire.gpu [%g],128;\n"
             "st.global.L2::cache_hint.b32 [%out],{%v},%h; ret; }\n",
        32, in, sizeof in, 128);
    for (unsigned i = 0; i < 32; i++) assert_int_equal(out[i], i == 4 ? 104 : 4);
    ptx_test_free(&T);
}

/* ---- 16 bits ---- */

struct half_row {
    const char *body;
    uint32_t a, b, c, want;
};

/* clang-format off */
static const struct half_row halves[] = {
    {"add.rn.bf16x2 %r,%a,%b;", 0x3f804000, 0x3f80bf80, 0, 0x40003f80},          /* 1+1, 2-1 */
    {"fma.rn.bf16 %r1,%a1,%b1,%c1;", 0x3f81, 0x3f81, 0x3300, 0x3f82},            /* 1.0078125^2 + tiny rounds once */
    {"fma.rn.relu.bf16x2 %r,%a,%b,%c;", 0x3f80bf80, 0x40004000, 0, 0x40000000},
    {"fma.rn.relu.f16x2 %r,%a,%b,%c;", 0x3c00bc00, 0x40004000, 0, 0x40000000},
    {"mul.bf16x2 %r,%a,%b;", 0x7f7f0001, 0x40003f00, 0, 0x7f800000},             /* overflow; a tie to even */
    {"max.NaN.bf16x2 %r,%a,%b;", 0x7fc03f80, 0x3f804000, 0, 0x7fff4000},
    {"max.bf16x2 %r,%a,%b;", 0x7fc03f80, 0x3f804000, 0, 0x3f804000},
    {"min.f16x2 %r,%a,%b;", 0x80003c00, 0x00004000, 0, 0x80003c00},
    {"min.NaN.f16x2 %r,%a,%b;", 0x7e003c00, 0x00004000, 0, 0x7fff3c00},
    {"min.xorsign.abs.f16x2 %r,%a,%b;", 0xbc00c000, 0x3800c400, 0, 0xb8004000},
    {"max.xorsign.abs.f32 %r,%a,%b;", 0xbf800000, 0x40000000, 0, 0xc0000000},
    {"abs.bf16x2 %r,%a;", 0xbf80ff80, 0, 0, 0x3f807f80},
    {"neg.bf16x2 %r,%a;", 0x3f80ffff, 0, 0, 0xbf807fff},
    {"add.ftz.f16x2 %r,%a,%b;", 0x00018001, 0, 0, 0},
    {"sub.f16x2 %r,%a,%b;", 0x40003c00, 0x3c003c00, 0, 0x3c000000},
    {"ex2.approx.ftz.bf16x2 %r,%a;", 0x40003f80, 0, 0, 0x40804000},
    {"tanh.approx.bf16x2 %r,%a;", 0x0000ff80, 0, 0, 0x0000bf80},
    {"set.gt.u32.bf16x2 %r,%a,%b;", 0x40003f80, 0x3f804000, 0, 0xffff0000},
    {"set.le.bf16x2.bf16x2 %r,%a,%b;", 0x40003f80, 0x3f804000, 0, 0x00003f80},
    {"set.eq.f16x2.f16x2 %r,%a,%b;", 0x40003c00, 0x40003c01, 0, 0x3c000000},
    {"add.u16x2 %r,%a,%b;", 0xffff0001, 0x00020003, 0, 0x00010004},
    {"max.relu.s16x2 %r,%a,%b;", 0xfffffffe, 0xfffd0003, 0, 0x00000003},
    {"min.u16x2 %r,%a,%b;", 0xffff0001, 0x00020003, 0, 0x00020001},
    {"max.relu.s32 %r,%a,%b;", 0xffffffff, 0x80000000, 0, 0},
    {"cvt.rn.f16x2.f32 %r,%a,%b;", 0x3f800000, 0xc0000000, 0, 0x3c00c000},
    {"cvt.rn.relu.f16x2.f32 %r,%a,%b;", 0x3f800000, 0xc0000000, 0, 0x3c000000},
    {"cvt.rn.bf16x2.f32 %r,%a,%b;", 0x3f808000, 0x3f818000, 0, 0x3f803f82},      /* ties to even */
    {"cvt.rz.bf16x2.f32 %r,%a,%b;", 0x3f80ffff, 0xbf81ffff, 0, 0x3f80bf81},
    {"cvt.rn.bf16.f32 %r1,%a;", 0x7fc12345, 0, 0, 0x7fff},
    {"cvt.rna.tf32.f32 %r,%a;", 0x3f801000, 0, 0, 0x3f802000},
    {"cvt.rn.tf32.f32 %r,%a;", 0x3f801000, 0, 0, 0x3f800000},
    {"cvt.rna.tf32.f32 %r,%a;", 0x7f7fffff, 0, 0, 0x7f800000},
    {"cvt.rna.tf32.f32 %r,%a;", 0x7f800001, 0, 0, 0x7f800000}, /* NaNs: what an H200 gives (tests/gpu/modern.h) */
    {"cvt.rna.tf32.f32 %r,%a;", 0xffffffff, 0, 0, 0xffffe000},
    {"cvt.rz.tf32.f32 %r,%a;", 0xffc12345, 0, 0, 0x7fffe000},
    {"cvt.rn.satfinite.e4m3x2.f32 %r1,%a,%b;", 0x43fa0000, 0xbf800000, 0, 0x7eb8}, /* 500 clamps to 448; -1 */
    {"cvt.rn.satfinite.e5m2x2.f32 %r1,%a,%b;", 0x3f800000, 0x7fc00000, 0, 0x3c7f},
    {"cvt.rn.satfinite.relu.e4m3x2.f16x2 %r1,%a;", 0x3c00bc00, 0, 0, 0x3800},
    {"cvt.rn.f16x2.e4m3x2 %r,%a1;", 0x38b8, 0, 0, 0x3c00bc00},
    {"cvt.rn.f16x2.e4m3x2 %r,%a1;", 0x017f, 0, 0, 0x18007fff},                   /* least number 2^-9; NaN */
    {"cvt.rn.f16x2.e5m2x2 %r,%a1;", 0x7c01, 0, 0, 0x7c000100},
    {"cvt.pack.sat.s16.s32 %r,%a,%b;", 70000, (uint32_t)-3, 0, 0x7ffffffd},
    {"cvt.pack.sat.u8.s32.b32 %r,%a,%b,%c;", 300, (uint32_t)-3, 0x1234, 0x1234ff00},
};
/* clang-format on */

TEST(sixteen_bits_and_eight)
{
    for (size_t i = 0; i < COUNT(halves); i++) {
        const struct half_row *h = &halves[i];
        char kernel[2048];
        uint32_t in[3] = {h->a, h->b, h->c};
        snprintf(kernel, sizeof kernel,
                 HEAD
                 ".entry k(.param .u64 i, .param .u64 o) {\n.reg .b64 %%in,%%out; .reg .b32 %%r,%%a,%%b,%%c; .reg .b16 "
                 "%%r1,%%a1,%%b1,%%c1,%%z;\nld.param.u64 %%in,[i]; ld.param.u64 %%out,[o]; ld.global.u32 %%a,[%%in]; "
                 "ld.global.u32 %%b,[%%in+4]; ld.global.u32 %%c,[%%in+8]; cvt.u16.u32 %%a1,%%a; cvt.u16.u32 %%b1,%%b; "
                 "cvt.u16.u32 %%c1,%%c; mov.b16 %%r1,0; mov.b32 %%r,0;\n%s\n%s st.global.u32 [%%out],%%r; ret; }\n",
                 h->body, strstr(h->body, "%r1") ? "cvt.u32.u16 %r,%r1;" : "");
        const uint32_t *out = run_words(kernel, 1, in, sizeof in, 4);
        if (*out != h->want) print_error("%s gave %08x, not %08x\n", h->body, *out, h->want);
        assert_int_equal(*out, h->want);
        ptx_test_free(&T);
    }
}

TEST(atomics_of_pairs_and_vectors)
{
    uint32_t in[4] = {0x3f803f80, 0x3c003c00, 0, 0};
    const uint32_t *out = run_words(
        HEAD ".entry k(.param .u64 i, .param .u64 o) {\n.reg .b64 %in,%out; .reg .b32 %v,%w; .reg .f32 %f<4>;\n"
             "ld.param.u64 %in,[i]; ld.param.u64 %out,[o]; ld.global.v2.b32 {%v,%w},[%in]; mov.f32 %f0,0f3f800000;\n"
             "mov.f32 %f1,0f40000000; mov.f32 %f2,0f40400000; mov.f32 %f3,0f40800000;\n"
             "red.global.add.noftz.bf16x2 [%out],%v; red.global.add.noftz.f16x2 [%out+4],%w;\n"
             "red.global.v4.f32.add [%out+16],{%f0,%f1,%f2,%f3}; ret; }\n",
        8, in, sizeof in, 32);
    const float *f = (const float *)(const void *)out;
    assert_int_equal(out[0], 0x41004100); /* 8 twice */
    assert_int_equal(out[1], 0x48004800);
    for (unsigned k = 0; k < 4; k++) assert_true(f[4 + k] == 8 * (float)(k + 1));
    ptx_test_free(&T);
}

/* ---- clusters ---- */

/* Four CTAs of 32: each writes its rank to the next one's shared memory, adds atomically to the first one's, and after
 * the second meeting stores what it has. Rank 0 also copies a piece to all of them. */
TEST(a_cluster_shares_memory)
{
    ptx_test_load(&T, HEAD
                  ".entry k(.param .u64 i, .param .u64 o) .reqnctapercluster 4 {\n.reg .b64 %out,%in,%g; .reg .b32 "
                  "%r,%n,%a,%v,%t,%c,%k<3>; "
                  ".reg .b16 %all; .reg .pred %p;\n.shared .align 16 .b8 piece[16]; .shared .align 4 .b32 box; .shared "
                  ".align 4 .b32 sum; "
                  ".shared .align 8 .b64 bar;\nld.param.u64 %in,[i]; ld.param.u64 %out,[o]; mov.u32 %t,%tid.x; mov.u32 "
                  "%c,%ctaid.x; "
                  "mov.u32 %r,%cluster_ctarank; mov.u32 %n,%cluster_nctarank;\n"
                  "setp.ne.u32 %p,%t,0; @%p bra M; mbarrier.init.shared.b64 [bar],1; "
                  "mbarrier.arrive.expect_tx.shared::cta.b64 _,[bar],16;\n"
                  "M: barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned; @%p bra W;\n"
                  "add.u32 %a,%r,1; rem.u32 %a,%a,%n; mov.u32 %v,box; mapa.shared::cluster.u32 %v,%v,%a; "
                  "st.shared::cluster.u32 [%v],%r;\n"
                  "mov.u64 %g,sum; cvta.shared.u64 %g,%g; mapa.u64 %g,%g,0; add.u32 %a,%r,10; red.add.u32 [%g],%a;\n"
                  "setp.ne.u32 %p,%r,0; @%p bra W; mov.u16 %all,15;\n"
                  "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                  "[piece],[%in],16,[bar],%all;\n"
                  "W: barrier.cluster.arrive; barrier.cluster.wait;\n"
                  "L: mbarrier.try_wait.parity.shared.b64 %p,[bar],0; @!%p bra L; ld.shared.u32 %k0,[box]; "
                  "ld.shared.u32 %k1,[sum]; "
                  "ld.shared.u32 %k2,[piece+12]; mov.u32 %v,%clusterid.x; mad.wide.u32 %out,%c,16,%out; setp.ne.u32 "
                  "%p,%t,0; @%p bra E;\n"
                  "st.global.v4.b32 [%out],{%k0,%k1,%k2,%v};\nE: ret; }\n");
    uint64_t in = dev_alloc(T.mem, 16), out = dev_alloc(T.mem, 128), params[] = {in, out};
    uint32_t *words = dev_ptr(T.mem, in, 16), *have = dev_ptr(T.mem, out, 128);
    words[3] = 77;
    ptx_test_must_run(&T, "k", 8, 32, params);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(have[4 * i], (i % 4 + 3) % 4);
        assert_int_equal(have[4 * i + 1], i % 4 ? 0 : 10 + 11 + 12 + 13);
        assert_int_equal(have[4 * i + 2], 77);
        assert_int_equal(have[4 * i + 3], i / 4);
    }
    assert_true(ptx_test_run(&T, "k", 6, 32, params) < 0); /* six are no clusters of four */
    assert_non_null(strstr(T.err.text, "not made of clusters"));
    ptx_test_free(&T);
}

TEST(a_neighbour_that_has_not_started_is_a_fault)
{
    ptx_test_load(&T, HEAD ".entry k() .reqnctapercluster 2 {\n.reg .b32 %a; .shared .align 4 .b32 x; mov.u32 %a,x;\n"
                           "mapa.shared::cluster.u32 %a,%a,1; st.shared::cluster.u32 [%a],%a; ret; }\n");
    assert_true(ptx_test_run(&T, "k", 2, 1, NULL) < 0);
    assert_non_null(strstr(T.err.text, "before that CTA has started"));
    ptx_test_free(&T);
}
