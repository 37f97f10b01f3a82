/* sass.c - the table of mnemonics, and what modifiers say.
 *
 * Classes follow Accel-Sim's tables per architecture, so that a trace costs here what it costs there,
 * with these differences: matrix loads (LDSM) do read shared memory; textures and surfaces, which
 * have no addresses in a trace, take the time of a special function; the width of signed and
 * floating-point accesses (S8, S16, F64, ...) is read too. */
#include "trace/accel/sass.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
enum {
    K = 1 << SASS_KEPLER, P = 1 << SASS_PASCAL, V = 1 << SASS_VOLTA, T = 1 << SASS_TURING, A = 1 << SASS_AMPERE,
    H = 1 << SASS_HOPPER, KP = K | P, AH = A | H, TA = T | AH, VTA = V | TA, PVTA = P | VTA, ALL = K | PVTA
};
/* clang-format on */
enum { CALL = 1, RET = 2, GROUPS = 4, BULK = 8, UNADDRESSED = 16, ASYNC = 32 };

struct sass_row {
    uint8_t archs, kind, lat, space, flags;
    const char *names; /* separated and ended by blanks */
};

/* clang-format off */
#define ALU(archs, lat, names) {archs, INST_ALU, lat, SPACE_NONE, 0, names " "}
#define MEM(archs, kind, space, names) {archs, kind, 0, space, 0, names " "}
#define COPY(kind, names) {H, kind, 0, SPACE_GENERIC, BULK, names " "}
#define FAR(lat, names) {ALL, INST_ALU, lat, SPACE_NONE, UNADDRESSED, names " "}
#define DO(archs, kind, flags, names) {archs, kind, 0, SPACE_NONE, flags, names " "}
/* clang-format on */

