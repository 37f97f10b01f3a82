#!/bin/sh
# speed_growth.sh WARPLINE - how the cost of a simulation grows: with the problem, the SMs, the resident warps.
# For each a table of CPU seconds (the least of RUNS, default 5) and the line through them by least squares, as the
# markdown of docs/speed.md.
set -eu
w=$1
spent() { # arguments of run: the least user and system time
    i=0
    while [ $i -lt "${RUNS:-5}" ]; do
        bash -c 'TIMEFORMAT="%U %S"; time "$0" run "$@" -q >/dev/null' "$w" "$@" 2>&1
        i=$((i + 1))
    done | awk '{ t = $1 + $2; if (NR == 1 || t < best) best = t } END { printf "%.3f\n", best }'
}
counter() { # name, arguments of run: one number of the record
    name=$1; shift
    "$w" run "$@" -q --csv - | awk -F, -v name="$name" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
        NR == 2 { print $at }'
}
line() { # "x y" rows: the line and how well it fits
    awk -v unit="$1" '{ n++; sx += $1; sy += $2; sxx += $1 * $1; sxy += $1 * $2; syy += $2 * $2 }
        END { b = (n * sxy - sx * sy) / (n * sxx - sx * sx); a = (sy - b * sx) / n
              r = (n * sxy - sx * sy) / sqrt((n * sxx - sx * sx) * (n * syy - sy * sy))
              printf "\nFitted: %.3f s %s %.4f s per %s; r = %.4f.\n", a, b < 0 ? "-" : "+", b < 0 ? -b : b, unit, r }'
}
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
head() { printf '%s\n\n| %s | %s | CPU s |\n|---|---|---|\n' "$@"; }
head '**Problem size**: `gemm` on gtx480, n x n matrices.' n "million warp instructions"
for n in 64 128 192 256 320 384; do
    m=$(counter warp_instructions gemm --input n=$n | awk '{ printf "%.3f", $1 / 1e6 }')
    s=$(spent gemm --input n=$n)
    echo "| $n | $m | $s |"; echo "$m $s" >>"$rows"
done
line "million warp instructions" <"$rows"
: >"$rows"
echo
head '**SMs**: `bfs` at small on gtx480 with so many SMs; the work is the same.' SMs "thousand cycles"
for n in 5 10 15 20 30 40 60; do
    c=$(counter cycles bfs --set sm.count=$n | awk '{ printf "%.0f", $1 / 1e3 }'); s=$(spent bfs --set sm.count=$n)
    echo "| $n | $c | $s |"; echo "$n $s" >>"$rows"
done
line SM <"$rows"
: >"$rows"
echo
head '**Resident warps**: `syrk` at small on gtx480, so many warps per SM at most; the work is the same.' warps \
    "thousand cycles"
for n in 8 16 24 32 40 48; do
    c=$(counter cycles syrk --set sm.warps=$n | awk '{ printf "%.0f", $1 / 1e3 }')
    s=$(spent syrk --set sm.warps=$n)
    echo "| $n | $c | $s |"; echo "$n $s" >>"$rows"
done
line warp <"$rows"
