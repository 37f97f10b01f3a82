/* command.c - the command line of this process, as the kernel keeps it.
 *
 * Taken from there, no caller has to hand it down, and a host program's record has its own command line. */
#include "run/command.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* The whole of the file, words ended by NULs; NULL: it cannot be read. */
static char *read_words(size_t *size)
{
    FILE *f = fopen("/proc/self/cmdline", "rb");
    char *text = NULL;
    size_t used = 0, room = 0;
    bool bad = false;
    while (f) {
        if (room - used < 2) {
            char *grown = realloc(text, room = room ? 2 * room : 4096);
            bad = !grown;
            if (bad) break;
            text = grown;
        }
        size_t n = fread(text + used, 1, room - used - 1, f);
        if (!n) break;
        used += n;
    }
    bad |= f && ferror(f);
    if (f) fclose(f);
    if (bad || !used) { /* a part of a command would be another command */
        free(text);
        text = NULL;
        used = 0;
    }
    if (text) text[used] = 0;
    *size = used;
    return text;
}

static char *make_line(void)
{
    size_t size, words = 0;
    char *text = read_words(&size);
    for (size_t i = 0; i < size; i++) words += !text[i];
    size_t room = 4 * size + 3 * words + 1; /* a quote becomes four characters; two quotes and a blank per word */
    char *made = text ? calloc(1, room) : NULL;
    for (size_t at = 0; made && at < size; at += strlen(text + at) + 1) {
        const char *word = text + at, *slash = at ? NULL : strrchr(word, '/');
        if (at) strcat(made, " ");
        shell_quote(made, room, slash ? slash + 1 : word);
    }
    free(text);
    return made;
}

static char *line;
static void keep_line(void) { line = make_line(); }

const char *command_line(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, keep_line);
    return line;
}
