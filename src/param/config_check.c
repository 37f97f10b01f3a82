/* config_check.c - values that are valid one by one but contradict each other.
 *
 * Ranges are checked when a value is read; here are the relations between values: geometries that index
 * functions cannot address, maps that do not fit the banks, shares that do not divide. Each
 * sentence names the keys to change. */
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "param/config.h"
#include "param/param_table.h"

#define V(id) (c->v[P_##id])

enum { INDEX_LINEAR, INDEX_XOR, INDEX_FERMI, INDEX_IPOLY };

/* ---- the address map ---- */

static int read_dramid(const char **map, struct dram_map_shape *out, struct wl_err *e)
{
    out->dramid = -1;
    if (strncmp(*map, "dramid@", 7) != 0) return 0;
    char *end;
    long bit = isdigit((unsigned char)(*map)[7]) ? strtol(*map + 7, &end, 10) : -1;
    if (bit < 0 || bit > 40 || *end != ';')
        return wl_fail(e, WL_EINPUT, "dram.map begins with dramid@BIT; where BIT is 7 to 40, then 64 letters");
    out->dramid = (int)bit;
    *map = end + 1;
    return 0;
}

int dram_map_shape(const char *map, struct dram_map_shape *out, struct wl_err *e)
{
    memset(out, 0, sizeof *out);
    int rc = read_dramid(&map, out, e);
    if (rc) return rc;
    unsigned letters = 0;
    for (const char *p = map; *p; p++) {
        if (strchr(".| ", *p)) continue;
        letters++;
        switch (*p) {
        case 'R':
        case 'r': out->row_bits++; break;
        case 'B':
        case 'b': out->bank_bits++; break;
        case 'C':
        case 'c':
        case 'S':
        case 's': out->column_bits++; break;
        case 'D':
        case 'd': out->channel_bits++; break;
        case '0': break;
        default:
            return wl_fail(e, WL_EINPUT,
                           "'%c' is no letter of dram.map; R row, B bank, C column, S burst, D channel, 0 unused",
                           isprint((unsigned char)*p) ? *p : '?');
        }
    }
    if (letters != 64)
        return wl_fail(e, WL_EINPUT, "dram.map has %u letters; one for each of the 64 address bits is needed", letters);
    if (out->dramid >= 0 && out->channel_bits)
        return wl_fail(e, WL_EINPUT, "dram.map has both dramid@ and D letters; one of them places the channel");
    return 0;
}

static int check_map(const struct gpu_config *c, struct wl_err *e)
{
    struct dram_map_shape m;
    int rc = dram_map_shape(c->dram_map, &m, e);
    if (rc) return rc;
    if (m.dramid >= 0 && m.dramid < 7)
        return wl_fail(e, WL_EINPUT, "dram.map: dramid@%d would split a 128-byte line between channels; 7 is the least",
                       (int)m.dramid);
    if (m.dramid < 0 && (m.channel_bits > 7 || INT64_C(1) << m.channel_bits != V(MEM_CHANNELS)))
        return wl_fail(e, WL_EINPUT,
                       "dram.map has %u channel bits (D), which cannot name mem.channels = %" PRId64
                       "; use dramid@8; or change one of them",
                       m.channel_bits, V(MEM_CHANNELS));
    if (m.bank_bits > 6 || INT64_C(1) << m.bank_bits != V(DRAM_BANKS))
        return wl_fail(e, WL_EINPUT, "dram.map has %u bank bits (B), which cannot name dram.banks = %" PRId64,
                       m.bank_bits, V(DRAM_BANKS));
    if (INT64_C(1) << m.bank_bits < V(L2_SLICES))
        return wl_fail(e, WL_EINPUT,
                       "dram.map has %u bank bits (B); l2.slices_per_channel = %" PRId64
                       " needs at least %u, because the lowest bank bits choose the slice",
                       m.bank_bits, V(L2_SLICES), log2_floor((uint64_t)V(L2_SLICES)));
    return 0;
}

