/* config.c - a machine from text: presets, files, and single assignments.
 *
 * The format is INI:
 *
 *     base = gtx480-v322        # begin with this machine; a preset, or a file in the same folder
 *     l1d.mshr = 64             # any parameter of params.def ...
 *     [l1d]
 *     ways = 8                  # ... or with its part as a section
 *     dram.map = dramid@8;...   # GPGPU-Sim address map
 *     l1 = lru                  # policies: l1, l2, sched
 *
 * A key may occur once. Every mistake is reported with file, line, the line itself and what would
 * be right. inih cuts the lines into keys and values; our reader feeds it line by line, which
 * gives exact line numbers, comments after '#', and no continuation lines. */
#include <ini.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bits.h"
#include "base/embed.h"
#include "base/text.h"
#include "param/gpgpusim.h"
#include "param/config.h"
#include "param/param_table.h"

/* The address map of SM2_GTX480. */
static const char default_map[] = "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS";

void config_defaults(struct gpu_config *c)
{
    memset(c, 0, sizeof *c);
    snprintf(c->name, sizeof c->name, "default");
    snprintf(c->dram_map, sizeof c->dram_map, "%s", default_map);
    snprintf(c->shared_options, sizeof c->shared_options, "0");
    for (unsigned i = 0; i < P_COUNT; i++) c->v[i] = gpu_params[i].def;
    config_set_l1(c, "lru", NULL);
    config_set_l2(c, "lru", NULL);
    config_set_sched(c, "gto", NULL);
}

/* ---- one assignment ---- */

/* Keys that are not rows of the table; their numbers follow P_COUNT. */
enum { KEY_MAP = P_COUNT, KEY_CARVEOUTS, KEY_L1, KEY_L2, KEY_SCHED, KEY_L1D_SIZE, KEY_L2_SIZE, KEY_BASE, KEY_COUNT };
static const char *const other_keys[] = {"dram.map", "shared.options", "l1",      "l2",
                                         "sched",    "l1d.size",       "l2.size", "base"};

/* `likely` is looked at first: most texts list parameters in the order of the table. */
static int find_key(const char *name, int likely)
{
    if (likely < P_COUNT && strcmp(gpu_params[likely].name, name) == 0) return likely;
    int row = param_find(gpu_params, name);
    if (row >= 0) return row;
    for (int i = KEY_MAP; i < KEY_COUNT; i++)
        if (strcmp(other_keys[i - KEY_MAP], name) == 0) return i;
    return -1;
}

static int unknown_key(const char *name, struct wl_err *e)
{
    const char *names[KEY_COUNT];
    for (unsigned i = 0; i < P_COUNT; i++) names[i] = gpu_params[i].name;
    for (unsigned i = KEY_MAP; i < KEY_COUNT; i++) names[i] = other_keys[i - KEY_MAP];
    const char *near = wl_nearest(name, names, KEY_COUNT);
    if (near) return wl_fail(e, WL_EINPUT, "unknown parameter '%s'; did you mean '%s'?", name, near);
    return wl_fail(e, WL_EINPUT, "unknown parameter '%s'; 'warpline list options' shows them all", name);
}

static int set_map(struct gpu_config *c, const char *value, struct wl_err *e)
{
    struct dram_map_shape shape;
    int rc = dram_map_shape(value, &shape, e);
    if (rc) return rc;
    if (strlen(value) >= sizeof c->dram_map)
        return wl_fail(e, WL_EINPUT, "dram.map is longer than %zu characters", sizeof c->dram_map - 1);
    snprintf(c->dram_map, sizeof c->dram_map, "%s", value);
    return 0;
}

static int set_carveouts(struct gpu_config *c, const char *value, struct wl_err *e)
{
    uint32_t bytes[WL_MAX_CARVEOUTS];
    if (!carveouts(value, bytes, e)) return WL_EINPUT;
    if (strlen(value) >= sizeof c->shared_options)
        return wl_fail(e, WL_EINPUT, "shared.options is longer than %zu characters", sizeof c->shared_options - 1);
    snprintf(c->shared_options, sizeof c->shared_options, "%s", value);
    return 0;
}

