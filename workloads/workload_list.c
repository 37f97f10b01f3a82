/* workload_list.c - the lists of built-in workloads and of groups of them, and how a name finds one. */
#include "workloads/common.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *const size_names[SIZE_COUNT] = {"tiny", "small", "paper"};

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

/* ---- groups ---- */

static const struct workload_group groups[] = {
#define G(name, help, members) {#name, help, members},
#include "workloads/groups.def"
#undef G
};

const struct workload_group *workload_groups(unsigned *count)
{
    *count = sizeof groups / sizeof groups[0];
    return groups;
}

const struct workload_group *workload_group_find(const char *name)
{
    for (unsigned i = 0; i < sizeof groups / sizeof groups[0]; i++)
        if (strcasecmp(groups[i].name, name) == 0) return &groups[i];
    return NULL;
}

const struct workload *workload_group_member(const struct workload_group *g, unsigned index)
{
    const char *p = g->members;
    char name[64];
    for (; *p && index; index--) p += strcspn(p, " ") + (p[strcspn(p, " ")] != 0);
    if (!*p) return NULL;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(p, " "), p);
    return workload_find(name);
}