static int check_hash(const struct gpu_config *c, struct wl_err *e)
{
    enum { XOR = 1, IPOLY };
    int64_t slices = V(L2_SLICES); /* the next power of two */
    while (slices < V(MEM_CHANNELS) * V(L2_SLICES)) slices *= 2;
    if (V(MEM_HASH) == XOR && !is_pow2((uint64_t)V(MEM_CHANNELS)))
        return wl_fail(e, WL_EINPUT, "mem.hash = xor needs a power of two of mem.channels, not %" PRId64,
                       V(MEM_CHANNELS));
    if (V(DRAM_BANK_HASH) == IPOLY && V(DRAM_BANKS) != 16 && V(DRAM_BANKS) != 32 && V(DRAM_BANKS) != 64)
        return wl_fail(e, WL_EINPUT, "dram.bank_hash = ipoly is defined for 16, 32 or 64 banks; dram.banks is %" PRId64,
                       V(DRAM_BANKS));
    if (V(MEM_HASH) == IPOLY && slices != 16 && slices != 32 && slices != 64)
        return wl_fail(e, WL_EINPUT,
                       "mem.hash = ipoly hashes to 16, 32 or 64 slices; mem.channels x l2.slices_per_channel = %" PRId64
                       " needs %" PRId64,
                       V(MEM_CHANNELS) * V(L2_SLICES), slices);
    return 0;
}

/* ---- shared memory ---- */

unsigned carveouts(const char *text, uint32_t bytes[WL_MAX_CARVEOUTS], struct wl_err *e)
{
    unsigned n = 0;
    for (const char *p = text;; p++) {
        char *end;
        unsigned long kib = isdigit((unsigned char)*p) ? strtoul(p, &end, 10) : ULONG_MAX;
        if (kib > 1024 || (*end && *end != ',') || n == WL_MAX_CARVEOUTS || (n && kib * 1024 <= bytes[n - 1])) {
            wl_fail(e, WL_EINPUT, "shared.options is up to %d ascending sizes in KiB, at most 1024, like 0,8,16,32,64",
                    WL_MAX_CARVEOUTS);
            return 0;
        }
        bytes[n++] = (uint32_t)kib * 1024;
        p = end;
        if (!*p) return n;
    }
}

static int check_shared(const struct gpu_config *c, struct wl_err *e)
{
    uint32_t bytes[WL_MAX_CARVEOUTS];
    unsigned n = carveouts(c->shared_options, bytes, e);
    if (!n) return WL_EINPUT;
    if (!V(SHARED_UNIFIED)) return 0;
    if (c->l1.policy && c->l1.policy->grains)
        return wl_fail(
            e, WL_EINPUT,
            "policy %s has tags of its own, of which no ways can be lent to shared memory; set shared.unified=0",
            c->l1.policy->name);
    if (bytes[n - 1] > V(SHARED_UNIFIED) || bytes[n - 1] < V(SM_SHARED))
        return wl_fail(e, WL_EINPUT,
                       "the largest of shared.options = %s must hold sm.shared = %" PRId64
                       " bytes and fit shared.unified = %" PRId64,
                       c->shared_options, V(SM_SHARED), V(SHARED_UNIFIED));
    if (V(L1D_INFINITE))
        return wl_fail(e, WL_EINPUT, "l1d.infinite has no ways to give to shared memory; set shared.unified = 0");
    return 0;
}

/* ---- caches ---- */

bool index_takes(int64_t index, int64_t sets)
{
    if (index == INDEX_FERMI) return sets == 32 || sets == 64;
    if (index == INDEX_IPOLY) return sets == 16 || sets == 32 || sets == 64;
    return is_pow2((uint64_t)sets);
}

static int check_index(const char *cache, int64_t sets, int64_t index, struct wl_err *e)
{
    if (index_takes(index, sets)) return 0;
    if (index == INDEX_FERMI)
        return wl_fail(e, WL_EINPUT, "%s.index = fermi needs 32 or 64 sets; %s.sets is %" PRId64, cache, cache, sets);
    if (index == INDEX_IPOLY)
        return wl_fail(e, WL_EINPUT, "%s.index = ipoly needs 16, 32 or 64 sets; %s.sets is %" PRId64, cache, cache,
                       sets);
    return wl_fail(e, WL_EINPUT, "%s.sets = %" PRId64 " is not a power of two", cache, sets);
}

enum { L2_WRITE_FORWARD = 1 }; /* ORDER of the choices of l2.write */

