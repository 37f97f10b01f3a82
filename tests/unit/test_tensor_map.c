/* test_tensor_map.c - tensor maps whose bytes a kernel has overwritten, and prefetches of more than there is: each is
 * refused or fetched in part, and ends. */
#include "ptx_run.h"

#include "ptx/ir.h"
#include "ptx/tensor_map.h"

static struct ptx_test T;

#define HEAD ".version 8.2\n.target sm_90a\n.address_size 64\n"

static const struct tensor_map sound = {.base = 4096,
                                        .size = {20, 10, 1, 1, 1},
                                        .stride = {4, 80, 0, 0, 0},
                                        .box = {8, 8, 1, 1, 1},
                                        .step = {1, 1, 1, 1, 1},
                                        .dims = 2,
                                        .type = T_U32,
                                        .element = 4};

static const char *reads(const struct tensor_map *t)
{
    uint8_t bytes[TENSOR_MAP_BYTES];
    struct tensor_map back;
    tensor_map_write(t, bytes);
    return tensor_map_read(bytes, &back);
}

TEST(what_was_written_is_read)
{
    uint8_t bytes[TENSOR_MAP_BYTES];
    struct tensor_map back;
    tensor_map_write(&sound, bytes);
    assert_null(tensor_map_read(bytes, &back));
    assert_memory_equal(&back, &sound, sizeof back);
}

/* A type of no size would be a loop without end, one larger than the element a write behind shared memory. */
TEST(types_and_sizes_of_elements_belong_together)
{
    static const uint8_t bytes_of[256] = {
        [T_U8] = 1,  [T_U16] = 2,  [T_U32] = 4,  [T_S32] = 4, [T_U64] = 8, [T_S64] = 8,
        [T_F16] = 2, [T_BF16] = 2, [T_TF32] = 4, [T_F32] = 4, [T_F64] = 8};
    for (unsigned type = 0; type < 256; type++)
        for (unsigned element = 0; element < 20; element++) {
            struct tensor_map t = sound;
            t.type = (uint8_t)type;
            t.element = (uint8_t)element;
            bool fits = element && bytes_of[type] == element;
            if ((reads(&t) == NULL) != fits) print_error("type %u, %u bytes\n", type, element);
            assert_int_equal(reads(&t) == NULL, fits);
        }
}

TEST(swizzles_boxes_and_steps_that_no_call_makes_are_refused)
{
    for (unsigned v = 0; v < 256; v++) {
        struct tensor_map t = sound, u = sound, w = sound;
        t.swizzle = (uint8_t)v;
        u.step[1] = v;
        w.dims = (uint8_t)v;
        assert_int_equal(reads(&t) == NULL, v == 0 || v == 32 || v == 64 || v == 128);
        assert_int_equal(reads(&u) == NULL, v >= 1 && v <= 8);
        assert_int_equal(reads(&w) == NULL, v >= 1 && v <= 5);
        w.im2col = true;
        assert_int_equal(reads(&w) == NULL, v >= 3 && v <= 5);
    }
    for (unsigned box = 0; box < 1100; box++) {
        struct tensor_map t = sound;
        t.box[1] = box;
        assert_int_equal(reads(&t) == NULL, box >= 1 && box <= 256);
        t.dims = 3;
        t.im2col = true;
        assert_int_equal(reads(&t) == NULL, box >= 1 && box <= 1024);
    }
}

/* 256 in each of five dimensions: the bytes would not fit into 32 bits. */
TEST(a_box_larger_than_shared_memory_is_refused)
{
    struct tensor_map t = sound;
    t.dims = 5;
    for (unsigned i = 0; i < 5; i++) t.box[i] = 256;
    assert_non_null(strstr(reads(&t), "larger than any shared memory"));
    t.box[2] = t.box[3] = t.box[4] = 1;
    assert_null(reads(&t));
}

/* One lane asks for 4 GiB from the end of a buffer, others for what no machine has. */
TEST(a_prefetch_ends_with_its_allocation)
{
    ptx_test_load(&T, HEAD ".entry k(.param .u64 b) {\n.reg .b64 %a; .reg .b32 %t; .reg .pred %p;\n"
                           "ld.param.u64 %a,[b]; mov.u32 %t,%tid.x; setp.lt.u32 %p,%t,8; @%p bra P;\n"
                           "mul.wide.u32 %a,%t,0x7ffffff0; shl.b64 %a,%a,20;\n"
                           "P: cp.async.bulk.prefetch.L2.global [%a],0xfffffff0; ret; }\n");
    uint64_t buffer = dev_alloc(T.mem, 8192), params[] = {buffer};
    ptx_test_must_run(&T, "k", 1, 32, params);
    assert_true(T.counts.warp_instructions < 2000); /* 8 lanes, 8192 bytes, 512 per record */
    assert_true(T.counts.warp_instructions > 8 * 8192 / 512);
    ptx_test_free(&T);
}

/* The map's mark is no secret: a kernel can write one, here with a type that has no bytes. */
TEST(a_reduction_with_a_forged_map_is_a_fault)
{
    uint8_t bytes[TENSOR_MAP_BYTES];
    struct tensor_map t = sound;
    t.type = T_PRED;
    ptx_test_load(&T, HEAD ".entry k(.param .u64 map) {\n.reg .b64 %a; .reg .b32 %v; .shared .align 128 .b8 m[256];\n"
                           "ld.param.u64 %a,[map]; mov.u32 %v,0;\ncp.reduce.async.bulk.tensor.2d.global.shared::cta."
                           "add.tile.bulk_group [%a,{%v,%v}],[m]; ret; }\n");
    uint64_t map = dev_alloc(T.mem, 128), params[] = {map};
    t.base = dev_alloc(T.mem, 800);
    tensor_map_write(&t, bytes);
    memcpy(dev_ptr(T.mem, map, 128), bytes, 128);
    assert_true(ptx_test_run(&T, "k", 1, 1, params) < 0);
    assert_non_null(strstr(T.err.text, "the tensor map was overwritten"));
    ptx_test_free(&T);
}
