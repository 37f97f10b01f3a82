/* manual.c - manual pages from the tables that --help is made of.
 *
 * A page has what the tables know; longer prose about a command is man/NAME.in, which scripts/man.sh puts where the
 * page says ".\" prose". */
#include "cli/manual.h"

#include <string.h>

/* Text as roff wants it: no line begins a request, hyphens can be copied. */
static void put_text(const char *s, size_t length, bool at_start, FILE *out)
{
    for (size_t i = 0; i < length; i++) {
        if ((at_start || (i && s[i - 1] == '\n')) && (s[i] == '.' || s[i] == '\'')) fputs("\\&", out);
        at_start = false;
        if (s[i] == '\\') fputs("\\e", out);
        else if (s[i] == '-') fputs("\\-", out);
        else fputc(s[i], out);
    }
}

static void put_all(const char *s, bool at_start, FILE *out) { put_text(s, strlen(s), at_start, out); }

/* One option: its names in bold, its value in italics. */
static void put_option(const struct option_row *r, FILE *out)
{
    fputs(".TP\n", out);
    if (r->letter) fprintf(out, "\\fB\\-%c\\fR, ", r->letter);
    fputs("\\fB\\-\\-", out);
    put_all(r->name, false, out);
    fputs("\\fR", out);
    if (r->value) {
        fputs(r->kind == SAMPLE ? "\\fI" : " \\fI", out);
        put_all(r->value, false, out);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    put_all(r->help, true, out);
}

/* Lines of the help that begin with two blanks are examples; the others are prose. */
static void put_more(const char *more, bool examples, FILE *out)
{
    bool any = false;
    for (const char *p = more; *p;) {
        size_t n = strcspn(p, "\n");
        bool example = p[0] == ' ' && p[1] == ' ';
        if (example == examples) {
            if (!any) fputs(examples ? ".SH EXAMPLES\n.nf\n" : ".PP\n", out);
            put_text(p + (example ? 2 : 0), n - (example ? 2 : 0), true, out);
            fputc('\n', out);
            any = true;
        }
        p += n + (p[n] == '\n');
    }
    if (any && examples) fputs(".fi\n", out);
}

void manual_page(const struct command *c, FILE *out)
{
    fprintf(out,
            ".\\\" warpline-%s.1 - made from cli/commands.def and cli/options.c by make docs.\n"
            ".TH WARPLINE-",
            c->name);
    for (const char *p = c->name; *p; p++) fputc(*p - 'a' + 'A', out);
    fprintf(out, " 1 \"\" \"warpline %s\" \"User Commands\"\n.SH NAME\nwarpline\\-%s \\- ", WL_VERSION, c->name);
    put_all(c->summary, false, out);
    fputs("\n.SH SYNOPSIS\n", out);
    for (const char *p = c->usage; *p;) { /* "a | b": a line each */
        const char *bar = strstr(p, " | ");
        const char *begin = strncmp(p, c->name, strlen(c->name)) == 0 ? "" : c->name; /* "store list | export" */
        size_t n = bar ? (size_t)(bar - p) : strlen(p);
        fprintf(out, "\\fBwarpline %s%s\\fR", begin, *begin ? " " : "");
        put_text(p, n, false, out);
        fputs(strstr(c->usage, "[options]") ? "\n" : " [\\fIoptions\\fR]\n", out);
        p += n;
        if (bar) p += 3, fputs(".br\n", out);
    }
    fputs(".SH DESCRIPTION\n.\\\" prose\n", out);
    put_more(c->more, false, out);
    fputs(".SH OPTIONS\n", out);
    for (const struct option_row *r = NULL; (r = options_next(c, r));) {
        put_option(r, out);
        fputc('\n', out);
    }
    put_more(c->more, true, out);
    fputs(".SH SEE ALSO\n.BR warpline (1)\n", out);
}

/* ---- parts of warpline(1) ---- */

static void put_synopsis(FILE *out)
{
    for (const struct command *c = commands; c->name; c++) {
        fputs("\\fBwarpline\\fR ", out);
        put_all(c->usage, false, out);
        fputs("\n.br\n", out);
    }
}

static void put_commands(FILE *out)
{
    for (const struct command *c = commands; c->name; c++) {
        fprintf(out, ".TP\n.BR warpline\\-%s (1)\n", c->name);
        put_all(c->summary, true, out);
        fputc('\n', out);
    }
}

/* Every option once, with the commands that take it. */
static void put_options(FILE *out)
{
    const struct option_row *seen[128];
    unsigned n = 0;
    for (const struct command *c = commands; c->name; c++)
        for (const struct option_row *r = NULL; (r = options_next(c, r));) {
            unsigned k = 0;
            while (k < n && seen[k] != r) k++;
            if (k == n && n < 128) seen[n++] = r;
        }
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = i + 1; k < n; k++)
            if (seen[k] < seen[i]) { /* the order of the table */
                const struct option_row *other = seen[i];
                seen[i] = seen[k];
                seen[k] = other;
            }
    for (unsigned i = 0; i < n; i++) {
        unsigned takers = 0, count = 0;
        put_option(seen[i], out);
        for (const struct command *c = commands; c->name; c++, count++)
            for (const struct option_row *r = NULL; (r = options_next(c, r));) takers += r == seen[i];
        fputs(takers == count ? "\n" : "\n(", out);
        for (const struct command *c = takers == count ? commands + count : commands; c->name; c++)
            for (const struct option_row *r = NULL; (r = options_next(c, r));)
                if (r == seen[i]) fprintf(out, "\\fI%s\\fR%s", c->name, --takers ? ", " : ")\n");
    }
}

void manual_parts(const char *part, FILE *out)
{
    if (strcmp(part, "synopsis") == 0) put_synopsis(out);
    if (strcmp(part, "commands") == 0) put_commands(out);
    if (strcmp(part, "options") == 0) put_options(out);
}
