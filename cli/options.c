/* options.c - the option table and its parser.
 *
 * "--name value", "--name=value", "-q"; "--" ends the options; "-" alone is a word. An option
 * that may be repeated collects; any other given twice is an error, because one of the two would
 * silently lose. Where a number may be left out, the next word is it only if it has digits and nothing else. */
#include "cli/options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

#define AT(field) offsetof(struct options, field)

static const struct option_row table[] = {
    {"gpu", 0, TEXT, "NAME|FILE", AT(gpu), "the machine: a preset or a file (default gtx480)"},
    {"scheme", 0, TEXT, "NAME", AT(scheme), "a published scheme with all of its policies; 'list schemes'"},
    {"l1", 0, TEXT, "POLICY", AT(l1), "L1D policy, NAME[:key=value,...]"},
    {"l2", 0, TEXT, "POLICY", AT(l2), "L2 policy"},
    {"sched", 0, TEXT, "POLICY", AT(sched), "warp scheduler"},
    {"set", 0, LIST, "KEY=VALUE", AT(set), "change a parameter of the machine; repeatable"},
    {"size", 0, TEXT, "SIZE", AT(size), "inputs: tiny, small (default) or paper"},
    {"input", 0, LIST, "KEY=VALUE", AT(input), "one input of the workload; repeatable"},
    {"seed", 0, NUMBER, "N", AT(seed), "seed of generated inputs (default 1)"},
    {"against", 0, FLAG, NULL, AT(against), "compare with the seconds of other simulators, of reference files"},
    {"check", 0, FLAG, NULL, AT(check), "compare the results with a CPU reference"},
    {"functional", 0, FLAG, NULL, AT(functional), "execute only, time nothing"},
    {"kernel", 0, TEXT, "NAME", AT(kernel), "FILE.ptx: the kernel to run; trace, exec: a pattern, time only these"},
    {"launch", 0, TEXT, "N..M", AT(launch), "time only these launches, counted from 1"},
    {"launches", 0, TEXT, "FILE", AT(launches), "write the counters of each launch as CSV"},
    {"program-status", 0, FLAG, NULL, AT(program_status), "exit as the program did, even if launches failed"},
    {"record", 0, TEXT, "DIR", AT(record), "save a trace of each process there instead of timing it"},
    {"grid", 0, TEXT, "X,Y,Z", AT(grid), "FILE.ptx: blocks"},
    {"block", 0, TEXT, "X,Y,Z", AT(block), "FILE.ptx: threads of a block"},
    {"arg", 0, LIST, "ARG", AT(arg), "FILE.ptx: next argument, buf:BYTES[:FILL] or TYPE:VALUE"},
    {"shared", 0, NUMBER, "BYTES", AT(shared), "FILE.ptx: dynamic shared memory"},
    {"regs", 0, NUMBER, "N", AT(regs), "FILE.ptx: registers per thread, where the assembler's count is known"},
    {"dump", 0, LIST, "N:TYPE[:COUNT]", AT(dump), "FILE.ptx: print buffer argument N after the run"},
    {"engine", 0, TEXT, "fast|tick", AT(engine), "tick: the slow reference engine"},
    {"shuffle", 0, NUMBER, "SEED", AT(shuffle), "tick parts in random order; results must not change"},
    {"threads", 0, NUMBER, "N", AT(threads), "work on one simulation with N threads; the results are the same"},
    {"paranoid", 0, FLAG, NULL, AT(paranoid), "check the simulator's own invariants and every policy's answers"},
    {"max-cycles", 0, NUMBER, "N", AT(max_cycles), "stop a kernel after N core cycles; exec: start no more blocks"},
    {"json", 0, TEXT, "FILE", AT(json), "write the results as JSON; - is standard output"},
    {"csv", 0, TEXT, "FILE", AT(csv), "write the results as CSV; - is standard output"},
    {"profile", 0, SETTING, NULL, AT(profile), "observe every load and line; short for --set stats.profile=1"},
    {"samples", 0, SAMPLES, "CYCLES|FILE", AT(samples),
     "all counters every so many cycles (--set stats.interval=CYCLES); or write them to FILE as CSV"},
    {"sample", 0, SAMPLE, "[=auto|E%]", AT(sample),
     "time a sample, project the rest with intervals; E%: the error of cycles to aim at"},
    {"loads", 0, TEXT, "FILE", AT(loads), "write what each load instruction did as CSV; sets stats.profile=1"},
    {"timeline", 0, TEXT, "FILE", AT(timeline), "write what SMs do, cycle by cycle, for Perfetto"},
    {"timeline-window", 0, TEXT, "A..B", AT(timeline_window), "cycles of --timeline (default 0..20000)"},
    {"timeline-from", 0, TEXT, "EVENT", AT(timeline_from),
     "the window begins with kernel:NAME[#N], pc:N or stall[:mshr|merge|line|missq|gate]"},
    {"timeline-requests", 0, MAYBE_NUMBER, "N", AT(timeline_requests),
     "follow one of N requests (default 64); 0: none"},
    {"timeline-sms", 0, TEXT, "N,N", AT(timeline_sms), "SMs of --timeline (default 0)"},
    {"source", 0, FLAG, NULL, AT(source),
     "the lines of the source, each with what it costs; calibrate: print the program that measures"},
    {"base", 0, TEXT, "NAME|FILE", AT(base), "the machine for all that was not measured (default: the nearest preset)"},
    {"sort", 0, TEXT, "KEY", AT(sort), "--source: by stalls, awaited, instructions or requests, not in place (line)"},
    {"html", 0, TEXT, "FILE", AT(html), "write the explanation as a page with pictures"},
    {"output", 'o', TEXT, "FILE", AT(output), "the file to write"},
    {"store", 0, TEXT, "FILE", AT(store), "the result store (default ~/.cache/warpline/results.db)"},
    {"out", 0, TEXT, "DIR", AT(out), "folder of the .csv and .svg files (default .)"},
    {"all", 0, FLAG, NULL, AT(all), "every figure of every experiment"},
    {"jobs", 'j', NUMBER, "N", AT(jobs), "runs at a time (default: one per core)"},
    {"timeout", 0, NUMBER, "SECONDS", AT(timeout), "end a run after this time"},
    {"retry", 0, FLAG, NULL, AT(retry), "repeat runs that failed"},
    {"no-run", 0, FLAG, NULL, AT(no_run), "show what is stored, run nothing"},
    {"known", 0, TEXT, "FILE", AT(known), "a results file (--range: a file of ranges): what it has is not run again"},
    {"from", 0, FLAG, NULL, AT(from), "the words are results files: show them, run nothing"},
    {"range", 0, MAYBE_NUMBER, "[N]", AT(range), "over the values of each unknown; N: and N points over all of them"},
    {"ranges", 0, TEXT, "FILE.json", AT(ranges), "ranges that 'claims --range --json' wrote"},
    {"only", 0, TEXT, "PATTERN", AT(only), "only claims, or rows of a reference, with such a name: 'dacache.fig8.*'"},
    {"unknown", 0, LIST, "NAME", AT(unknown), "--range over this unknown only; repeatable"},
    {"slurm", 0, FLAG, NULL, AT(slurm), "run what is missing as a Slurm job array"},
    {"task", 0, TEXT, "KEY", AT(task), "one run into --spool; --slurm uses it"},
    {"spool", 0, TEXT, "DIR", AT(spool), "folder for the results of Slurm tasks"},
    {"failed", 0, FLAG, NULL, AT(failed), "prune: only what failed"},
    {"plugin", 0, LIST, "FILE.so", AT(plugin), "load policies from a shared object; repeatable"},
    {"plain", 0, FLAG, NULL, AT(plain), "one name per line"},
    {"quiet", 'q', FLAG, NULL, AT(quiet), "no progress, no summary"},
    {"verbose", 'v', FLAG, NULL, AT(verbose), "more detail, where a command has any"},
    {"help", 'h', FLAG, NULL, AT(help), "this text"},
};
enum { ROWS = sizeof table / sizeof table[0] };

