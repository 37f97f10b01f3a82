/* gpgpusim.c - a gpgpusim.config becomes a machine of ours.
 *
 * The file is a list of options and values; lines mean nothing. Each option that shapes something we
 * model has a row in the table of gpgpusim_options.c, which says where its number goes or which function reads it.
 * Values that belong together (clusters and cores, bus width and burst, the unified array) are combined
 * at the end. Nothing is dropped in silence: an option without a row is named as having no meaning here,
 * and a value that the model cannot follow is named with what is done instead.
 *
 * Options that are missing keep GPGPU-Sim's own default where that is "off"; where it would be another
 * machine altogether the value of gtx480-ideal stands and a warning says so. A file of a release whose code we follow
 * rule by rule is read on top of the preset that does (gpgpusim_rules.c). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "param/gpgpusim_priv.h"
#include "param/param_table.h"

/* ---- the text ---- */

struct config_words {
    char *at;
    unsigned line, word_line; /* here; of the word given last */
};

/* The next word, ended in place; a quoted one may have blanks and line ends inside. */
static char *next_word(struct config_words *w)
{
    char *p = w->at, *word;
    for (;; p++) {
        if (*p == '#') p += strcspn(p, "\n");
        if (*p == '\n') w->line++;
        if (!*p) return NULL;
        if (!isspace((unsigned char)*p)) break;
    }
    w->word_line = w->line;
    if (*p == '"') {
        char *out = word = ++p;
        while (*p && *p != '"') {
            if (*p == '#') p += strcspn(p, "\n");
            if (*p == '\n') w->line++;
            if (*p) *out++ = *p++;
        }
        if (*p) p++;
        *out = 0;
    } else {
        word = p;
        while (*p && !isspace((unsigned char)*p) && *p != '#') p++;
        if (*p == '#') { /* a comment right behind a word */
            *p++ = 0;
            p += strcspn(p, "\n");
        } else if (*p) {
            if (*p == '\n') w->line++; /* is counted here, as it is overwritten */
            *p++ = 0;
        }
    }
    w->at = p;
    return word;
}

static bool is_option(const char *word) { return word[0] == '-' && isalpha((unsigned char)word[1]); }

bool gpgpusim_text(const char *text)
{
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        text += strspn(text, " \t\r");
        if (*text && *text != '#' && *text != '\n') return is_option(text);
    }
    return false;
}

static void note_unused(struct machine *m, const char *name)
{
    size_t n = strlen(m->unused), len = strlen(name);
    if (n > 600 || len > 200) { /* said in pieces that can be read */
        m->option = NULL;
        gpgpusim_say(m, "options that have no meaning here:%s", m->unused);
        m->unused[0] = 0;
        n = 0;
    }
    snprintf(m->unused + n, sizeof m->unused - n, " %.200s", name);
}

static int fail_at(struct machine *m, const char *option)
{
    char why[700];
    snprintf(why, sizeof why, "%.690s", m->e->text);
    return wl_fail(m->e, WL_EINPUT, "%.250s:%u: %.100s: %s", m->file, m->line, option, why);
}

static int read_words(struct machine *m, char *text);

/* -config FILE: read where it stands. */
static int include(struct machine *m, const char *name)
{
    char path[1024];
    const char *slash = *name == '/' ? NULL : strrchr(m->file, '/'), *outer = m->file;
    if (m->depth >= 8) {
        wl_fail(m->e, WL_EINPUT, "files inside files, more than 8 deep");
        return fail_at(m, "-config");
    }
    snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash + 1 - m->file) : 0, m->file, name);
    char *text = config_read_file(path, m->e);
    if (!text) return fail_at(m, "-config");
    m->depth++;
    m->file = path;
    int rc = read_words(m, text);
    m->file = outer;
    m->depth--;
    free(text);
    return rc;
}

static int read_option(struct machine *m, const char *name, const char *value)
{
    if (strcmp(name, "-config") == 0) return include(m, value);
    const struct gpgpusim_row *r = gpgpusim_find(m, name);
    if (!r) {
        note_unused(m, name);
        return 0;
    }
    return r->set(m, value, r->arg) ? fail_at(m, name) : 0;
}

static int read_words(struct machine *m, char *text)
{
    struct config_words w = {text, 1, 1};
    char *option = next_word(&w), *value;
    unsigned line = w.word_line;
    while (option) {
        if (!is_option(option))
            return wl_fail(m->e, WL_EINPUT, "%.250s:%u: an option is due, not '%.60s'", m->file, line, option);
        value = next_word(&w);
        unsigned value_line = w.word_line;
        bool alone = !value || is_option(value); /* a flag without its 1 */
        m->line = line;
        m->option = option;
        int rc = read_option(m, option, alone ? "1" : value);
        if (rc) return rc;
        option = alone ? value : next_word(&w);
        line = alone ? value_line : w.word_line;
    }
    return 0;
}

