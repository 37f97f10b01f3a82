/* ptx_args.c - turns words into kernel arguments, and buffers into text.
 *
 * A word is checked against the parameter it is for: a buffer needs an 8-byte parameter, a scalar one of
 * its own size and kind. Nothing is converted silently: 1.5 for an integer parameter is refused. */
#include "run/ptx_args.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"

enum scalar_kind { UNSIGNED, SIGNED, FLOAT };
struct scalar_type {
    const char *name;
    unsigned bytes;
    enum scalar_kind kind;
};
static const struct scalar_type types[] = {
    {"u8", 1, UNSIGNED}, {"s8", 1, SIGNED},    {"u16", 2, UNSIGNED}, {"s16", 2, SIGNED}, {"u32", 4, UNSIGNED},
    {"s32", 4, SIGNED},  {"u64", 8, UNSIGNED}, {"s64", 8, SIGNED},   {"f32", 4, FLOAT},  {"f64", 8, FLOAT}};
enum { TYPES = sizeof types / sizeof types[0] };
static const char type_list[] = "u8 s8 u16 s16 u32 s32 u64 s64 f32 f64";

static const struct scalar_type *find_type(const char *name, size_t len)
{
    for (unsigned i = 0; i < TYPES; i++)
        if (strlen(types[i].name) == len && memcmp(types[i].name, name, len) == 0) return &types[i];
    return NULL;
}

void describe_params(const struct ptx_func *kernel, char *out, size_t size)
{
    size_t at = (size_t)snprintf(out, size, "(");
    for (uint32_t i = 0; i < kernel->nparams && at < size; i++) {
        const struct ptx_var *p = kernel->param[i];
        const char *name = ptx_type_name((enum ptx_type)p->type);
        at += (size_t)snprintf(out + at, size - at, "%s.%s %s", i ? ", " : "", *name == '.' ? name + 1 : name, p->name);
    }
    if (at < size) snprintf(out + at, size - at, ")");
}

/* ---- scalars ---- */

/* Writes the value of `text` as a t at `to`; false when it is none. */
static bool read_scalar(const struct scalar_type *t, const char *text, void *to)
{
    char *end;
    errno = 0;
    if (t->kind == FLOAT) {
        double d = text_double(text, &end);
        float f = (float)d;
        if (end == text || *end) return false;
        memcpy(to, t->bytes == 4 ? (const void *)&f : (const void *)&d, t->bytes);
        return true;
    }
    int base = text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10;
    unsigned bits = 8 * t->bytes;
    uint64_t raw;
    if (t->kind == SIGNED) {
        int64_t v = strtoll(text, &end, base);
        int64_t sign_bits = v >> (bits - 1); /* all equal when the value fits */
        if (sign_bits != 0 && sign_bits != -1) return false;
        raw = (uint64_t)v;
    } else {
        if (text[0] == '-') return false;
        raw = strtoull(text, &end, base);
        if (bits < 64 && raw >> bits) return false;
    }
    if (end == text || *end || errno == ERANGE) return false;
    memcpy(to, &raw, t->bytes); /* little-endian hosts only, as everywhere in the device memory */
    return true;
}

static bool is_float(enum ptx_type t) { return t == T_F16 || t == T_F16X2 || t == T_BF16 || t == T_F32 || t == T_F64; }
static bool is_untyped(enum ptx_type t) { return t >= T_B8 && t <= T_B128; }

/* A word, the parameter it is for, and where the parameter's bytes go. */
struct place_of_arg {
    const struct ptx_var *param;
    unsigned number;
    const char *word;
    uint8_t *image; /* of all parameters */
};

static int scalar_arg(const struct place_of_arg *at, struct wl_err *e)
{
    const struct ptx_var *p = at->param;
    const char *word = at->word;
    size_t len = strcspn(word, ":");
    const struct scalar_type *t = word[len] ? find_type(word, len) : NULL;
    const char *want = ptx_type_name((enum ptx_type)p->type);
    if (!t)
        return wl_fail(e, WL_EINPUT, "--arg %s: an argument is buf:BYTES[:FILL] or TYPE:VALUE with TYPE one of %s",
                       word, type_list);
    if (p->bytes != t->bytes ||
        (is_float((enum ptx_type)p->type) != (t->kind == FLOAT) && !is_untyped((enum ptx_type)p->type)))
        return wl_fail(e, WL_EINPUT, "--arg %s: parameter %u, %s, is %s of %" PRIu64 " bytes, not %s", word, at->number,
                       p->name, want, p->bytes, t->name);
    if (!read_scalar(t, word + len + 1, at->image + p->offset))
        return wl_fail(e, WL_EINPUT, "--arg %s: '%s' is no value of type %s", word, word + len + 1, t->name);
    return 0;
}

