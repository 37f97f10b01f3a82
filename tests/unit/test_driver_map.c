/* test_driver_map.c - virtual memory management: memory is where it was mapped, twice if it was mapped twice, may be
 * used when that was allowed, and one copy goes over several mappings. */
#include "driver_rig.h"

enum { PAGE = 2 << 20, MEMORY = 16 << 20 };

static const char program[] = DRIVER_HEAD ".visible .entry put(.param .u64 at, .param .u32 value)\n{\n"
                                          " .reg .u32 %r<2>;\n .reg .u64 %rd<2>;\n ld.param.u64 %rd1, [at];\n"
                                          " ld.param.u32 %r1, [value];\n st.global.u32 [%rd1], %r1;\n ret;\n}\n";

static const CUmemAllocationProp here = {.type = 1, .location = {.type = 1, .id = 0}};
static const CUmemAccessDesc both = {.location = {.type = 1, .id = 0}, .flags = 3};

static CUresult put(const struct driver_rig *r, CUdeviceptr at, unsigned value)
{
    CUfunction f;
    OK(cuModuleGetFunction(&f, r->module, "put"));
    return cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&at, &value}, NULL);
}

static size_t free_bytes(void)
{
    size_t left, all;
    OK(cuMemGetInfo(&left, &all));
    return left;
}

TEST(memory_is_where_it_was_mapped)
{
    struct driver_rig r;
    CUdeviceptr at = 0;
    CUmemGenericAllocationHandle a = 0, b = 0;
    size_t grain = 0, before;
    static unsigned words[2 * PAGE / 4], back[2 * PAGE / 4];
    driver_begin(&r, program, MEMORY, NULL);
    before = free_bytes();
    OK(cuMemGetAllocationGranularity(&grain, &here, 0));
    assert_int_equal(grain, PAGE);
    OK(cuMemAddressReserve(&at, 4 * grain, 0, 0, 0));
    OK(cuMemCreate(&a, grain, &here, 0));
    OK(cuMemCreate(&b, grain, &here, 0));
    assert_int_equal(free_bytes(), before - 2 * PAGE); /* addresses cost nothing, memory does */
    OK(cuMemMap(at + PAGE, PAGE, 0, a, 0));
    BAD(cuMemcpyHtoD(at + PAGE, words, 4)); /* it is there, but nobody may use it */
    OK(cuMemMap(at + 2 * PAGE, PAGE, 0, b, 0));
    OK(cuMemSetAccess(at + PAGE, 2 * PAGE, &both, 1));
    for (unsigned i = 0; i < 2 * PAGE / 4; i++) words[i] = i * 7;
    OK(cuMemcpyHtoD(at + PAGE, words, sizeof words)); /* one copy, two mappings */
    OK(put(&r, at + 2 * PAGE + 8, 99));
    words[PAGE / 4 + 2] = 99;
    OK(cuMemcpyDtoH(back, at + PAGE, sizeof back));
    assert_memory_equal(words, back, sizeof back);
    BAD(cuMemcpyDtoH(back, at + PAGE - 4, 8)); /* before the first mapping */
    OK(cuMemRelease(a));                       /* the mapping keeps it */
    assert_int_equal(driver_word(at + PAGE + 4), 7);
    OK(cuMemUnmap(at + PAGE, 2 * PAGE));
    assert_int_equal(free_bytes(), before - PAGE);
    BAD(cuMemcpyDtoH(back, at + PAGE, 4));
    OK(cuMemRelease(b));
    OK(cuMemAddressFree(at, 4 * PAGE));
    assert_int_equal(free_bytes(), before);
    driver_end(&r);
}

