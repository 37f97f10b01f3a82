/* run_ptx.c - any kernel of a .ptx file, launched once with arguments given as words. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "run/ptx_args.h"
#include "run/run_priv.h"
#include "sim/session_attach.h"

struct ptx_run {
    struct ptx_module *module;
    struct ptx_image *image;
    struct ptx_launch launch;
    struct ptx_arg args[MAX_ARGS];
    void *params;
    char *text;
    size_t size;
};

static int read_whole(const char *file, struct ptx_run *r, struct wl_err *e)
{
    FILE *f = fopen(file, "rb");
    if (!f) return wl_fail(e, WL_EINPUT, "cannot read %s: %s", file, strerror(errno));
    size_t cap = 1 << 16, n;
    int rc = 0;
    r->text = malloc(cap);
    while (r->text && (n = fread(r->text + r->size, 1, cap - r->size, f)) > 0) {
        r->size += n;
        if (r->size > PTX_MAX_BYTES) break; /* the parser says so */
        if (r->size < cap) continue;
        char *grown = realloc(r->text, cap *= 2);
        if (!grown) free(r->text);
        r->text = grown;
    }
    if (!r->text) rc = wl_fail(e, WL_ERUN, "out of memory");
    else if (ferror(f)) rc = wl_fail(e, WL_EINPUT, "cannot read %s: %s", file, strerror(errno));
    fclose(f);
    return rc;
}

/* "128", "16,16" or "8,8,2". */
static int read_shape(const char *option, const char *text, uint32_t v[3], struct wl_err *e)
{
    v[0] = v[1] = v[2] = 1;
    if (!text) return wl_fail(e, WL_EINPUT, "a kernel needs --%s X,Y,Z (Y and Z may be left out)", option);
    const char *p = text;
    for (unsigned i = 0; i < 3; i++) {
        char *end;
        errno = 0;
        unsigned long n = *p == '-' ? 0 : strtoul(p, &end, 10);
        if (n == 0 || errno || n > UINT32_MAX || (*end && (*end != ',' || i == 2)))
            return wl_fail(e, WL_EINPUT, "--%s %s: up to three numbers from 1 on are needed, X,Y,Z", option, text);
        v[i] = (uint32_t)n;
        if (!*end) break;
        p = end + 1;
    }
    return 0;
}

static int kernel_list(const struct ptx_module *m, const char *file, const char *asked, struct wl_err *e)
{
    char list[1200] = "";
    size_t at = 0;
    const char *names[256];
    unsigned n = 0;
    for (const struct ptx_func *f = m->funcs; f; f = f->next) {
        if (!f->is_kernel || f->is_extern) continue;
        if (n < 256) names[n++] = f->name;
        char params[400];
        describe_params(f, params, sizeof params);
        if (at < sizeof list) at += (size_t)snprintf(list + at, sizeof list - at, "\n  %s %s", f->name, params);
    }
    if (n == 0) return wl_fail(e, WL_EINPUT, "%s has no kernel (.entry with a body)", file);
    const char *near = asked ? wl_nearest(asked, names, n) : NULL;
    if (!asked) return wl_fail(e, WL_EINPUT, "%s has %u kernels; choose one with --kernel:%s", file, n, list);
    return wl_fail(e, WL_EINPUT, "%s has no kernel '%s'%s%s%s", file, asked,
                   near ? "; did you mean '" : "; it has:", near ? near : list, near ? "'?" : "");
}

/* The kernel asked for; without a name, the only one. */
static int choose_kernel(struct ptx_run *r, const char *file, const char *name, struct wl_err *e)
{
    unsigned kernels = 0;
    for (const struct ptx_func *f = r->module->funcs; f; f = f->next)
        if (f->is_kernel && !f->is_extern) kernels++, r->launch.kernel = f;
    if (name) r->launch.kernel = ptx_find_kernel(r->module, name);
    if (!r->launch.kernel || (!name && kernels != 1)) return kernel_list(r->module, file, name, e);
    if (r->launch.kernel->refused) return wl_fail(e, WL_EINPUT, "%s", r->launch.kernel->refused);
    return 0;
}

