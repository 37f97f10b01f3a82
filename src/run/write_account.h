/* write_account.h - the account of cycles, and every counter of every kernel, as text for people. */
#ifndef WL_RUN_WRITE_ACCOUNT_H
#define WL_RUN_WRITE_ACCOUNT_H

#include <stdio.h>

#include "run/result.h"

/* What schedulers and warps did: a bar of all scheduler cycles and a row per reason; nothing when nothing was timed. */
void account_write_text(const struct run_stats *s, FILE *out);
/* The bar, and what schedulers did in a few lines. */
void account_write_brief(const struct run_stats *s, FILE *out);

/* Every counter that is not zero, a column per kernel: launches of one name and shape are one column, the first
 * KERNEL_COLUMNS of them. Nothing when launches were not kept apart. */
enum { KERNEL_COLUMNS = 24 };
void kernel_counters_write_text(const struct run_result *r, FILE *out);

#endif
