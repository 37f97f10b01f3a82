#!/bin/sh
# cost.sh - what one build of warpline costs the host compared with another, without noise
#
#   scripts/cost.sh BASE NEW
#
# Runs the programs BASE and NEW under valgrind's callgrind, which counts what happens instead of measuring time: a
# busy machine does not matter, and a difference of 0.1 % is one. Printed per GPU and workload, for both programs:
# instructions, misses of the first-level data cache and mispredicted branches in millions, the cost they make, and the
# ratio NEW / BASE of costs; then the geometric mean of the ratios per GPU. Below 1 NEW is cheaper. A star says that the
# two simulated different things (their cycles differ): such a row tells nothing and is left out of the mean.
#
# The cost is a model, in cycles: instructions / 2.5 + 8 x misses + 15 x mispredictions. Whether NEW really is faster
# says scripts/speed.sh, on an idle machine. Settings, from the environment:
#
#   GPUS       GPUs                         (gtx480)
#   WORKLOADS  workloads                    (gemm bfs srad atax spmv syrk conv2d kmeans_1)
#   SIZE       size of the workloads        (tiny)
#   JOBS       runs at a time               (1)
#   KEEP       folder for callgrind's files (none); a run whose file is there already is not repeated
set -eu

if [ "${1-}" = --one ]; then # program gpu workload size file: writes the file
    [ -s "$6" ] && exit
    if ! valgrind --tool=callgrind --cache-sim=yes --branch-sim=yes --callgrind-out-file="$6.part" \
        "$2" run "$4" --gpu "$3" --size "$5" -q >"$6.log" 2>&1 ||
        ! "$2" run "$4" --gpu "$3" --size "$5" -q --csv "$6.csv" >>"$6.log" 2>&1; then # its row is not to be counted
        tail -3 "$6.log" >&2
        exit 255
    fi
    mv "$6.part" "$6"
    rm "$6.log"
    exit
fi

if [ $# -ne 2 ]; then
    echo "usage: scripts/cost.sh BASE NEW" >&2
    exit 2
fi
keep=${KEEP:-$(mktemp -d)}
[ -n "${KEEP-}" ] || trap 'rm -rf "$keep"' EXIT
size=${SIZE:-tiny}
pairs=$(for gpu in ${GPUS:-gtx480}; do
    for w in ${WORKLOADS:-gemm bfs srad atax spmv syrk conv2d kmeans_1}; do echo "$gpu $w"; done
done)
id() { sha1sum "$1" | cut -c 1-12; }
base=$(id "$1") new=$(id "$2")
echo "$pairs" | while read -r gpu w; do
    echo "$1 $gpu $w $size $keep/$base.$gpu.$w.$size"
    echo "$2 $gpu $w $size $keep/$new.$gpu.$w.$size"
done | xargs -P "${JOBS:-1}" -L 1 "$0" --one

# callgrind's summary: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim
sums() { awk '/^(summary|totals):/ { printf "%s %s %s ", $2, $6 + $7, $12 + $14; exit }' "$keep/$1.$gpu.$w.$size"
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cycles") at = i } NR == 2 { print $at }' \
        "$keep/$1.$gpu.$w.$size.csv"; }
echo "$pairs" | while read -r gpu w; do echo "$gpu $w $(sums "$base") $(sums "$new")"; done | awk '
    function cost(i, d, b) { return i / 2.5 + 8 * d + 15 * b }
    NR == 1 { printf "%-10s %-14s %26s %9s   %26s %9s  %6s\n", "gpu", "workload", "base: instr, D1, mispred", "cost",
                     "new: instr, D1, mispred", "cost", "ratio" }
    {
        a = cost($3, $4, $5); b = cost($7, $8, $9); same = $6 == $10
        printf "%-10s %-14s %10.1f %7.2f %7.2f %9.1f   %10.1f %7.2f %7.2f %9.1f  %6.4f%s\n", $1, $2, $3 / 1e6, $4 / 1e6,
               $5 / 1e6, a / 1e6, $7 / 1e6, $8 / 1e6, $9 / 1e6, b / 1e6, b / a, same ? "" : " *"
        if (same) { n[$1]++; logs[$1] += log(b / a) }
    }
    END { for (g in n) printf "%-10s %d workloads, geometric mean %.4f\n", g, n[g], exp(logs[g] / n[g]) }'