static const struct sass_row rows[] = {
    /* memory */
    MEM(ALL, INST_LOAD, SPACE_GLOBAL, "LDG"),
    {AH, INST_LOAD, 0, SPACE_GLOBAL, ASYNC, "LDGSTS "},
    MEM(PVTA, INST_STORE, SPACE_GLOBAL, "STG"),
    MEM(K, INST_LOAD, SPACE_GLOBAL, "LD"),
    MEM(K, INST_STORE, SPACE_GLOBAL, "ST"),
    MEM(PVTA, INST_LOAD, SPACE_GENERIC, "LD"),
    MEM(PVTA, INST_STORE, SPACE_GENERIC, "ST"),
    MEM(ALL, INST_LOAD, SPACE_LOCAL, "LDL"),
    MEM(ALL, INST_STORE, SPACE_LOCAL, "STL"),
    MEM(ALL, INST_LOAD, SPACE_SHARED, "LDS"),
    MEM(ALL, INST_STORE, SPACE_SHARED, "STS"),
    MEM(TA, INST_LOAD, SPACE_SHARED, "LDSM"),
    MEM(H, INST_STORE, SPACE_SHARED, "STSM"),
    MEM(ALL, INST_LOAD, SPACE_CONST, "LDC"),
    MEM(ALL, INST_ATOMIC, SPACE_GENERIC, "ATOM"),
    MEM(ALL, INST_ATOMIC, SPACE_GLOBAL, "RED"),
    MEM(PVTA, INST_ATOMIC, SPACE_GLOBAL, "ATOMG"),
    MEM(PVTA, INST_ATOMIC, SPACE_SHARED, "ATOMS"),
    MEM(H, INST_ATOMIC, SPACE_GLOBAL, "REDG"),
    MEM(K, INST_LOAD, SPACE_SHARED, "LDSLK"), /* of atomics in shared memory: load and lock, store and unlock */
    MEM(K, INST_STORE, SPACE_SHARED, "STSCUL"),
    ALU(K, LAT_INT_ADD, "SUCLAMP SUBFM SUEAU"), /* addresses of surfaces */
    COPY(INST_LOAD, "UTMALDG UBLKCP UTMAPF UBLKPF"),
    COPY(INST_STORE, "UTMASTG"),
    COPY(INST_ATOMIC, "UTMAREDG UBLKRED"),
    FAR(LAT_TEXTURE, "TEX TLD TLD4 TXD TEXS TLDS TLD4S"),
    FAR(LAT_TEXTURE, "SULD SUST SUATOM SURED SULDGA SUSTGA"),
    ALU(ALL, LAT_TEXTURE, "TMML TXQ TXA SUQUERY"),
    ALU(ALL, LAT_INT_ADD, "CCTL CCTLL CCTLT QSPC MATCH ERRBAR"),
    /* control */
    DO(ALL, INST_EXIT, 0, "EXIT"),
    DO(ALL, INST_BARRIER, 0, "BAR"),
    DO(ALL, INST_MEMBAR, 0, "MEMBAR"),
    DO(H, INST_MEMBAR, 0, "FENCE"),
    DO(AH, INST_WAIT, GROUPS, "DEPBAR"),
    DO(AH, INST_COMMIT, 0, "LDGDEPBAR"),
    ALU(ALL, LAT_INT_ADD, "DEPBAR"),
    DO(ALL, INST_NOP, 0, "NOP"),
    DO(KP, INST_BRANCH, CALL, "CAL JCAL"),
    DO(PVTA, INST_BRANCH, CALL, "CALL"),
    DO(ALL, INST_BRANCH, RET, "RET"),
    DO(PVTA, INST_BRANCH, RET, "RTT"),
    DO(KP, INST_BRANCH, 0, "SSY PBK PCNT PRET BRK CONT PEXIT"),
    DO(ALL, INST_BRANCH, 0, "BRA BRX JMP JMX BPT"),
    DO(PVTA, INST_BRANCH, 0, "BMOV BREAK BSSY BSYNC KILL NANOSLEEP RPCMOV WARPSYNC YIELD SYNC LEPC"),
    DO(TA, INST_BRANCH, 0, "BRXU JMXU"),
    /* fp32 and fp16 */
    ALU(ALL, LAT_FP_ADD, "FADD FADD32I FCHK FSET FSETP"),
    ALU(ALL, LAT_FP_MAX, "FMNMX"),
    ALU(ALL, LAT_FP_MUL, "FMUL FMUL32I"),
    ALU(ALL, LAT_FP_MAD, "FFMA FFMA32I"),
    ALU(PVTA, LAT_FP_ADD, "FSEL FSWZADD HADD2 HSET2 HSETP2"),
    ALU(PVTA, LAT_FP_MUL, "HMUL2"),
    ALU(PVTA, LAT_FP_MAD, "HFMA2"),
    ALU(VTA, LAT_FP_ADD, "HADD2_32I"),
    ALU(VTA, LAT_FP_MUL, "HMUL2_32I"),
    ALU(VTA, LAT_FP_MAD, "HFMA2_32I"),
    ALU(AH, LAT_FP_MAX, "HMNMX2"),
    ALU(KP, LAT_FP_ADD, "FCMP RRO"),
    ALU(K, LAT_FP_ADD, "FSWZ"),
    ALU(ALL, LAT_SFU, "MUFU"),
    /* fp64 */
    ALU(ALL, LAT_DP_ADD, "DADD DSETP"),
    ALU(ALL, LAT_DP_MUL, "DMUL"),
    ALU(ALL, LAT_DP_MAD, "DFMA"),
    ALU(KP, LAT_DP_ADD, "DSET"),
    ALU(KP, LAT_DP_MAX, "DMNMX"),
    /* integer */
    ALU(ALL, LAT_INT_ADD, "IADD IADD32I ISCADD ISCADD32I ISETP LOP LOP32I POPC FLO SHF SHR SHL"),
    ALU(ALL, LAT_INT_MAX, "IMNMX"),
    ALU(ALL, LAT_INT_MUL, "IMUL IMUL32I"),
    ALU(ALL, LAT_INT_MAD, "IMAD"),
    ALU(PVTA, LAT_INT_ADD, "BMSK BREV IABS IADD3 IDP IDP4A LEA LOP3 VABSDIFF VABSDIFF4"),
    ALU(KP, LAT_INT_ADD, "BFE BFI ICMP ISET"),
    ALU(KP, LAT_INT_MAD, "IMADSP"),
    ALU(K, LAT_INT_ADD, "ISAD ISUB"),
    ALU(P, LAT_INT_MAD, "XMAD"),
    ALU(P, LAT_INT_ADD, "VADD"),
    ALU(P, LAT_INT_MAX, "VMNMX"),
    ALU(H, LAT_INT_ADD, "VIADD"),
    ALU(H, LAT_INT_MAX, "VIADDMNMX VIMNMX VIMNMX3"),
    ALU(P | V, LAT_INT_MAD, "IMMA"),
    /* tensor */
    ALU(VTA, LAT_TENSOR, "HMMA"),
    ALU(TA, LAT_TENSOR, "IMMA BMMA"),
    ALU(AH, LAT_TENSOR, "DMMA"),
    ALU(H, LAT_TENSOR, "HGMMA QGMMA IGMMA BGMMA QMMA"),
    /* the uniform datapath */
    ALU(TA, LAT_UNIFORM,
        "R2UR S2UR UBMSK UBREV UCLEA UFLO UIADD3 UIMAD UISETP ULDC ULEA ULOP ULOP3 ULOP32I UMOV UP2UR "
        "UPLOP3 UPOPC UPRMT UPSETP UR2UP USEL USGXT USHF USHL USHR VOTEU"),
    ALU(AH, LAT_UNIFORM, "REDUX UF2FP"),
    ALU(H, LAT_INT_ADD,
        "UTMACCTL UTMACMDFLUSH SYNCS ARRIVES ELECT WARPGROUP WARPGROUPDEPBAR UCGABAR_ARV UCGABAR_WAIT USETMAXREG "
        "UVIADD UVIMNMX CGAERRBAR ACQBULK ENDCOLLECTIVE "
        "PREEXIT"),
    /* everything else */
    ALU(ALL, LAT_INT_ADD,
        "MOV MOV32I SEL PRMT SHFL S2R CS2R F2F F2I F2IP I2F I2I FRND VOTE P2R R2P PSETP CSETP PLOP3 PSET CSET "
        "B2R R2B SGXT MOVM F2FP I2IP I2FP GETLMEMBASE SETLMEMBASE PMTRIG GETCRSPTR SETCRSPTR "
        "AL2P ALD AST IPA ISBERD OUT PIXLD STP SETCTAID RAM VSET VSETP VSHL VSHR VMAD VOTE_VTG S2B TRAP CSMTEST"),
};
enum { ROWS = sizeof rows / sizeof rows[0] };

