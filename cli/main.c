/* main.c - the warpline command: finds the subcommand, reports what it says.
 *
 * Results go to standard output, everything else to standard error. The exit status is that of
 * base/err.h: 0 ok, 1 the run failed, 2 usage or bad input, 3 deadlock, 4 a law broke. */
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/manual.h"
#include "run/identity.h"

const struct command commands[] = {
#define COMMAND(name, usage, summary, takes, more) {#name, cmd_##name, usage, summary, takes, more},
#include "cli/commands.def"
#undef COMMAND
    {NULL, NULL, NULL, NULL, NULL, NULL},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] - 1 };

static void help(FILE *out)
{
    fputs("warpline - a cycle-level simulator of the GPU memory hierarchy\n\n", out);
    for (unsigned i = 0; i < COMMANDS; i++) fprintf(out, "  warpline %-13s%s\n", commands[i].name, commands[i].summary);
    fputs("\nCommon options: --gpu, --scheme, --l1, --l2, --sched, --set KEY=VALUE, --size, --json, --csv, --plugin\n"
          "Try: warpline run atax --size tiny. Help of a command: warpline run --help. Manual: man warpline.\n",
          out);
}

static void command_help(const struct command *c, FILE *out)
{
    fprintf(out, "usage: warpline %s [options]\n%s\n\n", c->usage, c->summary);
    options_help(c, out);
    if (*c->more) fprintf(out, "\n%s", c->more);
}

/* The other end of the pipe has been closed: `warpline list options | head`. */
static bool reader_is_gone(void)
{
    struct pollfd p = {.fd = STDOUT_FILENO};
    return ferror(stdout) && poll(&p, 1, 0) == 1 && (p.revents & POLLERR);
}

static int report(const struct wl_err *e, int rc)
{
    fflush(stdout);                                   /* what was said before comes first */
    if (rc == WL_ERUN && reader_is_gone()) return rc; /* nobody wants to hear of it */
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

/* The manual: "help --roff NAME" is a page, "help --roff=PART" a part of the main page (scripts/man.sh). */
static int roff(const char *part, const char *name)
{
    struct wl_err e = {.code = WL_OK};
    const struct command *c = commands;
    if (*part == '=') {
        manual_parts(part + 1, stdout);
        return output_flush(&e) ? report(&e, WL_ERUN) : 0;
    }
    while (name && c->name && strcmp(c->name, name) != 0) c++;
    if (!name || !c->name) return unknown_command(name ? name : "");
    manual_page(c, stdout);
    return output_flush(&e) ? report(&e, WL_ERUN) : 0;
}

static int run_command(const struct command *c, int argc, char **argv)
{
    static struct options o; /* large, and there is one */
    struct wl_err e = {.code = WL_OK};
    int rc = options_parse(&o, c, argc, argv, &e);
    if (rc) return report(&e, rc);
    if (o.help) {
        command_help(c, stdout);
    } else {
        for (unsigned i = 0; !rc && i < o.plugin.count; i++) rc = machine_plugin(o.plugin.item[i], &e);
        if (!rc) rc = c->run(&o, &e);
        if (rc) return report(&e, rc);
    }
    rc = output_flush(&e);
    return rc ? report(&e, rc) : 0;
}

/* A signal that ends the program leaves no half files behind. */
static void on_end(int number)
{
    out_file_drop_all(); /* getpid and unlink only: NOLINT(bugprone-signal-handler) */
    signal(number, SIG_DFL);
    raise(number);
}

static void set_signals(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is reported like any other lost output */
    signal(SIGXFSZ, SIG_IGN); /* a limit of the file size like a full disk */
    for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (signal(ends[i], on_end) == SIG_IGN) signal(ends[i], SIG_IGN); /* nohup wants it so */
}

int main(int argc, char **argv)
{
    json_set_alloc_funcs(memory_take, free);
    set_signals();
    if (argc < 2) {
        help(stderr);
        return WL_EINPUT;
    }
    const char *word = argv[1];
    struct wl_err e = {.code = WL_OK};
    bool version = strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0 || strcmp(word, "version") == 0;
    bool wants_help = strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
    const char *topic = wants_help && argc > 2 ? argv[2] : word;
    for (unsigned i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, topic) != 0) continue;
        if (!wants_help) return run_command(&commands[i], argc - 2, argv + 2);
        command_help(&commands[i], stdout);
        return output_flush(&e) ? report(&e, WL_ERUN) : 0;
    }
    if (wants_help && argc > 2 && strncmp(topic, "--roff", 6) == 0) return roff(argv[2] + 6, argc > 3 ? argv[3] : NULL);
    if (wants_help && argc > 2) return unknown_command(topic);
    if (!wants_help && !version) return unknown_command(word);
    if (argc > 2) {
        wl_fail(&e, WL_EINPUT, "'%s' takes nothing more; '%s' is too much", word, argv[2]);
        return report(&e, WL_EINPUT);
    }
    if (version) printf("warpline %s (build %.12s)\n", WL_VERSION, wl_build_id);
    else help(stdout);
    return output_flush(&e) ? report(&e, WL_ERUN) : 0;
}
