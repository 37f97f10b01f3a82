#include "base/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool wl_paranoid;

void wl_set_paranoid(bool on) { wl_paranoid = on; }

void wl_assert_failed(const char *file, int line, const char *condition)
{
    fprintf(stderr, "warpline: internal error: %s:%d: '%s' does not hold. This is a defect of the simulator.\n", file,
            line, condition);
    abort();
}

void breach_note(struct breach *b, const char *format, ...)
{
    if (b->broken) return;
    b->broken = true;
    va_list list;
    va_start(list, format);
    vsnprintf(b->text, sizeof b->text, format, list);
    va_end(list);
}
