#!/bin/sh
# demo.sh WARPLINE [SIZE] - the five schemes against their baselines: tables, pages, and next to the mean of the three
# programs that ran here the mean of the paper's whole set (committed results) and the paper's own number.
set -eu
warpline=$1 size=${2:-small}
out=$(dirname "$warpline")/demo
results=$(dirname "$0")/../docs/results
mkdir -p "$out"
echo "warpline: five schemes against their baselines, each on its paper's machine and three of its programs"
echo
"$warpline" experiment demo --size "$size" --store "$out/results.db" --out "$out"
"$warpline" report demo --size "$size" --store "$out/results.db" -o "$out/report.html" -q

# The mean of the last series of a figure: the scheme itself.
here() { awk -F, '/^"?geometric mean/ { printf "%.3f", $NF }' "$out/demo.$1.csv"; }
# What the paper is known for: stated and measured on its whole set. Texts may have commas, so count from the end.
whole() {
    "$warpline" claims --from "$results/$1.csv" --only "$2" --csv - -q 2>/dev/null |
        awk -F, 'NR == 2 { printf "%.3f,%s", $(NF - 2), $(NF - 3) }'
}
row() { # FIGURE NAME PAPER CLAIM WHAT
    both=$(whole "$3" "$4") || both=
    printf '  %-9s %14s %18s %9s   %s\n' "$2" "$(here "$1")" "${both%%,*}" "${both##*,}" "$5"
}
echo
echo "Three programs are few: the mean over the paper's whole set (size small, docs/results), and the paper's number"
printf '  %-9s %14s %18s %9s   %s\n' scheme "3 programs" "whole set" paper "the claim"
row 1 DaCache dacache fig8.dacache.mean_ipc "IPC over LRU, divergent programs"
row 2 APCM apcm fig12.cs.mean_speedup "IPC over LRU, cache-sensitive programs"
row 3 DyCache dycache abstract.irregular "IPC over 128-byte lines, irregular programs"
row 4 Mascar mascar abstract.speedup_over_rr "speedup over round robin, memory-intensive kernels"
row 5 HAC hac fig6.hac_vs_lru.mean_ipc "IPC over LRU"
"$warpline" report --from "$results"/*.csv -o "$out/papers.html" -q 2>/dev/null || true
echo
echo "The same as a page with figures: $out/report.html"
echo "All figures and claims of the five papers, from committed results: $out/papers.html"
echo "Next: docs/tutorial.md; $warpline figure dacache.8 --size small; $warpline list workloads"
