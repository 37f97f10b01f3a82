/* accel_write.h - saves launches as an Accel-Sim trace: a folder with kernelslist.g and a file per launch. */
#ifndef WL_TRACE_ACCEL_ACCEL_WRITE_H
#define WL_TRACE_ACCEL_ACCEL_WRITE_H

#include "trace/wlt/wlt.h"

struct accel_writer;

/* What the format could not hold: executed instructions by what was changed. */
struct accel_changes {
    uint64_t latencies;        /* a class without an instruction */
    uint64_t spaces;           /* parameter, texture and read-only loads */
    uint64_t registers;        /* named fewer registers */
    uint64_t widths;           /* an odd width, written as 4 bytes */
    uint32_t shared_registers; /* not 0: so many registers share 255 names */
};

/* Makes the folder where needed. NULL on failure. */
struct accel_writer *accel_create(const char *folder, struct wl_err *e);
void accel_write_copy(struct accel_writer *w, uint64_t addr, uint64_t bytes);
/* The next launch is of this stream. */
void accel_write_stream(struct accel_writer *w, uint64_t stream);
/* Takes all CTAs of the source. */
int accel_write_launch(struct accel_writer *w, struct stream_source *s, struct wl_err *e);
/* Ends the trace and frees the writer; as wlt_finish. When rc is not 0 the list is removed. */
int accel_finish(struct accel_writer *w, int rc, struct wlt_totals *totals, struct accel_changes *changes,
                 struct wl_err *e);

#endif
