/* manual.h - what is made from the tables of commands and options: manual pages and completion. */
#ifndef WL_CLI_MANUAL_H
#define WL_CLI_MANUAL_H

#include "cli/cli.h"

/* All commands, ended by one without a name (main.c). */
extern const struct command commands[];

/* The page warpline-NAME(1). */
void manual_page(const struct command *c, FILE *out);
/* For the page warpline(1): the synopsis, the commands, and every option with the commands that take it. */
void manual_parts(const char *part, FILE *out);

#endif
