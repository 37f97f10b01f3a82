#!/bin/sh
# fidelity_textures.sh WARPLINE [lines] - two-dimensional textures on gtx480-v322 beside the counters of GPGPU-Sim 3.2.2
# (tests/fidelity/v322/textures.csv), with l1t.layout = tiles and rows: the table of docs/fidelity-v322.md. `lines`
# prints WORKLOAD SCHED LAYOUT COUNTER REFERENCE OURS instead.
set -eu
w=$1 mode=${2:-table}
rows=$(dirname "$0")/../tests/fidelity/v322/textures.csv
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
grep -v '^#' "$rows" | while IFS=, read -r name inputs sched reference; do
    if [ "$name" = workload ]; then
        echo "$reference" >"$tmp/names"
        continue
    fi
    for layout in tiles rows; do
        set --
        for i in $inputs; do set -- "$@" --input "$i"; done
        "$w" run "$name" "$@" --gpu gtx480-v322 --sched "$sched" --set l1t.layout=$layout -q --launches "$tmp/run.csv"
        awk -F, -v names="$(cat "$tmp/names")" -v reference="$reference" -v head="$name $sched $layout" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
            NR == 2 {
                n = split(names, name, ","); split(reference, value, ",")
                for (i = 1; i <= n; i++) print head, name[i], value[i], $at[name[i]]
            }' "$tmp/run.csv"
    done
done >"$tmp/lines"
[ "$mode" = table ] || { cat "$tmp/lines"; exit; }
echo '| kernel | scheduler | layout | texture requests | misses | L2 misses | DRAM reads | cycles |'
echo '|---|---|---|---|---|---|---|---|'
awk '{
        run = $1 " | " $2
        if (run != last) { order[++n] = run; last = run }
        ref[run, $4] = $5; got[run, $3, $4] = $6
    }
    function row(run, layout, what,    c) {
        c = what == "ref" ? ref[run, "cycles"] : got[run, what, "cycles"]
        printf "| %s | %s | %d | %d | %d | %d | %d%s |\n", run, layout, value(run, what, "l1t.accesses"),
            value(run, what, "l1t.misses"), value(run, what, "l2.misses"), value(run, what, "dram.reads"), c,
            what == "ref" ? "" : sprintf(" (%+.1f %%)", (c / ref[run, "cycles"] - 1) * 100)
    }
    function value(run, what, counter) { return what == "ref" ? ref[run, counter] : got[run, what, counter] }
    END {
        for (i = 1; i <= n; i++) {
            row(order[i], "3.2.2", "ref"); row(order[i], "tiles", "tiles"); row(order[i], "rows", "rows")
        }
    }' "$tmp/lines"
