/* parse.h - what the parts of the PTX parser share.
 *
 * The first error wins: fail_at() records it, and from then on every token is TOK_END. A
 * parsing function may therefore go on after a failure - it finds nothing to parse, and its
 * loops, which all stop at TOK_END, end. Callers check p->failed only before they use a
 * result that an error would leave empty.
 *
 * Memory: what the module keeps comes from its arena; what only parsing needs (symbol
 * table, growing arrays) is freed in parser_end(). */
#ifndef WL_PTX_PARSE_H
#define WL_PTX_PARSE_H

#include "ptx/ir.h"
#include "ptx/lex.h"
#include "ptx/module.h"

enum {
    MAX_NESTING = 64,          /* scopes, parentheses, initialiser braces */
    MAX_REGS = 1000000,        /* registers one function may declare */
    MAX_LIST = 1 << 16,        /* parameters of a function, labels of a .branchtargets */
    MAX_PARAM_BYTES = 1 << 16, /* bytes of one parameter image or of one function's .param variables */
    MAX_ALIGN = 1 << 20
};
#define MAX_LOCAL_BYTES  (UINT64_C(1) << 24) /* all .local variables of one function */
#define MAX_DATA_BYTES   (UINT64_C(1) << 30) /* all .global and .const of a module */
#define MAX_SHARED_BYTES (UINT64_C(1) << 30) /* one variable's share of a CTA's memory */

/* ---- names ---- */

enum symbol_kind { SYM_REG, SYM_REGS /* %r<n> */, SYM_VAR, SYM_FUNC, SYM_LABEL, SYM_TARGETS, SYM_PROTOTYPE };

struct target_list { /* .branchtargets: instruction indices, block indices after cfg */
    uint32_t *at;
    uint32_t count;
    struct target_list *next;
};

struct symbol {
    const char *name; /* not terminated */
    uint32_t len, hash;
    uint8_t kind, type; /* enum symbol_kind; REG, REGS: enum ptx_type */
    uint32_t depth;     /* scope nesting at its declaration */
    uint32_t line;
    int32_t reg;    /* REG */
    uint32_t count; /* REGS */
    uint32_t at;    /* LABEL: the instruction that follows */
    struct ptx_var *var;
    struct shared_var *shared; /* VAR in .shared */
    struct func_info *func;
    struct target_list *targets;
    struct symbol *chain; /* next older symbol in the same hash bucket */
};

struct regs_slot { /* one used register of a %r<n> range: (range, index) to its number */
    const struct symbol *range;
    uint32_t index;
    int32_t reg;
};

struct names {
    struct symbol **bucket;
    struct symbol **stack; /* every visible symbol in order of declaration */
    uint32_t nbuckets, count, cap;
    struct regs_slot *slot; /* open addressing */
    uint32_t nslots, used;
};

/* A variable or function used before its definition; it must have one by the module's end. */
struct extern_use {
    const struct ptx_var *var; /* one of the two is not NULL */
    const struct ptx_func *func;
    struct token name;
    struct func_info *user; /* the function whose body uses it; NULL: an initialiser of the module */
    struct extern_use *next;
};

/* ---- the function body being parsed ---- */

/* A label used before its scope is complete. */
struct label_ref {
    struct token name;
    uint32_t *at; /* element of a target list, or NULL: instruction `inst` */
    uint32_t inst;
    bool wants_list; /* brx.idx */
};

struct body {
    struct func_info *fi;
    struct ptx_inst *inst;
    uint32_t ninst, inst_cap;
    struct ptx_reg *reg;
    uint32_t nregs, reg_cap;
    struct label_ref *ref;
    uint32_t nrefs, ref_cap;
    struct target_list *lists;
    uint64_t declared; /* registers declared so far, at most MAX_REGS */
    uint64_t frame;    /* .param bytes of the open scopes */
};

struct ptx_parser {
    struct ptx_module *m;
    struct wl_err *e;
    struct lexer lex;
    struct token tok; /* not yet consumed */
    struct names names;
    struct body body;
    struct build *build;
    struct ptx_loc *loc; /* all so far; the module counts them from 1 */
    uint32_t nlocs, loc_cap;
    uint32_t at_loc;                           /* the one that holds; 0: none */
    struct extern_use *externs, **extern_last; /* in order of use */
    uint32_t depth;                            /* open scopes: 0 module, 1 function */
    uint32_t nesting;                          /* parentheses and braces inside an expression or initialiser */
    bool rolled;                               /* the next instruction begins a loop that is not to be unrolled */
    bool failed;
};

/* ---- tokens and errors (parse.c) ---- */

