/* accel_code.c - a code table out of executed lines.
 *
 * A trace has no program, only what warps did. Lines that say the same but for mask and addresses
 * are one instruction. What makes two lines different instructions:
 *
 *  - pc, opcode and registers: program counters restart in called functions, so the pc alone is not
 *    enough. The table gives the first such instruction its pc, others of the same pc one further up.
 *  - the call chain: a function called from two places is entered twice, as if it were inlined. Then
 *    the graph of steps has no path from one caller's call to the other's return, and a function
 *    called in a loop belongs to that loop.
 *  - what depends on the execution: the space of a generic access, and whether any lane ran it. A line
 *    without lanes (predicated off) issues and does nothing: it becomes a guarded instruction.
 *
 * Each instruction is a block of its own: a warp's stream then says what ran in which order, and
 * nothing has to be known about branches. Control flow is needed for loops alone, and it is followed
 * lane by lane: divergent paths of a warp stand one behind the other in a trace, and a step from the
 * end of one to the beginning of the other is no step of the program. */
#include <stdlib.h>
#include <string.h>

#include "trace/accel/accel_code.h"

enum { WINDOW = 16 << 20 /* of shared and local memory in generic space */ };

/* ---- memory ---- */

bool accel_grow(void **array, uint32_t *cap, uint32_t need, size_t item)
{
    if (need < *cap) return true;
    uint32_t want = *cap ? 2 * *cap : 256;
    void *p = realloc(*array, want * item);
    if (!p) return false;
    *array = p;
    *cap = want;
    return true;
}

static void index_clear(struct accel_index *x)
{
    if (x->slot) memset(x->slot, 0, x->size * sizeof *x->slot);
    x->used = 0;
}

/* Room for one more: at most half of the slots are taken. */
bool accel_index_room(struct accel_code *c, struct accel_index *x, hash_of *hash)
{
    if (x->slot && 2 * (x->used + 1) <= x->size) return true;
    uint32_t size = x->slot ? 2 * x->size : 1024, *old = x->slot, n = x->size;
    uint32_t *slot = calloc(size, sizeof *slot);
    if (!slot) return false;
    for (uint32_t i = 0; old && i < n; i++) {
        if (!old[i]) continue;
        uint32_t at = (uint32_t)hash(c, old[i]) & (size - 1);
        while (slot[at]) at = (at + 1) & (size - 1);
        slot[at] = old[i];
    }
    free(old);
    x->slot = slot;
    x->size = size;
    return true;
}

uint64_t accel_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static uint64_t hash_key(const struct accel_key *k)
{
    uint64_t word[sizeof *k / 8], h = 0;
    _Static_assert(sizeof *k % 8 == 0, "hashed by words");
    memcpy(word, k, sizeof *k);
    for (unsigned i = 0; i < sizeof word / sizeof word[0]; i++) h = accel_mix(h, word[i]);
    return h ^ h >> 32;
}

static uint64_t record_hash(const struct accel_code *c, uint32_t n) { return hash_key(&c->record[n].key); }
static uint64_t opcode_hash(const struct accel_code *c, uint32_t n) { return c->opcode[n].hash; }
struct accel_code *accel_code_new(void) { return calloc(1, sizeof(struct accel_code)); }

static void free_table(struct accel_code *c)
{
    free(c->inst);
    free(c->block);
    free(c->loop);
    free(c->origin);
    c->origin = NULL;
    c->inst = NULL;
    c->block = NULL;
    c->loop = NULL;
}

void accel_code_free(struct accel_code *c)
{
    if (!c) return;
    for (uint32_t i = 1; i <= c->opcodes; i++) free(c->opcode[i].text);
    free(c->opcode);
    free(c->record);
    free(c->site);
    free(c->edge);
    free(c->by_opcode.slot);
    free(c->by_key.slot);
    free(c->by_edge.slot);
    free_table(c);
    free(c);
}

void accel_code_keep_named(struct accel_code *c) { c->named = true; }