/* Whether `word` is one of the words of `list`. */
static bool in_list(const char *list, const char *word)
{
    size_t len = strlen(word);
    for (const char *p = list; *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        if (n == len && memcmp(p, word, n) == 0) return true;
        p += n;
    }
    return false;
}

static bool takes(const struct command *c, const struct option_row *r)
{
    return in_list(c->options, r->name) || in_list("quiet verbose help", r->name);
}

const struct option_row *options_next(const struct command *c, const struct option_row *after)
{
    const struct option_row *r = after ? after + 1 : table;
    while (r < table + ROWS && !takes(c, r)) r++;
    return r < table + ROWS ? r : NULL;
}

void options_help(const struct command *c, FILE *out)
{
    for (const struct option_row *r = NULL; (r = options_next(c, r));) {
        char left[64], letter[8] = "";
        if (r->letter) snprintf(letter, sizeof letter, "-%c,", r->letter);
        snprintf(left, sizeof left, "--%s%s%s", r->name, r->value && r->kind != SAMPLE ? " " : "",
                 r->value ? r->value : "");
        fprintf(out, "  %3s %-22s %s\n", letter, left, r->help);
    }
}

/* ---- parsing ---- */

struct parsing {
    const struct command *command;
    struct options *to;
    char **argv;
    int argc, at;     /* at: the word that is being read */
    bool given[ROWS]; /* the row was there already */
    struct wl_err *e;
};

