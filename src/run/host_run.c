/* host_run.c - wl_run and wl_result_*: runs for a host program. */
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "policy/registry.h"
#include "run/counter_names.h"
#include "run/exec_run.h"
#include "warpline/warpline.h"

/* A workload, a .ptx file or a trace has a `run`; the processes of an executable share one `exec`. */
struct wl_result {
    const struct run_result *of;
    struct run *run;
    struct exec_outcome *exec; /* owned by the first in the list */
    struct wl_result *next;
    json_t *json;
    char *text;          /* of json */
    char **counter_name; /* all of them, then NULL */
};

const char *wl_version(void) { return WL_VERSION; }

static int say(int rc, const struct wl_err *e, char *message, size_t size)
{
    if (rc && size) snprintf(message, size, "%s", *e->text ? e->text : "failed without a reason");
    return rc;
}

/* ---- policies ---- */

int wl_register_cache_policy(const struct wl_cache_policy *policy, char *message, size_t size)
{
    struct wl_err e = {.code = WL_OK};
    return say(registry_add(policy, NULL, &e), &e, message, size) ? -1 : 0;
}

int wl_register_sched_policy(const struct wl_sched_policy *policy, char *message, size_t size)
{
    struct wl_err e = {.code = WL_OK};
    return say(registry_add(NULL, policy, &e), &e, message, size) ? -1 : 0;
}

int wl_load_plugin(const char *file, char *message, size_t size)
{
    struct wl_err e = {.code = WL_OK};
    return say(machine_plugin(file, &e), &e, message, size) ? -1 : 0;
}

/* ---- running ---- */

static struct word_list list_of(const char *const *item)
{
    struct word_list w = {item, 0};
    while (item && item[w.count]) w.count++;
    return w;
}

static char **all_names(const struct run_result *r)
{
    char name[COUNTER_NAME];
    uint64_t value;
    unsigned n = 0;
    while (counter_at(r, n, name, &value)) n++;
    char **list = calloc(n + 1, sizeof *list);
    for (unsigned i = 0; list && i < n; i++) {
        counter_at(r, i, name, &value);
        if (!(list[i] = strdup(name))) break;
    }
    return list;
}

static struct wl_result *new_result(const struct run_result *of, struct wl_err *e)
{
    struct wl_result *r = calloc(1, sizeof *r);
    if (r) r->of = of;
    if (r && (r->counter_name = all_names(of))) return r;
    free(r);
    wl_fail(e, WL_ERUN, "out of memory");
    return NULL;
}

static struct machine_spec machine_of(const struct wl_run_spec *s)
{
    struct word_list set = list_of(s->settings);
    return (struct machine_spec){.gpu = s->machine, .set = set.item, .sets = set.count};
}

static int run_here(const struct wl_run_spec *s, struct wl_result **out, struct wl_err *e)
{
    const struct run_spec spec = {.program = s->program,
                                  .machine = machine_of(s),
                                  .engine = s->engine,
                                  .shuffle = s->shuffle,
                                  .max_cycles = s->max_cycles,
                                  .functional = s->functional,
                                  .each = true,
                                  .seed = s->seed,
                                  .size = s->size,
                                  .input = list_of(s->inputs),
                                  .check = s->check,
                                  .kernel = s->kernel,
                                  .grid = s->grid,
                                  .block = s->block,
                                  .arg = list_of(s->arguments),
                                  .shared = s->shared_bytes};
    struct run *run = run_new(&spec, e);
    int rc = run ? run_go(run, e) : (int)e->code;
    if (!rc && !(*out = new_result(run_result(run), e))) rc = WL_ERUN;
    if (rc) run_free(run);
    else (*out)->run = run;
    return rc;
}

static int run_executable(const struct wl_run_spec *s, struct wl_result **out, struct wl_err *e)
{
    const struct exec_spec spec = {.program = s->executable,
                                   .machine = machine_of(s),
                                   .plugin = list_of(s->plugins),
                                   .tick = s->engine && strcmp(s->engine, "tick") == 0,
                                   .functional = s->functional,
                                   .shuffle = s->shuffle,
                                   .max_cycles = s->max_cycles,
                                   .kernel = s->kernel};
    struct exec_outcome *x = calloc(1, sizeof *x);
    char why[1024];
    if (!x) return wl_fail(e, WL_ERUN, "out of memory");
    int rc = exec_run(&spec, x, e);
    if (!rc && x->start_error)
        rc = wl_fail(e, WL_EINPUT, "cannot run %s: %s", s->executable[0], strerror(x->start_error));
    if (!rc && !x->processes) {
        exec_silence(s->executable[0], why, sizeof why);
        rc = wl_fail(e, WL_ERUN, "%s", why);
    }
    struct wl_result **last = out;
    for (unsigned i = 0; !rc && i < x->processes; i++, last = &(*last)->next) {
        const struct process_report *p = &x->process[i]->report;
        if (p->failed == WL_ELAW) rc = wl_fail(e, WL_ELAW, "%s", p->error);
        else if (!(*last = new_result(&x->process[i]->result, e))) rc = WL_ERUN;
        if (rc) break;
        (*last)->exec = x;
    }
    if (!rc) return 0;
    if (!*out) exec_free(x), free(x);
    wl_result_free(*out);
    *out = NULL;
    return rc;
}