static int check_halves(const struct gpu_config *c, struct wl_err *e)
{
    if (!V(L2_HALVES)) return 0;
    if (!V(L2_SECTORED) || V(L2_SLICES) < 2 || V(ICNT_JOIN_GROUPS) % 2)
        return wl_fail(e, WL_EINPUT,
                       "l2.halves = yes needs l2.sectored = yes, and l2.slices_per_channel and icnt.join_groups even");
    if (V(L2_WAYS) < 2 || V(L2_MSHR) < 8)
        return wl_fail(e, WL_EINPUT,
                       "l2.halves = yes needs l2.ways of 2 and l2.mshr of 8 at least: one half of "
                       "each is for what the other half of the L2 is asked");
    if (V(L2_ENTRY) || V(L2_HOP) || V(L2_ACK) || V(L2_MEMQ_STOPS) || V(L2_PENDING_STORE) == 1 || V(ICNT_IN_FLITS) ||
        V(ICNT_OUT_FLITS) || V(SM_COALESCE) == 3)
        return wl_fail(e, WL_EINPUT,
                       "l2.halves = yes does not go with l2.entry = queue, l2.hop, l2.ack = memory, l2.memq_stops = "
                       "all, l2.pending_store = forward, queues counted in flits and sm.coalesce = sector");
    return 0;
}

static int check_caches(const struct gpu_config *c, struct wl_err *e)
{
    int rc;
    if ((rc = check_index("l1d", V(L1D_SETS), V(L1D_INDEX), e))) return rc;
    if ((rc = check_index("l2", V(L2_SETS), V(L2_INDEX), e))) return rc;
    if ((rc = check_halves(c, e))) return rc;
    if ((rc = check_index("l1t", V(L1T_SETS), INDEX_LINEAR, e))) return rc;
    if ((rc = check_index("l1c", V(L1C_SETS), INDEX_LINEAR, e))) return rc;
    if (!is_pow2((uint64_t)V(L2_PROMOTE)))
        return wl_fail(e, WL_EINPUT, "l2.promote = %" PRId64 " is not 1, 2 or 4 sectors", V(L2_PROMOTE));
    if (128 % V(L2_PORT) != 0)
        return wl_fail(e, WL_EINPUT, "l2.port = %" PRId64 " does not divide the 128-byte line", V(L2_PORT));
    /* A line costs the simulator some dozen bytes: keep a typing error from taking all memory. */
    const int64_t most_lines = INT64_C(1) << 20;
    if (V(L1D_SETS) * V(L1D_WAYS) > most_lines)
        return wl_fail(e, WL_EINPUT,
                       "l1d.sets x l1d.ways = %" PRId64 " lines; at most %" PRId64 " (128 MiB) are possible",
                       V(L1D_SETS) * V(L1D_WAYS), most_lines);
    /* A request that needs more than there is would wait for ever. */
    int64_t sends = V(L2_WRITE) == L2_WRITE_FORWARD ? 3 : 2; /* a fetch, a dirty victim, a forwarded store */
    if (V(L2_MISSQ) < sends)
        return wl_fail(e, WL_EINPUT, "l2.missq = %" PRId64 " cannot hold what one miss sends; %" PRId64 " are needed",
                       V(L2_MISSQ), sends);
    if (V(L1D_MSHR_FREE) && V(SM_COALESCE) == 3 && V(L1D_SECTORED))
        return wl_fail(e, WL_EINPUT,
                       "l1d.mshr_free = written needs another sm.coalesce than sector, where each sector is a miss");
    if (V(L1D_WRITE_ALLOC) && (!V(L1D_WRITE) || !V(L1D_SECTORED)))
        return wl_fail(e, WL_EINPUT, "l1d.write_alloc = yes needs l1d.write = update and l1d.sectored = yes");
    if ((V(TEXTURE_DELAY) || V(TEXTURE_DELAY_2D) || V(TEXTURE_TURN) || V(TEXTURE_TURN_2D)) && !V(L1D_READONLY))
        return wl_fail(e, WL_EINPUT, "texture.delay and texture.turn need l1d.readonly = yes");
    if (V(L2_PENDING_STORE) == 1 && (V(L2_WRITE) != L2_WRITE_FORWARD || V(L2_SECTORED)))
        return wl_fail(e, WL_EINPUT, "l2.pending_store = forward needs l2.write = forward and l2.sectored = no");
    if (V(L2_TEXTURE) && !V(L2_ENTRY))
        return wl_fail(e, WL_EINPUT, "l2.texture = skip needs l2.entry = queue: the pipeline is inside a port else");
    if (V(L1D_MISSQ) < 2)
        return wl_fail(e, WL_EINPUT,
                       "l1d.missq = 1 cannot hold a miss and the dirty local line it evicts; 2 are needed");
    if (V(L2_SECTORED) && V(L2_MSHR) < 4)
        return wl_fail(e, WL_EINPUT,
                       "l2.mshr = %" PRId64 " is less than the 4 sectors one miss of a sectored L2 can need",
                       V(L2_MSHR));
    int64_t l2_lines = V(L2_SETS) * V(L2_WAYS);
    if (l2_lines > most_lines)
        return wl_fail(e, WL_EINPUT, "l2.sets x l2.ways = %" PRId64 " lines a slice; at most %" PRId64 " are possible",
                       l2_lines, most_lines);
    if (V(L1T_SETS) * V(L1T_WAYS) > most_lines || V(L1C_SETS) * V(L1C_WAYS) > most_lines)
        return wl_fail(e, WL_EINPUT, "l1t and l1c can have at most %" PRId64 " lines each", most_lines);
    return 0;
}

