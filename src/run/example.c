/* example.c - the list of worked examples. */
#include "run/example.h"

#include <stddef.h>
#include <string.h>

extern const struct example mascar_fig3_example, mascar_fig7_example;

const struct example *const examples[] = {&mascar_fig3_example, &mascar_fig7_example, NULL};

const struct example *example_find(const char *name)
{
    for (const struct example *const *x = examples; *x; x++)
        if (strcmp((*x)->name, name) == 0) return *x;
    return NULL;
}

int example_index(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}
