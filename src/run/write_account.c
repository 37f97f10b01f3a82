#include "run/write_account.h"

#include <stddef.h>
#include <string.h>

#include "sim/gpu.h"

/* ---- the account ---- */

enum { BAR = 64, NONE = -1 };

/* A reason: its letter in the bar, and its place in the account and in the states of warps. */
struct reason {
    char letter;
    const char *name;
    int scheduler, warp;
};

#define AT(group, field) (int)(offsetof(struct run_stats, group) + offsetof(struct group##_stats, field))
#define BOTH(field)      AT(account, field), AT(warp_states, field)

static const struct reason reasons[] = {
    {'I', "issued", BOTH(issued)},
    {'r', "ready, another warp issued", NONE, AT(warp_states, not_selected)},
    {'t', "ready, kept by the scheme", BOTH(throttled)},
    {'p', "ready, pipe busy", BOTH(pipe_busy)},
    {'q', "ready, ld/st queue full", BOTH(lsu_full)},
    {'g', "ready, held back", BOTH(held_back)},
    {'1', "load, answered by L1", BOTH(load_l1)},
    {'2', "load, answered by L2", BOTH(load_l2)},
    {'M', "load, answered by DRAM", BOTH(load_dram)},
    {'f', "load, line in flight", BOTH(load_in_flight)},
    {'s', "shared memory", BOTH(shared)},
    {'a', "ALU result", BOTH(alu)},
    {'i', "instruction fetch", BOTH(fetch)},
    {'m', "fence or atomic", BOTH(fence)},
    {'b', "barrier", BOTH(barrier)},
    {'d', "last stores", BOTH(drain)},
    {'-', "no warp", AT(account, no_warp), NONE},
};
enum { REASONS = sizeof reasons / sizeof reasons[0] };

static uint64_t value_at(const struct run_stats *s, int at)
{
    return at == NONE ? 0 : *(const uint64_t *)(const void *)((const char *)s + at);
}

/* Letters in proportion; what is left of one reason by rounding goes to the next. */
static void write_bar(const struct run_stats *s, FILE *out)
{
    uint64_t sum = 0;
    unsigned at = 0;
    fputs("             |", out);
    for (unsigned i = 0; i < REASONS; i++) {
        sum += value_at(s, reasons[i].scheduler);
        unsigned end = (unsigned)((double)sum / (double)s->account.total * BAR + 0.5);
        for (; at < end; at++) fputc(reasons[i].letter, out);
    }
    fputs("|\n", out);
}

static void write_share(uint64_t part, uint64_t whole, bool applies, FILE *out)
{
    if (applies && whole) fprintf(out, "%10.1f %%", 100.0 * (double)part / (double)whole);
    else fprintf(out, "%10s  ", "-");
}

static void write_head(const struct run_stats *s, FILE *out)
{
    char a[32];
    fprintf(out, "  account    %s scheduler cycles, %.2f warps resident per scheduler\n",
            with_commas(s->account.total, a), (double)s->warp_states.total / (double)s->account.total);
    write_bar(s, out);
}

void account_write_brief(const struct run_stats *s, FILE *out)
{
    enum { COLUMNS = 118, INDENT = 13 };
    unsigned column = INDENT;
    if (!s->account.total) return;
    write_head(s, out);
    fprintf(out, "%*s", INDENT, "");
    for (unsigned i = 0; i < REASONS; i++) {
        uint64_t n = value_at(s, reasons[i].scheduler);
        char text[64];
        if (n * 200 < s->account.total) continue; /* less than 0.5 % */
        int size = snprintf(text, sizeof text, "%c %s %.1f %%  ", reasons[i].letter, reasons[i].name,
                            100.0 * (double)n / (double)s->account.total);
        if (column + (unsigned)size > COLUMNS) {
            fprintf(out, "\n%*s", INDENT, "");
            column = INDENT;
        }
        fputs(text, out);
        column += (unsigned)size;
    }
    fputc('\n', out);
}

void account_write_text(const struct run_stats *s, FILE *out)
{
    if (!s->account.total) return;
    write_head(s, out);
    fprintf(out, "             %-28s %12s %12s\n", "", "schedulers", "warps");
    for (unsigned i = 0; i < REASONS; i++) {
        const struct reason *r = &reasons[i];
        uint64_t scheduler = value_at(s, r->scheduler), warp = value_at(s, r->warp);
        if (scheduler * 2000 < s->account.total && warp * 2000 < s->warp_states.total) continue; /* 0.0 % */
        fprintf(out, "           %c %-28s ", r->letter, r->name);
        write_share(scheduler, s->account.total, r->scheduler != NONE, out);
        write_share(warp, s->warp_states.total, r->warp != NONE, out);
        fputc('\n', out);
    }
}

