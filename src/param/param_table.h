/* param_table.h - reading and writing the values of a parameter table.
 *
 * The machine's table and a policy's table have the same rows, so one set of functions serves
 * configuration files, --set, policy specifications and every listing. */
#ifndef WL_PARAM_PARAM_TABLE_H
#define WL_PARAM_PARAM_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "warpline/param.h"

/* Row of `name`, or -1. A NULL table has no rows. */
int param_find(const struct wl_param *table, const char *name);
unsigned param_rows(const struct wl_param *table);
/* "table knows no 'x'; did you mean 'y'?" as WL_EINPUT; `what` begins the sentence. */
int param_unknown(const struct wl_param *table, const char *what, const char *name, struct wl_err *e);

/* Reads one value: a choice by its word, or a whole number (decimal or 0x), with K, M or G behind
 * it when the unit is bytes. Refuses what lies outside min..max. */
int param_read(const struct wl_param *row, const char *text, int64_t *out, struct wl_err *e);
/* The value as param_read accepts it. */
void param_write(const struct wl_param *row, int64_t value, char *out, size_t size);
/* "1..65536", or the choices. */
void param_range(const struct wl_param *row, char *out, size_t size);

/* Whether the index function (a value of l1d.index) can address so many sets. */
bool index_takes(int64_t index, int64_t sets);

/* Names of the machines built into the program, sorted; returns how many there are. */
unsigned preset_names(const char *names[], unsigned max);

/* Whether the address map string is well formed; otherwise `why` says what is wrong. */
struct dram_map_shape {
    int dramid; /* bit where the channel is inserted, or -1: by letters D */
    unsigned channel_bits, bank_bits, row_bits, column_bits;
};
int dram_map_shape(const char *map, struct dram_map_shape *out, struct wl_err *e);

#endif
