/* printf.c - vprintf and __assertfail called from a kernel.
 *
 * Both get pointers: to a format, and to a buffer in which each argument lies at a multiple
 * of its own size, as the compiler's local depot holds it. Lanes print in increasing order.
 * Conversions are parsed here and formatted one by one, never handed to the host's printf as
 * a whole: the format comes from the program. */
#include "ptx/exec_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { TEXT_MAX = 4096, STRING_MAX = 1024 };

struct print_text {
    char s[TEXT_MAX];
    size_t len;
};

static void put(struct print_text *t, const char *s, size_t n)
{
    if (n > sizeof t->s - t->len) n = sizeof t->s - t->len;
    memcpy(t->s + t->len, s, n);
    t->len += n;
}

struct print_reader { /* one lane's view of memory */
    struct exec_warp *w;
    struct uop access; /* a generic access by the call instruction, for messages */
    unsigned lane;
    uint64_t args;
};

/* 0 and the value, or RUN_FAULT. */
static int read_value(struct print_reader *r, uint64_t addr, unsigned bytes, uint64_t *out)
{
    const void *p = mem_lane(r->w, &r->access, r->lane, addr, bytes, "load");
    *out = 0;
    if (!p) return RUN_FAULT;
    memcpy(out, p, bytes);
    return RUN_ON;
}

static int read_string(struct print_reader *r, uint64_t addr, char *out)
{
    for (size_t n = 0; n < STRING_MAX - 1; n++) {
        uint64_t c;
        if (read_value(r, addr + n, 1, &c)) return RUN_FAULT;
        out[n] = (char)c;
        out[n + 1] = 0;
        if (!c) return RUN_ON;
    }
    return RUN_ON;
}

static int next_arg(struct print_reader *r, unsigned bytes, uint64_t *out)
{
    r->args = (r->args + bytes - 1) & ~(uint64_t)(bytes - 1);
    int rc = read_value(r, r->args, bytes, out);
    r->args += bytes;
    return rc;
}

/* One conversion: its flags, width and precision, without length, as the host wants them. */
struct conversion {
    char spec[32];
    size_t len;
    unsigned longs; /* l or ll */
    char kind;
};

static int add_number(struct print_reader *r, struct conversion *c, const char **p)
{
    if (**p == '*') {
        uint64_t v;
        if (next_arg(r, 4, &v)) return RUN_FAULT;
        int width = (int)(int32_t)v;
        width = width > 999 ? 999 : width < -999 ? -999 : width;
        c->len += (size_t)snprintf(c->spec + c->len, sizeof c->spec - c->len, "%d", width);
        ++*p;
        return RUN_ON;
    }
    for (unsigned n = 0; **p >= '0' && **p <= '9'; ++*p)
        if (n++ < 3) c->spec[c->len++] = **p;
    return RUN_ON;
}

static int parse_conversion(struct print_reader *r, struct conversion *c, const char **p)
{
    *c = (struct conversion){.spec = "%", .len = 1};
    for (; **p && strchr("-+ #0", **p); ++*p)
        if (c->len < 6) c->spec[c->len++] = **p;
    if (add_number(r, c, p)) return RUN_FAULT;
    if (**p == '.') {
        c->spec[c->len++] = *(*p)++;
        if (add_number(r, c, p)) return RUN_FAULT;
    }
    for (; **p && strchr("hlzjt", **p); ++*p) c->longs += **p != 'h';
    c->kind = **p;
    if (**p) ++*p;
    return RUN_ON;
}

static int put_integer(struct print_reader *r, struct conversion *c, char *buf, size_t size)
{
    uint64_t v;
    if (next_arg(r, c->longs ? 8 : 4, &v)) return RUN_FAULT;
    if (!c->longs && (c->kind == 'd' || c->kind == 'i')) v = (uint64_t)(int64_t)(int32_t)v;
    snprintf(c->spec + c->len, sizeof c->spec - c->len, "ll%c", c->kind);
    snprintf(buf, size, c->spec, (long long)v);
    return RUN_ON;
}

/* As on a device, which knows nothing of the host program's locale. */
static void put_double(const struct conversion *c, double x, char *buf, size_t size)
{
    void *before = text_locale_c();
    snprintf(buf, size, c->spec, x);
    text_locale_back(before);
}

