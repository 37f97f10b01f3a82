/* write_text.c - a run as text for people.
 *
 * Top down: what ran on what, the launches, cycles and IPC, then each level of the memory with
 * its rates, and the reasons why the level refused work. Shares of cycles are of the cycles in
 * which the part had something to do. A part that was never used is not printed. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_stream.h"
#include "param/config.h"
#include "run/result.h"
#include "run/write_account.h"
#include "run/write_sampling.h"

const char *with_commas(uint64_t value, char *out)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, value), at = 0;
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0) out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = 0;
    return out;
}

static double percent(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }
static double ratio(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 0; }

static void write_change(void *arg, const char *name, const char *value, const int64_t *number)
{
    (void)number;
    fprintf(arg, " %s=%s", name, value);
}

/* What differs from the preset; one line, none when nothing does. */
static void write_changes(const struct run_result *r, FILE *out)
{
    struct text_stream stream;
    if (!r->config || !text_stream_open(&stream)) return;
    config_changes(r->config, write_change, stream.file);
    char *text = text_stream_close(&stream);
    if (text && *text)
        fprintf(out, "  set       %s%s%s%s\n", text, *r->config->preset ? " (else as " : "", r->config->preset,
                *r->config->preset ? ")" : "");
    free(text);
}

static void write_head(const struct run_result *r, FILE *out)
{
    fprintf(out, "%s", r->workload);
    if (*r->size) fprintf(out, "  %s", r->size);
    if (*r->inputs) fprintf(out, "  (%s)", r->inputs);
    fprintf(out, "\n  machine    %s\n", r->machine);
    write_changes(r, out);
    fprintf(out, "  policies   L1 %s, L2 %s, scheduler %s", r->l1.spec, r->l2.spec, r->sched.spec);
    fprintf(out, "\n  run        engine %s, seed %" PRIu64 ", configuration %016" PRIx64 ", warpline %s, build %.12s\n",
            r->engine, r->seed, r->config_hash, r->version, r->build ? r->build : "");
}

/* ---- launches: equal ones are one row ---- */

static bool same_shape(const struct kernel_record *a, const struct kernel_record *b)
{
    return strcmp(a->name, b->name) == 0 && memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0;
}

static bool seen_before(const struct run_result *r, unsigned i)
{
    for (unsigned j = 0; j < i; j++)
        if (same_shape(&r->kernels[j], &r->kernels[i])) return true;
    return false;
}

static void write_kernel_row(const char *name, const char *grid, const char *block, unsigned launches,
                             const struct kernel_record *sum, FILE *out)
{
    char c[32], w[32], t[32];
    fprintf(out, "  %-28.28s %4u  %-12s %-10s %13s %13s %15s %9.3f\n", name, launches, grid, block,
            with_commas(sum->cycles, c), with_commas(sum->warp_instructions, w),
            with_commas(sum->thread_instructions, t), ratio(sum->thread_instructions, sum->cycles));
}

static void shape_text(const uint32_t v[3], char *out, size_t size)
{
    if (v[2] != 1) snprintf(out, size, "%u,%u,%u", v[0], v[1], v[2]);
    else if (v[1] != 1) snprintf(out, size, "%u,%u", v[0], v[1]);
    else snprintf(out, size, "%u", v[0]);
}

static void write_kernels(const struct run_result *r, FILE *out)
{
    enum { MAX_ROWS = 24 };
    unsigned rows = 0, left_out = 0;
    fprintf(out, "\n  %-28s %4s  %-12s %-10s %13s %13s %15s %9s\n", "kernel", "runs", "grid", "block", "cycles",
            "warp instr.", "thread instr.", "IPC");
    for (unsigned i = 0; i < r->nkernels; i++) {
        if (seen_before(r, i)) continue;
        if (rows++ >= MAX_ROWS) {
            left_out++;
            continue;
        }
        struct kernel_record sum = r->kernels[i];
        unsigned launches = 1;
        for (unsigned j = i + 1; j < r->nkernels; j++) {
            if (!same_shape(&r->kernels[j], &sum)) continue;
            launches++;
            sum.cycles += r->kernels[j].cycles;
            sum.warp_instructions += r->kernels[j].warp_instructions;
            sum.thread_instructions += r->kernels[j].thread_instructions;
        }
        char grid[40], block[40];
        shape_text(sum.grid, grid, sizeof grid);
        shape_text(sum.block, block, sizeof block);
        write_kernel_row(sum.name, grid, block, launches, &sum, out);
    }
    if (left_out) fprintf(out, "  ... and %u more\n", left_out);
}

/* ---- the levels ---- */

struct named_stall {
    const char *name;
    uint64_t cycles;
};

static void write_reasons(const struct named_stall *s, unsigned n, uint64_t whole, FILE *out)
{
    const char *before = ":";
    for (unsigned i = 0; i < n; i++) {
        if (!s[i].cycles) continue;
        fprintf(out, "%s %s %.1f %%", before, s[i].name, percent(s[i].cycles, whole));
        before = ",";
    }
    fputc('\n', out);
}