static int set_key(struct gpu_config *c, int key, const char *value, struct wl_err *e)
{
    switch (key) {
    case KEY_MAP: return set_map(c, value, e);
    case KEY_CARVEOUTS: return set_carveouts(c, value, e);
    case KEY_L1: return config_set_l1(c, value, e);
    case KEY_L2: return config_set_l2(c, value, e);
    case KEY_SCHED: return config_set_sched(c, value, e);
    case KEY_L1D_SIZE:
    case KEY_L2_SIZE: return param_read(&size_params[key - KEY_L1D_SIZE], value, &c->size[key - KEY_L1D_SIZE], e);
    default: return param_read(&gpu_params[key], value, &c->v[key], e);
    }
}

int config_set(struct gpu_config *c, const char *assignment, struct wl_err *e)
{
    const char *equals = strchr(assignment, '=');
    char name[64];
    if (!equals || equals == assignment)
        return wl_fail(e, WL_EINPUT, "'%s' is no assignment; write key=value, for example l1d.mshr=32", assignment);
    snprintf(name, sizeof name, "%.*s", (int)(equals - assignment), assignment);
    int key = find_key(name, 0);
    if (key == KEY_BASE)
        return wl_fail(e, WL_EINPUT, "base is for files; choose the machine with --gpu %s", equals + 1);
    return key < 0 ? unknown_key(name, e) : set_key(c, key, equals + 1, e);
}

/* ---- a text ---- */

enum { MAX_TEXT = 1 << 20, MAX_BASES = 8 };

/* The texts that are being read, innermost first: for cycles of `base`. */
struct reading {
    const struct reading *outer;
    const char *file; /* for messages; for cycles of base */
    const char *text; /* whole */
    struct gpu_config *config;
    struct config_warn warn;
    struct wl_err *e;
    const char *at;    /* next line */
    unsigned line;     /* number of the line inih has now */
    unsigned failed;   /* line of the first mistake, 0 = none */
    unsigned assigned; /* keys so far */
    int likely;        /* the key that follows the last one in the table */
    unsigned first_line[KEY_COUNT];
};

static int load(struct gpu_config *c, const char *name, const struct reading *outer, struct config_warn warn,
                struct wl_err *e);

/* fgets for inih: one line of the text without leading blanks and without a comment after '#'. */
static char *next_line(char *out, int size, void *arg)
{
    struct reading *r = arg;
    if (r->failed || !*r->at || size < 2) return NULL;
    size_t len = strcspn(r->at, "\n");
    const char *from = r->at;
    r->at += len + (r->at[len] == '\n');
    r->line++;
    while (len && strchr(" \t\r", *from)) from++, len--;
    if (len && strchr("#;", *from)) len = 0;
    for (size_t i = 1; i < len; i++)
        if (from[i] == '#' && strchr(" \t", from[i - 1])) len = i;
    if (len > (size_t)size - 2) {
        r->failed = r->line;
        wl_fail_at(r->e, r->file, r->line, 0, r->text, "this line has more than %d characters", size - 2);
        return NULL;
    }
    memcpy(out, from, len);
    out[len] = '\n';
    out[len + 1] = 0;
    return out;
}

/* Column of `word` in the current line, 0 when it cannot be found (an inih name is cut at 50). */
static unsigned column_of(const struct reading *r, const char *word)
{
    const char *line = r->text;
    for (unsigned i = 1; i < r->line; i++) line = strchr(line, '\n') + 1;
    size_t len = strcspn(line, "\n"), n = strlen(word);
    for (size_t i = 0; n && i + n <= len; i++)
        if (memcmp(line + i, word, n) == 0) return (unsigned)i + 1;
    return 0;
}

static int fail_here(struct reading *r, const char *word, const char *why)
{
    r->failed = r->line;
    wl_fail_at(r->e, r->file, r->line, column_of(r, word), r->text, "%s", why);
    return 0;
}

