/* test_devmem.c - device memory: placement, exact bounds, release and reuse. */
#include "ptx_run.h"

TEST(addresses_increase_and_are_aligned)
{
    struct dev_mem *m = dev_mem_new(1 << 20);
    uint64_t a = dev_alloc(m, 1), b = dev_alloc(m, 256), c = dev_alloc(m, 257), d = dev_alloc(m, 0);
    assert_int_equal(a, DEVICE_BASE);
    assert_int_equal(b, a + 256);
    assert_int_equal(c, b + 256);
    assert_int_equal(d, c + 512);
    assert_int_equal(dev_used(m), 256 + 256 + 512 + 256);
    dev_mem_free(m);
}

TEST(bounds_are_exact)
{
    struct dev_mem *m = dev_mem_new(1 << 20);
    uint64_t a = dev_alloc(m, 100), base, bytes;
    assert_non_null(dev_ptr(m, a, 100));
    assert_null(dev_ptr(m, a, 101));
    assert_non_null(dev_ptr(m, a + 99, 1));
    assert_null(dev_ptr(m, a + 99, 2));
    assert_null(dev_ptr(m, a + 100, 1));
    assert_null(dev_ptr(m, a - 1, 1));
    assert_null(dev_ptr(m, 0, 1));
    assert_null(dev_ptr(m, UINT64_MAX, 4));
    assert_null(dev_ptr(m, a + 4, UINT64_MAX));
    assert_int_equal(dev_range(m, a + 99, &base, &bytes), 0);
    assert_int_equal(base, a);
    assert_int_equal(bytes, 100);
    assert_int_equal(dev_range(m, a + 100, &base, &bytes), -1);
    dev_mem_free(m);
}

TEST(neighbours_do_not_merge)
{
    struct dev_mem *m = dev_mem_new(1 << 20);
    uint64_t a = dev_alloc(m, 256), b = dev_alloc(m, 256);
    assert_int_equal(b, a + 256);
    assert_null(dev_ptr(m, a + 252, 8));
    dev_mem_free(m);
}

TEST(released_memory_is_gone_and_comes_back_zeroed)
{
    struct dev_mem *m = dev_mem_new(64 << 10);
    uint64_t a = dev_alloc(m, 20000), b = dev_alloc(m, 20000), c = dev_alloc(m, 20000);
    assert_true(a && b && c);
    memset(dev_ptr(m, b, 20000), 0xff, 20000);
    assert_int_equal(dev_alloc(m, 20000), 0);
    assert_int_equal(dev_release(m, b + 256), -1);
    assert_int_equal(dev_release(m, b), 0);
    assert_int_equal(dev_release(m, b), -1);
    assert_null(dev_ptr(m, b, 1));
    assert_int_equal(dev_alloc(m, 20000), b);
    const uint8_t *p = dev_ptr(m, b, 20000);
    for (int i = 0; i < 20000; i++) assert_int_equal(p[i], 0);
    assert_int_equal(dev_alloc(m, UINT64_MAX), 0);
    dev_mem_free(m);
}

TEST(many_allocations_stay_sorted)
{
    enum { N = 1000 };
    struct dev_mem *m = dev_mem_new(64 << 20);
    uint64_t addr[N], base, bytes;
    for (unsigned i = 0; i < N; i++) addr[i] = dev_alloc(m, i + 1);
    for (unsigned i = 0; i < N; i += 3) assert_int_equal(dev_release(m, addr[i]), 0);
    for (unsigned i = 0; i < N; i++) {
        assert_int_equal(dev_range(m, addr[i] + i, &base, &bytes), i % 3 ? 0 : -1);
        if (i % 3) assert_int_equal(base, addr[i]);
    }
    dev_mem_free(m);
}
