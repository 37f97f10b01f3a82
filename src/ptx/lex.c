/* lex.c - the tokens of PTX.
 *
 * PTX has C's comments and integer literals, two spellings of exact floating-point bits
 * (0f3F800000, 0d3FF0000000000000), names that may begin with % or $, and dotted words. No
 * token depends on what stands before it, so the lexer keeps no state but its place. */
#include "ptx/lex.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void lex_init(struct lexer *lx, const char *text, size_t len)
{
    lx->at = lx->line_start = text;
    lx->end = text + strnlen(text, len);
    lx->line = 1;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$';
}

static int hex_value(char c)
{
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static void new_line(struct lexer *lx)
{
    lx->line++;
    lx->line_start = lx->at;
}

/* Skips blanks and comments; false when a block comment does not end. */
static bool skip_blank(struct lexer *lx)
{
    while (lx->at < lx->end) {
        char c = *lx->at;
        if (c == '\n') {
            lx->at++;
            new_line(lx);
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            lx->at++;
        } else if (c == '/' && lx->at[1] == '/') {
            while (lx->at < lx->end && *lx->at != '\n') lx->at++;
        } else if (c == '/' && lx->at[1] == '*') {
            lx->at += 2;
            while (lx->at < lx->end && !(lx->at[0] == '*' && lx->at[1] == '/'))
                if (*lx->at++ == '\n') new_line(lx);
            if (lx->at >= lx->end) return false;
            lx->at += 2;
        } else {
            break;
        }
    }
    return true;
}

static void bad(struct token *t, const char *why)
{
    t->kind = TOK_BAD;
    t->why = why;
}

/* 0f and 0d: exactly `digits` hexadecimal digits of the bit pattern. */
static void lex_exact_float(struct lexer *lx, struct token *t, unsigned digits)
{
    lx->at += 2;
    uint64_t v = 0;
    for (unsigned i = 0; i < digits; i++) {
        int d = lx->at < lx->end ? hex_value(*lx->at) : -1;
        if (d < 0) {
            bad(t, digits == 8 ? "0f must be followed by 8 hexadecimal digits"
                               : "0d must be followed by 16 hexadecimal digits");
            return;
        }
        v = v << 4 | (uint64_t)d;
        lx->at++;
    }
    t->kind = TOK_FLOAT;
    t->bytes = (uint8_t)(digits / 2);
    t->bits = v;
}

static void lex_decimal_float(struct lexer *lx, struct token *t)
{
    char *stop;
    double d = text_double(t->s, &stop);
    lx->at = stop;
    memcpy(&t->bits, &d, sizeof d);
    t->bytes = 8;
    t->kind = TOK_FLOAT;
}

/* Whether a decimal literal at s is a float: digits, then ".digit" or an exponent. */
static bool looks_float(const char *s)
{
    while (is_digit(*s)) s++;
    if (*s == '.' && is_digit(s[1])) return true;
    if (*s != 'e' && *s != 'E') return false;
    return is_digit(s[1]) || ((s[1] == '-' || s[1] == '+') && is_digit(s[2]));
}

static void lex_number(struct lexer *lx, struct token *t)
{
    unsigned base = 10;
    char second = t->s[0] == '0' ? t->s[1] : 0;
    if (second == 'f' || second == 'F') {
        lex_exact_float(lx, t, 8);
    } else if (second == 'd' || second == 'D') {
        lex_exact_float(lx, t, 16);
    } else if (looks_float(t->s)) {
        lex_decimal_float(lx, t);
    } else {
        if (second == 'x' || second == 'X') base = 16, lx->at += 2;
        else if (second == 'b' || second == 'B') base = 2, lx->at += 2;
        else if (is_digit(second)) base = 8, lx->at += 1;
        const char *first = lx->at;
        t->kind = TOK_INT;
        for (; lx->at < lx->end; lx->at++) {
            int d = hex_value(*lx->at);
            if (d < 0 || d >= (int)base) break;
            if (t->bits > (UINT64_MAX - (uint64_t)d) / base) {
                bad(t, "integer literal needs more than 64 bits");
                return;
            }
            t->bits = t->bits * base + (uint64_t)d;
        }
        if (lx->at == first) bad(t, "a number needs digits");
        if (lx->at < lx->end && *lx->at == 'U') lx->at++;
    }
    if (t->kind != TOK_BAD && lx->at < lx->end && is_word(*lx->at)) bad(t, "a number ends in letters");
}

static void lex_string(struct lexer *lx, struct token *t)
{
    lx->at++;
    while (lx->at < lx->end && *lx->at != '"' && *lx->at != '\n') {
        if (*lx->at == '\\' && lx->at + 1 < lx->end && lx->at[1] != '\n') lx->at++;
        lx->at++;
    }
    if (lx->at >= lx->end || *lx->at != '"') {
        bad(t, "a string does not end on its line");
        return;
    }
    lx->at++;
    t->kind = TOK_STRING;
}

/* ".word", with "::word" parts as in .shared::cta. */
static void lex_dotted(struct lexer *lx, struct token *t)
{
    lx->at++;
    while (lx->at < lx->end) {
        if (is_word(*lx->at)) lx->at++;
        else if (lx->at[0] == ':' && lx->at[1] == ':' && is_word(lx->at[2])) lx->at += 3;
        else break;
    }
    t->kind = TOK_DOT;
    if (lx->at - t->s == 1) bad(t, "a dot must begin a directive or a modifier");
}

struct token lex_next(struct lexer *lx)
{
    bool closed = skip_blank(lx);
    struct token t = {.line = lx->line, .col = (uint32_t)(lx->at - lx->line_start) + 1, .s = lx->at};
    if (!closed) {
        bad(&t, "a comment does not end");
        return t;
    }
    if (lx->at >= lx->end) return t;
    char c = *lx->at;
    if (is_digit(c)) {
        lex_number(lx, &t);
    } else if (is_word(c) || c == '%') {
        do lx->at++;
        while (lx->at < lx->end && is_word(*lx->at));
        t.kind = TOK_NAME;
    } else if (c == '.') {
        lex_dotted(lx, &t);
    } else if (c == '"') {
        lex_string(lx, &t);
    } else {
        lx->at++;
        t.kind = TOK_PUNCT;
        t.punct = c;
        if (!strchr("{}()[]<>,;:|!@+-*/=&^~?", c)) bad(&t, "a character PTX has no use for");
    }
    t.len = (uint32_t)(lx->at - t.s);
    return t;
}
