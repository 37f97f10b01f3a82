/* write_lines.h - instructions and their places in the source, for write_json.c. */
#ifndef WL_RUN_WRITE_LINES_H
#define WL_RUN_WRITE_LINES_H

#include <jansson.h>

#include "stats/profile_report.h"

/* Adds ptx_line, text, file and line to an object, null where not known. */
int add_place(json_t *o, const struct source_place *at);
json_t *inst_list(const struct profile_report *p);
/* Counts over time: a list for each map, of a list for each sample. */
json_t *heat_object(const struct heat_report *h);

#endif
