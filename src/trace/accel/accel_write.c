/* accel_write.c - launches as an Accel-Sim trace, version 5, for sm_80.
 *
 * What that format has no room for other programs see changed, and it is counted, never dropped silently:
 *
 *  - latency classes without a machine instruction (divisions are routines there) become MUFU;
 *  - parameter loads become constant loads, texture and read-only loads global ones;
 *  - an instruction names one destination and up to five sources; of a vector load's registers the first is named;
 *  - there are 255 registers: higher numbers share names;
 *  - loops and calls are not written: a reader finds loops again.
 *
 * For ourselves an instruction that would come back as another carries all of its fields in a modifier (sass_mark), so
 * that a trace that is read again has the counters it had. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/out_file.h"
#include "trace/accel/accel_priv.h"
#include "trace/accel/accel_write.h"

enum { REGISTERS = 255, BINARY = 80 };

struct accel_writer {
    uint64_t stream; /* of the next launch */
    char *folder;
    struct out_file list, kernel;
    uint32_t kernels;
    struct accel_changes changes;
    struct wlt_totals totals;
    struct wlt_counts counts; /* of this launch */
    const struct code *code;  /* of this launch */
    bool lines;               /* it has source lines */
    struct wl_err err;
};

static void cannot_write(struct accel_writer *w, const char *what)
{
    if (!w->err.code)
        wl_fail(&w->err, WL_ERUN, "cannot write %.700s/%.200s: %s", w->folder, what,
                errno ? strerror(errno) : "the disk is full");
}

static void no_memory(struct accel_writer *w)
{
    if (!w->err.code) wl_fail(&w->err, WL_ERUN, "out of memory");
}

/* The caller frees it; NULL: no memory, which is noted. */
static char *path_of(struct accel_writer *w, const char *name)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", w->folder, name) >= 0) return path;
    no_memory(w);
    return NULL;
}

static void create(struct accel_writer *w, struct out_file *f, const char *name)
{
    char *path = path_of(w, name);
    if (path) out_file_open(f, path, &w->err);
    free(path);
}

/* ---- opcodes ---- */

static const char *alu_opcode(struct accel_writer *w, const struct code_inst *in)
{
    static const char *const names[LAT_COUNT] = {[LAT_INT_ADD] = "IADD3",         [LAT_INT_MAX] = "IMNMX",
                                                 [LAT_INT_MUL] = "IMUL",          [LAT_INT_MAD] = "IMAD",
                                                 [LAT_FP_ADD] = "FADD",           [LAT_FP_MAX] = "FMNMX",
                                                 [LAT_FP_MUL] = "FMUL",           [LAT_FP_MAD] = "FFMA",
                                                 [LAT_DP_ADD] = "DADD",           [LAT_DP_MUL] = "DMUL",
                                                 [LAT_DP_MAD] = "DFMA",           [LAT_SFU] = "MUFU.EX2",
                                                 [LAT_TENSOR] = "HMMA.16816.F32", [LAT_SHFL] = "SHFL.IDX",
                                                 [LAT_CVT] = "F2F.F64.F32",       [LAT_BITS] = "POPC",
                                                 [LAT_TEXTURE] = "TEX",           [LAT_UNIFORM] = "UIADD3",
                                                 [LAT_PREDICATE] = "ISETP.NE.AND"};
    if (names[in->lat]) return names[in->lat];
    w->changes.latencies++;
    return in->lat == LAT_DP_MAX ? "DADD" : "MUFU.RCP";
}

static const char *memory_name(struct accel_writer *w, const struct code_inst *in)
{
    bool load = in->kind == INST_LOAD;
    switch (in->kind == INST_ATOMIC ? SPACE_NONE : in->space) {
    case SPACE_SHARED:
        return !load                             ? "STS"
               : in->width == 2 && in->ndst == 4 ? "LDSM.16.M88.4"
               : in->width == 2 && in->ndst == 2 ? "LDSM.16.M88.2"
                                                 : "LDS";
    case SPACE_LOCAL: return load ? "LDL" : "STL";
    case SPACE_PARAM: w->changes.spaces++; return "LDC";
    case SPACE_CONST: return "LDC";
    case SPACE_GENERIC: return load ? "LD.E" : "ST.E"; /* no lane executes it */
    case SPACE_TEX: w->changes.spaces++; return "LDG.E.CONSTANT";
    case SPACE_GLOBAL:
        if (load && in->cache_op == CACHE_NC) w->changes.spaces++;
        return !load ? "STG.E" : in->async ? "LDGSTS.E" : in->cache_op == CACHE_NC ? "LDG.E.CONSTANT" : "LDG.E";
    default: return in->space == SPACE_SHARED ? "ATOMS.ADD" : in->ndst ? "ATOMG.E.ADD" : "RED.E.ADD";
    }
}

