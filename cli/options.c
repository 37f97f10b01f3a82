/* options.c - the option table and its parser.
 *
 * "--name value", "--name=value", "-q"; "--" ends the options; "-" alone is a word. An option
 * that may be repeated collects; any other given twice is an error, because one of the two would
 * silently lose. */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum option_kind { FLAG, TEXT, LIST, NUMBER };

struct option_row {
    const char *name;
    char letter; /* "-q", or 0 */
    enum option_kind kind;
    const char *value; /* how the help calls the value */
    unsigned commands;
    size_t offset;
    const char *help;
};

#define AT(field) offsetof(struct options, field)
enum {
    MACHINE = CMD_RUN | CMD_COMPARE | CMD_BENCH | CMD_EXEC,
    PROGRAM = CMD_RUN | CMD_COMPARE | CMD_TRACE | CMD_CHARACTERIZE,
    LAB = CMD_EXPERIMENT | CMD_FIGURE | CMD_CLAIMS | CMD_REPORT /* all that run experiments */
};

static const struct option_row table[] = {
    {"gpu", 0, TEXT, "NAME|FILE", MACHINE | CMD_CHARACTERIZE, AT(gpu),
     "the machine: a preset or a file (default gtx480)"},
    {"l1", 0, TEXT, "POLICY", MACHINE, AT(l1), "L1D policy, NAME[:key=value,...]"},
    {"l2", 0, TEXT, "POLICY", MACHINE, AT(l2), "L2 policy"},
    {"sched", 0, TEXT, "POLICY", MACHINE | CMD_CHARACTERIZE, AT(sched), "warp scheduler"},
    {"set", 0, LIST, "KEY=VALUE", MACHINE | CMD_GPU | CMD_CHARACTERIZE, AT(set),
     "change a parameter of the machine; repeatable"},
    {"size", 0, TEXT, "SIZE", PROGRAM | LAB | CMD_LIST, AT(size), "inputs: tiny, small (default) or paper"},
    {"input", 0, LIST, "KEY=VALUE", PROGRAM, AT(input), "one input of the workload; repeatable"},
    {"seed", 0, NUMBER, "N", PROGRAM, AT(seed), "seed of generated inputs (default 1)"},
    {"check", 0, FLAG, NULL, PROGRAM, AT(check), "compare the results with a CPU reference"},
    {"functional", 0, FLAG, NULL, CMD_RUN | CMD_EXEC, AT(functional), "execute only, time nothing"},
    {"kernel", 0, TEXT, "NAME", CMD_RUN | CMD_TRACE | CMD_EXEC, AT(kernel),
     "FILE.ptx: the kernel to run; exec: a pattern, time only these"},
    {"launch", 0, TEXT, "N..M", CMD_EXEC, AT(launch), "time only these launches, counted from 1"},
    {"launches", 0, TEXT, "FILE", CMD_EXEC, AT(launches), "write the counters of each launch as CSV"},
    {"record", 0, TEXT, "DIR", CMD_EXEC, AT(record), "save a trace of each process there instead of timing it"},
    {"grid", 0, TEXT, "X,Y,Z", CMD_RUN | CMD_TRACE, AT(grid), "FILE.ptx: blocks"},
    {"block", 0, TEXT, "X,Y,Z", CMD_RUN | CMD_TRACE, AT(block), "FILE.ptx: threads of a block"},
    {"arg", 0, LIST, "ARG", CMD_RUN | CMD_TRACE, AT(arg), "FILE.ptx: next argument, buf:BYTES[:FILL] or TYPE:VALUE"},
    {"shared", 0, NUMBER, "BYTES", CMD_RUN | CMD_TRACE, AT(shared), "FILE.ptx: dynamic shared memory"},
    {"dump", 0, LIST, "N:TYPE[:COUNT]", CMD_RUN, AT(dump), "FILE.ptx: print buffer argument N after the run"},
    {"engine", 0, TEXT, "fast|tick", MACHINE | CMD_CHARACTERIZE, AT(engine), "tick: the slow reference engine"},
    {"shuffle", 0, NUMBER, "SEED", CMD_RUN | CMD_EXEC, AT(shuffle),
     "tick parts in random order; results must not change"},
    {"paranoid", 0, FLAG, NULL, CMD_RUN | CMD_COMPARE | CMD_CHARACTERIZE, AT(paranoid),
     "check the simulator's own invariants and every policy's answers while it runs"},
    {"max-cycles", 0, NUMBER, "N", CMD_RUN | CMD_COMPARE | CMD_EXEC, AT(max_cycles),
     "stop a kernel after N core cycles; exec: begin no more blocks"},
    {"json", 0, TEXT, "FILE", MACHINE | CMD_TRACE | CMD_CHARACTERIZE, AT(json),
     "write the results as JSON; - is standard output"},
    {"csv", 0, TEXT, "FILE", CMD_RUN | CMD_COMPARE | CMD_CHARACTERIZE | CMD_EXEC, AT(csv),
     "write the results as CSV; - is standard output"},
    {"timeline", 0, TEXT, "FILE", CMD_RUN, AT(timeline), "write what SMs do, cycle by cycle, for Perfetto"},
    {"timeline-window", 0, TEXT, "A..B", CMD_RUN, AT(timeline_window), "cycles of --timeline (default 0..20000)"},
    {"timeline-sms", 0, TEXT, "N,N", CMD_RUN, AT(timeline_sms), "SMs of --timeline (default 0)"},
    {"output", 'o', TEXT, "FILE", CMD_TRACE | CMD_REPORT | CMD_STORE | CMD_GPU, AT(output), "the file to write"},
    {"store", 0, TEXT, "FILE", LAB | CMD_STORE, AT(store), "the result store (default ~/.cache/warpline/results.db)"},
    {"out", 0, TEXT, "DIR", CMD_EXPERIMENT | CMD_FIGURE, AT(out), "folder of the .csv and .svg files (default .)"},
    {"all", 0, FLAG, NULL, CMD_FIGURE, AT(all), "every figure of every experiment"},
    {"jobs", 'j', NUMBER, "N", LAB, AT(jobs), "runs at a time (default: one a core)"},
    {"timeout", 0, NUMBER, "SECONDS", LAB, AT(timeout), "give a run up after this time"},
    {"retry", 0, FLAG, NULL, LAB, AT(retry), "do runs that failed again"},
    {"no-run", 0, FLAG, NULL, LAB, AT(no_run), "show what the store has, run nothing"},
    {"slurm", 0, FLAG, NULL, CMD_EXPERIMENT, AT(slurm), "run what is missing as a Slurm job array"},
    {"task", 0, TEXT, "KEY", CMD_EXPERIMENT, AT(task), "one run into --spool; --slurm uses it"},
    {"spool", 0, TEXT, "DIR", CMD_EXPERIMENT, AT(spool), "where the results of Slurm tasks wait"},
    {"failed", 0, FLAG, NULL, CMD_STORE, AT(failed), "prune: only what failed"},
    {"plugin", 0, LIST, "FILE.so", CMD_ALL & ~CMD_TRACE, AT(plugin), "load policies from a shared object; repeatable"},
    {"plain", 0, FLAG, NULL, CMD_LIST, AT(plain), "one name a line"},
    {"quiet", 'q', FLAG, NULL, CMD_ALL, AT(quiet), "no progress, no summary"},
    {"verbose", 'v', FLAG, NULL, CMD_ALL, AT(verbose), "more detail"},
    {"help", 'h', FLAG, NULL, CMD_ALL, AT(help), "this text"},
};
enum { ROWS = sizeof table / sizeof table[0] };

