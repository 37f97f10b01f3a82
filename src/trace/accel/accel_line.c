/* accel_line.c - the two kinds of lines that carry a kernel: its header and its instructions.
 *
 * The layout of an instruction line follows from the version in the header, never from the "#traces
 * format" text, which real files have wrong:
 *
 *   [x y z warp]  [source line]  pc mask ndst {R} opcode nsrc {R} width [mode ...] [immediate]
 *    before v3     line info                                      if width > 0
 *
 * The immediate stands there from late v4 on; whether it does shows only by what is left. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/accel/accel_priv.h"

/* ---- numbers ---- */

/* A number is read where it stands and must end at a blank or at the end of the text; *at is then behind it. Lines are
 * never changed: a message can show them, and equal lines stay equal (struct accel_memo). */
static inline bool is_end(char c) { return c == ' ' || c == '\t' || !c; }

static inline const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t') p++;
    return p;
}

static inline bool scan_number(const char **at, uint64_t max, uint64_t *out)
{
    const char *p = *at, *first = p;
    uint64_t v = 0;
    for (unsigned digit; (digit = (unsigned)(unsigned char)*p - '0') < 10; p++) {
        if (digit > max || v > (max - digit) / 10) return false;
        v = v * 10 + digit;
    }
    *out = v;
    *at = p;
    return p != first && is_end(*p);
}

bool accel_number(const char *text, uint64_t max, uint64_t *out) { return scan_number(&text, max, out) && !*text; }

/* 0 to 15, or 16: no digit. */
static inline unsigned hex_digit(char c)
{
    unsigned d = (unsigned)(unsigned char)c - '0', letter = ((unsigned)(unsigned char)c | 32) - 'a';
    return d < 10 ? d : letter < 6 ? letter + 10 : 16;
}

static inline bool scan_hex(const char **at, unsigned max_digits, uint64_t *out)
{
    const char *p = *at;
    if (p[0] == '0' && (p[1] | 32) == 'x') p += 2;
    while (p[0] == '0' && !is_end(p[1])) p++; /* padding */
    uint64_t v = 0;
    unsigned n = 0;
    for (unsigned d; n <= max_digits && (d = hex_digit(p[n])) < 16; n++) v = v << 4 | d;
    *out = v;
    *at = p + n;
    return n > 0 && n <= max_digits && is_end(p[n]);
}

static bool read_hex(const char *text, unsigned max_digits, uint64_t *out)
{
    return scan_hex(&text, max_digits, out) && !*text;
}

static inline bool scan_signed(const char **at, int64_t *out)
{
    bool minus = **at == '-';
    uint64_t v;
    *at += minus;
    if (!scan_number(at, INT64_MAX, &v)) return false;
    *out = minus ? -(int64_t)v : (int64_t)v;
    return true;
}

bool accel_three(const char *text, uint32_t out[3])
{
    char copy[64];
    size_t n = strlen(text);
    bool round = n >= 2 && text[0] == '(' && text[n - 1] == ')';
    if (round) text++, n -= 2;
    if (n >= sizeof copy) return false;
    memcpy(copy, text, n);
    copy[n] = 0;
    char *p = copy;
    for (unsigned i = 0; i < 3; i++) {
        char *end = strchr(p, ',');
        uint64_t v;
        if ((i < 2) != (end != NULL)) return false;
        if (end) *end = 0;
        while (*p == ' ') p++;
        if (!accel_number(p, UINT32_MAX, &v)) return false;
        out[i] = (uint32_t)v;
        if (end) p = end + 1;
    }
    return true;
}

/* ---- the header ---- */

/* clang-format off */
enum header_key {
    KEY_NAME, KEY_ID, KEY_GRID, KEY_BLOCK, KEY_SHARED, KEY_REGS, KEY_BINARY, KEY_STREAM, KEY_SHARED_BASE,
    KEY_LOCAL_BASE, KEY_NVBIT, KEY_VERSION, KEY_LINES, KEY_CODE, KEYS
};
/* clang-format on */
static const char *const keys[KEYS] = {"kernel name",         "kernel id",      "grid dim",
                                       "block dim",           "shmem",          "nregs",
                                       "binary version",      "cuda stream id", "shmem base_addr",
                                       "local mem base_addr", "nvbit version",  "accelsim tracer version",
                                       "enable lineinfo",     "warpline code"};