static void write_sm(const struct run_result *r, FILE *out)
{
    const struct sm_stats *s = &r->stats.sm;
    char c[32];
    double ms = r->core_khz ? (double)r->stats.cycles / (double)r->core_khz : 0;
    fprintf(out, "\n  cycles     %s core cycles, %.3f ms on the machine\n", with_commas(r->stats.cycles, c), ms);
    fprintf(out, "  IPC        %.3f thread instructions per cycle (%.4f warp instructions, %.1f lanes each)\n",
            result_ipc(r), ratio(s->warp_instructions, r->stats.cycles),
            ratio(s->thread_instructions, s->warp_instructions));
    fprintf(out,
            "  SMs        %.1f %% of their cycles with work, of these %.1f %% issue, %.1f %% wait for the ld/st unit's "
            "caches\n",
            percent(s->active_cycles, r->stats.cycles * r->sms), percent(s->issue_cycles, s->active_cycles),
            percent(s->lsu_stall_cycles, s->active_cycles));
    if (s->l1d_loads)
        fprintf(out, "             %s loads through the L1D, %.1f %% divergent, %.2f requests each\n",
                with_commas(s->l1d_loads, c), percent(s->divergent_loads, s->l1d_loads),
                ratio(s->load_requests, s->l1d_loads));
    if (s->shared_accesses)
        fprintf(out, "             %s shared-memory instructions, %.2f bank passes each\n",
                with_commas(s->shared_accesses, c), ratio(s->shared_passes, s->shared_accesses));
}

static void write_l1(const struct run_result *r, FILE *out)
{
    const struct l1d_stats *s = &r->stats.l1d;
    char a[32], b[32];
    if (s->accesses) {
        fprintf(
            out,
            "  L1D        %s requests: %.2f %% hit, %.2f %% merged, %.2f %% missed, %.2f %% bypassed; %s evictions\n",
            with_commas(s->accesses, a), percent(s->hits, s->accesses), percent(s->hits_reserved, s->accesses),
            percent(s->misses, s->accesses), percent(s->bypasses, s->accesses), with_commas(s->evictions, b));
        const struct named_stall stalls[] = {{"no MSHR", s->stall_mshr},
                                             {"no room to merge", s->stall_merge},
                                             {"no line", s->stall_line},
                                             {"miss queue full", s->stall_missq},
                                             {"warp held back", s->stall_gate}};
        uint64_t sum = s->stall_mshr + s->stall_merge + s->stall_line + s->stall_missq + s->stall_gate;
        fprintf(out, "             refused in %.1f %% of cycles", percent(sum, r->stats.sm.active_cycles));
        write_reasons(stalls, 5, r->stats.sm.active_cycles, out);
    }
    const struct l1t_stats *t = &r->stats.l1t;
    if (t->accesses)
        fprintf(out, "  texture    %s requests: %.2f %% hit, %.2f %% merged, %.2f %% missed\n",
                with_commas(t->accesses, a), percent(t->hits, t->accesses), percent(t->hits_reserved, t->accesses),
                percent(t->misses, t->accesses));
    const struct l1c_stats *c = &r->stats.l1c;
    if (c->accesses)
        fprintf(out, "  constant   %s requests: %.2f %% hit, %.2f %% merged, %.2f %% missed\n",
                with_commas(c->accesses, a), percent(c->hits, c->accesses), percent(c->hits_reserved, c->accesses),
                percent(c->misses, c->accesses));
}

static void write_l2(const struct run_result *r, FILE *out)
{
    const struct l2_stats *s = &r->stats.l2;
    const struct icnt_stats *n = &r->stats.icnt;
    char a[32], b[32];
    if (n->request_packets)
        fprintf(out, "  network    %s packets to the L2 (%.2f flits each), %s back (%.2f)\n",
                with_commas(n->request_packets, a), ratio(n->request_flits, n->request_packets),
                with_commas(n->reply_packets, b), ratio(n->reply_flits, n->reply_packets));
    if (!s->accesses) return;
    fprintf(out,
            "  L2         %s requests: %.2f %% hit, %.2f %% merged, %.2f %% missed, %.2f %% bypassed; %s write-backs\n",
            with_commas(s->accesses, a), percent(s->hits, s->accesses), percent(s->hits_reserved, s->accesses),
            percent(s->misses, s->accesses), percent(s->bypasses, s->accesses), with_commas(s->writebacks, b));
    const struct named_stall stalls[] = {{"no MSHR", s->stall_mshr},
                                         {"no room to merge", s->stall_merge},
                                         {"no line", s->stall_line},
                                         {"miss queue full", s->stall_missq},
                                         {"replies blocked", s->stall_reply}};
    uint64_t sum = s->stall_mshr + s->stall_merge + s->stall_line + s->stall_missq + s->stall_reply;
    fprintf(out, "             refused in %s slice cycles", with_commas(sum, a));
    write_reasons(stalls, 5, sum, out);
}

