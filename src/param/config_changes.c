/* config_changes.c - a machine as the difference from its preset: what --set would have to say. */
#include <string.h>

#include "param/config.h"
#include "param/param_table.h"

void config_changes(const struct gpu_config *c, config_change *each, void *arg)
{
    struct gpu_config base;
    if (!*c->preset || config_load(&base, c->preset, NULL)) config_defaults(&base);
    for (unsigned i = 0; i < P_COUNT; i++) {
        char value[64];
        if (c->v[i] == base.v[i]) continue;
        param_write(&gpu_params[i], c->v[i], value, sizeof value);
        each(arg, gpu_params[i].name, value, gpu_params[i].choices ? NULL : &c->v[i]);
    }
    if (strcmp(c->shared_options, base.shared_options) != 0) each(arg, "shared.options", c->shared_options, NULL);
    if (strcmp(c->dram_map, base.dram_map) != 0) each(arg, "dram.map", c->dram_map, NULL);
}
