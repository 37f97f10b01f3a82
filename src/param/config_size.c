/* config_size.c - l1d.size and l2.size: the capacity of a cache instead of its sets and ways.
 *
 * A machine has sets and ways only. A size that is asked for waits until everything else is known (the ways, the index
 * function, the slices it is shared by) and then becomes sets and ways: of all geometries of that size which the index
 * function can address, the one whose ways are nearest to those the machine has. On a GTX 480 (32 sets, 4 ways) 32K is
 * 64 sets of 4 ways, and 48K is 64 sets of 6 ways, as on the chip. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "param/config.h"
#include "param/param_table.h"

const struct wl_param size_params[SIZE_KEYS + 1] = {
    {"l1d.size", "bytes", 128, 16384, INT64_C(1) << 27, NULL,
     "bytes of the L1D of an SM; stands for l1d.sets and l1d.ways: the geometry of this size that l1d.index can "
     "address and whose ways are nearest to the machine's",
     "derived: sets x ways x 128"},
    {"l2.size", "bytes", 128, 786432, INT64_C(1) << 40, NULL,
     "bytes of the L2, all slices together; stands for l2.sets and l2.ways in the same way",
     "derived: channels x slices x sets x ways x 128"},
    WL_PARAM_END,
};

static const struct {
    const char *cache;
    int sets, ways, index;
} caches[SIZE_KEYS] = {{"l1d", P_L1D_SETS, P_L1D_WAYS, P_L1D_INDEX}, {"l2", P_L2_SETS, P_L2_WAYS, P_L2_INDEX}};

static int64_t slices(const struct gpu_config *c, unsigned which)
{
    return which == SIZE_L2 ? c->v[P_MEM_CHANNELS] * c->v[P_L2_SLICES] : 1;
}

int64_t config_size(const struct gpu_config *c, unsigned which)
{
    return slices(c, which) * c->v[caches[which].sets] * c->v[caches[which].ways] * c->v[P_L1D_LINE];
}

/* Of two ways, how far they are apart, as a ratio in 1/1024. */
static int64_t apart(int64_t a, int64_t b) { return a > b ? a * 1024 / b : b * 1024 / a; }

/* The geometry with `lines` lines; false: there is none. */
static bool find_geometry(const struct gpu_config *c, unsigned which, int64_t lines, int64_t *sets, int64_t *ways)
{
    int64_t own = c->v[caches[which].ways], best = INT64_MAX;
    const struct wl_param *w = &gpu_params[caches[which].ways], *s = &gpu_params[caches[which].sets];
    for (int64_t n = s->max; n >= s->min; n /= 2) { /* powers of two, the most sets first */
        if (lines % n || lines / n < w->min || lines / n > w->max) continue;
        if (!index_takes(c->v[caches[which].index], n) || apart(lines / n, own) >= best) continue;
        best = apart(lines / n, own);
        *sets = n;
        *ways = lines / n;
    }
    return best != INT64_MAX;
}

/* The largest geometry of at most `lines` lines and the smallest of more, in lines; 0: there is none. */
static void find_nearest(const struct gpu_config *c, unsigned which, int64_t lines, int64_t *below, int64_t *above)
{
    const struct wl_param *w = &gpu_params[caches[which].ways], *s = &gpu_params[caches[which].sets];
    *below = *above = 0;
    for (int64_t n = s->max; n >= s->min; n /= 2) {
        int64_t fits = lines / n < w->max ? lines / n : w->max, next = lines / n < w->min ? w->min : lines / n + 1;
        if (!index_takes(c->v[caches[which].index], n)) continue;
        if (fits >= w->min && n * fits > *below) *below = n * fits;
        if (next <= w->max && (!*above || n * next < *above)) *above = n * next;
    }
}

static int no_geometry(const struct gpu_config *c, unsigned which, struct wl_err *e)
{
    int64_t unit = slices(c, which) * c->v[P_L1D_LINE], below, above;
    char index[32], near[80] = "";
    size_t at = 0;
    find_nearest(c, which, c->size[which] / unit, &below, &above);
    if (below) at = (size_t)snprintf(near, sizeof near, "%" PRId64, below * unit);
    if (above) snprintf(near + at, sizeof near - at, "%s%" PRId64, at ? " and " : "", above * unit);
    param_write(&gpu_params[caches[which].index], c->v[caches[which].index], index, sizeof index);
    return wl_fail(e, WL_EINPUT,
                   "%s.size = %" PRId64 " is no size of a cache of this machine (%s.index = %s%s); the nearest %s "
                   "%s bytes",
                   caches[which].cache, c->size[which], caches[which].cache, index,
                   which == SIZE_L2 ? ", shared evenly by all slices" : "", below && above ? "are" : "is", near);
}

int config_settle(struct gpu_config *c, struct wl_err *e)
{
    for (unsigned i = 0; i < SIZE_KEYS; i++) {
        int64_t unit = slices(c, i) * c->v[P_L1D_LINE], sets, ways;
        if (!c->size[i]) continue;
        if (c->size[i] % unit || !find_geometry(c, i, c->size[i] / unit, &sets, &ways)) return no_geometry(c, i, e);
        c->v[caches[i].sets] = sets;
        c->v[caches[i].ways] = ways;
        c->size[i] = 0;
    }
    return 0;
}
