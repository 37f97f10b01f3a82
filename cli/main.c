/* main.c - the warpline command: finds the subcommand, reports what it says.
 *
 * Results go to standard output, everything else to standard error. The exit status is that of
 * base/err.h: 0 ok, 1 the run failed, 2 usage or bad input, 3 deadlock, 4 a law broke. */
#include <signal.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/lab.h"

struct command {
    const char *name;
    enum command_bit bit;
    int (*run)(const struct options *, struct wl_err *);
    const char *usage, *summary;
    const char *more; /* further lines of its help */
};

static const struct command commands[] = {
    {"run", CMD_RUN, cmd_run, "run WORKLOAD|FILE.ptx|TRACE",
     "run a workload, a FILE.ptx or a trace; a readable summary",
     "A trace is a .wlt file, or one of Accel-Sim: its folder, kernelslist.g or kernel-N.traceg[.xz|.gz|.zst].\n"
     "Fills of a buffer: zero, iota-i32, iota-f32, rand-f32, rand-u32, const-f32=V, const-u32=V,\n"
     "file:PATH. Types of a scalar: u8 s8 u16 s16 u32 s32 u64 s64 f32 f64.\n"
     "  warpline run atax --size tiny --l1 lru --json -\n"
     "  warpline run k.ptx --kernel add --grid 4 --block 256 --arg buf:4K:iota-f32 --arg u32:1024 --dump 0:f32:8\n"},
    {"compare", CMD_COMPARE, cmd_compare, "compare WORKLOAD|@GROUP|TRACE...",
     "workloads and traces across policies, schedulers, machines; a table",
     "--gpu, --l1, --l2 and --sched take lists here: --sched lrr,gto --l1 lru. The first of each is\n"
     "the baseline.\n"
     "  warpline compare atax bfs app.wlt --l1 lru,dacache --sched gto\n"},
    {"characterize", CMD_CHARACTERIZE, cmd_characterize, "characterize WORKLOAD|@GROUP...",
     "what the papers measure of a program itself",
     "An LRU L1D on the chosen machine, every load observed: requests a load, locality, reuse, used\n"
     "bytes. One program: a page; several: a table. docs/characterisation.md has the definitions.\n"
     "  warpline characterize atax --size tiny\n"
     "  warpline characterize @apcm.cs --gpu apcm --csv apcm.csv\n"},
    {"list", CMD_LIST, cmd_list, "list workloads|groups|policies|schedulers|gpus|figures|counters|options",
     "workloads, groups, policies, schedulers, gpus, figures, counters, options", ""},
    {"gpu", CMD_GPU, cmd_gpu, "gpu show NAME|FILE | gpu convert FILE [-o F.ini]",
     "show or convert a machine with every parameter",
     "FILE is ours, or a gpgpusim.config of GPGPU-Sim, alone or as gpgpusim.config+trace.config.\n"},
    {"trace", CMD_TRACE, cmd_trace,
     "trace record WORKLOAD|FILE.ptx -o F.wlt | trace info TRACE | trace convert TRACE -o F.wlt|FOLDER",
     "record, inspect and convert traces",
     "A trace replays on any machine with the counters of the program itself:\n"
     "  warpline trace record atax --size tiny -o atax.wlt\n"
     "  warpline run atax.wlt --gpu gtx480 --l1 lru\n"
     "Accel-Sim's traces are read too; a .wlt made of one is smaller and is read faster:\n"
     "  warpline trace convert traces/bfs -o bfs.wlt\n"},
    {"timeline", CMD_TIMELINE, cmd_timeline, "timeline mascar-fig3", "a paper's example, cycle by cycle, as text",
     "Of a run of your own: warpline run bfs --size tiny --timeline bfs.json --timeline-window 1000..3000\n"
     "                              --timeline-sms 0,1, to be opened in Perfetto.\n"},
    {"experiment", CMD_EXPERIMENT, cmd_experiment, "experiment FILE|NAME",
     "run an experiment file: its figures and claims",
     "The format is in docs/experiments.md. Repeating the command goes on where it was stopped.\n"
     "  warpline experiment mine.ini --size tiny --out figures\n"
     "  warpline experiment mine.ini --slurm\n"},
    {"figure", CMD_FIGURE, cmd_figure, "figure ID... | figure --all",
     "figures of built-in experiments: table, .csv, .svg", "  warpline figure baseline.1 --size tiny\n"},
    {"claims", CMD_CLAIMS, cmd_claims, "claims [NAME|FILE...]", "stated numbers beside measured ones, with a verdict",
     ""},
    {"report", CMD_REPORT, cmd_report, "report [NAME|FILE...] -o FILE.html", "figures and claims as one HTML page", ""},
    {"store", CMD_STORE, cmd_store, "store list | export csv|json | prune | verify", "look after the result store",
     "prune deletes what other builds of the simulator left; prune --failed, what failed.\n"},
    {"exec", CMD_EXEC, cmd_exec, "exec [options] [--] PROGRAM [ARGUMENTS]",
     "run an unmodified CUDA program on the simulated GPU",
     "The program must have been linked with nvcc -cudart shared; docs/exec.md. Its output stays its own: the\n"
     "results go to standard error, --json and --csv. Its exit status is passed on.\n"
     "  warpline exec --l1 dacache --json r.json -- ./app 1024\n"
     "  warpline exec --kernel 'stencil*' --launch 10..20 -- ./app\n"
     "  warpline exec --record traces -- ./app && warpline run traces/app.wlt --sched lrr\n"},
    {"bench", CMD_BENCH, cmd_bench, "bench", "simulation speed on a fixed set, as JSON", ""},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void help(FILE *out)
{
    fputs("warpline - a cycle-level simulator of the GPU memory hierarchy\n\n", out);
    for (unsigned i = 0; i < COMMANDS; i++) fprintf(out, "  warpline %-13s%s\n", commands[i].name, commands[i].summary);
    fputs("\nCommon options:\n"
          "  --gpu NAME|FILE    the machine             --l1 P --l2 P --sched P  policies\n"
          "  --set KEY=VALUE    change the machine      --size tiny|small|paper  inputs\n"
          "  --json F --csv F   results for programs    --plugin F.so            your policies\n"
          "  --engine fast|tick                         --check                  verify results\n"
          "Try: warpline run atax --size tiny        warpline compare atax bfs --sched lrr,gto\n"
          "Each command has its own help: warpline run --help. The manual: man warpline.\n",
          out);
}

static void command_help(const struct command *c, FILE *out)
{
    fprintf(out, "usage: warpline %s [options]\n%s\n\n", c->usage, c->summary);
    options_help(c->bit, out);
    if (*c->more) fprintf(out, "\n%s", c->more);
}

static int report(const struct wl_err *e, int rc)
{
    fflush(stdout); /* what was said before comes first */
    fprintf(stderr, "warpline: %s\n", *e->text ? e->text : "failed without a reason");
    return rc;
}

static int unknown_command(const char *name)
{
    const char *names[COMMANDS];
    for (unsigned i = 0; i < COMMANDS; i++) names[i] = commands[i].name;
    const char *near = wl_nearest(name, names, COMMANDS);
    if (near) fprintf(stderr, "warpline: unknown command '%s'; did you mean '%s'?\n", name, near);
    else fprintf(stderr, "warpline: unknown command '%s'; 'warpline help' shows them all\n", name);
    return WL_EINPUT;
}

static int run_command(const struct command *c, int argc, char **argv)
{
    static struct options o; /* large, and there is one */
    struct wl_err e = {.code = WL_OK};
    int rc = options_parse(&o, c->bit, c->name, argc, argv, &e);
    if (rc) return report(&e, rc);
    if (o.help) {
        command_help(c, stdout);
    } else {
        for (unsigned i = 0; !rc && i < o.plugin.count; i++) rc = plugin_load(o.plugin.item[i], &e);
        if (!rc) rc = c->run(&o, &e);
        if (rc) return report(&e, rc);
    }
    rc = output_flush(&e);
    return rc ? report(&e, rc) : 0;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is reported like any other lost output */
    if (argc < 2) {
        help(stderr);
        return WL_EINPUT;
    }
    const char *word = argv[1];
    struct wl_err e = {.code = WL_OK};
    bool version = strcmp(word, "--version") == 0 || strcmp(word, "version") == 0;
    bool wants_help = strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
    const char *topic = wants_help && argc > 2 ? argv[2] : word;
    for (unsigned i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, topic) != 0) continue;
        if (!wants_help) return run_command(&commands[i], argc - 2, argv + 2);
        command_help(&commands[i], stdout);
        return output_flush(&e) ? report(&e, WL_ERUN) : 0;
    }
    if (wants_help && argc > 2) return unknown_command(topic);
    if (!wants_help && !version) return unknown_command(word);
    if (version) puts("warpline " WL_VERSION);
    else help(stdout);
    return output_flush(&e) ? report(&e, WL_ERUN) : 0;
}