static void set_name(struct accel_kernel *k, const char *value)
{
    size_t n = 0;
    for (; n < sizeof k->name - 1 && value[n]; n++)
        k->name[n] = (unsigned char)value[n] < 0x20 || value[n] == 0x7f ? '?' : value[n];
    k->name[n] = 0;
}

static bool set_u32(uint32_t *field, const char *value, uint64_t max)
{
    uint64_t v;
    if (!accel_number(value, max, &v)) return false;
    *field = (uint32_t)v;
    return true;
}

/* "5", but also "1.2": what counts is the number before the dot. */
static bool set_version(struct accel_kernel *k, const char *value)
{
    char whole[16];
    size_t n = strcspn(value, ".");
    if (n >= sizeof whole) return false;
    memcpy(whole, value, n);
    whole[n] = 0;
    return set_u32(&k->version, whole, 1000);
}

static bool set_header(struct accel_kernel *k, enum header_key key, const char *value)
{
    uint32_t flag;
    switch (key) {
    case KEY_NAME: set_name(k, value); return *k->name;
    case KEY_GRID: return accel_three(value, k->grid);
    case KEY_BLOCK: return accel_three(value, k->block);
    case KEY_SHARED: return set_u32(&k->shared_bytes, value, WLT_MAX_SHARED);
    case KEY_REGS: return set_u32(&k->registers, value, WLT_MAX_THREAD_REGS);
    case KEY_BINARY: return set_u32(&k->binary, value, 1000);
    case KEY_SHARED_BASE: return read_hex(value, 16, &k->shared_base);
    case KEY_LOCAL_BASE: return read_hex(value, 16, &k->local_base);
    case KEY_VERSION: return set_version(k, value);
    case KEY_LINES:
        if (!set_u32(&flag, value, 1)) return false;
        k->line_info = flag;
        return true;
    case KEY_CODE: k->ptx = strcmp(value, "ptx") == 0; return k->ptx || strcmp(value, "machine") == 0;
    case KEY_STREAM: return accel_number(value, UINT64_MAX, &k->stream);
    case KEY_ID:
    case KEY_NVBIT:
    case KEYS: break;
    }
    return true; /* not needed to run it */
}

static void read_header_line(struct lines *in, struct accel_kernel *k, char *line, bool seen[KEYS])
{
    char *value = strstr(line, " =");
    if (!value) return; /* a line this reader does not know */
    *value = 0;
    value += 2;
    while (*value == ' ') value++;
    for (size_t n = strlen(value); n && value[n - 1] == ' ';) value[--n] = 0;
    for (unsigned key = 0; key < KEYS; key++) {
        if (strcmp(line + 1, keys[key]) != 0) continue;
        if (seen[key]) lines_fail(in, "the header gives '%s' twice", keys[key]);
        seen[key] = true;
        if (!set_header(k, (enum header_key)key, value))
            lines_fail(in, "'%.60s' is no value for '%s'", value, keys[key]);
        return;
    }
    if (!*k->unknown) snprintf(k->unknown, sizeof k->unknown, "%s", line);
}

void accel_read_header(struct lines *in, struct accel_kernel *k)
{
    static const enum header_key needed[] = {KEY_NAME, KEY_GRID, KEY_BLOCK, KEY_BINARY};
    bool seen[KEYS] = {false};
    char *line;
    size_t len;
    *k = (struct accel_kernel){0};
    while ((line = lines_next(in, &len)) && *line != '#') {
        while (*line == ' ') line++;
        if (*line == '-') read_header_line(in, k, line, seen);
        else if (*line)
            lines_fail(in, "a kernel's file begins with lines like '-kernel name = ...', not with '%.40s'", line);
    }
    if (!line) {
        lines_fail(in, in->number ? "the file ends inside its header" : "the file is empty");
        return;
    }
    if (strncmp(line, "#traces", 7) != 0)
        lines_fail(in, "the header ends with '#traces format', not with '%.40s'", line);
    for (unsigned i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!seen[needed[i]]) lines_fail(in, "the header has no '%s'", keys[needed[i]]);
    k->no_shared = !seen[KEY_SHARED];
    k->no_registers = !seen[KEY_REGS] || !k->registers; /* no kernel has none */
    if (k->version > ACCEL_LAST_VERSION)
        lines_fail(in, "tracer version %u is not known; versions up to %d are read", k->version, ACCEL_LAST_VERSION);
}

