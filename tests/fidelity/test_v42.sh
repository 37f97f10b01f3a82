#!/bin/sh
# gtx480-v42 and gtx480 against GPGPU-Sim 4.2: the aims of docs/fidelity-v42.md, held on some of its kernels. 4.2
# itself is not needed.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
names='corr_center btree_find histogram cfd_step_factor reduce_tree stencil conv3d histo_final chain_f64 dct_fast lbm
    mrig_sort nw_grow vectoradd micro_chase_l1 micro_iadd_1w micro_ffma_24w stray_double'
compare() { # MACHINE
    ROWS="$WL_ROOT/tests/fidelity/v42/rows.csv" MACHINE=$1 SCHEDS=gto \
        sh "$WL_ROOT/scripts/fidelity_v322.sh" "$WARPLINE" stats $names > "$tmp/stats" ||
        { echo "not ok - the kernels ran on $1"; exit 1; }
    grep -qx 'runs 18' "$tmp/stats" || { echo "not ok - all 18 ran on $1"; bad=1; }
}

bad=0
at_most() { # STATISTIC BOUND
    awk -v name="$1" -v bound="$2" '
        $1 == name { found = 1; ok = $2 <= bound; print (ok ? "ok" : "not ok") " - " name " " $2 ", at most " bound }
        END { exit !(found && ok) }' "$tmp/stats" || bad=1
}
compare gtx480-v42
at_most l1d_misses_mean 3
at_most cycles_mean 5
at_most cycles_worst 12
compare gtx480 # of these gtx480-ideal has 24 and 46
at_most l1d_misses_mean 3
at_most cycles_mean 8
at_most cycles_worst 20
exit $bad
