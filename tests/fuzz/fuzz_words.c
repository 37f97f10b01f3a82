/* fuzz_words.c - the words of a command line: --arg and --dump of a kernel, --set, policies, schemes, commands in
 * quotes. Each line is a word; its first character says what it is for. Refused with a sentence, or taken. */
#include <stdlib.h>
#include <string.h>

#include "experiment/fidelity.h"
#include "policy/registry.h"
#include "run/ptx_args.h"
#include "run/scheme.h"
#include "tests/fuzz/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char kernel_text[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 c, .param .s8 d, .param .f32 e, .param .f64 f,\n"
    ".param .align 4 .b8 g[12], .param .b16 h, .param .s64 i) { ret; }\n";

enum { MOST_WORDS = 12 };

static void try_args(const struct ptx_func *kernel, struct word_list words, struct word_list dumps, FILE *out)
{
    struct wl_err e = {.code = WL_OK};
    struct session_options o = {.mode = SESSION_FUNCTIONAL, .memory_bytes = 1 << 24};
    static struct ptx_arg args[MAX_ARGS];
    uint8_t image[256] = {0};
    struct session *s = session_new(&o, &e);
    require(s != NULL && kernel->param_bytes <= sizeof image);
    memset(args, 0, sizeof args);
    int rc = read_args(s, kernel, words, 1, image, args, &e);
    require(rc == 0 || *e.text);
    for (unsigned i = 0; !rc && i < dumps.count; i++)
        if (check_dump(dumps.item[i], args, words.count, &e) == 0)
            require(dump_arg(s, dumps.item[i], args, words.count, out, &e) == 0);
    session_free(s);
}

static void try_machine(char what, const char *word)
{
    struct gpu_config c;
    struct scheme_parts parts;
    struct wl_err e = {.code = WL_OK};
    int rc = 0;
    config_defaults(&c);
    switch (what) {
    case 's': rc = config_set(&c, word, &e); break;
    case 'l': rc = config_set_l1(&c, word, &e); break;
    case 'L': rc = config_set_l2(&c, word, &e); break;
    case 'o': rc = config_set_sched(&c, word, &e); break;
    case 'S': rc = scheme_find(word, &parts, &e); break;
    default: return;
    }
    require(rc == 0 || *e.text);
    if (!rc) config_check(&c, &e);
}

static void try_command(const char *word)
{
    struct arena a = {0};
    const char *list[16];
    unsigned n = 0;
    if (fid_words(&a, word, list, 16, &n))
        for (unsigned i = 0; i < n; i++) require(strlen(list[i]) <= strlen(word));
    arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ptx_module *m;
    static FILE *out;
    static const char *arg[MOST_WORDS], *dump[MOST_WORDS];
    struct word_list args = {.item = arg}, dumps = {.item = dump};
    struct wl_err e;
    registry_open();
    if (!m) m = ptx_parse_for("k.ptx", kernel_text, sizeof kernel_text - 1, 0, (struct ptx_target){0}, &e);
    if (!out) out = fopen("/dev/null", "w");
    if (size > 4096) return 0;
    char *text = malloc(size + 1), *rest = text;
    require(m && out && text);
    memcpy(text, data, size);
    text[size] = 0;
    for (char *word; (word = strsep(&rest, "\n"));) {
        if (*word == 'a' && args.count < MOST_WORDS) arg[args.count++] = word + 1;
        else if (*word == 'd' && dumps.count < MOST_WORDS) dump[dumps.count++] = word + 1;
        else if (*word == 'c') try_command(word + 1);
        else if (*word) try_machine(*word, word + 1);
    }
    if (args.count) try_args(ptx_find_kernel(m, "k"), args, dumps, out);
    free(text);
    return 0;
}
