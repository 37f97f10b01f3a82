/* cluster.h - clusters of CTAs (cluster.c). */
#ifndef WL_PTX_CLUSTER_H
#define WL_PTX_CLUSTER_H

#include "ptx/exec_priv.h"

int cluster_shape(struct exec_run *r, struct wl_err *e); /* from the launch or the kernel; after launch_shape */
/* An address of shared memory as one of the CTA of that rank. */
uint64_t cluster_address(uint64_t addr, uint32_t rank);
/* The shared memory that an address with a rank is in, and its offset there; NULL after a fault. */
uint8_t *cluster_shared(struct exec_warp *w, const struct uop *u, unsigned lane, uint64_t *addr);
/* The CTA of that rank in the warp's cluster; NULL: there is none, or it has not started or has ended. */
struct exec_cta *cluster_cta(const struct exec_warp *w, uint32_t rank);
/* The numbers of its mbarriers, which all CTAs of a cluster share. */
struct mbar_names *cluster_names(const struct exec_run *r, struct exec_cta *c);
bool cluster_goes_on(struct exec_warp *w); /* a warp that waits at its cluster's barrier does, if it may */
void lower_cluster_sreg(struct uop *u, uint8_t sreg);

#endif