void accel_code_begin(struct accel_code *c, const struct accel_kernel *k)
{
    bool exact;
    enum sass_arch arch = sass_arch(k->binary, &exact);
    free_table(c);
    if (arch != c->arch)
        for (uint32_t i = 1; i <= c->opcodes; i++) sass_classify(arch, c->opcode[i].text, &c->opcode[i].op);
    c->kernel = *k;
    c->kernels++;
    c->arch = arch;
    c->records = c->insts = c->edges = c->contexts = 0;
    c->sites = 1;
    index_clear(&c->by_key);
    index_clear(&c->by_edge);
    c->learning = true;
}

struct accel_memo *accel_code_memos(struct accel_code *c) { return c->memo; }

void accel_warp_begin(struct accel_code *c)
{
    c->depth = 0;
    c->groups = 1;
    c->at[0].site = 0;
    c->at[0].mask = UINT32_MAX;
    c->last_mask = UINT32_MAX;
}

/* ---- opcodes ---- */

static uint32_t find_opcode(struct accel_code *c, struct lines *in, const char *line, size_t len)
{
    enum { LONGEST = 200 };
    char text[LONGEST + 1];
    if (len > LONGEST) {
        lines_fail(in, "an opcode of %zu characters", len);
        return 0;
    }
    memcpy(text, line, len);
    text[len] = 0;
    uint64_t h = hash_bytes(WL_HASH_INIT, text, len);
    struct accel_index *x = &c->by_opcode;
    if (x->slot) {
        for (uint32_t at = (uint32_t)h & (x->size - 1); x->slot[at]; at = (at + 1) & (x->size - 1)) {
            const struct accel_opcode *o = &c->opcode[x->slot[at]];
            if (o->hash == h && strcmp(o->text, text) == 0) return x->slot[at];
        }
    }
    if (c->opcodes >= ACCEL_MAX_OPCODES) lines_fail(in, "more than %d different opcodes", ACCEL_MAX_OPCODES);
    if (in->failed) return 0;
    char *copy = strdup(text);
    if (!copy || !accel_grow((void **)&c->opcode, &c->opcodes_cap, c->opcodes + 1, sizeof *c->opcode) ||
        !accel_index_room(c, x, opcode_hash)) {
        free(copy);
        lines_no_memory(in);
        return 0;
    }
    uint32_t n = ++c->opcodes, at = (uint32_t)h & (x->size - 1);
    c->opcode[n] = (struct accel_opcode){.text = copy, .hash = h};
    sass_classify(c->arch, copy, &c->opcode[n].op);
    while (x->slot[at]) at = (at + 1) & (x->size - 1);
    x->slot[at] = n;
    x->used++;
    return n;
}

const struct accel_opcode *accel_code_opcodes(const struct accel_code *c, unsigned *count)
{
    *count = c->opcodes;
    return c->opcode ? c->opcode + 1 : NULL;
}

/* ---- what the line does ---- */

static bool in_window(uint64_t addr, uint64_t base) { return base && addr - base < WINDOW; }

static enum mem_space generic_space(const struct accel_kernel *k, uint64_t addr)
{
    if (in_window(addr, k->shared_base)) return SPACE_SHARED;
    if (in_window(addr, k->local_base)) return SPACE_LOCAL;
    return SPACE_GLOBAL;
}

/* Lanes of a generic access that go to another space than the first (of enum mem_space) are left for later. */
static enum mem_space keep_one_space(const struct accel_kernel *k, struct accel_inst *i)
{
    uint32_t lanes[SPACE_LOCAL + 1] = {0};
    for (uint32_t m = i->mask; m; m &= m - 1) {
        unsigned lane = bit_low32(m);
        lanes[generic_space(k, i->addr[lane])] |= 1u << lane;
    }
    unsigned space = SPACE_GLOBAL;
    while (space < SPACE_LOCAL && !lanes[space]) space++;
    if (!i->mask) return SPACE_GLOBAL;
    i->mask = lanes[space];
    return (enum mem_space)space;
}

