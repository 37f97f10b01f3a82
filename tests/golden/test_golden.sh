#!/bin/sh
# Golden counters: every workload at tiny on two machines, and three under the other scheduler. A model
# change that moves a number shows here as a line of a diff; `make golden` (WL_UPDATE=1) accepts it.
set -u
golden=$WL_ROOT/tests/golden/counters.csv
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# One row without what may differ between builds and hosts: version, build, hashes, engine, host.*, check.
row() {
    "$WARPLINE" run "$1" --size tiny --gpu "$2" --sched "$3" -q --csv "$tmp/row" ||
        { echo "not ok - $1 on $2" >&2; exit 1; }
    names='^(version|build|config|workload_hash|engine|check|host|set$|preset|command|series|point|policies)'
    awk -F, -v names="$names" '
             NR == 1 { for (i = 1; i <= NF; i++) keep[i] = $i !~ names }
             { line = ""
               for (i = 1; i <= NF; i++) if (keep[i]) line = line (line == "" ? "" : ",") $i
               print line }' "$tmp/row" |
        if [ -s "$tmp/all" ]; then tail -n 1; else cat; fi >> "$tmp/all"
}

# A sanitized build is slow: it counts some workloads only, and each of its rows must be a golden one.
[ "${WL_SLOW:-0}" = 1 ] && some=6 || some=1

: > "$tmp/all"
for gpu in gtx480 gtx480-v322; do
    for w in $("$WARPLINE" list workloads --plain | awk -v n=$some 'NR % n == 0'); do row "$w" $gpu gto; done
done
for w in atax matmul bfs; do row $w gtx480 lrr; done

if [ "${WL_UPDATE:-0}" = 1 ]; then
    cp "$tmp/all" "$golden"
    echo "golden: $(($(wc -l < "$golden") - 1)) rows written"
    exit 0
fi
if [ $some != 1 ]; then
    grep -xFf "$tmp/all" "$golden" > "$tmp/golden"
    golden=$tmp/golden
fi
if ! diff "$golden" "$tmp/all" > "$tmp/diff"; then
    cut -c1-300 "$tmp/diff" | head -40
    echo "not ok - counters moved; if that was intended: make golden, and say why in the commit"
    exit 1
fi
echo "ok - $(($(wc -l < "$golden") - 1)) rows"
