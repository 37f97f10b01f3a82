/* contracts.h - what clang's analyzer, which sees one file at a time, cannot know of functions in other files.
 *
 * scripts/analyze.sh includes it before each file; nothing else does. A failure is never zero: callers write
 * `return wl_fail(...)`, and go on only if nothing was returned. A file that defines such a function is analyzed
 * without its macro (-DDEFINES_name). */
#ifndef WL_SCRIPTS_CONTRACTS_H
#define WL_SCRIPTS_CONTRACTS_H

#include "base/bits.h"
#include "base/err.h"

/* An expression and no function: the analyzer follows calls only a few levels deep. */
#define NEVER_ZERO(type, call)                                                                                         \
    ({                                                                                                                 \
        type rc_ = (call);                                                                                             \
        if (!rc_) __builtin_unreachable();                                                                             \
        rc_;                                                                                                           \
    })

/* The lowest bit of what is not zero is one of its bits. */
#define BELOW(n, call)                                                                                                 \
    ({                                                                                                                 \
        unsigned low_ = (call);                                                                                        \
        if (low_ >= (n)) __builtin_unreachable();                                                                      \
        low_;                                                                                                          \
    })
#define bit_low64(x) BELOW(64, bit_low64(x))
#define bit_low32(x) BELOW(32, bit_low32(x))

#ifndef DEFINES_wl_fail
#define wl_fail(...) NEVER_ZERO(int, wl_fail(__VA_ARGS__))
#endif
#ifndef DEFINES_wl_fail_at
#define wl_fail_at(...) NEVER_ZERO(int, wl_fail_at(__VA_ARGS__))
#endif
#ifndef DEFINES_wl_no_memory
#define wl_no_memory(...) NEVER_ZERO(int, wl_no_memory(__VA_ARGS__))
#endif

#ifdef IN_READER
#include "experiment/reader.h"
#ifndef DEFINES_reader_fail
#define reader_fail(...) NEVER_ZERO(int, reader_fail(__VA_ARGS__))
#endif
#ifndef DEFINES_reader_memory
#define reader_memory(...) NEVER_ZERO(int, reader_memory(__VA_ARGS__))
#endif
#ifndef DEFINES_ini_fail
#define ini_fail(...) NEVER_ZERO(int, ini_fail(__VA_ARGS__))
#endif
#ifndef DEFINES_ini_fail_section
#define ini_fail_section(...) NEVER_ZERO(int, ini_fail_section(__VA_ARGS__))
#endif
#ifndef DEFINES_reader_unknown
#define reader_unknown(...) NEVER_ZERO(int, reader_unknown(__VA_ARGS__))
#endif
#ifndef DEFINES_unknown_series
#define unknown_series(...) NEVER_ZERO(int, unknown_series(__VA_ARGS__))
#endif
#endif

#ifdef IN_STORE
#include "experiment/store_priv.h"
#ifndef DEFINES_store_fail
#define store_fail(...) NEVER_ZERO(int, store_fail(__VA_ARGS__))
#endif
#endif

#ifdef IN_DRIVER
#include "cuda/driver.h"
#ifndef DEFINES_driver_fail
#define driver_fail(...) NEVER_ZERO(CUresult, driver_fail(__VA_ARGS__))
#endif
#ifndef DEFINES_driver_complain
#define driver_complain(...) NEVER_ZERO(CUresult, driver_complain(__VA_ARGS__))
#endif
#include "cuda/driver_graph.h"
#ifndef DEFINES_graph_bad
#define graph_bad(...) NEVER_ZERO(CUresult, graph_bad(__VA_ARGS__))
#endif
#endif

#endif
