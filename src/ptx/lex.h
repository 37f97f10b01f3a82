/* lex.h - PTX text to tokens, each with its place.
 *
 * A dotted word (".global", ".f32", ".L2::128B") is one token whether it is a directive or a
 * modifier, so "ld.global.f32" is a name and two dotted words and "%tid.x" a name and one. */
#ifndef WL_PTX_LEX_H
#define WL_PTX_LEX_H

#include <stddef.h>
#include <stdint.h>

enum token_kind { TOK_END, TOK_NAME, TOK_DOT, TOK_INT, TOK_FLOAT, TOK_STRING, TOK_PUNCT, TOK_BAD };

struct token {
    uint8_t kind;       /* enum token_kind */
    char punct;         /* PUNCT: the character */
    uint8_t bytes;      /* FLOAT: width of `bits`, 4 for 0f, 8 for 0d and decimal */
    uint32_t line, col; /* 1-based */
    uint32_t len;
    const char *s;   /* into the text */
    uint64_t bits;   /* INT: the value; FLOAT: the bit pattern */
    const char *why; /* BAD: what is wrong */
};

struct lexer {
    const char *at, *end, *line_start;
    uint32_t line;
};

/* `text` is followed by a NUL; a NUL inside ends it, as in texts cut from executables. */
void lex_init(struct lexer *lx, const char *text, size_t len);
struct token lex_next(struct lexer *lx);

#endif
