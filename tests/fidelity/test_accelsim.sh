#!/bin/sh
# qv100, rtx3070 and rtx2060 against Accel-Sim: the aims of docs/fidelity-accelsim.md, held on traces of some of our
# kernels. Accel-Sim is not needed.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
at_most() { # STATISTIC BOUND
    awk -v name="$1" -v bound="$2" '
        $1 == name { found = 1; ok = $2 <= bound; print (ok ? "ok" : "not ok") " - " name " " $2 ", at most " bound }
        END { exit !(found && ok) }' "$tmp/stats" || bad=1
}
for machine in qv100 rtx3070 rtx2060; do
    traces="bfs_commit cfd_step_factor conv3d reduce_tree stencil simscore_map"
    [ $machine = rtx2060 ] && traces="histogram srad_1 stencil dct_fast local_array spmv_scalar-cold"
    # shellcheck disable=SC2086
    sh "$WL_ROOT/scripts/fidelity_accelsim.sh" "$WARPLINE" $machine $traces > "$tmp/stats" ||
        { echo "not ok - the traces ran on $machine"; exit 1; }
    grep -qx 'traces 6' "$tmp/stats" || { echo 'not ok - all 6 ran'; bad=1; }
    at_most instructions_differ 0
    at_most l1d_accesses_differ 0
    at_most l2_accesses_differ 0
    at_most cycles_mean 3
    at_most cycles_worst 8
done

# All SMs at once start more memory instructions in a cycle than SMs work: the pool has to last for them.
if SET=l2.entry=queue sh "$WL_ROOT/scripts/fidelity_accelsim.sh" "$WARPLINE" qv100 cfd_step_factor > "$tmp/stats"; then
    echo "ok - windows of a cycle"
else
    echo "not ok - windows of a cycle"
    bad=1
fi
exit $bad