static int convert(struct print_reader *r, struct conversion *c, char *buf, size_t size)
{
    uint64_t v;
    double x;
    char string[STRING_MAX];
    switch (c->kind) {
    /* clang-format off */
    case 'd': case 'i': case 'u': case 'x': case 'X': case 'o': return put_integer(r, c, buf, size);
    case 'f': case 'F': case 'e': case 'E': case 'g': case 'G': case 'a': case 'A':
        /* clang-format on */
        if (next_arg(r, 8, &v)) return RUN_FAULT;
        memcpy(&x, &v, 8);
        c->spec[c->len] = c->kind;
        put_double(c, x, buf, size);
        return RUN_ON;
    case 'c':
        if (next_arg(r, 4, &v)) return RUN_FAULT;
        c->spec[c->len] = 'c';
        snprintf(buf, size, c->spec, (int)(unsigned char)v);
        return RUN_ON;
    case 's':
        if (next_arg(r, 8, &v) || read_string(r, v, string)) return RUN_FAULT;
        c->spec[c->len] = 's';
        snprintf(buf, size, c->spec, string);
        return RUN_ON;
    case 'p':
        if (next_arg(r, 8, &v)) return RUN_FAULT;
        if (v) snprintf(buf, size, "0x%" PRIx64, v);
        else snprintf(buf, size, "(nil)");
        return RUN_ON;
    default: snprintf(buf, size, "%%%.1s", &c->kind); return RUN_ON;
    }
}

static int format_text(struct print_reader *r, const char *format, struct print_text *t)
{
    for (const char *p = format; *p;) {
        size_t plain = strcspn(p, "%");
        put(t, p, plain);
        p += plain;
        if (!*p++) break;
        if (*p == '%') {
            put(t, p++, 1);
            continue;
        }
        struct conversion c;
        char buf[STRING_MAX + 64];
        if (parse_conversion(r, &c, &p) || convert(r, &c, buf, sizeof buf)) return RUN_FAULT;
        put(t, buf, strlen(buf));
    }
    return RUN_ON;
}

static struct print_reader reader_for(struct exec_warp *w, const struct uop *u, unsigned lane)
{
    struct print_reader r = {.w = w, .access = *u, .lane = lane};
    r.access.space = PTX_SPACE_NONE;
    return r;
}

static void print(struct exec_warp *w, const struct print_text *t)
{
    const struct ptx_launch *l = &w->run->l;
    if (l->print && t->len) l->print(l->print_arg, t->s, t->len);
}

static void print_assert(struct exec_warp *w, const struct print_text *t)
{
    const struct ptx_launch *l = &w->run->l;
    if (l->print_assert) l->print_assert(l->print_assert_arg, t->s, t->len);
    else print(w, t);
}

int call_vprintf(struct exec_warp *w, const struct uop *u, const struct ptx_call *call)
{
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned lane = bit_low32(m);
        struct print_reader r = reader_for(w, u, lane);
        struct print_text t = {.len = 0};
        char format[STRING_MAX];
        r.args = builtin_arg(w, call, 1, lane);
        if (read_string(&r, builtin_arg(w, call, 0, lane), format) || format_text(&r, format, &t)) return RUN_FAULT;
        print(w, &t);
        builtin_result(w, call, lane, t.len);
    }
    return RUN_ON;
}

/* __assertfail(message, file, line, function, char size). */
int call_assertfail(struct exec_warp *w, const struct uop *u, const struct ptx_call *call)
{
    unsigned lane = bit_low32(w->exec);
    struct print_reader r = reader_for(w, u, lane);
    char message[STRING_MAX], file[STRING_MAX], function[STRING_MAX];
    if (read_string(&r, builtin_arg(w, call, 0, lane), message) ||
        read_string(&r, builtin_arg(w, call, 1, lane), file) ||
        read_string(&r, builtin_arg(w, call, 3, lane), function))
        return RUN_FAULT;
    unsigned line = (unsigned)builtin_arg(w, call, 2, lane);
    struct print_text t;
    t.len = (size_t)snprintf(t.s, sizeof t.s, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, message);
    print_assert(w, &t);
    return warp_fault(w, u, (int)lane, "device assertion failed: %.120s:%u: %.100s: %.150s", file, line, function,
                      message);
}
