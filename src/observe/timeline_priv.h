/* timeline_priv.h - what the files of the timeline share. */
#ifndef WL_OBSERVE_TIMELINE_PRIV_H
#define WL_OBSERVE_TIMELINE_PRIV_H

#include "observe/sm_timeline.h"

/* Processes of the file: the GPU, SM n, the networks, L2 slice n, channel n. */
enum { PID_GPU = 0, PID_SM = 1, PID_NETWORK = 1000, PID_REPLIES, PID_L2 = 2000, PID_CHANNEL = 10000 };
enum { TRACK_MODE = 1, TRACK_OWNER, TRACK_UNIT, TRACK_WARP = 10, TRACK_CTA = 100, TRACK_LANE = 200 };

struct timeline_sm;
struct followed;

struct timeline {
    FILE *out;
    struct timeline_spec spec;
    uint64_t from, to, events;
    uint64_t end;      /* of the last kernel */
    bool cut, waiting; /* waiting: the window has not begun */
    unsigned launches; /* that fitted the pattern */
    struct timeline_sm *sm[TIMELINE_MAX_SMS];
    /* timeline_requests.c */
    struct req_tracer tracer;
    struct machine_shape shape;
    const struct code *code; /* of the running kernel */
    struct followed *follow;
    uint64_t seen, flows;
};

/* Begins an event; the caller writes the rest of the object. False: there are enough. */
bool timeline_event(struct timeline *t);
void timeline_name(struct timeline *t, uint32_t pid, uint32_t tid, const char *what, const char *name, uint32_t number);
/* The part of [since, until) that lies in the window, if any: begins such an event; the caller ends the object. */
bool timeline_slice(struct timeline *t, uint32_t pid, uint32_t tid, const char *name, uint64_t since, uint64_t until);
/* ,"pc":104,"where":"app.cu:12: ld.global ..." */
void timeline_where(struct timeline *t, const struct code *code, const struct code_inst *in);

/* -1: out of memory. */
int follow_begin(struct timeline *t);
void follow_end(struct timeline *t);

#endif
