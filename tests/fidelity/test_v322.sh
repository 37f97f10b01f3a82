#!/bin/sh
# gtx480-v322 against GPGPU-Sim 3.2.2: the aims of docs/fidelity-v322.md, held on those of its kernels that run fast.
# Every group of programs is there, barriers, shared memory, atomics, divergence and long code. 3.2.2 itself is not
# needed.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
names='matmul_16 reduce_sum vectoradd sssp_relax components_label wordcount_emit simscore_map lbm stencil sgemm
    mrig_sort mvt_cols syrk conv3d backprop_forward bfs_expand cfd_flux hotspot pathfinder srad_1 dct_fast spmv_vector
    bins_global stray_double micro_chase_l1 micro_chase_l2 micro_chase_dram micro_iadd_1w micro_imul_24w micro_setp_1w'
SCHEDS=${SCHEDS:-lrr gto} sh "$WL_ROOT/scripts/fidelity_v322.sh" "$WARPLINE" stats $names > "$tmp/stats" ||
    { echo "not ok - the kernels ran"; exit 1; }

bad=0
at_most() { # STATISTIC BOUND
    awk -v name="$1" -v bound="$2" '
        $1 == name { found = 1; ok = $2 <= bound; print (ok ? "ok" : "not ok") " - " name " " $2 ", at most " bound }
        END { exit !(found && ok) }' "$tmp/stats" || bad=1
}
at_most instructions_differ 0
at_most accesses_differ 0
at_most l1d_misses_mean 3
at_most dram_reads_mean 3
at_most cycles_mean 4
at_most cycles_worst 12
at_most gto_lrr_mean 3
exit $bad