/* Runs take turns: a launch holds the lock of the driver API all its time anyway. Recursive, for a policy that runs one
 * itself. */
static pthread_mutex_t turn = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

int wl_run(const struct wl_run_spec *spec, struct wl_result **out, char *message, size_t size)
{
    struct wl_err e = {.code = WL_OK};
    struct wl_run_spec s = {0};
    int rc = 0;
    *out = NULL;
    if (spec->bytes < offsetof(struct wl_run_spec, machine) || spec->bytes > sizeof s)
        rc = wl_fail(&e, WL_EINPUT, "a wl_run_spec of %zu bytes is of another version; make it with wl_spec()",
                     spec->bytes);
    else memcpy(&s, spec, spec->bytes);
    if (!rc && !s.program == !s.executable) rc = wl_fail(&e, WL_EINPUT, "give either a program or an executable");
    void *before = text_locale_c();
    pthread_mutex_lock(&turn);
    if (!rc) rc = s.executable ? run_executable(&s, out, &e) : run_here(&s, out, &e);
    pthread_mutex_unlock(&turn);
    text_locale_back(before);
    return say(rc, &e, message, size);
}

void wl_result_free(struct wl_result *r)
{
    struct exec_outcome *x = r ? r->exec : NULL;
    while (r) {
        struct wl_result *next = r->next;
        run_free(r->run);
        json_decref(r->json);
        free(r->text);
        for (char **n = r->counter_name; *n; n++) free(*n);
        free(r->counter_name);
        free(r);
        r = next;
    }
    if (x) exec_free(x);
    free(x);
}

struct wl_result *wl_result_next(const struct wl_result *r) { return r->next; }
int wl_result_status(const struct wl_result *r) { return r->exec ? r->exec->status : 0; }

/* ---- what was counted ---- */

int wl_result_counter(const struct wl_result *r, const char *name, uint64_t *value)
{
    const struct run_result *of = r->of;
    return counter_by_name(&of->stats, &of->l1, &of->l2, &of->sched, name, value) ? 0 : -1;
}

const char *wl_result_counter_name(const struct wl_result *r, size_t index)
{
    size_t n = 0;
    while (n < index && r->counter_name[n]) n++;
    return r->counter_name[n];
}

static json_t *json_of(struct wl_result *r)
{
    if (!r->json) r->json = result_json(r->of);
    return r->json;
}

const char *wl_result_json(struct wl_result *r)
{
    if (!r->text) r->text = result_json_text(r->of, false);
    return r->text;
}

int wl_result_number(struct wl_result *r, const char *name, double *value)
{
    const json_t *at = json_of(r);
    for (const char *p = name; at && p;) {
        char key[COUNTER_NAME];
        size_t n = strcspn(p, ".");
        if (n >= sizeof key) return -1;
        memcpy(key, p, n);
        key[n] = 0;
        at = json_object_get(at, key);
        p = p[n] ? p + n + 1 : NULL;
    }
    if (!json_is_number(at)) return -1;
    *value = json_number_value(at);
    return 0;
}

size_t wl_result_kernels(const struct wl_result *r) { return r->of->nkernels; }

const char *wl_result_kernel_name(const struct wl_result *r, size_t kernel)
{
    return kernel < r->of->nkernels ? r->of->kernels[kernel].name : NULL;
}

void wl_result_kernel_shape(const struct wl_result *r, size_t kernel, uint32_t grid[3], uint32_t block[3])
{
    static const struct kernel_record none;
    const struct kernel_record *k = kernel < r->of->nkernels ? &r->of->kernels[kernel] : &none;
    memcpy(grid, k->grid, sizeof k->grid);
    memcpy(block, k->block, sizeof k->block);
}

int wl_result_kernel_counter(const struct wl_result *r, size_t kernel, const char *name, uint64_t *value)
{
    if (kernel >= r->of->nkernels || !r->of->each) return -1;
    return machine_counter(&r->of->each[kernel], name, value) ? 0 : -1;
}