/* ---- instructions ---- */

static bool skip_numbers(const char **at, unsigned count)
{
    int64_t ignored;
    for (unsigned i = 0; i < count; i++)
        if (*at = skip_blanks(*at), !scan_signed(at, &ignored)) return false;
    return true;
}

/* The source line; tracers write 0 or a negative number where they know none. */
static bool read_line(const char **at, uint32_t *out)
{
    int64_t v;
    *at = skip_blanks(*at);
    if (!scan_signed(at, &v)) return false;
    *out = v > 0 && v <= UINT32_MAX ? (uint32_t)v : 0;
    return true;
}

/* "2 R6 R3": a count and registers. */
static bool read_registers(const char **at, unsigned room, uint16_t *out, uint8_t *count)
{
    uint64_t n, reg;
    *at = skip_blanks(*at);
    if (!scan_number(at, room, &n)) return false;
    for (unsigned i = 0; i < n; i++) {
        *at = skip_blanks(*at);
        if (*(*at)++ != 'R' || !scan_number(at, UINT16_MAX, &reg)) return false;
        out[i] = (uint16_t)reg;
    }
    *count = (uint8_t)n;
    return true;
}

static inline bool read_address(const char **at, uint64_t *out)
{
    *at = skip_blanks(*at);
    return scan_hex(at, 16, out);
}

static inline bool read_step(const char **at, int64_t *out)
{
    *at = skip_blanks(*at);
    return scan_signed(at, out);
}

/* One digit is what most differences are. */
static inline bool read_difference(const char **at, int64_t *out)
{
    const char *p = *at;
    unsigned digit = (unsigned)(unsigned char)p[1] - '0';
    if (p[0] != ' ' || digit > 9 || !is_end(p[2])) return read_step(at, out);
    *out = digit;
    *at = p + 2;
    return true;
}

/* Remembers the differences that stand from `first` to `end`. */
static void keep_steps(struct accel_memo *m, const struct accel_inst *i, uint64_t base, const char *first,
                       const char *end)
{
    size_t len = (size_t)(end - first);
    m->steps_len = 0;
    if (len > sizeof m->steps) return;
    for (uint32_t lanes = i->mask; lanes; lanes &= lanes - 1)
        m->offset[bit_low32(lanes)] = i->addr[bit_low32(lanes)] - base;
    memcpy(m->steps, first, len);
    m->steps_mask = i->mask;
    m->steps_len = (uint8_t)len;
}

/* The first lane's address, and what each of the others differs by from the one before. */
static bool read_differences(const char **at, const char *end, struct accel_inst *i)
{
    struct accel_memo *m = i->memo;
    uint64_t base, a;
    if (!read_address(at, &base)) return false;
    const char *first = *at;
    if (m->steps_len && m->steps_mask == i->mask && m->steps_len <= (size_t)(end - first) &&
        memcmp(m->steps, first, m->steps_len) == 0 && is_end(first[m->steps_len])) {
        for (unsigned lane = 0; lane < WARP_SIZE; lane++) i->addr[lane] = base + m->offset[lane];
        *at = first + m->steps_len;
        return true;
    }
    a = base;
    for (uint32_t lanes = i->mask; lanes; lanes &= lanes - 1) {
        int64_t step = 0;
        if (lanes != i->mask && !read_difference(at, &step)) return false;
        i->addr[bit_low32(lanes)] = a += (uint64_t)step;
    }
    keep_steps(m, i, base, first, *at);
    return true;
}

/* Addresses of the lanes in the mask, by mode: all of them; base and stride; base and differences. */
static bool read_addresses(const char **at, const char *end, struct accel_inst *i)
{
    const char *p = skip_blanks(*at);
    char mode = *p;
    uint64_t a = 0;
    int64_t step = 0;
    if (mode < '0' || mode > '2' || !is_end(p[1])) return false;
    *at = p + 1;
    if (mode == '2') return read_differences(at, end, i);
    if (mode == '1' && (!read_address(at, &a) || !read_step(at, &step))) return false;
    for (uint32_t m = i->mask; m; m &= m - 1) {
        if (mode == '0' && !read_address(at, &a)) return false;
        i->addr[bit_low32(m)] = a;
        a += (uint64_t)step;
    }
    return true;
}

