/* async.h - asynchronous copies, mbarriers, and the small instructions of newer machines: which is which. */
#ifndef WL_PTX_ASYNC_H
#define WL_PTX_ASYNC_H

/* ptx_inst.mode of cp. Operands of the copies: destination, source, size, then as the mode has them. */
enum ptx_cp {
    CP_ASYNC,    /* to shared memory, 4, 8 or 16 bytes per lane; cmp: enum cp_fourth */
    CP_COMMIT,   /* ends a group */
    CP_WAIT,     /* for all but so many groups */
    CP_ARRIVE,   /* on an mbarrier when this thread's copies are done; boolop: .noinc */
    CP_BULK,     /* any size, by one lane; boolop: an mbarrier follows the size; type2: reduction type, cmp: mode + 1 */
    CP_PREFETCH, /* of a piece of memory or of a tensor's box: nothing to compute */
    CP_TENSOR_LOAD, /* a box of a tensor to shared memory: destination, map, coordinates, mbarrier */
    CP_TENSOR_STORE /* and back: map, coordinates, source; type2, cmp as for CP_BULK */
};
enum cp_fourth { CP_PLAIN, CP_SOURCE_SIZE, CP_IGNORE_SOURCE };

enum ptx_mbarrier {
    MBAR_INIT,
    MBAR_INVAL,
    MBAR_EXPECT_TX,
    MBAR_COMPLETE_TX,
    MBAR_ARRIVE, /* boolop: .expect_tx */
    MBAR_DROP,
    MBAR_WAIT, /* test_wait and try_wait; boolop: .parity */
    MBAR_PENDING
};

#endif