static void write_dram(const struct run_result *r, FILE *out)
{
    const struct dram_stats *s = &r->stats.dram;
    char a[32], b[32];
    if (!s->requests) return;
    double bus_cycles = (double)r->stats.cycles * r->channels * ratio(r->dram_khz, r->core_khz);
    double seconds = r->core_khz ? (double)r->stats.cycles / (double)r->core_khz / 1e3 : 0;
    double bytes = (double)(s->read_bytes + s->write_bytes);
    fprintf(out,
            "  DRAM       %s reads, %s writes; %.1f %% of requests found their row open; bus %.1f %% busy, %.1f GB/s\n",
            with_commas(s->reads, a), with_commas(s->writes, b), percent(s->row_hits, s->requests),
            bus_cycles > 0 ? 100.0 * (double)s->busy_cycles / bus_cycles : 0, seconds > 0 ? bytes / seconds / 1e9 : 0);
    if (s->nvm_reads + s->nvm_writes)
        fprintf(out, "             of these to non-volatile memory: %s reads, %s writes\n",
                with_commas(s->nvm_reads, a), with_commas(s->nvm_writes, b));
}

static void write_profile(const struct run_result *r, FILE *out)
{
    const struct profile_stats *p = &r->stats.profile;
    if (!r->profiled || !r->stats.l1d.loads) return;
    uint64_t all = r->stats.l1d.loads;
    fprintf(
        out,
        "  profile    load requests: %.1f %% hit, %.1f %% in flight, %.1f %% cold, %.1f %% evicted by their own warp, "
        "%.1f %% by another\n",
        percent(p->access_hit, all), percent(p->access_pending, all), percent(p->access_cold, all),
        percent(p->access_intra_warp, all), percent(p->access_inter_warp, all));
    fprintf(out,
            "             lines in an infinite L1D: %.1f %% streaming, %.1f %% inter-warp, %.1f %% intra-warp, %.1f %% "
            "mixed; "
            "%.1f %% of fetched bytes used\n",
            percent(p->infinite_streaming, p->infinite_lines), percent(p->infinite_inter_warp, p->infinite_lines),
            percent(p->infinite_intra_warp, p->infinite_lines), percent(p->infinite_mixed, p->infinite_lines),
            percent(p->used_bytes, p->fetched_bytes));
}

static void write_energy(const struct run_result *r, FILE *out)
{
    const struct energy *e = &r->energy[r->energy_table];
    if (!e->table || !(e->total > 0)) return;
    fprintf(out, "  energy     %.3f mJ by table %s%s:", e->total / 1e3, e->table,
            e->calibrated ? "" : " (not calibrated for this machine)");
    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        fprintf(out, " %s %.1f %%,", energy_part_names[i], 100 * e->part[i] / e->total);
    fprintf(out, " leakage %.1f %%; energy-delay product %.3f uJ s\n", 100 * e->leakage / e->total, e->edp / 1e6);
}

static void write_policy(const char *place, const struct result_policy *p, FILE *out)
{
    if (!p->counters || !p->counters[0].name) return;
    fprintf(out, "  %-10s", place);
    for (unsigned i = 0; p->counters[i].name; i++) {
        char v[32];
        fprintf(out, "%s %s %s", i ? "," : "", with_commas(p->value[i], v), p->counters[i].name);
    }
    fputc('\n', out);
}

static void write_host(const struct run_result *r, FILE *out)
{
    double s = r->host.seconds > 0 ? r->host.seconds : 1e-9;
    if (*r->check) fprintf(out, "  check      %s\n", r->check);
    fprintf(out, "  simulation %.3f s, %.2f million warp instructions/s", r->host.seconds,
            (double)r->stats.sm.warp_instructions / s / 1e6);
    if (r->stats.l1d.accesses) fprintf(out, ", %.2f million L1D requests/s", (double)r->stats.l1d.accesses / s / 1e6);
    fprintf(out, ", %.0f MiB\n", (double)r->host.peak_memory_bytes / 1048576.0);
}

void result_write_text(const struct run_result *r, FILE *out)
{
    char w[32], t[32];
    write_head(r, out);
    write_kernels(r, out);
    if (r->stats.cycles) {
        write_sm(r, out);
        sampling_write_text(r, out);
        account_write_text(&r->stats, out);
        write_l1(r, out);
        write_l2(r, out);
        write_dram(r, out);
        write_profile(r, out);
        write_energy(r, out);
        write_policy("L1 policy", &r->l1, out);
        write_policy("L2 policy", &r->l2, out);
        write_policy("scheduler", &r->sched, out);
    } else {
        fprintf(out, "\n  executed   %s warp instructions, %s thread instructions; not timed\n",
                with_commas(r->stats.sm.warp_instructions, w), with_commas(r->stats.sm.thread_instructions, t));
    }
    write_host(r, out);
}
