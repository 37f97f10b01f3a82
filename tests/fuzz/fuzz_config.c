/* fuzz_config.c - any bytes as a machine description: refused with a place, or a machine whose
 * printed form is the same machine again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/printed_form.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    registry_open();
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    config_defaults(&c);
    if (config_parse(&c, "fuzz.ini", text, &e)) {
        if (e.code != WL_EINPUT || strncmp(e.text, "fuzz.ini:", 9) != 0) abort();
    } else {
        check_printed_form(&c);
        config_check(&c, &e);
    }
    config_defaults(&c);
    config_set(&c, text, &e);
    config_set_l1(&c, text, &e);
    config_set_sched(&c, text, &e);
    free(text);
    return 0;
}
