#!/bin/sh
# threads.sh - how much faster is a simulation on several threads?
#
#   scripts/threads.sh WARPLINE
#
# Runs each program with --threads N, takes the least wall-clock time of a few runs of each, compares the record of each
# with that of one thread, and prints a table in Markdown: seconds in one thread, and how many times as fast N threads
# are. The machine must be idle and have as many cores as the largest N. Settings, from the environment:
#
#   THREADS    numbers of threads            (1 2 4 8 16, as far as there are cores)
#   GPUS       GPUs                          (gtx480 qv100 h200)
#   WORKLOADS  workloads                     (mvt atax gemm bfs)
#   SIZE       size of the workloads         (small)
#   RUNS       runs of each                  (3)
set -eu
if [ $# -ne 1 ]; then
    echo "usage: scripts/threads.sh WARPLINE" >&2
    exit 2
fi
warpline=$1
cores=$(nproc)
for n in ${THREADS:-1 2 4 8 16}; do
    if [ -n "${THREADS-}" ] || [ "$n" -eq 1 ] || [ "$n" -le "$cores" ]; then numbers="${numbers-} $n"; fi
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# seconds GPU WORKLOAD N: the least of RUNS; leaves the counters of the last in $work/N.csv.
seconds() {
    least=999999 i=0
    while [ $i -lt "${RUNS:-3}" ]; do
        begin=$(date +%s.%N)
        "$warpline" run "$2" --gpu "$1" --size "${SIZE:-small}" --threads "$3" -q --csv "$work/$3.csv" >/dev/null
        least=$(echo "$least $begin $(date +%s.%N)" | awk '{ t = $3 - $2; printf "%.3f", t < $1 ? t : $1 }')
        i=$((i + 1))
    done
    echo "$least"
}

# The record without what belongs to the host and the command.
counters() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) skip[i] = $i ~ /^host|^command|^warnings/ }
             { for (i = 1; i <= NF; i++) if (!skip[i]) printf "%s,", $i; print "" }' "$1"
}

echo "$cores cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)"
echo
printf '| machine | workload | one thread |'
for n in $numbers; do [ "$n" -eq 1 ] || printf ' %s |' "$n"; done
printf '\n|---|---|---|'
for n in $numbers; do [ "$n" -eq 1 ] || printf '%s' '---|'; done
echo
for gpu in ${GPUS:-gtx480 qv100 h200}; do
    for w in ${WORKLOADS:-mvt atax gemm bfs}; do
        one=$(seconds "$gpu" "$w" 1)
        counters "$work/1.csv" >"$work/one"
        printf '| %s | %s | %s s |' "$gpu" "$w" "$one"
        for n in $numbers; do
            [ "$n" -eq 1 ] && continue
            many=$(seconds "$gpu" "$w" "$n")
            counters "$work/$n.csv" >"$work/many"
            if ! cmp -s "$work/one" "$work/many"; then
                echo "$w on $gpu: $n threads count otherwise than one" >&2
                exit 1
            fi
            ratio=$(awk "BEGIN { printf \"%.2f\", $one / $many }")
            echo "$gpu $n $ratio" >>"$work/ratios"
            printf ' %s |' "$ratio"
        done
        echo
    done
done
echo
echo "Geometric means:"
awk '{ sum[$1 " " $2] += log($3); count[$1 " " $2]++ }
     END { for (k in sum) {
               split(k, a, " ")
               printf "  %s, %s threads: %.2f\n", a[1], a[2], exp(sum[k] / count[k])
           } }' \
    "$work/ratios" | sort -V