static const struct option_row *find_row(const char *name, size_t len, char letter)
{
    for (unsigned i = 0; i < ROWS; i++)
        if (letter ? table[i].letter == letter : strlen(table[i].name) == len && memcmp(table[i].name, name, len) == 0)
            return &table[i];
    return NULL;
}

static int unknown_option(const struct command *c, const char *word, struct wl_err *e)
{
    char names[ROWS][32];
    const char *list[ROWS];
    unsigned n = 0;
    for (unsigned i = 0; i < ROWS; i++) {
        if (!takes(c, &table[i])) continue;
        snprintf(names[n], sizeof names[n], "--%s", table[i].name);
        list[n] = names[n];
        n++;
    }
    char plain[64];
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(word, "="), word);
    const char *near = wl_nearest(plain, list, n);
    return wl_fail(e, WL_EINPUT, "%s knows no option '%s'%s%s%s", c->name, plain, near ? "; did you mean '" : "",
                   near ? near : "; see 'warpline help'", near ? "'?" : "");
}

/* Commands that multiply lists. */
static bool takes_lists(const struct command *c)
{
    return strcmp(c->name, "sweep") == 0 || strcmp(c->name, "compare") == 0;
}

static int add_setting(struct parsing *p, struct setting *t, const char *name, const char *value)
{
    if (p->to->set.count == MAX_ITEMS) return wl_fail(p->e, WL_EINPUT, "more than %d settings", MAX_ITEMS);
    snprintf(t->text, sizeof t->text, "%s=%s", name, value);
    p->to->set.item[p->to->set.count++] = t->text;
    return 0;
}

/* "auto" or nothing, which is 1 %, or a percentage with up to two decimals: "0.5%", "2". */
static int add_sample(struct parsing *p, struct setting *t, const char *value)
{
    char text[32];
    unsigned hundredths = 100;
    if (value && strcmp(value, "auto") != 0) {
        size_t whole = strspn(value, "0123456789"), digits = 0;
        const char *rest = value + whole;
        hundredths = whole && whole < 4 ? 100 * (unsigned)atoi(value) : 0;
        if (*rest == '.') {
            digits = strspn(++rest, "0123456789");
            if (digits == 1) hundredths += 10 * (unsigned)(rest[0] - '0');
            if (digits == 2) hundredths += 10 * (unsigned)(rest[0] - '0') + (unsigned)(rest[1] - '0');
            rest += digits;
        }
        rest += *rest == '%';
        if (*rest || !whole || digits > 2 || !hundredths || hundredths > 2000)
            return wl_fail(p->e, WL_EINPUT, "--sample=%s: write auto or an error from 0.01%% to 20%%, like 2%%", value);
    }
    snprintf(text, sizeof text, "%u", hundredths);
    return add_setting(p, t, "run.sample", text);
}

