/* gpgpusim_cache.c - cache and DRAM strings of a gpgpusim.config.
 *
 *   S:4:128:64,L:T:m:L:L,A:512:8,16:0,32
 *   type:sets:line:ways,replace:write:allocate:write_allocate:index,mshr:entries:merge,missq[:fifo[,port]]
 *
 * GPGPU-Sim 3 has no type in front: then the cache is not sectored. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "param/gpgpusim_priv.h"

bool gpgpusim_number(const char *text, long *out)
{
    char *end;
    if (!isdigit((unsigned char)*text)) return false;
    *out = strtol(text, &end, 0); /* 0x is hex, a leading 0 is octal, as there */
    return !*end && *out >= 0 && *out <= 1000000000;
}

/* Cuts the text at any of the separators; returns the number of pieces. */
static unsigned cut(char *text, const char *separators, char *piece[], unsigned most)
{
    unsigned n = 0;
    char *save = NULL;
    for (char *p = strtok_r(text, separators, &save); p && n < most; p = strtok_r(NULL, separators, &save))
        piece[n++] = p;
    return n;
}

int gpgpusim_cache(const char *text, struct cache_text *out, struct wl_err *e)
{
    char copy[200], *piece[20];
    *out = (struct cache_text){0};
    if (strcmp(text, "none") == 0) {
        out->none = true;
        return 0;
    }
    if (strlen(text) >= sizeof copy) return wl_fail(e, WL_EINPUT, "a cache string of %zu characters", strlen(text));
    snprintf(copy, sizeof copy, "%s", text);
    unsigned n = cut(copy, ":,", piece, 20), at = 0;
    if (n == 0) piece[n++] = copy; /* nothing but separators */
    out->typed = isalpha((unsigned char)*piece[0]);
    out->type = out->typed ? *piece[at++] : 'N';
    long *number[] = {&out->sets, &out->line, &out->ways};
    char *letter[] = {&out->replace, &out->write, &out->alloc, &out->write_alloc, &out->index, &out->mshr};
    bool ok = n >= at + 11;
    for (unsigned i = 0; ok && i < 3; i++) ok = gpgpusim_number(piece[at++], number[i]);
    for (unsigned i = 0; ok && i < 6; i++) {
        ok = strlen(piece[at]) == 1 && isalpha((unsigned char)*piece[at]);
        *letter[i] = *piece[at++];
    }
    ok = ok && gpgpusim_number(piece[at++], &out->entries) && gpgpusim_number(piece[at++], &out->merge);
    long fifo;
    if (ok && at < n) ok = gpgpusim_number(piece[at++], &out->missq);
    if (ok && at < n) ok = gpgpusim_number(piece[at++], &fifo);
    if (ok && at < n) ok = gpgpusim_number(piece[at++], &out->port);
    ok = ok && at == n && (out->type == 'N' || out->type == 'S') && out->sets && out->ways;
    if (ok) return 0;
    return wl_fail(
        e, WL_EINPUT,
        "'%s' is no cache; it is written TYPE:SETS:LINE:WAYS,R:W:A:WA:INDEX,MSHR:ENTRIES:MERGE,QUEUE:FIFO,PORT", text);
}

/* nbk:CCD:RRD:... in this order, or NAME=value in any. */
static const struct {
    const char *name;
    enum param_id id;
} timings[] = {{"nbk", P_DRAM_BANKS}, {"CCD", P_DRAM_CCD},   {"RRD", P_DRAM_RRD}, {"RCD", P_DRAM_RCD},
               {"RAS", P_DRAM_RAS},   {"RP", P_DRAM_RP},     {"RC", P_DRAM_RC},   {"CL", P_DRAM_CL},
               {"WL", P_DRAM_WL},     {"CDLR", P_DRAM_CDLR}, {"WR", P_DRAM_WR},   {"nbkgrp", P_DRAM_GROUPS},
               {"CCDL", P_DRAM_CCDL}, {"RTPL", P_DRAM_RTPL}};
enum { TIMINGS = sizeof timings / sizeof timings[0], ORDERED_LEAST = 11 };

int gpgpusim_timing(struct gpu_config *c, const char *text, struct wl_err *e)
{
    char copy[512], *piece[TIMINGS + 1];
    bool named = strchr(text, '='), given[TIMINGS] = {false};
    size_t len = 0;
    for (const char *p = text; *p && len + 1 < sizeof copy; p++)
        if (!isspace((unsigned char)*p)) copy[len++] = *p; /* a string may stand on several lines */
    copy[len] = 0;
    unsigned n = cut(copy, ":;", piece, TIMINGS + 1);
    c->v[P_DRAM_GROUPS] = 1;
    c->v[P_DRAM_CCDL] = c->v[P_DRAM_RTPL] = 0;
    if (n > TIMINGS || (!named && n < ORDERED_LEAST))
        return wl_fail(e, WL_EINPUT, "%u DRAM timings; %d or %d are needed", n, ORDERED_LEAST, TIMINGS);
    for (unsigned i = 0; i < n; i++) {
        char *value = piece[i];
        unsigned row = i;
        long v;
        if (named) {
            if (!(value = strchr(piece[i], '=')))
                return wl_fail(e, WL_EINPUT, "DRAM timing '%s' has no value", piece[i]);
            *value++ = 0;
            for (row = 0; row < TIMINGS && strcmp(timings[row].name, piece[i]) != 0;) row++;
            if (row == TIMINGS) return wl_fail(e, WL_EINPUT, "there is no DRAM timing '%s'", piece[i]);
        }
        if (!gpgpusim_number(value, &v))
            return wl_fail(e, WL_EINPUT, "DRAM timing %s is '%s'", timings[row].name, value);
        c->v[timings[row].id] = v;
        given[row] = true;
    }
    for (unsigned i = 0; i < ORDERED_LEAST; i++)
        if (!given[i]) return wl_fail(e, WL_EINPUT, "the DRAM timing %s is missing", timings[i].name);
    return 0;
}
