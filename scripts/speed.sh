#!/bin/sh
# speed.sh - is one build of warpline faster than another?
#
#   scripts/speed.sh BASE NEW OUT
#
# Runs the programs BASE and NEW in turn, so that both see the same machine, over workloads and GPUs, and takes the
# least user CPU time of a few runs of each. OUT gets one row per run: GPU, workload, seconds of BASE, seconds of NEW,
# their ratio NEW / BASE. Printed is the geometric mean of the ratios per GPU; below 1 NEW is faster. Settings, from
# the environment:
#
#   GPUS       GPUs                         (gtx480 dacache qv100 h200)
#   WORKLOADS  workloads                    (all of them)
#   SIZE       size of the workloads        (small)
#   RUNS       runs of each program         (3)
#   JOBS       pairs measured at a time     (1; at most the cores that are idle)
set -eu

if [ "${1-}" = --pair ]; then # base new gpu workload: one row
    best() { # program gpu workload
        bash -c 'TIMEFORMAT=%3U; time "$0" run "$2" --gpu "$1" --size "${SIZE:-small}" -q >/dev/null 2>&1' "$@" 2>&1
    }
    base=999999 new=999999 n=0
    least() { awk "BEGIN { print ($1 < $2 ? $1 : $2) }"; }
    while [ $n -lt "${RUNS:-3}" ]; do
        base=$(least "$base" "$(best "$2" "$4" "$5")")
        new=$(least "$new" "$(best "$3" "$4" "$5")")
        n=$((n + 1))
    done
    echo "$4 $5 $base $new $(awk "BEGIN { printf \"%.4f\", ($new + 1e-4) / ($base + 1e-4) }")"
    exit
fi

if [ $# -ne 3 ]; then
    echo "usage: scripts/speed.sh BASE NEW OUT" >&2
    exit 2
fi
base=$1 new=$2 out=$3
for gpu in ${GPUS:-gtx480 dacache qv100 h200}; do
    for w in ${WORKLOADS:-$("$base" list workloads | awk '{ print $1 }')}; do echo "$gpu $w"; done
done | xargs -P "${JOBS:-1}" -L 1 "$0" --pair "$base" "$new" >"$out"
sort -o "$out" "$out"
awk '{ n[$1]++; log_sum[$1] += log($5); base[$1] += $3; new[$1] += $4 }
     END { for (g in n) printf "%-12s %3d workloads: ratio %.3f (geometric mean); %.1f s -> %.1f s\n",
                               g, n[g], exp(log_sum[g] / n[g]), base[g], new[g] }' "$out" | sort
