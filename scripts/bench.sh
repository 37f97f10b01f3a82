#!/bin/sh
# bench.sh - how fast all workloads are simulated, compared with a stored baseline
#
#   scripts/bench.sh WARPLINE
#
# Runs every workload a few times and takes the least user CPU time of each. Printed per workload: the seconds, those of
# the baseline, and their ratio; then the geometric mean of the ratios. Below 1 this build is faster. A star says that
# the two simulated different things (their cycles differ): such a row is left out of the mean. The seconds of the
# baseline are of one machine, which its head names; on another one make a baseline of your own first, with SAVE=1 and
# an older build, or compare two builds by scripts/speed.sh. Settings, from the environment:
#
#   GPU        GPU                          (gtx480-ideal, on which the stored baseline was measured)
#   SIZE       size of the workloads        (small)
#   WORKLOADS  workloads                    (all of them)
#   RUNS       runs of each                 (3; for figures that are published 9, on an idle machine)
#   BASELINE   the file                     (docs/bench/GPU-SIZE.csv)
#   SAVE       1: write the file instead of comparing with it
set -eu

if [ $# -ne 1 ]; then
    echo "usage: scripts/bench.sh WARPLINE" >&2
    exit 2
fi
warpline=$1 gpu=${GPU:-gtx480-ideal} size=${SIZE:-small}
baseline=${BASELINE:-$(dirname "$0")/../docs/bench/$gpu-$size.csv}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# workload,cycles,seconds
measure() {
    n=0 best=
    while [ $n -lt "${RUNS:-3}" ]; do
        s=$(bash -c 'TIMEFORMAT=%3U; time "$@" >/dev/null' - "$warpline" run "$1" --gpu "$gpu" --size "$size" -q \
            --csv "$work/row" 2>&1)
        best=$(printf '%s %s\n' "$s" "${best:-$s}" | awk '{ print $1 < $2 ? $1 : $2 }')
        n=$((n + 1))
    done
    awk -F, -v w="$1" -v s="$best" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cycles") at = i }
        NR == 2 { print w "," $at "," s }' "$work/row"
}

workloads=${WORKLOADS:-$("$warpline" list workloads | awk '{ print $1 }')}
if [ "${SAVE:-0}" = 1 ]; then
    machine=$(sed -n 's/^model name[[:space:]]*: *//p' /proc/cpuinfo 2>/dev/null | head -1)
    {
        echo "# user CPU seconds, best of ${RUNS:-3}, $gpu, $size, $("$warpline" version | head -1), on: ${machine:-?}"
        echo "workload,cycles,seconds"
        for w in $workloads; do measure "$w"; done
    } >"$work/all"
    mv "$work/all" "$baseline"
    echo "$baseline: $(($(wc -l <"$baseline") - 2)) workloads"
    exit
fi
if [ ! -r "$baseline" ]; then
    echo "there is no baseline $baseline; SAVE=1 makes one" >&2
    exit 2
fi
head -1 "$baseline"
for w in $workloads; do
    echo "$(measure "$w"),$(grep "^$w," "$baseline" | cut -d, -f2,3)"
done | awk -F, '
    BEGIN { printf "%-18s %9s %9s %7s\n", "workload", "seconds", "baseline", "ratio" }
    $5 == "" { printf "%-18s %9.3f %9s %7s\n", $1, $3, "-", "-"; next }
    {
        ratio = ($3 + 1e-3) / ($5 + 1e-3); same = $2 == $4
        printf "%-18s %9.3f %9.3f %7.3f%s\n", $1, $3, $5, ratio, same ? "" : " *"
        if (same) { n++; logs += log(ratio); new += $3; old += $5 }
    }
    END {
        if (n) printf "%d workloads: ratio %.3f (geometric mean); %.1f s, baseline %.1f s\n", n, exp(logs / n), new, old
    }'