/* ---- counters by kernel ---- */

struct column {
    const struct kernel_record *kernel;
    unsigned launches;
    struct run_stats sum;
    struct policy_stats policies;
};

static bool same_kernel(const struct kernel_record *a, const struct kernel_record *b)
{
    return strcmp(a->name, b->name) == 0 && memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0;
}

static unsigned make_columns(const struct run_result *r, struct column *c, unsigned *left_out)
{
    unsigned n = 0;
    *left_out = 0;
    for (unsigned i = 0; i < r->nkernels; i++) {
        unsigned k = 0;
        while (k < n && !same_kernel(c[k].kernel, &r->kernels[i])) k++;
        if (k == KERNEL_COLUMNS) {
            ++*left_out;
            continue;
        }
        if (k == n) c[n++] = (struct column){.kernel = &r->kernels[i]};
        c[k].launches++;
        stats_add(&c[k].sum, &r->each[i], sizeof c[k].sum);
        if (r->each_policy) stats_add(&c[k].policies, &r->each_policy[i], sizeof c[k].policies);
    }
    return n;
}

/* A row, if a value of it is not zero; the values lie at the same place in each column. */
static void write_row(const struct column *c, unsigned n, const char *group, const char *key, size_t at, FILE *out)
{
    uint64_t any = 0;
    char name[160], v[32];
    for (unsigned k = 0; k < n; k++) any |= *(const uint64_t *)(const void *)((const char *)&c[k] + at);
    if (!any) return;
    snprintf(name, sizeof name, "%s%s%s", group, *group ? "." : "", key);
    fprintf(out, "  %-34s", name);
    for (unsigned k = 0; k < n; k++)
        fprintf(out, " %18s", with_commas(*(const uint64_t *)(const void *)((const char *)&c[k] + at), v));
    fputc('\n', out);
}

static void write_policy_rows(const struct column *c, unsigned n, const char *group, const struct wl_counter *w,
                              size_t at, FILE *out)
{
    for (unsigned i = 0; w && w[i].name; i++)
        write_row(c, n, group, w[i].name, offsetof(struct column, policies) + at + i * sizeof(uint64_t), out);
}

/* The columns of one line. */
static void write_block(const struct run_result *r, const struct column *c, unsigned n, FILE *out)
{
    fprintf(out, "\n  %-34s", "counter");
    for (unsigned k = 0; k < n; k++) fprintf(out, " %18.18s", c[k].kernel->name);
    fprintf(out, "\n  %-34s", "launches");
    for (unsigned k = 0; k < n; k++) fprintf(out, " %18u", c[k].launches);
    fputc('\n', out);
    write_row(c, n, "", "cycles", offsetof(struct column, sum) + offsetof(struct run_stats, cycles), out);
    for (const struct counter_desc *d = counter_descs; d->key; d++)
        if (d->group != GROUP_profile || r->profiled)
            write_row(c, n, counter_group_names[d->group], d->key, offsetof(struct column, sum) + d->offset, out);
    write_policy_rows(c, n, "l1_policy_counters", r->l1.counters, offsetof(struct policy_stats, l1), out);
    write_policy_rows(c, n, "l2_policy_counters", r->l2.counters, offsetof(struct policy_stats, l2), out);
    write_policy_rows(c, n, "scheduler_counters", r->sched.counters, offsetof(struct policy_stats, sched), out);
}

void kernel_counters_write_text(const struct run_result *r, FILE *out)
{
    enum { PER_LINE = 4 };
    static _Thread_local struct column c[KERNEL_COLUMNS];
    unsigned left_out, n = r->each ? make_columns(r, c, &left_out) : 0;
    for (unsigned i = 0; i < n; i += PER_LINE) write_block(r, c + i, n - i < PER_LINE ? n - i : PER_LINE, out);
    bool overlap = false;
    for (unsigned i = 0; n && i < r->nkernels; i++) overlap |= r->kernels[i].overlap;
    if (overlap) fputs("  launches that overlapped are counted with the first of them\n", out);
    if (n && left_out) fprintf(out, "  ... and %u launches of other kernels: --launches FILE has them all\n", left_out);
}