static void memory_opcode(struct accel_writer *w, const struct code_inst *in, char *out, size_t size)
{
    const char *width = in->width == 1    ? ".U8"
                        : in->width == 2  ? ".U16"
                        : in->width == 8  ? ".64"
                        : in->width == 16 ? ".128"
                        : in->width == 32 ? ".256"
                                          : "";
    static const char *const scopes[] = {[CACHE_CG] = ".STRONG.GPU",
                                         [CACHE_STRONG_CTA] = ".STRONG.SM",
                                         [CACHE_STRONG_GPU] = ".STRONG.GPU",
                                         [CACHE_STRONG_SYS] = ".STRONG.SYS"};
    const char *name = memory_name(w, in);
    bool load = in->kind == INST_LOAD && in->space == SPACE_GLOBAL;
    const char *scope = load && scopes[in->cache_op] ? scopes[in->cache_op] : "";
    if (in->kind == INST_ATOMIC && in->space == SPACE_GLOBAL) scope = ".STRONG.GPU";
    if (!*width && in->width != 4) w->changes.widths++;
    if (strncmp(name, "LDSM", 4) == 0) width = ""; /* it is in the name */
    snprintf(out, size, "%s%s%s", name, width, scope);
}

static void opcode_of(struct accel_writer *w, const struct code_inst *in, char *out, size_t size)
{
    const char *name = NULL;
    switch (in->kind) {
    case INST_ALU: name = alu_opcode(w, in); break;
    case INST_BRANCH: name = "BRA"; break;
    case INST_BARRIER: name = "BAR.SYNC"; break;
    case INST_MEMBAR: name = "MEMBAR.SC.GPU"; break;
    case INST_NOP: name = "NOP"; break;
    case INST_EXIT: name = "EXIT"; break;
    case INST_COMMIT: name = "LDGDEPBAR"; break;
    case INST_WAIT: name = "DEPBAR.LE"; break;
    default: memory_opcode(w, in, out, size); return;
    }
    snprintf(out, size, "%s", name);
}

/* ---- lines ---- */

static void put_addresses(FILE *f, const struct warp_addrs *a)
{
    unsigned first = bit_low32(a->mask);
    uint32_t lanes = a->mask >> first;
    if (a->affine && (a->mask & (a->mask - 1)) && !(lanes & (lanes + 1))) { /* side by side, at least two */
        fprintf(f, " 1 0x%" PRIx64 " %" PRId64, a->base, a->stride);
        return;
    }
    uint64_t before = warp_addr(a, first);
    fprintf(f, " 2 0x%" PRIx64, before);
    for (uint32_t m = a->mask & (a->mask - 1); m; m &= m - 1) {
        uint64_t here = warp_addr(a, bit_low32(m));
        fprintf(f, " %" PRId64, (int64_t)(here - before));
        before = here;
    }
}

/* Registers that the line names: one destination, five sources. */
static unsigned named_sources(const struct code_inst *in) { return in->nsrc < 5 ? in->nsrc : 5; }

/* Whether the reader finds the instruction's own registers in the line: all are named, or follow from a wide load's. */
static bool registers_return(const struct code_inst *in, const struct sass_op *op)
{
    unsigned behind = in->kind == INST_LOAD && in->ndst ? op->dst_regs : in->ndst ? 1 : 0;
    bool same = in->ndst == behind && in->nsrc == named_sources(in);
    for (unsigned i = 1; i < in->ndst; i++) same = same && in->reg[i] == in->reg[0] + i;
    for (unsigned i = 0; i < (unsigned)in->ndst + in->nsrc; i++) same = same && in->reg[i] < REGISTERS;
    return same;
}