/* ---- what belongs together ---- */

static int finish_shared(struct machine *m)
{
    int64_t *v = m->config->v;
    if (m->given_shared && m->shared_default != v[P_SM_SHARED])
        gpgpusim_say(m, "-gpgpu_shmem_sizeDefault %ld differs from -gpgpu_shmem_size, which is used",
                     m->shared_default);
    if (!m->adaptive || !m->unified || !m->has_l1) return 0;
    char text[120];
    snprintf(text, sizeof text, "shared.options=%s", m->carveouts);
    if (config_set(m->config, text, m->e)) return fail_at(m, "-gpgpu_shmem_option");
    v[P_SHARED_UNIFIED] = m->unified * 1024;
    v[P_L1D_WAYS] = m->unified * 1024 / (m->l1.sets * 128);
    return 0;
}

/* A scheduler without a pipe of its own could never issue: its instructions wait for ever there, too. */
static void check_sub_cores(struct machine *m)
{
    static const int pipes[] = {P_SM_ALU_PIPES, P_SM_SFU_PIPES, P_SM_DP_PIPES, P_SM_INT_PIPES, P_SM_TENSOR_PIPES};
    int64_t *v = m->config->v;
    for (unsigned i = 0; v[P_SM_SUBCORES] && i < sizeof pipes / sizeof pipes[0]; i++) {
        if (!v[pipes[i]] || v[pipes[i]] >= v[P_SM_SCHEDULERS]) continue;
        gpgpusim_say(m, "-gpgpu_sub_core_model 1: %s is less than the schedulers; they share all pipes here",
                     gpu_params[pipes[i]].name);
        v[P_SM_SUBCORES] = 0;
    }
}

static int finish(struct machine *m)
{
    int64_t *v = m->config->v;
    m->option = NULL;
    if (m->capability[0] >= 5) { /* older ones than today's compilers make PTX for: the default */
        v[P_DEVICE_CAPABILITY] = 10 * m->capability[0] + m->capability[1];
        v[P_DEVICE_COPY_ENGINES] = 2; /* both directions at once, as in the presets */
    }
    if (m->clusters) v[P_SM_COUNT] = m->clusters * m->cores;
    if (m->clusters) v[P_SM_CLUSTER] = m->cores;
    if (m->clusters) v[P_GPU_CTA_ORDER] = m->cores > 1;
    gpgpusim_special_units(m);
    check_sub_cores(m);
    if (m->width && m->burst && m->ratio) {
        v[P_DRAM_ATOM] = m->burst * m->width * m->chips;
        v[P_DRAM_BURST] = m->burst >= m->ratio ? m->burst / m->ratio : 1;
    }
    if (*m->unused) gpgpusim_say(m, "options that have no meaning here:%s", m->unused);
    return finish_shared(m);
}

/* What GPGPU-Sim has where nothing is said and our own default (its GTX480 file) is something else. */
static void set_defaults(struct gpu_config *c)
{
    c->v[P_SHARED_LATENCY] = 3;
    c->v[P_L1D_PIPE] = c->v[P_L1T_PIPE] = 1;
    c->v[P_L1D_FLUSH] = 0;
    c->v[P_ICNT_FLIT] = 32;
    c->v[P_L2_SLICES] = 1;
}

static int read_file(struct machine *m, const char *text)
{
    char *copy = strdup(text);
    if (!copy) return wl_no_memory(m->e);
    int rc = read_words(m, copy);
    free(copy);
    return rc ? rc : finish(m);
}

/* Reads the file once to learn which release and GPU it is of. What is wrong with it is said when it is read again. */
static int choose_rules(struct machine *m, const char *text)
{
    struct gpu_config scratch = *m->config;
    struct wl_err unheard = {.code = WL_OK};
    struct machine first = *m;
    first.config = &scratch;
    first.warn = (struct config_warn){0};
    first.e = &unheard;
    if (read_file(&first, text) || !gpgpusim_has_rules(&first)) return 0;
    m->rules = true;
    return gpgpusim_take_rules(m->config, m->e);
}

int gpgpusim_parse(struct gpu_config *c, const char *file, const char *text, bool part, struct config_warn warn,
                   struct wl_err *e)
{
    struct wl_err own = {.code = WL_OK};
    struct machine m = {.config = c,
                        .warn = warn,
                        .e = e ? e : &own,
                        .file = file,
                        .cores = 1,
                        .chips = 1,
                        .ratio = 2,
                        .carveouts = "0"};
    int rc = part ? 0 : choose_rules(&m, text);
    if (!part && !rc) set_defaults(c);
    if (!rc) rc = read_file(&m, text);
    if (!rc && !part) gpgpusim_say_missing(&m);
    return rc;
}