/* ---- the network ---- */

static int check_network(const struct gpu_config *c, struct wl_err *e)
{
    int64_t packet = (V(ICNT_HEADER) + 128 + V(ICNT_FLIT) - 1) / V(ICNT_FLIT);
    if ((V(ICNT_IN_FLITS) && V(ICNT_IN_FLITS) < packet) || (V(ICNT_OUT_FLITS) && V(ICNT_OUT_FLITS) < packet))
        return wl_fail(e, WL_EINPUT,
                       "icnt.in_flits and icnt.out_flits must hold a packet with a line, which has %" PRId64 " flits",
                       packet);
    if (V(SM_COUNT) % V(SM_CLUSTER) != 0)
        return wl_fail(e, WL_EINPUT, "sm.cluster = %" PRId64 " does not divide sm.count = %" PRId64, V(SM_CLUSTER),
                       V(SM_COUNT));
    if (V(ICNT_IN_FLITS) && V(ICNT_IN_FLITS) / V(SM_CLUSTER) < packet)
        return wl_fail(e, WL_EINPUT,
                       "icnt.in_flits = %" PRId64 ", shared by sm.cluster = %" PRId64
                       " SMs, leaves each less than a packet with a line, which has %" PRId64 " flits",
                       V(ICNT_IN_FLITS), V(SM_CLUSTER), packet);
    if (V(ICNT_IN_FLITS) && V(L2_SECTORED))
        return wl_fail(e, WL_EINPUT, "icnt.in_flits needs l2.sectored = no: a sectored reply is several packets");
    if (V(ICNT_JOIN) > 1 && (V(SM_CLUSTER) > 1 || V(ICNT_IN_FLITS) || V(ICNT_OUT_FLITS) || V(L2_ENTRY)))
        return wl_fail(e, WL_EINPUT,
                       "icnt.join needs sm.cluster = 1, l2.entry = pipe, and no icnt.in_flits or icnt.out_flits");
    if (V(ICNT_OUT_FLITS) && !V(L2_ENTRY)) return wl_fail(e, WL_EINPUT, "icnt.out_flits needs l2.entry = queue");
    return 0;
}

/* ---- the rest ---- */