void options_help(enum command_bit command, FILE *out)
{
    for (unsigned i = 0; i < ROWS; i++) {
        const struct option_row *r = &table[i];
        if (!(r->commands & command)) continue;
        char left[64], letter[8] = "";
        if (r->letter) snprintf(letter, sizeof letter, "-%c,", r->letter);
        snprintf(left, sizeof left, "--%s%s%s", r->name, r->value ? " " : "", r->value ? r->value : "");
        fprintf(out, "  %3s %-22s %s\n", letter, left, r->help);
    }
}

bool read_size(const char *text, uint64_t *out)
{
    if (!isdigit((unsigned char)text[0])) return false;
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10);
    uint64_t factor = 1;
    if (*end) {
        static const char letters[] = "KMG";
        const char *at = strchr(letters, toupper((unsigned char)*end));
        if (!at || end[1]) return false;
        factor = UINT64_C(1) << (10 * (at - letters + 1));
    }
    uint64_t product;
    if (errno == ERANGE || __builtin_mul_overflow((uint64_t)v, factor, &product)) return false;
    *out = product;
    return true;
}

/* ---- parsing ---- */

static const struct option_row *find_row(const char *name, size_t len, char letter)
{
    for (unsigned i = 0; i < ROWS; i++)
        if (letter ? table[i].letter == letter : strlen(table[i].name) == len && memcmp(table[i].name, name, len) == 0)
            return &table[i];
    return NULL;
}