/* ---- buffers ---- */

static int fill_from_file(const char *path, void *to, uint64_t bytes, struct wl_err *e)
{
    FILE *f = fopen(path, "rb");
    if (!f) return wl_fail(e, WL_EINPUT, "cannot read %s: %s", path, strerror(errno));
    size_t n = fread(to, 1, bytes, f);
    bool more = n == bytes && fgetc(f) != EOF;
    bool bad = ferror(f) != 0;
    fclose(f);
    if (bad) return wl_fail(e, WL_EINPUT, "cannot read %s", path);
    if (n < bytes || more)
        return wl_fail(e, WL_EINPUT, "%s has %s than the buffer's %" PRIu64 " bytes", path, more ? "more" : "less",
                       bytes);
    return 0;
}

static void fill_words(uint32_t *to, uint64_t words, const char *fill, uint64_t seed)
{
    bool random = strncmp(fill, "rand", 4) == 0, floats = strstr(fill, "f32") != NULL;
    for (uint64_t i = 0; i < words; i++) {
        uint32_t raw = random ? (uint32_t)(splitmix64(&seed) >> 32) : (uint32_t)i;
        float f = random ? (float)(raw >> 8) * 0x1p-24f : (float)i;
        if (floats) memcpy(&to[i], &f, 4);
        else to[i] = raw;
    }
}

static int fill_constant(const char *fill, uint8_t *to, uint64_t bytes, struct wl_err *e)
{
    const char *type = fill + strlen("const-");
    size_t len = strcspn(type, "=");
    const struct scalar_type *t = find_type(type, len);
    uint64_t value = 0;
    if (!t || !type[len] || !read_scalar(t, type + len + 1, &value))
        return wl_fail(e, WL_EINPUT, "fill '%s': write const-TYPE=VALUE, for example const-f32=1.5", fill);
    for (uint64_t i = 0; i + t->bytes <= bytes; i += t->bytes) memcpy(to + i, &value, t->bytes);
    return 0;
}

static int fill_buffer(const char *fill, void *to, uint64_t bytes, uint64_t seed, struct wl_err *e)
{
    static const char *const fills[] = {"zero",     "iota-i32",  "iota-f32",  "rand-f32",
                                        "rand-u32", "const-f32", "const-u32", "file"};
    if (!*fill || strcmp(fill, "zero") == 0) return memset(to, 0, bytes), 0;
    if (strncmp(fill, "file:", 5) == 0) return fill_from_file(fill + 5, to, bytes, e);
    if (strncmp(fill, "const-", 6) == 0) return fill_constant(fill, to, bytes, e);
    for (unsigned i = 1; i < 5; i++)
        if (strcmp(fills[i], fill) == 0) return fill_words(to, bytes / 4, fill, seed), 0;
    const char *near = wl_nearest(fill, fills, 8);
    return wl_fail(e, WL_EINPUT, "there is no fill '%s'%s%s%s", fill,
                   near ? "; did you mean '" : "; see 'warpline run --help'", near ? near : "", near ? "'?" : "");
}

static int buffer_arg(struct session *s, const struct place_of_arg *at, uint64_t seed, struct ptx_arg *arg,
                      struct wl_err *e)
{
    const struct ptx_var *p = at->param;
    char size[32];
    const char *word = at->word, *text = word + strlen("buf:");
    size_t len = strcspn(text, ":");
    snprintf(size, sizeof size, "%.*s", (int)len, text);
    if (p->bytes != 8 || is_float((enum ptx_type)p->type))
        return wl_fail(e, WL_EINPUT, "--arg %s: parameter %u, %s, is %s, which cannot hold an address", word,
                       at->number, p->name, ptx_type_name((enum ptx_type)p->type));
    if (!read_size(size, &arg->bytes) || arg->bytes == 0)
        return wl_fail(e, WL_EINPUT, "--arg %s: '%s' is no size in bytes", word, size);
    arg->is_buffer = true;
    arg->addr = dev_alloc(session_memory(s), arg->bytes);
    void *to = arg->addr ? dev_ptr(session_memory(s), arg->addr, arg->bytes) : NULL;
    if (!to) return wl_fail(e, WL_ERUN, "--arg %s: the device has no %" PRIu64 " bytes left", word, arg->bytes);
    int rc = fill_buffer(text[len] ? text + len + 1 : "", to, arg->bytes, seed, e);
    if (rc) return rc;
    session_host_copy(s, arg->addr, arg->bytes);
    memcpy(at->image + p->offset, &arg->addr, 8);
    return 0;
}

