/* cmd_completion.c - completion for bash, zsh and fish, made from the tables of commands and options.
 *
 * Names (workloads, machines, policies ...) are asked for when they are needed: `warpline list` takes some
 * milliseconds, and so plugins and later versions bring their own. What a command's words can be is read from its
 * usage: "store list | export csv|json": words in small letters are themselves, WORKLOAD, @GROUP, ID and NAME are
 * lists. */
#include <ctype.h>
#include <string.h>

#include "cli/manual.h"

enum { MAX_WORDS = 1024 };

/* What can stand somewhere: words, and lists to be asked for. */
struct choices {
    char words[MAX_WORDS]; /* "tiny small paper" */
    char lists[MAX_WORDS]; /* "workloads groups" */
};

static void add_word(char *to, const char *word, size_t length)
{
    size_t at = strlen(to);
    if (at + length + 2 < MAX_WORDS) snprintf(to + at, MAX_WORDS - at, "%s%.*s", at ? " " : "", (int)length, word);
}

static void add_list(struct choices *c, const char *list) { add_word(c->lists, list, strlen(list)); }

static void value_choices(const struct option_row *r, struct choices *c)
{
    static const char *const lists[][2] = {{"gpu", "gpus"},    {"scheme", "schemes"},   {"l1", "policies"},
                                           {"l2", "policies"}, {"sched", "schedulers"}, {"set", "options"}};
    *c = (struct choices){"", ""};
    for (unsigned i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (strcmp(r->name, lists[i][0]) == 0) add_list(c, lists[i][1]);
    if (strcmp(r->name, "size") == 0) add_word(c->words, "tiny small paper", 16);
    for (const char *p = r->value; p && islower((unsigned char)*r->value) && *p;) { /* "fast|tick" */
        size_t n = strcspn(p, "|");
        add_word(c->words, p, n);
        p += n + (p[n] == '|');
    }
}

/* The words of a command, from its usage. */
static void word_choices(const struct command *c, struct choices *out)
{
    *out = (struct choices){"", ""};
    for (const char *p = c->usage + strcspn(c->usage, " "); *p;) {
        p += strspn(p, " |[].");
        size_t n = strcspn(p, " |[].");
        bool small = n > 1;
        for (size_t i = 0; i < n; i++)
            small = small && (islower((unsigned char)p[i]) || isdigit((unsigned char)p[i]) || p[i] == '-');
        if (small && *p != '-' && strncmp(p, c->name, n) != 0 && strncmp(p, "options", n) != 0)
            add_word(out->words, p, n);
        if (n == 8 && strncmp(p, "WORKLOAD", n) == 0) add_list(out, "workloads");
        if (n == 6 && strncmp(p, "@GROUP", n) == 0) add_list(out, "groups");
        if (n == 2 && strncmp(p, "ID", n) == 0) add_list(out, "figures");
        if (n == 4 && strncmp(p, "NAME", n) == 0) add_list(out, strcmp(c->name, "gpu") == 0 ? "gpus" : "experiments");
        p += n;
    }
}

/* ---- bash ---- */

static void bash_choices(const struct choices *c, FILE *out)
{
    fprintf(out, "words=\"%s", c->words);
    for (const char *p = c->lists; *p;) {
        size_t n = strcspn(p, " ");
        fprintf(out, " $(_warpline_list %.*s)", (int)n, p);
        p += n + (p[n] == ' ');
    }
    fputs("\"", out);
}

static void bash_values(FILE *out)
{
    const struct option_row *seen[128];
    unsigned n = 0;
    for (const struct command *c = commands; c->name; c++)
        for (const struct option_row *r = NULL; (r = options_next(c, r));) {
            struct choices v;
            unsigned k = 0;
            while (k < n && seen[k] != r) k++;
            if (k < n || n == 128) continue;
            seen[n++] = r;
            value_choices(r, &v);
            if (!*v.words && !*v.lists) continue;
            fprintf(out, "    --%s) ", r->name);
            bash_choices(&v, out);
            fputs(strcmp(r->name, "set") == 0 ? "; assign=1 ;;\n" : " ;;\n", out);
        }
}

static void bash_commands(FILE *out)
{
    for (const struct command *c = commands; c->name; c++) {
        struct choices w;
        word_choices(c, &w);
        fprintf(out, "    %s)\n        options=\"", c->name);
        for (const struct option_row *r = NULL; (r = options_next(c, r));)
            fprintf(out, "--%s%s", r->name, options_next(c, r) ? " " : "\"\n        ");
        fputs("[[ $cur == -* ]] && words=$options || ", out);
        bash_choices(&w, out);
        fputs("\n        ;;\n", out);
    }
}

static void write_bash(FILE *out)
{
    fputs("# warpline.bash - made by 'warpline completion bash'.\n"
          "_warpline_list() {\n"
          "    if [[ $1 == experiments ]]; then ${COMP_WORDS[0]} list figures --plain 2>/dev/null | cut -d. -f1 | sort "
          "-u\n"
          "    else ${COMP_WORDS[0]} list \"$1\" --plain 2>/dev/null; fi\n"
          "}\n"
          "_warpline() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words= options= assign= before=\n"
          "    if ((COMP_CWORD == 1)); then\n"
          "        COMPREPLY=($(compgen -W \"",
          out);
    for (const struct command *c = commands; c->name; c++) fprintf(out, "%s ", c->name);
    fputs("help version --help --version\" -- \"$cur\"))\n"
          "        return\n"
          "    fi\n"
          "    # bash takes '=' for a word of its own: --gpu=gtx480 is three\n"
          "    if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
          "    case $prev in\n",
          out);
    bash_values(out);
    fputs("    *) case ${COMP_WORDS[1]} in\n    help) words=\"", out);
    for (const struct command *c = commands; c->name; c++) fprintf(out, "%s%s", c == commands ? "" : " ", c->name);
    fputs("\" ;;\n", out);
    bash_commands(out);
    fputs("    esac ;;\n"
          "    esac\n"
          "    [[ $cur == *,* && $cur != -* ]] && before=${cur%,*}, # a list: complete its last entry\n"
          "    COMPREPLY=($(compgen -P \"$before\" -W \"$words\" -- \"${cur##*,}\"))\n"
          "    if [[ $assign && ${#COMPREPLY[@]} -gt 0 ]]; then\n"
          "        COMPREPLY=(\"${COMPREPLY[@]/%/=}\")\n"
          "        compopt -o nospace 2>/dev/null\n"
          "    fi\n"
          "}\n"
          "complete -o bashdefault -o default -F _warpline warpline\n",
          out);
}

/* ---- zsh ---- */

/* In single quotes, with a colon kept from ending a name. */
static void put_quoted(const char *s, bool colon, FILE *out)
{
    for (; *s; s++) {
        if (*s == '\'') fputs("'\\''", out);
        else if (*s == ':' && colon) fputs("\\:", out);
        else fputc(*s, out);
    }
}

static void zsh_choices(const struct choices *c, FILE *out)
{
    fprintf(out, "choices=(%s", c->words);
    for (const char *p = c->lists; *p;) {
        size_t n = strcspn(p, " ");
        fprintf(out, " ${(f)\"$(_warpline_list %.*s)\"}", (int)n, p);
        p += n + (p[n] == ' ');
    }
    fputs(")", out);
}

static void zsh_command(const struct command *c, FILE *out)
{
    struct choices w;
    word_choices(c, &w);
    fprintf(out, "    %s)\n        if [[ $cur == -* ]]; then\n            choices=(\n", c->name);
    for (const struct option_row *r = NULL; (r = options_next(c, r));) {
        fprintf(out, "                '--%s:", r->name);
        put_quoted(r->help, false, out);
        fputs("'\n", out);
    }
    fputs("            )\n            _describe option choices\n            return\n        fi\n        ", out);
    zsh_choices(&w, out);
    fputs(" ;;\n", out);
}

static void write_zsh(FILE *out)
{
    fputs("#compdef warpline\n"
          "# _warpline - made by 'warpline completion zsh'.\n"
          "_warpline_list() {\n"
          "    if [[ $1 == experiments ]]; then ${words[1]} list figures --plain 2>/dev/null | cut -d. -f1 | sort -u\n"
          "    else ${words[1]} list $1 --plain 2>/dev/null; fi\n"
          "}\n"
          "_warpline() {\n"
          "    local cur=${words[CURRENT]} prev=${words[CURRENT - 1]}\n"
          "    local -a choices\n"
          "    if ((CURRENT == 2)); then\n"
          "        choices=(\n",
          out);
    for (const struct command *c = commands; c->name; c++) {
        fprintf(out, "            '%s:", c->name);
        put_quoted(c->summary, false, out);
        fputs("'\n", out);
    }
    fputs("        )\n        _describe command choices\n        return\n    fi\n    case $prev in\n", out);
    const struct option_row *last = NULL;
    for (const struct command *c = commands; c->name; c++) /* the first arm of a case counts: repeats do no harm */
        for (const struct option_row *r = NULL; (r = options_next(c, r));) {
            struct choices v;
            value_choices(r, &v);
            if ((!*v.words && !*v.lists) || (last && r <= last)) continue;
            last = r;
            fprintf(out, "    --%s) ", r->name);
            zsh_choices(&v, out);
            fputs(strcmp(r->name, "set") == 0 ? "; compadd -S '=' -a choices; return ;;\n" : " ;;\n", out);
        }
    fputs("    *) case ${words[2]} in\n", out);
    for (const struct command *c = commands; c->name; c++) zsh_command(c, out);
    fputs("    esac ;;\n"
          "    esac\n"
          "    compset -P '*,' # a list: complete its last entry\n"
          "    compadd -a choices\n"
          "    _files\n"
          "}\n"
          "if [[ $funcstack[1] == _warpline ]]; then _warpline \"$@\"; else compdef _warpline warpline; fi\n",
          out);
}

/* ---- fish ---- */

static void fish_choices(const struct choices *c, FILE *out)
{
    fprintf(out, " -a '%s", c->words);
    for (const char *p = c->lists; *p;) {
        size_t n = strcspn(p, " ");
        fprintf(out, " (__warpline_list %.*s)", (int)n, p);
        p += n + (p[n] == ' ');
    }
    fputs("'", out);
}

static void fish_command(const struct command *c, FILE *out)
{
    struct choices v;
    fprintf(out, "complete -c warpline -n __fish_use_subcommand -f -a %s -d '", c->name);
    put_quoted(c->summary, false, out);
    fputs("'\n", out);
    word_choices(c, &v);
    if (*v.words || *v.lists) {
        fprintf(out, "complete -c warpline -n '__fish_seen_subcommand_from %s'", c->name);
        fish_choices(&v, out);
        fputc('\n', out);
    }
    for (const struct option_row *r = NULL; (r = options_next(c, r));) {
        fprintf(out, "complete -c warpline -n '__fish_seen_subcommand_from %s' -l %s", c->name, r->name);
        if (r->letter) fprintf(out, " -s %c", r->letter);
        if (r->value && r->kind != MAYBE_NUMBER && r->kind != SAMPLE) fputs(" -r", out);
        value_choices(r, &v);
        if (*v.words || *v.lists) fish_choices(&v, out);
        fputs(" -d '", out);
        put_quoted(r->help, false, out);
        fputs("'\n", out);
    }
}

static void write_fish(FILE *out)
{
    fputs("# warpline.fish - made by 'warpline completion fish'.\n"
          "function __warpline_list\n"
          "    if test $argv[1] = experiments\n"
          "        warpline list figures --plain 2>/dev/null | cut -d. -f1 | sort -u\n"
          "    else\n"
          "        warpline list $argv[1] --plain 2>/dev/null\n"
          "    end\n"
          "end\n",
          out);
    for (const struct command *c = commands; c->name; c++) fish_command(c, out);
}

int cmd_completion(const struct options *o, struct wl_err *e)
{
    static const char *const shells[] = {"bash", "zsh", "fish"};
    static void (*const write[])(FILE *) = {write_bash, write_zsh, write_fish};
    const char *shell = o->words.count == 1 ? o->words.item[0] : "";
    unsigned i = 0;
    while (i < 3 && strcmp(shells[i], shell) != 0) i++;
    if (i == 3) return wl_fail(e, WL_EINPUT, "completion takes one of bash, zsh, fish: warpline completion bash");
    struct out_file f;
    int rc = out_file_open(&f, o->output ? o->output : "-", e);
    if (!rc) write[i](f.file);
    return rc ? rc : out_file_close(&f, 0, e);
}