static int check_sm(const struct gpu_config *c, struct wl_err *e)
{
    if (V(SM_WARPS) % V(SM_SCHEDULERS) != 0)
        return wl_fail(e, WL_EINPUT,
                       "sm.warps = %" PRId64 " is not a multiple of sm.schedulers = %" PRId64
                       "; each scheduler owns the same number",
                       V(SM_WARPS), V(SM_SCHEDULERS));
    const char *collectors = V(SM_ALU_COLLECTORS) ? "sm.alu_collectors" : V(SM_SFU_STAGES) ? "sm.sfu_stages" : NULL;
    static const int own[] = {P_SM_ALU_PIPES,     P_SM_SFU_PIPES,     P_SM_DP_PIPES,
                              P_SM_INT_PIPES,     P_SM_TENSOR_PIPES,  P_SM_BRANCH_PIPES,
                              P_SM_TEXTURE_PIPES, P_SM_UNIFORM_PIPES, P_SM_LOGIC_PIPES};
    for (unsigned i = 0; i < sizeof own / sizeof own[0]; i++) {
        int64_t n = c->v[own[i]];
        if (V(SM_SUBCORES) && n && n < V(SM_SCHEDULERS))
            return wl_fail(e, WL_EINPUT,
                           "sm.sub_cores = yes gives each of sm.schedulers = %" PRId64 " its own pipes; %s is %" PRId64,
                           V(SM_SCHEDULERS), gpu_params[own[i]].name, n);
        if (collectors && n > (i < 3 ? 16 : 0))
            return wl_fail(e, WL_EINPUT, "%s = %" PRId64 " is too much for the model of %s: at most %d",
                           gpu_params[own[i]].name, n, collectors, i < 3 ? 16 : 0);
    }
    if (collectors && V(SM_SUBCORES))
        return wl_fail(e, WL_EINPUT, "%s and sm.sub_cores = yes are models of different machines", collectors);
    if (V(IL0_INST_BYTES) % 8 != 0)
        return wl_fail(e, WL_EINPUT, "il0.inst_bytes = %" PRId64 "; instructions have 8 or 16 bytes",
                       V(IL0_INST_BYTES));
    if (!is_pow2((uint64_t)V(SHARED_BANKS)))
        return wl_fail(e, WL_EINPUT, "shared.banks = %" PRId64 " is not a power of two", V(SHARED_BANKS));
    return 0;
}

static int check_memory(const struct gpu_config *c, struct wl_err *e)
{
    if (!is_pow2((uint64_t)V(L2_SLICES)))
        return wl_fail(e, WL_EINPUT, "l2.slices_per_channel = %" PRId64 " is not a power of two", V(L2_SLICES));
    if (V(MEM_CHANNELS) * V(L2_SLICES) > WL_MAX_SLICES)
        return wl_fail(e, WL_EINPUT,
                       "mem.channels x l2.slices_per_channel = %" PRId64 " slices; the network has %d ports",
                       V(MEM_CHANNELS) * V(L2_SLICES), WL_MAX_SLICES);
    if (!is_pow2((uint64_t)V(DRAM_BANKS)))
        return wl_fail(e, WL_EINPUT, "dram.banks = %" PRId64 " is not a power of two", V(DRAM_BANKS));
    if (V(DRAM_BANKS) % V(DRAM_GROUPS) != 0)
        return wl_fail(e, WL_EINPUT, "dram.groups = %" PRId64 " does not divide dram.banks = %" PRId64, V(DRAM_GROUPS),
                       V(DRAM_BANKS));
    if (!is_pow2((uint64_t)V(DRAM_ATOM)))
        return wl_fail(e, WL_EINPUT, "dram.atom = %" PRId64 " is not a power of two", V(DRAM_ATOM));
    if (V(DRAM_RC) < V(DRAM_RAS))
        return wl_fail(e, WL_EINPUT,
                       "dram.trc = %" PRId64 " is shorter than dram.tras = %" PRId64
                       "; a row must be closed before it can be opened again",
                       V(DRAM_RC), V(DRAM_RAS));
    int rc = check_map(c, e);
    return rc ? rc : check_hash(c, e);
}

int config_check(const struct gpu_config *c, struct wl_err *e)
{
    for (unsigned i = 0; i < P_COUNT; i++)
        if (c->v[i] < gpu_params[i].min || c->v[i] > gpu_params[i].max)
            return wl_fail(e, WL_EINPUT, "%s = %" PRId64 " is out of range; %" PRId64 " to %" PRId64 " are allowed",
                           gpu_params[i].name, c->v[i], gpu_params[i].min, gpu_params[i].max);
    int rc = check_sm(c, e);
    if (!rc) rc = check_shared(c, e);
    if (!rc) rc = check_caches(c, e);
    if (!rc) rc = check_network(c, e);
    if (!rc) rc = check_memory(c, e);
    return rc;
}