static int use_base(struct reading *r, const char *value)
{
    struct wl_err inner = {.code = WL_OK};
    char name[sizeof r->config->name];
    if (r->assigned) return fail_here(r, "base", "base must come first: it would overwrite the lines before it");
    memcpy(name, r->config->name, sizeof name);
    int rc = load(r->config, value, r, r->warn, &inner);
    memcpy(r->config->name, name, sizeof name);
    return rc ? fail_here(r, value, inner.text) : 1;
}

static int on_pair(void *arg, const char *section, const char *name, const char *value)
{
    struct reading *r = arg;
    struct wl_err inner = {.code = WL_OK};
    char key_name[128];
    if (r->failed) return 0;
    snprintf(key_name, sizeof key_name, "%s.%s", section, name);
    int key = *section ? find_key(key_name, r->likely) : -1;
    if (key < 0) key = find_key(name, r->likely);
    if (key < 0) {
        unknown_key(*section && !strchr(name, '.') ? key_name : name, &inner);
        return fail_here(r, name, inner.text);
    }
    if (r->first_line[key]) {
        snprintf(inner.text, sizeof inner.text, "'%s' is given twice; line %u has it already", name,
                 r->first_line[key]);
        return fail_here(r, name, inner.text);
    }
    r->first_line[key] = r->line;
    r->likely = key + 1;
    int rival = key == KEY_L1D_SIZE  ? P_L1D_SETS
                : key == KEY_L2_SIZE ? P_L2_SETS
                : key == P_L1D_SETS  ? KEY_L1D_SIZE
                : key == P_L2_SETS   ? KEY_L2_SIZE
                                     : KEY_BASE;
    if (rival != KEY_BASE && r->first_line[rival]) return fail_here(r, name, "a cache has a size or sets, not both");
    if (key == KEY_BASE && !use_base(r, value)) return 0;
    r->assigned++;
    if (key == KEY_BASE) return 1;
    return set_key(r->config, key, value, &inner) ? fail_here(r, value, inner.text) : 1;
}

static int read_text(struct gpu_config *c, const char *file, const char *text, const struct reading *outer,
                     struct config_warn warn, struct wl_err *e)
{
    struct reading r = {.outer = outer, .file = file, .text = text, .config = c, .warn = warn, .e = e, .at = text};
    int line = ini_parse_stream(next_line, &r, on_pair, &r);
    if (line > 0 && (!r.failed || (unsigned)line < r.failed))
        return wl_fail_at(e, file, (unsigned)line, 0, text, "neither 'key = value' nor '[section]' nor a comment");
    if (r.failed) return WL_EINPUT;
    if (line < 0) return wl_fail(e, WL_ERUN, "%s: out of memory", file);
    struct wl_err inner = {.code = WL_OK};
    return config_settle(c, &inner) ? wl_fail(e, WL_EINPUT, "%s: %.1800s", file, inner.text) : 0;
}

int config_parse(struct gpu_config *c, const char *file, const char *text, struct wl_err *e)
{
    return read_text(c, file, text, NULL, (struct config_warn){0}, e);
}

/* ---- presets and files ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

unsigned preset_names(const char *names[], unsigned max)
{
    static char kept[64][64]; /* names without ".ini"; the same bytes at every call */
    unsigned n = 0;
    for (const struct embed_file *f = embed_files; f->name && n < max && n < 64; f++) {
        size_t len = strlen(f->name);
        if (len < 5 || len > 63 || strcmp(f->name + len - 4, ".ini") != 0) continue;
        memcpy(kept[n], f->name, len - 4);
        kept[n][len - 4] = 0;
        names[n] = kept[n];
        n++;
    }
    if (n) qsort(names, n, sizeof names[0], compare_names);
    return n;
}

/* The whole file as a string, or NULL. */
char *config_read_file(const char *path, struct wl_err *e)
{
    struct stat st;
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    if (!f) {
        wl_fail(e, WL_EINPUT, "cannot read %s: %m", path);
    } else if (fstat(fileno(f), &st) != 0 || !S_ISREG(st.st_mode)) {
        wl_fail(e, WL_EINPUT, "%s is not a file", path);
    } else if (st.st_size > MAX_TEXT) {
        wl_fail(e, WL_EINPUT, "%s is too large for a machine description (over 1 MiB)", path);
    } else if (!(text = calloc(1, (size_t)st.st_size + 1))) {
        wl_no_memory(e);
    } else {
        size_t n = fread(text, 1, (size_t)st.st_size, f);
        if (strlen(text) != n) {
            wl_fail(e, WL_EINPUT, "%s is not a text file", path);
            free(text);
            text = NULL;
        }
    }
    if (f) fclose(f);
    return text;
}