static int prepare(struct ptx_run *r, const struct run_spec *o, struct ptx_target t, struct wl_err *e)
{
    const char *file = o->program;
    int rc = read_whole(file, r, e);
    if (rc) return rc;
    if (!(r->module = ptx_parse_for(file, r->text, r->size, 0, t, e))) return (int)e->code;
    if ((rc = choose_kernel(r, file, o->kernel, e))) return rc;
    if ((rc = read_shape("grid", o->grid, r->launch.grid, e))) return rc;
    if ((rc = read_shape("block", o->block, r->launch.block, e))) return rc;
    if (o->shared > UINT32_MAX) return wl_fail(e, WL_EINPUT, "--shared is too large");
    r->launch.dynamic_shared = (uint32_t)o->shared;
    if (o->regs > 255) return wl_fail(e, WL_EINPUT, "--regs is more than the 255 registers a thread can have");
    r->launch.regs = (uint32_t)o->regs;
    uint64_t bytes = r->launch.kernel->param_bytes;
    r->params = calloc(1, bytes ? bytes : 1);
    r->launch.params = r->params;
    return r->params ? 0 : wl_fail(e, WL_ERUN, "out of memory");
}

static int launch(struct ptx_run *r, struct session *s, const struct run_spec *o, struct wl_err *e)
{
    r->image = ptx_load(r->module, session_memory(s), e);
    if (!r->image) return (int)e->code;
    r->launch.image = r->image;
    int rc = read_args(s, r->launch.kernel, o->arg, o->seed, r->params, r->args, e);
    for (unsigned i = 0; !rc && i < o->dump.count; i++) rc = check_dump(o->dump.item[i], r->args, o->arg.count, e);
    return rc ? rc : session_launch(s, &r->launch, e);
}

static void describe(struct run *run)
{
    const struct ptx_run *r = run->ptx;
    const struct run_spec *o = &run->spec;
    const char *slash = strrchr(o->program, '/');
    struct run_result *res = &run->result;
    snprintf(res->workload, sizeof res->workload, "%s:%s", slash ? slash + 1 : o->program, r->launch.kernel->name);
    size_t at = 0;
    uint64_t h = hash_bytes(WL_HASH_INIT, r->text, r->size);
    h = hash_bytes(h, r->launch.kernel->name, strlen(r->launch.kernel->name) + 1);
    for (unsigned i = 0; i < o->arg.count; i++) {
        h = hash_bytes(h, o->arg.item[i], strlen(o->arg.item[i]) + 1);
        if (at < sizeof res->inputs)
            at += (size_t)snprintf(res->inputs + at, sizeof res->inputs - at, "%s%s", at ? " " : "", o->arg.item[i]);
    }
    h = hash_bytes(h, r->launch.grid, sizeof r->launch.grid);
    h = hash_bytes(h, r->launch.block, sizeof r->launch.block);
    h = hash_bytes(h, &r->launch.dynamic_shared, sizeof r->launch.dynamic_shared);
    if (o->regs) h = hash_bytes(h, &o->regs, sizeof o->regs);
    res->workload_hash = hash_bytes(h, &o->seed, sizeof o->seed);
}

int run_ptx_new(struct run *r, struct wl_err *e)
{
    const struct run_spec *o = &r->spec;
    if (o->size || o->input.count || o->check)
        return wl_fail(e, WL_EINPUT, "--size, --input and --check are for workloads; a .ptx file takes --arg");
    if (!(r->ptx = calloc(1, sizeof *r->ptx))) return wl_fail(e, WL_ERUN, "out of memory");
    return prepare(r->ptx, o, ptx_target_of(r->config.v), e);
}

int run_ptx_go(struct run *r, struct wl_err *e)
{
    double started = now_seconds();
    describe(r);
    int rc = run_session(r, e);
    if (!rc) rc = launch(r->ptx, r->session, &r->spec, e);
    return rc ? rc : run_collect(r, started, e);
}

int run_dump(struct run *r, FILE *out, struct wl_err *e)
{
    int rc = 0;
    for (unsigned i = 0; !rc && r->ptx && i < r->spec.dump.count; i++)
        rc = dump_arg(r->session, r->spec.dump.item[i], r->ptx->args, r->spec.arg.count, out, e);
    return rc;
}

void run_ptx_free(struct run *r)
{
    struct ptx_run *p = r->ptx;
    if (!p) return;
    if (p->image) ptx_unload(p->image);
    if (p->module) ptx_free(p->module);
    free(p->params);
    free(p->text);
    free(p);
}
