/* parse_words.h - instructions whose dotted words follow no table: each has a function that looks for the ones it
 * knows (parse_matrix.c, parse_async.c). What nobody asked for is an error. */
#ifndef WL_PTX_PARSE_WORDS_H
#define WL_PTX_PARSE_WORDS_H

#include "ptx/parse.h"

enum { MAX_WORDS = 24 };

struct words {
    struct ptx_parser *p;
    struct token op, word[MAX_WORDS];
    unsigned count;
    uint32_t used; /* a bit per word */
};

bool word_is(struct words *s, const char *text);     /* whether it is there; then it is used */
bool word_begins(struct words *s, const char *text); /* all that begin so are used */
bool word_one_of(struct words *s, const char *const *text, unsigned n, unsigned *which);
enum ptx_type word_type(struct words *s); /* the next unused one that is a type, T_NONE: no more */
bool word_shape(struct words *s, uint16_t *m, uint16_t *n, uint16_t *k); /* .m16n8k16 */
void words_scopes(struct words *s);                                      /* .relaxed, .cta and the like */
void words_hints(struct words *s, struct ptx_inst *in); /* .L2::cache_hint and other words about caches */
uint8_t word_space(struct words *s, uint8_t otherwise); /* the next unused state space */

/* Operands, each behind a comma but the first. */
void own_comma(struct ptx_parser *p, const struct ptx_inst *in);
void own_source(struct ptx_parser *p, struct ptx_inst *in, enum ptx_type t);
void own_dest(struct ptx_parser *p, struct ptx_inst *in, enum ptx_type t);
void own_address(struct ptx_parser *p, struct ptx_inst *in, uint8_t space); /* a source */
/* A register or {registers} of n elements. */
void own_vector(struct ptx_parser *p, struct ptx_inst *in, enum ptx_type t, unsigned n, bool dest);
bool own_more(const struct ptx_parser *p); /* a comma follows */
void own_policy(struct ptx_parser *p, struct ptx_inst *in);

void parse_own(struct ptx_parser *p, const struct token *op, struct ptx_inst *in);
/* By opcode: words and operands. */
void parse_mma(struct words *s, struct ptx_inst *in);
void parse_wmma(struct words *s, struct ptx_inst *in);
void parse_wgmma(struct words *s, struct ptx_inst *in);
void parse_ldmatrix(struct words *s, struct ptx_inst *in);
void parse_movmatrix(struct words *s, struct ptx_inst *in);
void parse_cp(struct words *s, struct ptx_inst *in);
void parse_mbarrier(struct words *s, struct ptx_inst *in);
void parse_tensormap(struct words *s, struct ptx_inst *in);
void parse_small(struct words *s, struct ptx_inst *in);
bool parse_video(struct words *s, struct ptx_inst *in); /* false: it is no video instruction */

#endif