/* Whether the reader makes this instruction of the mnemonic and the line. */
static bool returns(const struct code_inst *in, const char *opcode, uint32_t exec)
{
    struct sass_op op;
    sass_classify(SASS_AMPERE, opcode, &op);
    bool memory = inst_is_mem(in);
    bool same = op.kind == in->kind && in->guarded == (exec == 0) && !in->old && !in->element && op.async == in->async;
    if (!exec && in->kind >= INST_BARRIER && in->kind != INST_NOP) return false; /* nobody waits: a no-operation */
    if (in->kind == INST_ALU) same = same && op.lat == in->lat;
    if (memory) same = same && op.width == in->width && (op.space == in->space || op.space == SPACE_GENERIC);
    if (in->kind == INST_LOAD) same = same && op.cache_op == in->cache_op;
    return same && registers_return(in, &op);
}

static void put_inst(void *arg, const struct code_inst *in, uint32_t exec, const struct warp_addrs *a)
{
    struct accel_writer *w = arg;
    FILE *f = w->kernel.file;
    char opcode[48], mark[SASS_MARK] = "";
    opcode_of(w, in, opcode, sizeof opcode);
    unsigned dst = in->ndst ? 1 : 0, src = named_sources(in);
    if (in->ndst > 1 || src < in->nsrc) w->changes.registers += !returns(in, opcode, exec);
    if (!returns(in, opcode, exec)) sass_mark(in, mark);
    if (w->lines) fprintf(f, "%u ", code_origin(w->code, in).line);
    fprintf(f, "%04x %08x %u", in->pc, exec, dst);
    if (dst) fprintf(f, " R%u", (unsigned)in->reg[0] % REGISTERS);
    fprintf(f, " %s%s %u", opcode, mark, src);
    for (unsigned i = 0; i < src; i++) fprintf(f, " R%u", (unsigned)in->reg[in->ndst + i] % REGISTERS);
    if (!inst_is_mem(in)) {
        fputs(" 0", f);
    } else {
        fprintf(f, " %u", in->width);
        struct warp_addrs plain;
        if (a) {
            plain = *a;
            warp_addrs_note(&plain, in->async); /* what waits at mbarriers is lost */
            put_addresses(f, &plain);
        } else fputs(" 1 0x0 0", f);
    }
    fprintf(f, " %u \n", in->kind == INST_WAIT ? in->width : 0u);
    w->counts.warp_instructions++;
    w->counts.thread_instructions += bit_count32(exec);
}

static void count_inst(void *arg, const struct code_inst *in, uint32_t exec, const struct warp_addrs *a)
{
    (void)in, (void)exec, (void)a;
    ++*(uint64_t *)arg;
}

static void write_cta(struct accel_writer *w, const struct launch_info *info, const struct cta_stream *c)
{
    FILE *f = w->kernel.file;
    const uint32_t *g = info->grid;
    fprintf(f, "\n#BEGIN_TB\n\nthread block = %u,%u,%u\n", c->cta % g[0], c->cta / g[0] % g[1], c->cta / g[0] / g[1]);
    for (uint32_t i = 0; i < c->nwarps; i++) {
        uint64_t n = 0;
        wlt_walk(info->code, c->warp[i], count_inst, &n);
        fprintf(f, "\nwarp = %u\ninsts = %" PRIu64 "\n", i, n);
        wlt_walk(info->code, c->warp[i], put_inst, w);
        w->totals.stream_bytes += c->warp[i].size;
    }
    fputs("\n#END_TB\n", f);
    w->totals.ctas++;
    w->totals.warps += c->nwarps;
}

static void write_header(struct accel_writer *w, const struct launch_info *i)
{
    fprintf(w->kernel.file,
            "-kernel name = %s\n-kernel id = %u\n-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n-shmem = %u\n-nregs "
            "= %u\n"
            "-binary version = %d\n-cuda stream id = %" PRIu64 "\n-shmem base_addr = 0x0\n-local mem base_addr = 0x0\n"
            "-nvbit version = none\n-accelsim tracer version = 5\n-enable lineinfo = %d\n-warpline code = %s\n\n"
            "#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
            "[adrrescompress?] "
            "[mem_addresses] immediate\n\n",
            i->kernel, w->kernels, i->grid[0], i->grid[1], i->grid[2], i->block[0], i->block[1], i->block[2],
            i->shared_bytes, i->regs_per_thread, BINARY, w->stream, w->lines, i->code->machine ? "machine" : "ptx");
    w->stream = 0;
}

