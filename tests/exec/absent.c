/* absent.c - calls every function of the driver and of the runtime that is there only to be refused, twice. Each must
 * give "not supported", and say so once. */
#include <stdio.h>

#define U(name) int name(void);
#include "cuda/lib/driver_absent.def"
#include "cuda/runtime/unsupported.def"
#undef U

static const struct {
    const char *name;
    int (*call)(void);
} calls[] = {
#define U(name) {#name, name},
#include "cuda/lib/driver_absent.def"
#include "cuda/runtime/unsupported.def"
};

int main(void)
{
    enum { NOT_SUPPORTED = 801, CALLS = sizeof calls / sizeof calls[0] };
    unsigned wrong = 0;
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < CALLS; i++) {
            int r = calls[i].call();
            if (r != NOT_SUPPORTED) printf("%s gave %d\n", calls[i].name, r), wrong++;
        }
    printf("%d calls, %u wrong\n", (int)CALLS, wrong);
    return wrong > 0;
}
