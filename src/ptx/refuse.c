/* refuse.c - a function that cannot be executed costs its callers, not its module.
 *
 * Programs carry kernels they never launch. Where the caller asked for it (ptx_target.keep_going), what is wrong inside
 * a function's body is kept with the function: its body becomes one `ret`, and every kernel that reaches it is refused,
 * with the sentence that names the instruction and its line, when it is launched. What is wrong outside of bodies, and
 * a lack of memory, still fail the module. */
#include "ptx/module.h"

#include <string.h>

bool refuse_function(struct ptx_module *m, struct ptx_func *f, struct wl_err *e)
{
    if (!m->keep_going || e->code != WL_EINPUT) return false;
    char *why = arena_strndup(&m->arena, e->text, strlen(e->text));
    if (!why) return false;
    f->refused = why;
    *e = (struct wl_err){.code = WL_OK};
    return true;
}

int refuse_body(struct build *b, struct func_info *fi)
{
    struct ptx_inst *ret = ARENA_NEW(&b->m->arena, struct ptx_inst);
    struct ptx_reg *none = ARENA_NEW(&b->m->arena, struct ptx_reg);
    if (!ret || !none) return wl_fail(b->e, WL_ERUN, "%s: out of memory", b->m->file);
    *ret = (struct ptx_inst){.op = OP_RET, .guard = -1, .vec = 1, .line = fi->line};
    fi->f.inst = fi->inst = ret;
    fi->f.ninst = 1;
    fi->f.reg = none;
    fi->f.nregs = 0;
    fi->f.local_bytes = 0;
    fi->lists = NULL;
    fi->callees = NULL;
    fi->shared = NULL;
    fi->defined = true;
    fi->f.is_extern = false;
    return 0;
}

void refuse_callers(struct ptx_module *m)
{
    for (bool again = true; again;) {
        again = false;
        for (struct ptx_func *f = m->funcs; f; f = f->next)
            for (const struct callee *c = info_of(f)->callees; c && !f->refused; c = c->next)
                if (c->func->f.refused && !c->indirect) f->refused = c->func->f.refused, again = true;
    }
}