static int unknown_gpu(const char *name, struct wl_err *e)
{
    const char *names[64];
    unsigned n = preset_names(names, 64);
    const char *near = wl_nearest(name, names, n);
    if (near) return wl_fail(e, WL_EINPUT, "unknown GPU '%s'; did you mean '%s'?", name, near);
    return wl_fail(e, WL_EINPUT, "unknown GPU '%s': neither a preset ('warpline list gpus') nor a file", name);
}

/* Where a file of this name lies: in the folder of the file that names it as its base. */
static void place(const char *name, const struct reading *outer, char *out, size_t size)
{
    const char *slash = outer && *name != '/' ? strrchr(outer->file, '/') : NULL;
    if (slash) snprintf(out, size, "%.*s%s", (int)(slash + 1 - outer->file), outer->file, name);
    else snprintf(out, size, "%s", name);
}

/* A text in our format or, by its looks, in GPGPU-Sim's. */
static int read_any(struct gpu_config *c, const char *path, const char *text, const struct reading *outer,
                    struct config_warn warn, struct wl_err *e)
{
    if (gpgpusim_text(text)) return gpgpusim_parse(c, path, text, false, warn, e);
    return read_text(c, path, text, outer, warn, e);
}

static bool looks_like_file(const char *name)
{
    size_t n = strlen(name);
    return strchr(name, '/') || (n > 4 && strcmp(name + n - 4, ".ini") == 0) ||
           (n > 7 && strcmp(name + n - 7, ".config") == 0);
}

/* "gpgpusim.config+trace.config": the second adds to the first. */
static int load_pair(struct gpu_config *c, const char *name, const char *plus, const struct reading *outer,
                     struct config_warn warn, struct wl_err *e)
{
    char first[1024], path[1024];
    snprintf(first, sizeof first, "%.*s", (int)(plus - name), name);
    int rc = load(c, first, outer, warn, e);
    if (rc) return rc;
    const char *slash = strrchr(first, '/');
    struct stat st;
    place(plus + 1, outer, path, sizeof path);
    if (stat(path, &st) != 0 && slash && !strchr(plus, '/')) /* then in the folder of the first */
        snprintf(path, sizeof path, "%.*s%s", (int)(slash + 1 - first), first, plus + 1);
    char *text = config_read_file(path, e);
    if (!text) return e && e->code ? (int)e->code : WL_EINPUT;
    if (gpgpusim_text(text)) rc = gpgpusim_parse(c, path, text, true, warn, e);
    else rc = wl_fail(e, WL_EINPUT, "%s has no options like -gpgpu_n_mem; only such files can be added with '+'", path);
    free(text);
    return rc;
}

static int load(struct gpu_config *c, const char *name, const struct reading *outer, struct config_warn warn,
                struct wl_err *e)
{
    char path[1024];
    snprintf(path, sizeof path, "built-in %s.ini", name);
    const struct embed_file *preset = embed_find(path + strlen("built-in "));
    if (!preset) place(name, outer, path, sizeof path);
    unsigned depth = 0;
    for (const struct reading *r = outer; r; r = r->outer)
        if (strcmp(r->file, path) == 0 || ++depth > MAX_BASES)
            return wl_fail(e, WL_EINPUT, "'%s' is its own base", name);
    if (preset) {
        int rc = read_text(c, path, preset->data, outer, warn, e);
        snprintf(c->preset, sizeof c->preset, "%s", name); /* over those of its own bases */
        return rc;
    }
    struct stat st;
    bool there = stat(path, &st) == 0;
    const char *plus = there ? NULL : strchr(name, '+');
    if (plus) return load_pair(c, name, plus, outer, warn, e);
    if (!there && !looks_like_file(name)) return unknown_gpu(name, e);
    char *text = config_read_file(path, e);
    if (!text) return e && e->code ? (int)e->code : WL_EINPUT;
    int rc = read_any(c, path, text, outer, warn, e);
    free(text);
    return rc;
}

