/* record_table.h - records (the JSON objects of runs) as one tidy table: a row per run, a column per number.
 *
 * Columns are the members, flattened with dots; "inputs" and "set" are one text each. What was varied comes early and
 * under the name by which it is set: a parameter of the machine ("l1d.size") when two records differ in it, an input
 * ("inputs.n") when two records of one program do, a parameter of a policy ("l1.promote") when two records of that
 * policy do. All records are shown to the table before the first row is written, because they differ in what they
 * count. */
#ifndef WL_RUN_RECORD_TABLE_H
#define WL_RUN_RECORD_TABLE_H

#include <jansson.h>
#include <stdio.h>

#include "base/err.h"

struct record_table;
/* `skip`: a member that the caller has a column for; NULL: none. NULL is returned when there is no memory. */
struct record_table *record_table_new(const char *skip);
void record_table_free(struct record_table *t);
int record_table_learn(struct record_table *t, const json_t *record, struct wl_err *e);
/* Names or values, separated by commas, without an end of line; the names first. A record that is NULL has empty
 * fields. */
void record_table_header(struct record_table *t, FILE *out);
void record_table_row(const struct record_table *t, const json_t *record, FILE *out);

#endif