TEST(the_same_memory_at_two_addresses)
{
    struct driver_rig r;
    CUdeviceptr at = 0;
    CUmemGenericAllocationHandle a = 0, same = 0;
    CUmemAllocationProp prop = {0};
    unsigned long long flags = 7;
    driver_begin(&r, program, MEMORY, NULL);
    OK(cuMemAddressReserve(&at, 4 * PAGE, 0, 0, 0));
    OK(cuMemCreate(&a, 2 * PAGE, &here, 0));
    OK(cuMemMap(at, 2 * PAGE, 0, a, 0));
    OK(cuMemMap(at + 3 * PAGE, PAGE, PAGE, a, 0)); /* its second half */
    OK(cuMemSetAccess(at, 2 * PAGE, &both, 1));
    OK(cuMemSetAccess(at + 3 * PAGE, PAGE, &both, 1));
    OK(put(&r, at + PAGE + 64, 5));
    assert_int_equal(driver_word(at + 3 * PAGE + 64), 5);
    OK(put(&r, at + 3 * PAGE + 64, 6));
    assert_int_equal(driver_word(at + PAGE + 64), 6);
    OK(cuMemRetainAllocationHandle(&same, (void *)(uintptr_t)(at + 5)));
    assert_true(same == a);
    OK(cuMemGetAllocationPropertiesFromHandle(&prop, same));
    assert_int_equal(prop.type, 1);
    OK(cuMemGetAccess(&flags, &here.location, at));
    assert_int_equal(flags, 3);
    OK(cuMemGetAccess(&flags, &here.location, at + 2 * PAGE));
    assert_int_equal(flags, 0);
    OK(cuMemUnmap(at, 2 * PAGE));
    assert_int_equal(driver_word(at + 3 * PAGE + 64), 6);
    FAILS(ILLEGAL_ADDRESS, put(&r, at, 1));
    driver_end(&r); /* with what is still mapped */
}

TEST(what_cannot_be_mapped)
{
    struct driver_rig r;
    CUdeviceptr at = 0, other = 0;
    CUmemGenericAllocationHandle a = 0;
    CUmemAllocationProp host = here;
    CUmemAccessDesc second = both;
    driver_begin(&r, program, MEMORY, NULL);
    BAD(cuMemAddressReserve(&at, PAGE + 1, 0, 0, 0));
    FAILS(OUT_OF_MEMORY, cuMemAddressReserve(&at, 1 << 30, 0, 0, 0));
    OK(cuMemAddressReserve(&at, 2 * PAGE, 0, 0, 0));
    OK(cuMemAddressReserve(&other, PAGE, 0, at, 0)); /* the address is a wish: it is taken */
    assert_true(other >= at + 2 * PAGE);
    OK(cuMemAddressFree(other, PAGE));
    OK(cuMemAddressReserve(&other, PAGE, 0, at + 4 * PAGE, 0));
    assert_true(other == at + 4 * PAGE);
    BAD(cuMemAddressFree(at, PAGE));
    BAD(cuMemCreate(&a, 100, &here, 0));
    FAILS(OUT_OF_MEMORY, cuMemCreate(&a, 1 << 30, &here, 0));
    host.location.type = 2;
    FAILS(NOT_SUPPORTED, cuMemCreate(&a, PAGE, &host, 0));
    OK(cuMemCreate(&a, 2 * PAGE, &here, 0));
    BAD(cuMemMap(at, 4 * PAGE, 0, a, 0));
    BAD(cuMemMap(at, 2 * PAGE, PAGE, a, 0));
    BAD(cuMemMap(at + 2 * PAGE, PAGE, 0, a, 0)); /* not reserved */
    BAD(cuMemSetAccess(at, PAGE, &both, 1));     /* not mapped */
    OK(cuMemMap(at, 2 * PAGE, 0, a, 0));
    BAD(cuMemMap(at, 2 * PAGE, 0, a, 0));
    BAD(cuMemUnmap(at, PAGE)); /* half of a mapping */
    second.location.id = 1;
    BAD(cuMemSetAccess(at, 2 * PAGE, &second, 1));
    BAD(cuMemAddressFree(at, 2 * PAGE));
    OK(cuMemSetAccess(at, 2 * PAGE, &both, 1));
    BAD(cuMemFree(at)); /* it was not allocated */
    OK(cuMemRelease(a));
    BAD(cuMemRelease(a));
    OK(cuMemUnmap(at, 2 * PAGE));
    BAD(cuMemUnmap(at, 2 * PAGE));
    driver_end(&r);
}
