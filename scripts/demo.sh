#!/bin/sh
# demo.sh WARPLINE - the five schemes against their baselines on small inputs: tables, and a page.
set -eu
warpline=$1
out=$(dirname "$warpline")/demo
mkdir -p "$out"
echo "warpline: five schemes against their baselines, each on its paper's machine and three of its programs"
echo
"$warpline" experiment demo --store "$out/results.db" --out "$out"
"$warpline" report demo --store "$out/results.db" -o "$out/report.html" -q
echo
echo "The same as a page with figures: $out/report.html"
echo "Next: $warpline figure dacache.8 --size small; $warpline claims --size tiny; $warpline list workloads"
