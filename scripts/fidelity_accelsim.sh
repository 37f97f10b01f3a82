#!/bin/sh
# fidelity_accelsim.sh WARPLINE MACHINE [NAME...] - our machine qv100, rtx2060 or rtx3070 beside Accel-Sim itself.
# Makes the traces that tests/fidelity/accelsim/MACHINE.csv names out of the kernels of tests/fidelity/v322 (all, or
# those named), in Accel-Sim's format and as machine code, runs them and prints a table and its statistics. Rows of
# public traces run if TRACES names the folder that holds them, and are left out else.
# A trace NAME-cold is NAME without its copies from the host: nothing is in the L2 when it begins.
# SET="KEY=VALUE ..." changes the machine; GPU=FILE takes another than MACHINE, which names the rows then (titanv:
# SM7_TITANV/gpgpusim.config+trace.config). LAUNCH: cycles of a launch, for the mean error without them (5000).
set -eu
w=$1 machine=$2; shift 2
case $w in /*) ;; *) w=$PWD/$w ;; esac
here=$(cd "$(dirname "$0")" && pwd)
data=$here/../tests/fidelity/v322
rows=$here/../tests/fidelity/accelsim/$machine.csv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$data"/*.ptx "$work"
cd "$work"
cmake -E tar xf "$data/inputs.tar.xz"

make_trace() { # NAME: what was recorded of PTX, less what tells warpline that it was PTX
    row=$(grep "^$1|" "$data/kernels.txt")
    field() { echo "$row" | cut -d'|' -f"$1"; }
    name=$1
    set -- "$(field 2).ptx" --kernel "$(field 3)" --grid "$(field 4)" --block "$(field 5)" --regs "$(field 6)" \
        --shared "$(field 8)"
    for a in $(field 9); do set -- "$@" --arg "$a"; done
    "$w" trace record "$@" -q -o one.wlt
    "$w" trace convert one.wlt -q -o "trace.$name"
    sed -i -e '/^-warpline/d' -e 's/\.WL[^ ]*//' "trace.$name"/*.traceg
}

names=$*
[ -n "$names" ] || names=$(tail -n +2 "$rows" | cut -d, -f1)
for n in $names; do
    kernel=${n%-cold}
    if grep -q "^$kernel|" "$data/kernels.txt"; then
        make_trace "$kernel"
        from=trace.$kernel
        [ "$kernel" = "$n" ] || sed -i '/^Memcpy/d' "$from/kernelslist.g"
    else
        from=$(find "${TRACES:-/nowhere}" -type d -name "$n" 2> /dev/null | head -n 1)
        [ -n "$from" ] || continue
    fi
    set -- run "$from/kernelslist.g" --gpu "${GPU:-$machine}" -q --csv out
    for s in ${SET:-}; do set -- "$@" --set "$s"; done
    "$w" "$@" > /dev/null
    awk -F, -v name="$n" '
        FILENAME == ARGV[1] && FNR == 1 { for (i = 2; i < NF; i++) what[i] = $i; n = NF }
        FILENAME == ARGV[1] && $1 == name { for (i = 2; i < n; i++) ref[i] = $i }
        FILENAME == ARGV[2] && FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        FILENAME == ARGV[2] && FNR == 2 {
            line = name
            for (i = 2; i < n; i++) line = line " " ref[i] " " $at[what[i]]
            print line
        }' "$rows" out >> lines
    rm -rf "trace.$kernel"
done
awk -v launch="${LAUNCH:-5000}" '
    function abs(x) { return x < 0 ? -x : x }
    function both(a, b) { return a == b ? a : a " / " b }
    BEGIN {
        printf "| trace | warp instr. | cycles, Accel-Sim | ours | error | L1D accesses | L2 accesses | L2 misses | "
        print "DRAM reads | DRAM writes |"
        print "|---|---|---|---|---|---|---|---|---|---|"
    }
    {
        e = 100 * ($5 / $4 - 1)
        printf "| %s | %s | %s | %s | %+.1f %% | %s | %s | %s | %s | %s |\n", $1, both($2, $3), $4, $5, e,
            both($6, $7), both($8, $9), both($10, $11), both($12, $13), both($14, $15)
        launches = $1 ~ /^bfs-sm80/ ? 16 : 1
        bare = 100 * (($5 - launch * launches) / ($4 - launch * launches) - 1)
        bare_sum += abs(bare); if (abs(bare) > abs(bare_worst)) { bare_worst = bare; bare_where = $1 }
        n++; sum += abs(e); signed += e; if (abs(e) > abs(worst)) { worst = e; where = $1 }
        x += $4; y += $5; xx += $4 * $4; yy += $5 * $5; xy += $4 * $5
        differ += $2 != $3; l1 += $6 != $7; l2 += $8 != $9
    }
    END {
        d = sqrt((n * xx - x * x) * (n * yy - y * y))
        printf "\ntraces %d\ncycles_mean %.2f\ncycles_signed %+.2f\ncycles_worst %.1f %s\nr %.4f\n", n,
            sum / n, signed / n, abs(worst), where, d ? (n * xy - x * y) / d : 1
        printf "without_launch_mean %.2f\nwithout_launch_worst %.1f %s\n", bare_sum / n, abs(bare_worst), bare_where
        printf "instructions_differ %d\nl1d_accesses_differ %d\nl2_accesses_differ %d\n", differ, l1, l2
    }' lines