/* Device addresses stand as they are. */
static void check_addresses(struct lines *in, const struct accel_inst *i)
{
    uint64_t all = 0;
    for (uint32_t m = i->mask; m; m &= m - 1) all |= i->addr[bit_low32(m)];
    if (all < WLT_ADDRESS_END) return;
    for (uint32_t m = i->mask; m; m &= m - 1) {
        uint64_t a = i->addr[bit_low32(m)];
        if (a >= WLT_ADDRESS_END) lines_fail(in, "address 0x%llx is outside of any memory", (unsigned long long)a);
    }
}

/* Addresses become device addresses or offsets, as stream.h wants them. */
static void convert_addresses(const struct accel_code *c, struct lines *in, struct accel_inst *i, unsigned space)
{
    if (space == SPACE_GLOBAL || space == SPACE_TEX) {
        check_addresses(in, i);
        return;
    }
    uint64_t base = space == SPACE_SHARED ? c->kernel.shared_base : space == SPACE_LOCAL ? c->kernel.local_base : 0;
    for (uint32_t m = i->mask; m; m &= m - 1) {
        uint64_t *a = &i->addr[bit_low32(m)];
        if (in_window(*a, base)) *a -= base;
        *a &= WLT_OFFSET_END - 1;
    }
}

/* Kind and space of this execution; fills the rest of the key. */
static void describe(struct accel_code *c, struct lines *in, struct accel_inst *i, struct accel_key *k)
{
    struct accel_opcode *o = &c->opcode[k->opcode];
    unsigned kind = o->op.kind, space = o->op.space;
    k->idle = i->mask == 0;
    if (o->op.known == SASS_UNKNOWN && i->has_addrs) {
        o->with_addrs = true;
        kind = i->ndst ? INST_LOAD : INST_STORE;
        space = SPACE_GENERIC;
    }
    bool memory = kind == INST_LOAD || kind == INST_STORE || kind == INST_ATOMIC;
    if (c->learning && i->mask && (memory || o->op.unaddressed) && !i->has_addrs) o->dropped++;
    if (memory && !i->has_addrs) { /* nothing to access: it only issues */
        kind = INST_ALU;
        space = SPACE_NONE;
        memory = false;
    }
    if (space == SPACE_GENERIC) space = keep_one_space(&c->kernel, i);
    if (space == SPACE_LOCAL && kind == INST_ATOMIC) space = SPACE_GLOBAL;
    if (memory) convert_addresses(c, in, i, space);
    bool waits = kind == INST_BARRIER || kind == INST_MEMBAR || kind == INST_WAIT || kind == INST_COMMIT;
    if (k->idle && !o->op.exact && (waits || kind == INST_EXIT)) kind = INST_NOP;
    if (kind == INST_WAIT && !o->op.exact)
        k->groups = (uint8_t)(i->immediate < 0 ? 0 : i->immediate < 63 ? i->immediate : 63);
    k->kind = (uint8_t)kind;
    k->space = (uint8_t)space;
    memcpy(k->reg, i->reg, ((size_t)i->ndst + i->nsrc) * sizeof k->reg[0]);
}

/* ---- entering an instruction ---- */

/* The record of a key; 0: there is none. */
static uint32_t find_record(const struct accel_code *c, const struct accel_key *k)
{
    const struct accel_index *x = &c->by_key;
    if (!x->slot) return 0;
    uint32_t at = (uint32_t)hash_key(k) & (x->size - 1);
    for (; x->slot[at]; at = (at + 1) & (x->size - 1))
        if (memcmp(&c->record[x->slot[at]].key, k, sizeof *k) == 0) return x->slot[at];
    return 0;
}

static uint32_t add_record(struct accel_code *c, struct lines *in, const struct accel_key *k, uint32_t value)
{
    struct accel_index *x = &c->by_key;
    if (!accel_grow((void **)&c->record, &c->records_cap, c->records + 1, sizeof *c->record) ||
        !accel_index_room(c, x, record_hash)) {
        lines_no_memory(in);
        return 0;
    }
    uint32_t n = ++c->records, at = (uint32_t)hash_key(k) & (x->size - 1);
    c->record[n] = (struct accel_record){.key = *k, .value = value};
    while (x->slot[at]) at = (at + 1) & (x->size - 1);
    x->slot[at] = n;
    x->used++;
    return n;
}

