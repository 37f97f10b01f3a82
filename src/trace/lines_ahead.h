/* lines_ahead.h - lines.c's thread: it decompresses while lines are read. */
#ifndef WL_TRACE_LINES_AHEAD_H
#define WL_TRACE_LINES_AHEAD_H

#include "trace/lines.h"

/* From now on the decoder runs on a thread; where there is none to be had, all stays as it is. */
void lines_go_ahead(struct lines *l);
/* As decoder_read. */
size_t ahead_read(struct lines *l, char *out, size_t size);
/* Ends the thread; the file is the reader's again. */
void ahead_end(struct lines *l);

#endif