enum sass_arch sass_arch(unsigned version, bool *exact)
{
    static const struct {
        unsigned from, to;
        enum sass_arch arch;
    } ranges[] = {{30, 37, SASS_KEPLER}, {50, 62, SASS_PASCAL}, {70, 72, SASS_VOLTA},
                  {75, 75, SASS_TURING}, {80, 89, SASS_AMPERE}, {90, 90, SASS_HOPPER}};
    *exact = true;
    for (unsigned i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (version >= ranges[i].from && version <= ranges[i].to) return ranges[i].arch;
    *exact = false;
    return version < 30 ? SASS_KEPLER : version < 70 ? SASS_PASCAL : version < 80 ? SASS_VOLTA : SASS_HOPPER;
}

static bool listed(const char *names, const char *name, size_t len)
{
    for (const char *p = names; *p;) {
        size_t n = strcspn(p, " ");
        if (n == len && memcmp(p, name, n) == 0) return true;
        p += n + 1;
    }
    return false;
}

static const struct sass_row *find(const char *name, size_t len, unsigned archs)
{
    for (unsigned i = 0; i < ROWS; i++)
        if (rows[i].archs & archs && listed(rows[i].names, name, len)) return &rows[i];
    return NULL;
}

/* ---- modifiers: the parts behind the dots ---- */

static bool has_part(const char *opcode, const char *part)
{
    size_t n = strlen(part);
    for (const char *p = strchr(opcode, '.'); p; p = strchr(p + 1, '.'))
        if (strncmp(p + 1, part, n) == 0 && (!p[1 + n] || p[1 + n] == '.')) return true;
    return false;
}

/* "64", "U8", "S16", "F32": bits of an element; 0: the part says nothing about it. */
static unsigned part_bits(const char *p)
{
    if (*p == 'U' || *p == 'S' || *p == 'F') p++;
    unsigned bits = 0, digits = 0;
    for (; isdigit((unsigned char)*p) && digits < 4; p++, digits++) bits = bits * 10 + (unsigned)(*p - '0');
    return digits && (!*p || *p == '.') && bits >= 8 && bits <= 256 && bits % 8 == 0 ? bits : 0;
}

/* Bytes each lane moves: what the first part with a number says. */
static unsigned access_width(const char *opcode)
{
    for (const char *p = strchr(opcode, '.'); p; p = strchr(p + 1, '.')) {
        unsigned bits = part_bits(p + 1);
        if (bits) return bits / 8;
    }
    return 4;
}

/* Registers behind a load's destination: a wide load names only the first. */
static unsigned loaded_registers(const char *opcode, unsigned width)
{
    size_t n = strlen(opcode);
    if (strncmp(opcode, "LDSM.", 5) == 0) { /* LDSM.16.M88.4: so many matrices, a register each */
        char last = opcode[n - 1];
        return opcode[n - 2] == '.' && (last == '2' || last == '4') ? (unsigned)(last - '0') : 1;
    }
    return width > 4 ? width / 4 : 1;
}

/* Whose writes must be seen. */
static unsigned cache_operator(const char *opcode)
{
    if (!has_part(opcode, "STRONG")) return CACHE_CA;
    return has_part(opcode, "SYS") ? CACHE_STRONG_SYS : has_part(opcode, "GPU") ? CACHE_STRONG_GPU : CACHE_STRONG_CTA;
}

/* ---- our own modifier ---- */

/* The fields in the order and with the widths in which they stand in the number, the first lowest. */
enum { FIELDS = 10 };
static const uint8_t field_bits[FIELDS] = {4, 5, 3, 4, 6, 1, 1, 4, 4, 2};

static uint8_t *field(struct code_inst *in, unsigned i)
{
    uint8_t *const all[FIELDS] = {&in->kind,    &in->lat,   &in->space, &in->cache_op, &in->width,
                                  &in->guarded, &in->async, &in->ndst,  &in->nsrc,     &in->element};
    return all[i];
}

void sass_mark(const struct code_inst *in, char *out)
{
    struct code_inst copy = *in;
    uint64_t v = in->old;
    for (unsigned i = FIELDS; i-- > 0;) v = v << field_bits[i] | *field(&copy, i);
    int n = snprintf(out, SASS_MARK, ".WL%" PRIx64, v);
    for (unsigned i = 0; i < (unsigned)in->ndst + in->nsrc; i++)
        n += snprintf(out + n, SASS_MARK - (size_t)n, ".R%u", in->reg[i]);
}

/* Whether the opcode carries such a modifier, whole and with sense. */
static bool read_mark(const char *opcode, struct code_inst *out)
{
    const char *p = strstr(opcode, ".WL");
    char *end;
    if (!p || !isxdigit((unsigned char)p[3])) return false;
    uint64_t v = strtoull(p + 3, &end, 16);
    *out = (struct code_inst){0};
    for (unsigned i = 0; i < FIELDS; i++) {
        *field(out, i) = (uint8_t)(v & ((1u << field_bits[i]) - 1));
        v >>= field_bits[i];
    }
    out->old = (uint8_t)v;
    unsigned regs = (unsigned)out->ndst + out->nsrc;
    if (v > OLD_FUNCTION || regs > CODE_MAX_REGS || out->kind > INST_WAIT || out->lat >= LAT_COUNT) return false;
    for (unsigned i = 0; i < regs; i++) {
        if (end[0] != '.' || end[1] != 'R' || !isdigit((unsigned char)end[2])) return false;
        unsigned long reg = strtoul(end + 2, &end, 10);
        if (reg >= SASS_REGISTERS) return false;
        out->reg[i] = (uint16_t)reg;
    }
    return !*end;
}

static void use_mark(struct sass_op *out)
{
    const struct code_inst *in = &out->inst;
    out->exact = true;
    out->known = SASS_KNOWN;
    out->kind = in->kind;
    out->lat = in->lat;
    out->space = in->space;
    out->cache_op = in->cache_op;
    out->width = in->width;
    out->async = in->async;
    out->call = out->ret = out->waits_groups = out->bulk = out->unaddressed = false;
}

static void classify_name(enum sass_arch arch, const char *opcode, struct sass_op *out)
{
    size_t len = strcspn(opcode, ".");
    const struct sass_row *r = find(opcode, len, 1u << arch);
    *out = (struct sass_op){.kind = INST_ALU, .lat = LAT_INT_ADD, .known = r ? SASS_KNOWN : SASS_ELSEWHERE};
    if (!r) r = find(opcode, len, ALL);
    if (!r) out->known = SASS_UNKNOWN;
    else *out = (struct sass_op){.kind = r->kind, .lat = r->lat, .space = r->space, .known = out->known};
    out->width = (uint8_t)access_width(opcode);
    out->dst_regs = 1;
    if (!r) return;
    out->call = r->flags & CALL;
    out->ret = r->flags & RET;
    out->waits_groups = r->flags & GROUPS;
    out->async = r->flags & ASYNC;
    out->bulk = r->flags & BULK;
    out->unaddressed = r->flags & UNADDRESSED;
    if (out->bulk) out->width = 32; /* the first sector: no trace says how much more */
    if (out->bulk && strncmp(opcode, "UBLKCP.G", 8) == 0)
        out->kind = INST_STORE; /* UBLKCP.S.G brings, UBLKCP.G.S takes */
    if (r->kind == INST_LOAD) out->dst_regs = (uint8_t)loaded_registers(opcode, out->width);
    if (r->kind == INST_LOAD && r->space != SPACE_SHARED) out->cache_op = (uint8_t)cache_operator(opcode);
    if (r->kind == INST_BARRIER && has_part(opcode, "ARV")) out->kind = INST_NOP; /* arrives, waits for nobody */
}

void sass_classify(enum sass_arch arch, const char *opcode, struct sass_op *out)
{
    struct code_inst in;
    classify_name(arch, opcode, out);
    if (!read_mark(opcode, &in)) return;
    out->inst = in;
    use_mark(out);
}