/* The pc of an instruction in the table: its own, or one no other function has. */
static uint32_t table_pc(struct accel_code *c, struct lines *in, struct accel_key k)
{
    if (c->opcode[k.opcode].op.exact) return k.pc; /* one instruction may stand there under several names */
    k.level = A_TEXT;
    k.context = 0;
    uint32_t n = find_record(c, &k);
    if (n) return c->record[n].value;
    struct accel_key alone = {.pc = k.pc, .level = A_PC};
    uint32_t count = find_record(c, &alone);
    if (!count) count = add_record(c, in, &alone, 0);
    if (!count) return 0;
    uint32_t pc = k.pc + (c->record[count].value++ << 24);
    add_record(c, in, &k, pc);
    return pc;
}

static uint32_t site_of(struct accel_code *c, struct lines *in, struct accel_key k)
{
    k.level = A_SITE;
    k.kind = k.space = k.idle = k.groups = 0;
    uint32_t n = find_record(c, &k);
    if (n) return c->record[n].value;
    uint32_t pc = table_pc(c, in, k);
    if (!accel_grow((void **)&c->site, &c->sites_cap, c->sites + 1, sizeof *c->site)) lines_no_memory(in);
    if (in->failed || !add_record(c, in, &k, c->sites)) return 0;
    c->site[c->sites] = (struct accel_site){.last_from = UINT32_MAX, .pc = pc};
    return c->sites++;
}

static uint32_t learn(struct accel_code *c, struct lines *in, const struct accel_key *k, uint32_t line)
{
    if (!c->learning) {
        lines_fail(in, "this instruction was not there when the file was read first: it has changed");
        return 0;
    }
    if (c->insts == ACCEL_MAX_INSTS) {
        lines_fail(in, "the kernel has more than %d different instructions", ACCEL_MAX_INSTS);
        return 0;
    }
    uint32_t site = site_of(c, in, *k), n = in->failed ? 0 : add_record(c, in, k, site);
    if (n) c->record[n].number = c->insts++, c->record[n].line = line;
    return n;
}

/* The opcode's number, and below the record of a key: as they were when this line was read last, or looked up. */
static uint32_t opcode_of(struct accel_code *c, struct lines *in, const struct accel_inst *i)
{
    if (i->opcode) i->memo->opcode = (uint16_t)find_opcode(c, in, i->opcode, i->opcode_len);
    return i->memo->opcode;
}

static uint32_t record_of(const struct accel_code *c, const struct accel_inst *i, const struct accel_key *k)
{
    struct accel_memo *m = i->memo;
    if (m->kernel == c->kernels && m->record && memcmp(&c->record[m->record].key, k, sizeof *k) == 0) return m->record;
    m->kernel = c->kernels;
    return m->record = find_record(c, k);
}

uint32_t accel_code_inst(struct accel_code *c, struct lines *in, struct accel_inst *i)
{
    uint32_t lanes = i->mask ? i->mask : c->last_mask; /* nobody ran it, but somebody was there */
    struct accel_key k = {.pc = i->pc, .ndst = i->ndst, .nsrc = i->nsrc, .level = AN_INST};
    k.opcode = (uint16_t)opcode_of(c, in, i);
    if (!k.opcode) return 0;
    k.context = accel_context_of(c, i->pc, lanes);
    describe(c, in, i, &k);
    if (in->failed) return 0;
    if (i->mask) lanes = i->mask;
    uint32_t n = record_of(c, i, &k);
    if (!n && !(n = learn(c, in, &k, i->line))) return 0;
    uint32_t site = c->record[n].value;
    c->last_mask = lanes;
    if (c->learning) {
        c->opcode[k.opcode].count++;
        accel_follow_lanes(c, in, site, lanes);
    }
    const struct sass_op *op = &c->opcode[k.opcode].op;
    if (op->call && i->mask) accel_follow_call(c, site, i->pc, i->mask);
    if (op->ret && i->mask) accel_follow_return(c, i->mask);
    return c->record[n].number;
}

/* ---- the table ---- */

