/* known_registers.c - see known_registers.h. */
#include "ptx/known_registers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/embed.h"

enum { COLUMN_MOST = 16, HASH_COLUMN = 2 };

/* Behind the n-th comma of the line; NULL: it has fewer. */
static const char *column_at(const char *line, unsigned n)
{
    const char *end = strchr(line, '\n');
    for (; n; n--) {
        line = strchr(line, ',');
        if (!line || (end && line > end)) return NULL;
        line++;
    }
    return line;
}

static bool is_word(const char *at, const char *word)
{
    size_t n = strlen(word);
    return strncmp(at, word, n) == 0 && (at[n] == ',' || at[n] == '\n' || !at[n]);
}

/* The column of the header with this name; 0: none. */
static unsigned column_of(const char *header, const char *name)
{
    for (unsigned n = HASH_COLUMN + 1; n < COLUMN_MOST; n++) {
        const char *at = column_at(header, n);
        if (at && is_word(at, name)) return n;
    }
    return 0;
}

uint32_t known_registers(const struct func_info *fi, uint32_t capability)
{
    char name[COLUMN_MOST], hash[24];
    const struct embed_file *table = embed_find("ptxas_registers.csv");
    if (!fi->text || fi->callees || !table) return 0;
    snprintf(name, sizeof name, "sm_%u", capability);
    unsigned column = column_of(table->data, name);
    uint64_t h = hash_bytes(WL_HASH_INIT, fi->text, (size_t)(fi->text_end - fi->text));
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)h);
    for (const char *line = strchr(table->data, '\n'); column && line && *++line; line = strchr(line, '\n')) {
        const char *at = column_at(line, HASH_COLUMN);
        if (at && is_word(at, hash)) return (uint32_t)strtoul(column_at(line, column), NULL, 10);
    }
    return 0;
}