/* "1 R2 LDG.E 2 R4 R5 4": what is the same whenever the instruction is executed, up to the width. */
static const char *read_fixed(const char **at, struct accel_inst *i)
{
    uint64_t v;
    if (!read_registers(at, 4, i->reg, &i->ndst))
        return "the destination registers are not a count up to 4 and R numbers";
    i->opcode = skip_blanks(*at);
    if (!isupper((unsigned char)*i->opcode)) return "the opcode is missing";
    while (!is_end(**at) || *at < i->opcode) (*at)++;
    i->opcode_len = (uint32_t)(*at - i->opcode);
    if (!read_registers(at, CODE_MAX_REGS - 4, i->reg + i->ndst, &i->nsrc))
        return "the source registers are not a count up to 8 and R numbers";
    *at = skip_blanks(*at);
    if (!scan_number(at, 1024, &v)) return "the width is not a number";
    i->has_addrs = v != 0;
    return NULL;
}

/* The same, from memory where the line before from this pc said the same. */
static const char *recall_fixed(const char **at, const char *end, struct accel_memo *memo, struct accel_inst *i)
{
    struct accel_memo *m = &memo[i->pc >> 3 & (ACCEL_MEMOS - 1)];
    size_t left = (size_t)(end - *at);
    i->memo = m;
    if (m->pc == i->pc && m->len && m->len <= left && memcmp(m->text, *at, m->len) == 0 && is_end((*at)[m->len])) {
        memcpy(i->reg, m->reg, sizeof i->reg);
        i->ndst = m->ndst;
        i->nsrc = m->nsrc;
        i->has_addrs = m->has_addrs;
        i->opcode = NULL;
        *at += m->len;
        return NULL;
    }
    const char *first = *at, *fault = read_fixed(at, i);
    if (fault) return fault;
    size_t len = (size_t)(*at - first);
    *m = (struct accel_memo){.pc = i->pc, .ndst = i->ndst, .nsrc = i->nsrc, .has_addrs = i->has_addrs};
    memcpy(m->reg, i->reg, sizeof m->reg);
    if (len > sizeof m->text) return NULL; /* it will be read again */
    memcpy(m->text, first, len);
    m->len = (uint16_t)len;
    return NULL;
}

/* Eight digits; most say all lanes. */
static inline bool scan_mask(const char **at, const char *end, uint32_t *mask)
{
    const char *first = *at;
    uint64_t v = UINT32_MAX;
    if (end - first >= 8 && memcmp(first, "ffffffff", 8) == 0 && is_end(first[8])) *at = first + 8;
    else if (!scan_hex(at, 8, &v) || *at - first != 8) return false;
    *mask = (uint32_t)v;
    return true;
}

static const char *inst_fault(const struct accel_kernel *k, struct accel_memo *memo, const char *at, const char *end,
                              struct accel_inst *i)
{
    uint64_t v;
    if (k->version < 3 && !skip_numbers(&at, 4)) return "block and warp, as before version 3, are missing";
    i->line = 0;
    if (k->line_info && !read_line(&at, &i->line)) return "the source line is missing";
    at = skip_blanks(at);
    if (!scan_hex(&at, 8, &v)) return "the program counter is not a hexadecimal number";
    i->pc = (uint32_t)v;
    at = skip_blanks(at);
    if (!scan_mask(&at, end, &i->mask))
        return "the mask is not 8 hexadecimal digits (a version other than the header's, or columns of "
               "TOOL_TRACE_CORE?)";
    const char *fault = recall_fixed(&at, end, memo, i);
    if (fault) return fault;
    if (i->has_addrs && !read_addresses(&at, end, i)) return "the addresses are not complete";
    i->immediate = 0;
    at = skip_blanks(at);
    if (*at && !scan_signed(&at, &i->immediate)) return "the immediate is not a number";
    return *skip_blanks(at) ? "something follows the immediate" : NULL;
}

void accel_read_inst(struct lines *in, const struct accel_kernel *k, struct accel_memo *memo, const char *line,
                     size_t len, struct accel_inst *out)
{
    const char *fault = inst_fault(k, memo, line, line + len, out);
    if (fault) lines_fail(in, "'%.63s': %s", line, fault);
}