static void put_registers(struct code_inst *out, const struct accel_key *k, unsigned dst_regs, uint32_t *nregs)
{
    enum { ZERO = 255 };
    unsigned n = 0;
    for (unsigned i = 0; i < (unsigned)k->ndst + k->nsrc; i++) {
        bool dst = i < k->ndst;
        unsigned count = dst && k->ndst == 1 ? dst_regs : 1, room = CODE_MAX_REGS - n - (dst ? k->nsrc : 0u);
        for (unsigned j = 0; j < count && j < room && k->reg[i] + j < ZERO; j++) {
            out->reg[n++] = (uint16_t)(k->reg[i] + j);
            if (k->reg[i] + j >= *nregs) *nregs = k->reg[i] + j + 1;
            if (dst) out->ndst++;
            else out->nsrc++;
        }
    }
}

/* All that our own writer noted; kind and space are those of this execution. */
static void put_exact(struct code_inst *out, const struct code_inst *from, uint32_t *nregs)
{
    struct code_inst all = *from;
    all.pc = out->pc;
    all.loop = out->loop;
    all.kind = out->kind;
    all.space = out->space;
    all.guarded |= out->guarded;
    *out = all;
    for (unsigned i = 0; i < (unsigned)all.ndst + all.nsrc; i++)
        if (all.reg[i] >= *nregs) *nregs = all.reg[i] + 1u;
}

static void put_inst(struct accel_code *c, const struct accel_record *r, const uint16_t *loop_of)
{
    const struct sass_op *op = &c->opcode[r->key.opcode].op;
    struct code_inst *out = &c->inst[r->number];
    *out = (struct code_inst){.pc = c->site[r->value].pc,
                              .kind = r->key.kind,
                              .space = r->key.space,
                              .guarded = r->key.idle,
                              .loop = loop_of[r->value]};
    if (out->kind == INST_ALU) out->lat = op->lat;
    if (inst_is_mem(out)) out->width = op->width;
    if (out->kind == INST_LOAD) out->cache_op = op->cache_op;
    if (out->kind == INST_WAIT) out->width = r->key.groups < WAIT_ALL ? r->key.groups : WAIT_ALL - 1;
    out->async = out->kind == INST_LOAD && op->async;
    c->origin[r->number] = (struct code_origin){.text = c->opcode[r->key.opcode].text, .line = r->line};
    c->block[r->number] = (struct code_block){r->number, 1, out->loop};
    if (op->exact) {
        put_exact(out, &op->inst, &c->code.nregs);
        return;
    }
    put_registers(out, &r->key, out->kind == INST_LOAD ? op->dst_regs : 1, &c->code.nregs);
    if (out->async && out->ndst) { /* what it names is where in shared memory the data goes: it is read */
        out->nsrc = (uint8_t)(out->nsrc + out->ndst);
        out->ndst = 0;
    }
}

const struct code *accel_code_table(struct accel_code *c, struct lines *in)
{
    uint32_t n = c->insts ? c->insts : 1, nloop = 0;
    uint16_t *loop_of = calloc(c->sites, sizeof *loop_of);
    c->inst = calloc(n, sizeof *c->inst);
    c->block = calloc(n, sizeof *c->block);
    c->origin = calloc(n, sizeof *c->origin);
    bool ok = loop_of && c->inst && c->block && c->origin &&
              find_loops(c->sites, c->edges ? c->edge + 1 : NULL, c->edges, loop_of, &c->loop, &nloop);
    c->code = (struct code){.inst = c->inst,
                            .block = c->block,
                            .loop = c->loop,
                            .origin = c->origin,
                            .ninst = c->insts,
                            .nblock = c->insts,
                            .nloop = nloop,
                            .machine = !c->kernel.ptx};
    for (uint32_t i = 1; ok && i <= c->records; i++)
        if (c->record[i].key.level == AN_INST) put_inst(c, &c->record[i], loop_of);
    if (ok && c->named && c->code.machine) code_keep_named(c->inst, c->insts);
    free(loop_of);
    if (!ok) lines_no_memory(in);
    struct wl_err why;
    if (ok && wlt_check_code(&c->code, &why)) lines_fail(in, "%.400s", why.text); /* a modifier .WL may say anything */
    c->learning = false;
    return in->failed ? NULL : &c->code;
}
