/* gpgpusim_rules.c - files of a release and GPU for which we follow the simulator's code rule by rule.
 *
 * A gpgpusim.config says how large things are, not what the simulator does with them: instruction fetch, operand
 * collectors, what waits when a queue is full. For Fermi in release 4 the preset gtx480-v42 has these rules, and who
 * brings such a file wants that simulator. So the file is read on top of that preset, and options that mean something
 * only with these rules have their rows here. Files of other GPUs are read on top of our defaults; those since Volta
 * ask for an ideal fetch themselves (-gpgpu_perfect_inst_const_cache). */
#include <string.h>

#include "param/gpgpusim_priv.h"

static const char preset[] = "gtx480-v42";

bool gpgpusim_has_rules(const struct machine *m) { return m->capability[0] == 2 && m->release4; }

int gpgpusim_take_rules(struct gpu_config *c, struct wl_err *e)
{
    struct gpu_config base;
    int rc = config_load(&base, preset, e);
    if (rc) return rc;
    memcpy(c->v, base.v, sizeof c->v);
    snprintf(c->preset, sizeof c->preset, "%s", preset);
    return 0;
}

/* "N:4:128:4,L:R:f:N:L,S:2:32,4" */
static int set_code(struct machine *m, const char *v, int unused)
{
    struct cache_text t;
    int64_t *p = m->config->v;
    (void)unused;
    if (gpgpusim_cache(v, &t, m->e)) return WL_EINPUT;
    p[P_IL1_PERFECT] = t.none;
    if (t.none) return 0;
    if (gpgpusim_line_size(m, &t, 128)) return WL_EINPUT;
    p[P_IL1_SETS] = t.sets;
    p[P_IL1_WAYS] = t.ways;
    p[P_IL1_MSHR] = t.entries;
    p[P_IL1_MERGE] = t.merge;
    if (t.missq) p[P_IL1_MISSQ] = t.missq;
    return 0;
}

/* Registers between stages, as enum pipeline_stage_name_t of shader.h orders them. We have two of them as limits of
 * their own: in front of the ld/st unit, and of results. */
static int set_widths(struct machine *m, const char *v, int unused)
{
    enum { ID_OC_MEM = 4, EX_WB = 10, WIDTHS = 11 };
    double n[WIDTHS];
    (void)unused;
    if (gpgpusim_numbers(m, v, n, WIDTHS, true)) return WL_EINPUT;
    m->config->v[P_SM_MEM_ISSUE] = (int64_t)n[ID_OC_MEM];
    m->config->v[P_SM_RESULT_BUSES] = (int64_t)n[EX_WB];
    return 0;
}

static const struct gpgpusim_row rows[] = {
    {"-gpgpu_cache:il1", set_code, 0, 0},
    {"-gpgpu_pipeline_widths", set_widths, 0, 0},
    {"-gpgpu_operand_collector_num_units_sp", gpgpusim_set_param, P_SM_ALU_COLLECTORS, 0},
    {"-gpgpu_operand_collector_num_units_sfu", gpgpusim_set_param, P_SM_SFU_COLLECTORS, 0},
};

const struct gpgpusim_row *gpgpusim_rule(const char *name)
{
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    return NULL;
}
