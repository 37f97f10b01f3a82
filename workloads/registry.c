/* registry.c - the list of built-in workloads and how a name finds one. */
#include "workloads/common.h"

#include <string.h>
#include <strings.h>

static const struct workload *const table[] = {
#define W(name) &workload_##name,
#include "workloads/workloads.def"
#undef W
};

const struct workload *const *workloads(unsigned *count)
{
    *count = sizeof table / sizeof table[0];
    return table;
}

/* Whether `word` is one of the words of `list`, separated by spaces. */
static bool in_list(const char *list, const char *word)
{
    size_t len = strlen(word);
    for (const char *p = list; p && *p;) {
        size_t n = strcspn(p, " ");
        if (n == len && strncasecmp(p, word, n) == 0) return true;
        p += n + (p[n] != 0);
    }
    return false;
}

const struct workload *workload_find(const char *name)
{
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcasecmp(table[i]->name, name) == 0) return table[i];
    for (unsigned i = 0; *name && i < sizeof table / sizeof table[0]; i++)
        if (in_list(table[i]->aliases, name)) return table[i];
    return NULL;
}
