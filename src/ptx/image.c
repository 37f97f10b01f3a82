/* image.c - loading a module: its variables get addresses, its functions micro-ops.
 *
 * Each .global variable is an allocation of its own, so an access beyond its end is a fault
 * and not the next variable. Constants stay on the host, in one image. */
#include "ptx/exec_priv.h"
#include "ptx/module.h"

#include <stdlib.h>
#include <string.h>

static int by_var(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const struct var_addr *)a)->var, y = (uintptr_t)((const struct var_addr *)b)->var;
    return x < y ? -1 : x > y;
}

uint64_t image_var_addr(const struct ptx_image *img, const struct ptx_var *v)
{
    if (v->space != PTX_GLOBAL) return v->offset;
    struct var_addr key = {.var = v};
    const struct var_addr *found = img->nglobal ? bsearch(&key, img->global, img->nglobal, sizeof key, by_var) : NULL;
    return found ? found->addr : 0;
}

struct xfunc *image_func(const struct ptx_image *img, const struct ptx_func *f)
{
    return f->index < img->nfunc && img->func[f->index].fn == f ? &img->func[f->index] : NULL;
}

struct xfunc *image_func_at(const struct ptx_image *img, uint64_t pointer)
{
    uint64_t at = pointer - img->mod->func_base;
    return at % 8 || !at || at / 8 > img->nfunc ? NULL : &img->func[at / 8 - 1];
}

/* ---- variables ---- */

/* In the order of declaration, so that addresses are; the table is sorted afterwards. */
static int place_globals(struct ptx_image *img, struct wl_err *e)
{
    uint32_t n = 0;
    for (const struct ptx_var *v = img->mod->vars; v; v = v->next) n += v->space == PTX_GLOBAL;
    img->global = ARENA_ARRAY(&img->arena, struct var_addr, n + 1);
    if (!img->global) return wl_fail(e, WL_ERUN, "out of memory");
    for (const struct ptx_var *v = img->mod->vars; v; v = v->next) {
        if (v->space != PTX_GLOBAL) continue;
        uint64_t addr = dev_alloc(img->mem, v->bytes);
        if (!addr) return wl_fail(e, WL_ERUN, "%s: no device memory for variable '%s'", img->mod->file, v->name);
        img->global[img->nglobal++] = (struct var_addr){.var = v, .addr = addr};
    }
    qsort(img->global, img->nglobal, sizeof *img->global, by_var);
    return 0;
}

static uint8_t *var_bytes(struct ptx_image *img, const struct ptx_var *v)
{
    if (v->space == PTX_GLOBAL) return dev_ptr(img->mem, image_var_addr(img, v), v->bytes);
    return v->space == PTX_CONST ? img->const_image + v->offset : NULL;
}

static uint64_t generic_base(const struct ptx_reloc *r)
{
    if (!r->generic) return 0;
    return r->target->space == PTX_SHARED ? GENERIC_SHARED : r->target->space == PTX_CONST ? GENERIC_CONST : 0;
}

static void initialise(struct ptx_image *img)
{
    for (const struct ptx_var *v = img->mod->vars; v; v = v->next) {
        uint8_t *p = var_bytes(img, v);
        if (!p || !v->bytes) continue;
        if (v->init) memcpy(p, v->init, v->bytes);
        for (const struct ptx_reloc *r = v->relocs; r; r = r->next) {
            uint64_t a = r->func ? ptx_func_pointer(img->mod, r->func)
                                 : image_var_addr(img, r->target) + (uint64_t)r->addend + generic_base(r);
            if (r->at <= v->bytes && v->bytes - r->at >= 8) memcpy(p + r->at, &a, 8);
        }
    }
}

void *ptx_symbol(struct ptx_image *img, const char *name, uint64_t *addr, uint64_t *bytes)
{
    for (const struct ptx_var *v = img->mod->vars; v; v = v->next) {
        if ((v->space != PTX_GLOBAL && v->space != PTX_CONST) || strcmp(v->name, name)) continue;
        if (addr) *addr = v->space == PTX_GLOBAL ? image_var_addr(img, v) : 0;
        if (bytes) *bytes = v->bytes;
        return var_bytes(img, v);
    }
    return NULL;
}

uint64_t ptx_texref(const struct ptx_image *img, const char *name)
{
    for (const struct ptx_var *v = img->mod->vars; v; v = v->next)
        if (v->is_texture && !strcmp(v->name, name)) return image_var_addr(img, v);
    return 0;
}

/* ---- functions ---- */

static int lower_all(struct ptx_image *img, struct wl_err *e)
{
    for (const struct ptx_func *f = img->mod->funcs; f; f = f->next) img->nfunc++;
    img->func = ARENA_ARRAY(&img->arena, struct xfunc, img->nfunc + 1);
    if (!img->func) return wl_fail(e, WL_ERUN, "out of memory");
    uint32_t i = 0;
    for (const struct ptx_func *f = img->mod->funcs; f; f = f->next) img->func[i++].fn = f;
    for (i = 0; i < img->nfunc; i++) {
        struct lower L = {.img = img, .f = &img->func[i], .e = e};
        int rc = lower_func(&L);
        if (rc && !refuse_function(img->mod, (struct ptx_func *)(uintptr_t)L.f->fn, e)) return rc;
    }
    refuse_callers(img->mod);
    return 0;
}

struct ptx_image *ptx_load(struct ptx_module *m, struct dev_mem *mem, struct wl_err *e)
{
    struct wl_err ignored;
    struct ptx_image *img = calloc(1, sizeof *img);
    if (!e) e = &ignored;
    if (!img) {
        wl_fail(e, WL_ERUN, "out of memory");
        return NULL;
    }
    img->mod = m;
    img->mem = mem;
    img->const_image = aligned_alloc(64, (m->const_bytes + 64 + 63) / 64 * 64);
    if (!img->const_image) wl_fail(e, WL_ERUN, "out of memory");
    else memset(img->const_image, 0, m->const_bytes);
    if (!img->const_image || place_globals(img, e) || lower_all(img, e)) {
        ptx_unload(img);
        return NULL;
    }
    initialise(img);
    return img;
}

void ptx_unload(struct ptx_image *img)
{
    if (!img) return;
    for (uint32_t i = 0; i < img->nglobal; i++) {
        if (img->global[i].var->is_texture) dev_texture_set(img->mem, img->global[i].addr, NULL);
        dev_release(img->mem, img->global[i].addr);
    }
    free(img->const_image);
    free(img->pool);
    free(img->lconst);
    arena_free(&img->arena);
    free(img);
}