static bool has_lines(const struct code *c)
{
    for (uint32_t i = 0; c->origin && i < code_listed(c); i++)
        if (c->origin[i].line) return true;
    return false;
}

/* ---- the face ---- */

void accel_write_stream(struct accel_writer *w, uint64_t stream) { w->stream = stream; }

struct accel_writer *accel_create(const char *folder, struct wl_err *e)
{
    struct accel_writer *w = calloc(1, sizeof *w);
    if (!w || !(w->folder = strdup(folder))) {
        free(w);
        wl_fail(e, WL_ERUN, "out of memory");
        return NULL;
    }
    struct stat st;
    if (mkdir(folder, 0777) != 0 && (errno != EEXIST || stat(folder, &st) != 0 || !S_ISDIR(st.st_mode)))
        wl_fail(&w->err, WL_EINPUT, "cannot make the folder %.1000s: %s", folder, strerror(errno));
    char *list = w->err.code ? NULL : path_of(w, "kernelslist.g");
    if (list && access(list, F_OK) == 0) /* its kernels would be replaced before this trace is whole */
        wl_fail(&w->err, WL_EINPUT, "%.1000s holds a trace already: remove it or name another folder", folder);
    free(list);
    if (!w->err.code) create(w, &w->list, "kernelslist.g");
    if (!w->err.code) return w;
    if (e) *e = w->err;
    accel_finish(w, WL_ERUN, NULL, NULL, NULL);
    return NULL;
}

void accel_write_copy(struct accel_writer *w, uint64_t addr, uint64_t bytes)
{
    fprintf(w->list.file, "MemcpyHtoD,0x%016" PRIx64 ",%" PRIu64 "\n", addr, bytes);
    w->totals.copies++;
    w->totals.copy_bytes += bytes;
}

int accel_write_launch(struct accel_writer *w, struct stream_source *s, struct wl_err *e)
{
    char name[64];
    struct cta_stream cta;
    int got = 0;
    snprintf(name, sizeof name, "kernel-%u.traceg", ++w->kernels);
    fprintf(w->list.file, "%s\n", name);
    w->counts = (struct wlt_counts){0};
    if (s->info->code->nregs > REGISTERS) w->changes.shared_registers = s->info->code->nregs;
    w->code = s->info->code;
    w->lines = has_lines(w->code);
    if (!w->err.code) create(w, &w->kernel, name);
    if (!w->err.code) write_header(w, s->info);
    while (!w->err.code && (got = s->next(s, &cta, e)) > 0) {
        write_cta(w, s->info, &cta);
        s->release(s, &cta);
        if (ferror(w->kernel.file)) cannot_write(w, name);
    }
    if (w->kernel.file) w->totals.file_bytes += (uint64_t)(ftello(w->kernel.file) > 0 ? ftello(w->kernel.file) : 0);
    out_file_close(&w->kernel, (int)w->err.code, &w->err);
    w->totals.launches++;
    w->totals.counts.warp_instructions += w->counts.warp_instructions;
    w->totals.counts.thread_instructions += w->counts.thread_instructions;
    if (got < 0) return -got;
    if (w->err.code && e) *e = w->err;
    return (int)w->err.code;
}

/* Half a trace is none: without a list nobody takes it for one, and nobody needs the rest. */
static void remove_kernels(struct accel_writer *w)
{
    char name[64];
    for (uint32_t i = 1; i <= w->kernels; i++) {
        snprintf(name, sizeof name, "kernel-%u.traceg", i);
        char *path = path_of(w, name);
        if (path) unlink(path);
        free(path);
    }
}

int accel_finish(struct accel_writer *w, int rc, struct wlt_totals *totals, struct accel_changes *changes,
                 struct wl_err *e)
{
    if (!w) return rc;
    out_file_close(&w->kernel, WL_ERUN, NULL); /* still open: it was not finished */
    out_file_close(&w->list, rc ? rc : (int)w->err.code, &w->err);
    if (!rc && w->err.code) {
        if (e) *e = w->err;
        rc = (int)w->err.code;
    }
    if (rc) remove_kernels(w);
    if (totals) *totals = w->totals;
    if (changes) *changes = w->changes;
    free(w->folder);
    free(w);
    return rc;
}
