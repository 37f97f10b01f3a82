/* heat.c - see heat.h. */
#include "observe/heat.h"

#include <stdlib.h>
#include <string.h>

int heat_init(struct heat *h, uint32_t sms, uint32_t banks, uint32_t sets, uint32_t room)
{
    const uint32_t of[HEAT_MAPS] = {sms, banks, sets};
    for (unsigned i = 0; i < HEAT_MAPS; i++) {
        h->of[i] = of[i] ? of[i] : 1;
        h->rows[i] = h->of[i] < HEAT_ROWS ? h->of[i] : HEAT_ROWS;
        h->first[i] = h->width;
        h->width += h->rows[i];
    }
    h->room = room;
    h->count = calloc(h->width, sizeof *h->count);
    h->sample = calloc((size_t)room * h->width, sizeof *h->sample);
    return h->count && h->sample ? 0 : -1;
}

void heat_destroy(struct heat *h)
{
    free(h->count);
    free(h->sample);
}

void heat_take(struct heat *h)
{
    if (h->samples == h->room) return;
    memcpy(h->sample + (size_t)h->samples++ * h->width, h->count, h->width * sizeof *h->count);
}

void heat_halve(struct heat *h)
{
    h->samples /= 2;
    for (uint32_t i = 0; i < h->samples; i++)
        memmove(h->sample + (size_t)i * h->width, h->sample + (size_t)(2 * i + 1) * h->width,
                h->width * sizeof *h->sample);
}

int heat_read(const struct heat *h, struct heat_report *out)
{
    if (!h->width) return 0;
    size_t bytes = (size_t)h->width * sizeof *h->count;
    out->count = malloc((h->samples + 1) * bytes);
    if (!out->count) return -1;
    memcpy(out->count, h->sample, h->samples * bytes);
    memcpy(out->count + (size_t)h->samples * h->width, h->count, bytes);
    out->samples = h->samples + 1;
    out->width = h->width;
    for (unsigned i = 0; i < HEAT_MAPS; i++)
        out->of[i] = h->of[i], out->rows[i] = h->rows[i], out->first[i] = h->first[i];
    return 0;
}
