/* printed_form.h - a machine that was accepted can be printed and read back as the same machine. */
#ifndef WL_TESTS_PRINTED_FORM_H
#define WL_TESTS_PRINTED_FORM_H

#include <stdlib.h>

#include "param/config.h"
#include "policy/registry.h"

static void check_printed_form(const struct gpu_config *c)
{
    struct gpu_config again;
    struct wl_err e = {.code = WL_OK};
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) return;
    config_print(c, f);
    fclose(f);
    config_defaults(&again);
    if (config_parse(&again, "printed", text, &e) || config_hash(&again) != config_hash(c)) abort();
    free(text);
}

#endif