int config_load_warn(struct gpu_config *c, const char *name_or_file, void (*say)(void *arg, const char *text),
                     void *arg, struct wl_err *e)
{
    config_defaults(c);
    snprintf(c->name, sizeof c->name, "%s", name_or_file);
    return load(c, name_or_file, NULL, (struct config_warn){say, arg}, e);
}

int config_load(struct gpu_config *c, const char *name_or_file, struct wl_err *e)
{
    return config_load_warn(c, name_or_file, NULL, NULL, e);
}

/* ---- writing and hashing ---- */

static void print_choices(const struct gpu_config *c, FILE *out)
{
    char spec[512];
    policy_spec(c->l1.policy->name, c->l1.policy->params, c->l1.values, spec, sizeof spec);
    fprintf(out, "l1 = %s\n", spec);
    policy_spec(c->l2.policy->name, c->l2.policy->params, c->l2.values, spec, sizeof spec);
    fprintf(out, "l2 = %s\n", spec);
    policy_spec(c->sched.policy->name, c->sched.policy->params, c->sched.values, spec, sizeof spec);
    fprintf(out, "sched = %s\n", spec);
}

void config_print(const struct gpu_config *c, FILE *out)
{
    fprintf(out, "# %s, configuration %016llx\n", c->name, (unsigned long long)config_hash(c));
    print_choices(c, out);
    size_t part = 0;
    for (unsigned i = 0; i < P_COUNT; i++) {
        const struct wl_param *p = &gpu_params[i];
        size_t dot = strcspn(p->name, ".");
        if (i == 0 || dot != part || strncmp(p->name, gpu_params[i - 1].name, dot) != 0) fputc('\n', out);
        part = dot;
        char value[64], left[96];
        param_write(p, c->v[i], value, sizeof value);
        snprintf(left, sizeof left, "%s = %s", p->name, value);
        fprintf(out, "%-32s # %s%s%s\n", left, p->help, *p->unit ? ", " : "", p->unit);
    }
    fprintf(out, "\nshared.options = %s\ndram.map = %s\n", c->shared_options, c->dram_map);
}

static uint64_t hash_values(uint64_t h, const char *name, const struct wl_param *params, const int64_t *values)
{
    unsigned rows = param_rows(params);
    h = hash_text(h, name);
    for (unsigned i = 0; i < rows; i++) {
        h = hash_text(h, params[i].name);
        h = hash_bytes(h, &values[i], sizeof values[i]);
    }
    return h;
}

static uint64_t hash_stated(uint64_t h, const char *name, const struct wl_param *params, const int64_t *values)
{
    h = hash_text(h, name);
    for (unsigned i = 0; i < param_rows(params); i++) {
        char value[64];
        if (values[i] == params[i].def) continue;
        param_write(&params[i], values[i], value, sizeof value);
        h = hash_text(hash_text(h, params[i].name), value);
    }
    return h;
}

/* The parameters of the machine and of its three policies, each by `part`. */
typedef uint64_t hash_part(uint64_t h, const char *name, const struct wl_param *params, const int64_t *values);
static uint64_t hash_config(const struct gpu_config *c, hash_part *part)
{
    uint64_t h = part(WL_HASH_INIT, "gpu", gpu_params, c->v);
    h = hash_text(hash_text(h, c->dram_map), c->shared_options);
    h = part(h, c->l1.policy->name, c->l1.policy->params, c->l1.values);
    h = part(h, c->l2.policy->name, c->l2.policy->params, c->l2.values);
    return part(h, c->sched.policy->name, c->sched.policy->params, c->sched.values);
}

uint64_t config_hash(const struct gpu_config *c) { return hash_config(c, hash_values); }
uint64_t config_lasting_hash(const struct gpu_config *c) { return hash_config(c, hash_stated); }
