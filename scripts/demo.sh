#!/bin/sh
# demo.sh WARPLINE - two schedulers and two L1D sizes on three kernels: a table, and a page.
set -eu
warpline=$1
out=$(dirname "$warpline")/demo
mkdir -p "$out"
echo "warpline: LRR and GTO, 16 and 32 KiB of L1D, three kernels"
echo
"$warpline" experiment demo --store "$out/results.db" --out "$out"
"$warpline" report demo --store "$out/results.db" -o "$out/report.html" -q
echo
echo "The same as a page, with figures: $out/report.html"
echo "Next: warpline figure baseline.1 --size tiny; warpline list workloads"
