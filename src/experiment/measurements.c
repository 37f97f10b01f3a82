/* measurements.c - reads what was measured on silicon (measurements.h). The file comes from anywhere. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "experiment/measurements.h"

enum { MAX_KEYS = 4096, LINE_ROOM = 512, FILE_ROOM = 1 << 20 };

static const char form[] = "a line is 'key value' or 'key median lowest highest'";

static struct measured *find(const struct measurements *m, const char *key)
{
    for (unsigned i = 0; i < m->count; i++)
        if (strcmp(m->list[i].key, key) == 0) return &m->list[i];
    return NULL;
}

static struct measured *add(struct measurements *m, const char *key)
{
    if (m->count == m->room) {
        unsigned room = 2 * m->room + 64;
        struct measured *list = realloc(m->list, room * sizeof *list);
        if (!list) return NULL;
        m->list = list;
        m->room = room;
    }
    struct measured *x = &m->list[m->count++];
    *x = (struct measured){.times = 0};
    snprintf(x->key, sizeof x->key, "%s", key);
    return x;
}

static bool is_key(const char *s)
{
    if (!islower((unsigned char)*s)) return false;
    for (; *s; s++)
        if (!islower((unsigned char)*s) && !isdigit((unsigned char)*s) && *s != '_' && *s != '.') return false;
    return true;
}

/* Up to three numbers; returns how many, 0 if something else stands there. */
static unsigned numbers(const char *s, double out[3])
{
    unsigned n = 0;
    while (*s) {
        char *end;
        double v = n < 3 ? text_double(s, &end) : NAN;
        if (n == 3 || end == s || !isfinite(v) || v < 0 || v > 1e15 || (*end && !isspace((unsigned char)*end)))
            return 0;
        out[n++] = v;
        s = end + strspn(end, " \t\r");
    }
    return n;
}

static int take(struct measurements *m, const char *key, const double v[3], unsigned n)
{
    struct measured *x = find(m, key);
    if (!x && m->count < MAX_KEYS) x = add(m, key);
    if (!x) return -1;
    double low = n == 3 ? v[1] : v[0], high = n == 3 ? v[2] : v[0];
    if (!x->times || low < x->low) x->low = low;
    if (!x->times || high > x->high) x->high = high;
    if (x->times < MEASURED_TIMES) x->value[x->times++] = v[0];
    return 0;
}

static int read_line(struct measurements *m, const char *file, unsigned line, char *s, struct wl_err *e)
{
    s += strspn(s, " \t\r");
    if (!*s || *s == '#') return 0;
    size_t len = strcspn(s, " \t\r");
    char *rest = s + len + (s[len] != 0);
    s[len] = 0;
    rest += strspn(rest, " \t\r");
    if (len >= MEASURED_KEY || !is_key(s))
        return wl_fail(e, WL_EINPUT, "%s:%u: '%.40s' is no key; %s, as calibrate.cu prints it", file, line, s, form);
    if (strcmp(s, "device.name") == 0) {
        snprintf(m->device, sizeof m->device, "%s", rest);
        for (char *p = m->device; *p; p++)
            if (!isprint((unsigned char)*p)) *p = ' ';
        return 0;
    }
    double v[3];
    unsigned n = numbers(rest, v);
    if (n != 1 && n != 3)
        return wl_fail(e, WL_EINPUT,
                       "%s:%u: '%.60s' are not the numbers of %s; %s, none negative, with a decimal point", file, line,
                       rest, s, form);
    if (n == 3 && !(v[1] <= v[0] && v[0] <= v[2]))
        return wl_fail(e, WL_EINPUT, "%s:%u: %s: the median is not between the lowest and the highest; %s", file, line,
                       s, form);
    if (!take(m, s, v, n)) return 0;
    return m->count < MAX_KEYS ? wl_no_memory(e)
                               : wl_fail(e, WL_EINPUT, "%s:%u: more than %d keys", file, line, MAX_KEYS);
}

static int measurements_read(struct measurements *m, const char *file, const char *text, struct wl_err *e)
{
    char copy[LINE_ROOM];
    unsigned line = 0;
    while (*text) {
        size_t n = strcspn(text, "\n");
        line++;
        if (n >= sizeof copy)
            return wl_fail(e, WL_EINPUT, "%s:%u: the line has %zu characters; %s", file, line, n, form);
        memcpy(copy, text, n);
        copy[n] = 0;
        int rc = read_line(m, file, line, copy, e);
        if (rc) return rc;
        text += n + (text[n] != 0);
    }
    if (!find(m, "end"))
        return wl_fail(e, WL_EINPUT,
                       "%s: there is no line 'end 1': the run was cut off; run the program of 'warpline calibrate "
                       "--source' to its end",
                       file);
    return 0;
}

int measurements_load(struct measurements *m, const char *file, struct wl_err *e)
{
    FILE *in = strcmp(file, "-") == 0 ? stdin : fopen(file, "r");
    char *text = malloc(FILE_ROOM);
    size_t n = in && text ? fread(text, 1, FILE_ROOM, in) : 0;
    int rc = 0;
    if (!text) rc = wl_no_memory(e);
    else if (!in || ferror(in)) rc = wl_fail(e, WL_EINPUT, "%s: %s", file, strerror(errno));
    else if (n == FILE_ROOM) rc = wl_fail(e, WL_EINPUT, "%s: larger than a MiB: this is no file of measurements", file);
    else if (memchr(text, 0, n)) rc = wl_fail(e, WL_EINPUT, "%s: not a text; %s", file, form);
    if (in && in != stdin) fclose(in);
    if (!rc) {
        text[n] = 0;
        rc = measurements_read(m, file, text, e);
    }
    free(text);
    return rc;
}

void measurements_free(struct measurements *m)
{
    free(m->list);
    *m = (struct measurements){.count = 0};
}

const struct measured *measurement(const struct measurements *m, const char *key) { return find(m, key); }

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double measured_value(const struct measured *x)
{
    double v[MEASURED_TIMES];
    memcpy(v, x->value, sizeof v);
    qsort(v, x->times, sizeof *v, by_size);
    return x->times % 2 ? v[x->times / 2] : (v[x->times / 2 - 1] + v[x->times / 2]) / 2;
}

const struct measured *measurement_at(const struct measurements *m, const char *prefix, unsigned i, long *at)
{
    size_t len = strlen(prefix);
    for (unsigned k = 0; k < m->count; k++) {
        const char *rest = m->list[k].key + len;
        if (strncmp(m->list[k].key, prefix, len) != 0 || !*rest || strlen(rest) > 9) continue;
        if (rest[strspn(rest, "0123456789")] || i--) continue;
        *at = strtol(rest, NULL, 10);
        return &m->list[k];
    }
    return NULL;
}