void fail_at(struct ptx_parser *p, const struct token *t, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void fail_memory(struct ptx_parser *p);
void advance(struct ptx_parser *p);
struct token take(struct ptx_parser *p); /* the current token, consumed */
bool at_punct(const struct ptx_parser *p, char c);
bool accept(struct ptx_parser *p, char c);
bool expect(struct ptx_parser *p, char c, const char *where);
bool token_is(const struct token *t, const char *word);
char *token_text(struct ptx_parser *p, const struct token *t); /* a copy in the arena, or NULL */
/* Room for one more element of a malloc'd array; NULL (and failed) when there is no memory. */
void *grow(struct ptx_parser *p, void *array, uint32_t count, uint32_t *cap, size_t size);
void skip_to_semicolon(struct ptx_parser *p);
void skip_braces(struct ptx_parser *p); /* at '{' */
void parse_module(struct ptx_parser *p);
void parse_function(struct ptx_parser *p, bool is_kernel); /* after .entry or .func (parse_func.c) */
bool accept_dot(struct ptx_parser *p, const char *word);
void skip_line(struct ptx_parser *p, uint32_t line);

/* ---- source lines (parse_loc.c) ---- */

void parse_loc(struct ptx_parser *p, uint32_t on_line); /* after .loc or .file, which stands on that line */
void parse_file(struct ptx_parser *p, uint32_t on_line);
int locs_to_arena(struct ptx_parser *p); /* -1: out of memory */

/* ---- names (parse_name.c) ---- */

struct symbol *name_find(const struct ptx_parser *p, const struct token *t);
/* Declares t in the current scope; NULL (and failed) when it exists there already. */
struct symbol *name_declare(struct ptx_parser *p, const struct token *t, enum symbol_kind kind);
/* The number of register t, its type in *type; -1 when there is none by that name. */
int32_t name_register(struct ptx_parser *p, const struct token *t, uint8_t *type);
int32_t register_new(struct ptx_parser *p, const struct token *t, uint8_t type);
void scope_open(struct ptx_parser *p);
void scope_close(struct ptx_parser *p, uint32_t first_symbol, uint32_t first_ref);
void label_use(struct ptx_parser *p, const struct token *t, uint32_t *at, bool wants_list);
/* " (did you mean x?)" or "": the nearest visible name of a kind whose bit is in `kinds`. */
const char *name_hint(struct ptx_parser *p, const struct token *t, unsigned kinds);
void names_free(struct names *n);

/* ---- declarations (parse_decl.c) ---- */

struct decl { /* what may stand before a variable's name */
    uint8_t space, type;
    uint32_t align;
    bool is_extern, is_opaque /* .texref, .samplerref or .surfref */, is_texture;
};

enum ptx_type type_of_token(const struct token *t);       /* T_NONE when it names no type */
void parse_reg_decl(struct ptx_parser *p);                /* after .reg */
void parse_var_decl(struct ptx_parser *p, struct decl d); /* after the space; to its semicolon */
struct ptx_var *parse_formal(struct ptx_parser *p, uint8_t space, const char *what);

/* ---- constants (parse_const.c) ---- */

struct constant {
    bool is_float;
    uint8_t bytes; /* float: width of bits */
    uint64_t bits;
};

bool at_constant(const struct ptx_parser *p);
struct constant parse_constant(struct ptx_parser *p);
/* The constant's bits in type t; floats are converted when the width differs. */
uint64_t constant_bits(struct ptx_parser *p, struct constant c, enum ptx_type t, const struct token *at);
uint64_t parse_size(struct ptx_parser *p, uint64_t max, const char *what);
void parse_initialiser(struct ptx_parser *p, struct ptx_var *v, const uint64_t *dim, unsigned ndims);

/* ---- instructions (parse_inst.c, parse_mods.c, parse_operand.c) ---- */

void parse_instruction(struct ptx_parser *p);

/* The dotted modifiers after opcode token `op` into *in, checked against the table. */
void parse_modifiers(struct ptx_parser *p, const struct token *op, struct ptx_inst *in);
enum ptx_op find_op(const struct token *t); /* OP_COUNT when unknown */
const char *op_hint(struct ptx_parser *p, const struct token *t);

/* How a register's width must relate to the type of its operand. */
enum width_rule { WIDTH_EXACT, WIDTH_AT_LEAST, WIDTH_ADDRESS /* 32 or 64 bits */ };

void parse_source(struct ptx_parser *p, struct ptx_operand *o, enum ptx_type t, enum width_rule rule);
void parse_dest(struct ptx_parser *p, struct ptx_operand *o, enum ptx_type t, enum width_rule rule);
void parse_vector(struct ptx_parser *p, struct ptx_operand *o, enum ptx_type t, enum width_rule rule, bool dest);
void parse_address(struct ptx_parser *p, struct ptx_inst *in, struct ptx_operand *o);
void parse_symbol_source(struct ptx_parser *p, struct ptx_operand *o, enum ptx_type t);
void note_extern(struct ptx_parser *p, const struct ptx_var *v, const struct ptx_func *f, const struct token *t);
void check_space(struct ptx_parser *p, struct ptx_inst *in, const struct ptx_operand *o, const struct token *t);

#endif
