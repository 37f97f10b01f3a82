/* loads.c - the table of load instructions: rows by kernel and pc, made before a kernel runs. */
#include "observe/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_places(const void *a, const void *b)
{
    const struct load_place *x = a, *y = b;
    return (x->pc > y->pc) - (x->pc < y->pc);
}

static int find_row(struct load_table *t, const char *kernel, const struct code *code, const struct code_inst *in)
{
    uint32_t pc = in->pc;
    for (unsigned i = 0; i < t->rows; i++)
        if (t->row[i].pc == pc && strcmp(t->row[i].kernel, kernel) == 0) return (int)i;
    if (t->rows == t->cap) {
        unsigned cap = t->cap ? 2 * t->cap : 64;
        struct load_record *row = realloc(t->row, cap * sizeof *row);
        if (!row) return -1;
        t->row = row;
        t->cap = cap;
    }
    t->row[t->rows] = (struct load_record){.pc = pc};
    snprintf(t->row[t->rows].kernel, sizeof t->row->kernel, "%s", kernel);
    source_place(&t->row[t->rows].at, code, in);
    return (int)t->rows++;
}

int loads_begin(struct load_table *t, const char *kernel, const struct code *code)
{
    if (code->ninst > t->places_cap) {
        struct load_place *place = realloc(t->place, code->ninst * sizeof *place);
        if (!place) return -1;
        t->place = place;
        t->places_cap = code->ninst;
    }
    t->places = 0;
    for (uint32_t i = 0; i < code->ninst; i++) {
        const struct code_inst *in = &code->inst[i];
        if (in->kind != INST_LOAD || (in->space != SPACE_GLOBAL && in->space != SPACE_LOCAL)) continue;
        int row = find_row(t, kernel, code, in);
        if (row < 0) return -1;
        t->place[t->places++] = (struct load_place){in->pc, (uint32_t)row};
    }
    if (t->places) qsort(t->place, t->places, sizeof *t->place, compare_places);
    return 0;
}

struct load_record *loads_find(const struct load_table *t, uint32_t pc)
{
    unsigned low = 0, high = t->places;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (t->place[middle].pc < pc) low = middle + 1;
        else high = middle;
    }
    return low < t->places && t->place[low].pc == pc ? &t->row[t->place[low].row] : NULL;
}