static int unknown_option(enum command_bit command, const char *command_name, const char *word, struct wl_err *e)
{
    char names[ROWS][32];
    const char *list[ROWS];
    unsigned n = 0;
    for (unsigned i = 0; i < ROWS; i++) {
        if (!(table[i].commands & command)) continue;
        snprintf(names[n], sizeof names[n], "--%s", table[i].name);
        list[n] = names[n];
        n++;
    }
    char plain[64];
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(word, "="), word);
    const char *near = wl_nearest(plain, list, n);
    return wl_fail(e, WL_EINPUT, "%s knows no option '%s'%s%s%s", command_name, plain, near ? "; did you mean '" : "",
                   near ? near : "; see 'warpline help'", near ? "'?" : "");
}

static int store(struct options *o, const struct option_row *r, const char *value, uint64_t *given, struct wl_err *e)
{
    void *field = (char *)o + r->offset;
    uint64_t bit = UINT64_C(1) << (r - table);
    if (r->kind != LIST && r->kind != FLAG && (*given & bit))
        return wl_fail(e, WL_EINPUT, "--%s is given twice", r->name);
    *given |= bit;
    switch (r->kind) {
    case FLAG: *(bool *)field = true; break;
    case TEXT: *(const char **)field = value; break;
    case LIST: {
        struct text_list *l = field;
        if (l->count == MAX_ITEMS) return wl_fail(e, WL_EINPUT, "--%s is given more than %d times", r->name, MAX_ITEMS);
        l->item[l->count++] = value;
        break;
    }
    case NUMBER:
        if (!read_size(value, field)) return wl_fail(e, WL_EINPUT, "--%s needs a number, not '%s'", r->name, value);
        if (r->offset == AT(seed)) o->seed_given = true;
        break;
    }
    return 0;
}

/* One option that begins at argv[*i]; moves *i to its last word. */
static int parse_option(struct options *o, enum command_bit command, const char *name, int argc, char **argv, int *i,
                        uint64_t *given, struct wl_err *e)
{
    const char *word = argv[*i], *value = NULL;
    const struct option_row *r;
    if (word[1] == '-') {
        size_t len = strcspn(word + 2, "=");
        r = find_row(word + 2, len, 0);
        if (word[2 + len] == '=') value = word + 3 + len;
    } else {
        r = find_row(NULL, 0, word[1]);
        if (r && word[2]) value = word + 2;
    }
    if (!r || !(r->commands & command)) return unknown_option(command, name, word, e);
    if (r->kind == FLAG && value) return wl_fail(e, WL_EINPUT, "--%s takes no value", r->name);
    if (r->kind != FLAG && !value) {
        if (*i + 1 >= argc) return wl_fail(e, WL_EINPUT, "--%s needs a value: --%s %s", r->name, r->name, r->value);
        value = argv[++*i];
    }
    return store(o, r, value, given, e);
}

int options_parse(struct options *o, enum command_bit command, const char *name, int argc, char **argv,
                  struct wl_err *e)
{
    memset(o, 0, sizeof *o);
    o->seed = 1;
    uint64_t given = 0;
    bool words_only = false;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (command == CMD_EXEC && (words_only || word[0] != '-')) { /* all else belongs to the program */
            o->program = argv + i;
            return 0;
        }
        if (!words_only && strcmp(word, "--") == 0) {
            words_only = true;
        } else if (!words_only && word[0] == '-' && word[1]) {
            int rc = parse_option(o, command, name, argc, argv, &i, &given, e);
            if (rc) return rc;
        } else {
            if (o->words.count == MAX_ITEMS) return wl_fail(e, WL_EINPUT, "more than %d words", MAX_ITEMS);
            o->words.item[o->words.count++] = word;
        }
    }
    return 0;
}