int read_args(struct session *s, const struct ptx_func *kernel, struct word_list given, uint64_t seed, void *image,
              struct ptx_arg args[MAX_ARGS], struct wl_err *e)
{
    unsigned count = given.count;
    if (count != kernel->nparams || count > MAX_ARGS) {
        char params[1024];
        describe_params(kernel, params, sizeof params);
        return wl_fail(e, WL_EINPUT, "kernel %s has %u parameter%s %s; %u --arg %s given", kernel->name,
                       kernel->nparams, kernel->nparams == 1 ? "" : "s", params, count, count == 1 ? "is" : "are");
    }
    for (unsigned i = 0; i < count; i++) {
        const struct ptx_var *p = kernel->param[i];
        const char *word = given.item[i];
        struct place_of_arg at = {p, i, word, image};
        bool buffer = strncmp(word, "buf:", 4) == 0;
        int rc = buffer ? buffer_arg(s, &at, seed + i, &args[i], e) : scalar_arg(&at, e);
        if (rc) return rc;
    }
    return 0;
}

/* ---- printing ---- */

struct dump {
    const struct scalar_type *type;
    unsigned arg;
    uint64_t count;
};

static int read_dump(const char *spec, const struct ptx_arg *args, unsigned count, struct dump *d, struct wl_err *e)
{
    char *end;
    unsigned long n = strtoul(spec, &end, 10);
    if (end == spec || *end != ':')
        return wl_fail(e, WL_EINPUT, "--dump %s: write N:TYPE[:COUNT], for example 0:f32:16", spec);
    if (n >= count || !args[n].is_buffer)
        return wl_fail(e, WL_EINPUT, "--dump %s: argument %lu is %s; arguments count from 0", spec, n,
                       n >= count ? "missing" : "no buffer");
    const char *type = end + 1;
    size_t len = strcspn(type, ":");
    d->type = find_type(type, len);
    if (!d->type) return wl_fail(e, WL_EINPUT, "--dump %s: the type is one of %s", spec, type_list);
    d->arg = (unsigned)n;
    uint64_t all = args[n].bytes / d->type->bytes;
    d->count = all;
    if (type[len] && (!read_size(type + len + 1, &d->count) || d->count > all))
        return wl_fail(e, WL_EINPUT, "--dump %s: the buffer holds %" PRIu64 " values of type %s", spec, all,
                       d->type->name);
    return 0;
}

int check_dump(const char *spec, const struct ptx_arg *args, unsigned count, struct wl_err *e)
{
    struct dump d;
    return read_dump(spec, args, count, &d, e);
}

static void print_value(const struct scalar_type *t, const uint8_t *at, FILE *out)
{
    uint64_t raw = 0;
    memcpy(&raw, at, t->bytes);
    unsigned shift = 64 - 8 * t->bytes;
    float f;
    double d;
    memcpy(&f, at, t->bytes < sizeof f ? t->bytes : sizeof f);
    memcpy(&d, &raw, sizeof d);
    if (t->kind == FLOAT) fprintf(out, " %.9g", t->bytes == 4 ? (double)f : d);
    else if (t->kind == SIGNED) fprintf(out, " %" PRId64, (int64_t)(raw << shift) >> shift);
    else fprintf(out, " %" PRIu64, raw);
}

int dump_arg(struct session *s, const char *spec, const struct ptx_arg *args, unsigned count, FILE *out,
             struct wl_err *e)
{
    struct dump d;
    int rc = read_dump(spec, args, count, &d, e);
    if (rc) return rc;
    const uint8_t *data = dev_ptr(session_memory(s), args[d.arg].addr, args[d.arg].bytes);
    if (!data) return wl_fail(e, WL_ERUN, "--dump %s: the buffer is gone", spec);
    fprintf(out, "argument %u, %" PRIu64 " values of %s\n", d.arg, d.count, d.type->name);
    for (uint64_t i = 0; i < d.count; i++) {
        if (i % 8 == 0) fprintf(out, "%s%8" PRIu64 ":", i ? "\n" : "", i);
        print_value(d.type, data + i * d.type->bytes, out);
    }
    if (d.count) fputc('\n', out);
    return 0;
}