static int store(struct parsing *p, const struct option_row *r, const char *value)
{
    void *field = (char *)p->to + r->offset;
    bool *given = &p->given[r - table];
    if (r->kind == SAMPLES) { /* an interval and a file are two things */
        bool file = value[strspn(value, "0123456789")];
        *given = file ? *(const char **)field != NULL : *p->to->interval.text != 0;
    }
    if (r->kind != LIST && r->kind != FLAG && *given) return wl_fail(p->e, WL_EINPUT, "--%s is given twice", r->name);
    *given = true;
    switch (r->kind) {
    case FLAG: *(bool *)field = true; break;
    case TEXT: *(const char **)field = value; break;
    case LIST: {
        struct text_list *l = field;
        if (l->count == MAX_ITEMS)
            return wl_fail(p->e, WL_EINPUT, "--%s is given more than %d times", r->name, MAX_ITEMS);
        l->item[l->count++] = value;
        break;
    }
    case SETTING: return add_setting(p, field, "stats.profile", "1");
    case SAMPLES:
        if (value[strspn(value, "0123456789")]) *(const char **)field = value;
        else return add_setting(p, &p->to->interval, "stats.interval", value);
        break;
    case SAMPLE: return add_sample(p, field, value);
    case MAYBE_NUMBER: {
        struct maybe_number *m = field;
        m->given = true;
        if (value && !read_size(value, &m->n))
            return wl_fail(p->e, WL_EINPUT, "--%s takes a number, not '%s'", r->name, value);
        break;
    }
    case NUMBER:
        if (r->offset == AT(seed) && strchr(value, ',') && takes_lists(p->command)) p->to->seeds = value;
        else if (!read_size(value, field))
            return wl_fail(p->e, WL_EINPUT, "--%s needs a number, not '%s'", r->name, value);
        if (r->offset == AT(seed)) p->to->seed_given = true;
        if (r->offset == AT(threads) && !p->to->threads)
            return wl_fail(p->e, WL_EINPUT, "--threads needs a number from 1 on, not '%s'", value);
        break;
    }
    return 0;
}

/* One option that begins at p->at, which moves to its last word. */
static int parse_option(struct parsing *p)
{
    const char *word = p->argv[p->at], *value = NULL;
    const struct option_row *r;
    if (word[1] == '-') {
        size_t len = strcspn(word + 2, "=");
        r = find_row(word + 2, len, 0);
        if (word[2 + len] == '=') value = word + 3 + len;
    } else {
        r = find_row("", 0, word[1]);
        if (r && word[2]) value = word + 2;
    }
    if (!r || !takes(p->command, r)) return unknown_option(p->command, word, p->e);
    bool bare = r->kind == FLAG || r->kind == SETTING;
    if (bare && value) return wl_fail(p->e, WL_EINPUT, "--%s takes no value", r->name);
    if (r->kind == MAYBE_NUMBER && !value && p->at + 1 < p->argc) {
        const char *next = p->argv[p->at + 1];
        if (*next && !next[strspn(next, "0123456789")]) value = p->argv[++p->at];
    } else if (!bare && r->kind != MAYBE_NUMBER && r->kind != SAMPLE && !value) {
        if (p->at + 1 >= p->argc)
            return wl_fail(p->e, WL_EINPUT, "--%s needs a value: --%s %s", r->name, r->name, r->value);
        value = p->argv[++p->at];
    }
    return store(p, r, value);
}

int options_parse(struct options *o, const struct command *c, int argc, char **argv, struct wl_err *e)
{
    struct parsing p = {.command = c, .to = o, .argv = argv, .argc = argc, .e = e};
    bool words_only = false, passes_on = in_list(c->options, "--"), takes_program = in_list(c->options, "...");
    memset(o, 0, sizeof *o);
    o->seed = 1;
    for (; p.at < argc; p.at++) {
        const char *word = argv[p.at];
        if (passes_on && (words_only || word[0] != '-')) {
            o->program = argv + p.at;
            return 0;
        }
        if (takes_program && strcmp(word, "--") == 0) {
            o->program = argv + p.at + 1;
            return 0;
        }
        if (!words_only && strcmp(word, "--") == 0) {
            words_only = true;
        } else if (!words_only && word[0] == '-' && word[1]) {
            int rc = parse_option(&p);
            if (rc) return rc;
        } else {
            if (o->words.count == MAX_ITEMS) return wl_fail(e, WL_EINPUT, "more than %d words", MAX_ITEMS);
            o->words.item[o->words.count++] = word;
        }
    }
    return 0;
}
