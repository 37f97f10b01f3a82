/* fuzz_gpgpusim.c - any bytes as a gpgpusim.config: refused with a sentence, or a machine that our own format
 * can print and read back. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "param/gpgpusim.h"
#include "tests/fuzz/printed_form.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void hear(void *arg, const char *text)
{
    (void)arg;
    if (!*text) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    registry_open();
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    for (char *p = text; (p = strstr(p, "-config"));) p[1] = 'x'; /* not other files */
    config_defaults(&c);
    gpgpusim_text(text);
    int rc = gpgpusim_parse(&c, "fuzz.config", text, size & 1, (struct config_warn){hear, NULL}, &e);
    if (rc && (e.code != WL_EINPUT || strncmp(e.text, "fuzz.config:", 12) != 0)) abort();
    if (!rc && config_check(&c, &e) == 0) check_printed_form(&c); /* out of range is found by the check */
    free(text);
    return 0;
}
