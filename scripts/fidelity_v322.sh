#!/bin/sh
# fidelity_v322.sh WARPLINE [MODE [NAME...]] - our machine gtx480-v322 beside the counters of GPGPU-Sim 3.2.2 itself.
# Runs the kernels of tests/fidelity/v322 (all, or those named) under the schedulers of its rows. MODE is what is
# made of it:
#   page   the tables of docs/fidelity-v322.md, between its marks; the default
#   stats  a line per statistic: NAME VALUE
#   lines  a line per counter of a run: name,sched,counter,3.2.2's value,ours
#   reference FOLDER  runs nothing: all rows as FOLDER/v322.csv for `warpline fidelity`, with the files they need
# ROWS=FILE compares with other rows of the same kernels (tests/fidelity/v42/rows.csv: release 4.2, MACHINE=gtx480-v42),
# SCHEDS="lrr gto" leaves schedulers out, JOBS=n runs n at a time, MACHINE=NAME takes another machine and
# SET="KEY=VALUE ..." changes parameters of it: what one mechanism is worth.
set -eu
w=$1; shift
mode=${1:-page}; [ $# -eq 0 ] || shift
case $w in /*) ;; *) w=$PWD/$w ;; esac
here=$(cd "$(dirname "$0")" && pwd)
doc=$here/../docs/fidelity-v322.md
data=$here/../tests/fidelity/v322
rows=${ROWS:-$data/rows.csv}
case $rows in /*) ;; *) rows=$PWD/$rows ;; esac
if [ "$mode" = reference ]; then
    to=${1:?fidelity_v322.sh: reference FOLDER}
    mkdir -p "$to"
    cp "$data"/*.ptx "$to"
    (cd "$to" && cmake -E tar xf "$data/inputs.tar.xz")
    awk -v machine="${MACHINE:-gtx480-v322}" -f "$here/fidelity_v322_reference.awk" "$data/kernels.txt" \
        "$rows" > "$to/v322.csv"
    exit
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$data"/*.ptx "$work"
(cd "$work" && cmake -E tar xf "$data/inputs.tar.xz")

# One run in $work: the counters of rows.csv, in its order, as name,sched,what,3.2.2's,ours.
cat > "$work/one.sh" <<'END'
name=$1 sched=$2
row=$(grep "^$name|" "$DATA/kernels.txt")
field() { echo "$row" | cut -d'|' -f"$1"; }
set -- run "$(field 2).ptx" --kernel "$(field 3)" --grid "$(field 4)" --block "$(field 5)" --regs "$(field 6)" \
    --shared "$(field 8)" --gpu "$MACHINE" -q --csv "out.$name.$sched"
case $sched in two_level) set -- "$@" --sched twolevel_active:active=6 ;; *) set -- "$@" --sched "$sched" ;; esac
for a in $(field 9); do set -- "$@" --arg "$a"; done
for s in $SET; do set -- "$@" --set "$s"; done
"$W" "$@" >&2 || { echo "$name $sched failed" >&2; exit 255; }
awk -F, -v name="$name" -v sched="$sched" '
    FILENAME == ARGV[1] && FNR == 1 { for (i = 3; i <= NF; i++) what[i] = $i; n = NF }
    FILENAME == ARGV[1] && $1 == name && $2 == sched { for (i = 3; i <= n; i++) ref[i] = $i }
    FILENAME != ARGV[1] && FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    FILENAME != ARGV[1] && FNR == 2 {
        for (i = 3; i <= n; i++) if (what[i] in at) print name "," sched "," what[i] "," ref[i] "," $at[what[i]]
    }' "$ROWS" "out.$name.$sched" > "res.$name.$sched"
END

names=$*
[ -n "$names" ] || names=$(grep -v '^#' "$data/kernels.txt" | cut -d'|' -f1)
for n in $names; do
    for s in ${SCHEDS:-lrr gto two_level}; do
        if grep -q "^$n,$s," "$rows"; then echo "$n $s"; fi
    done
done > "$work/todo"
[ -s "$work/todo" ] || { echo "fidelity_v322.sh: no row of that name" >&2; exit 2; }
export W="$w" DATA="$data" ROWS="$rows" MACHINE="${MACHINE:-gtx480-v322}" SET="${SET:-}"
(cd "$work" && xargs -P "${JOBS:-2}" -L 1 sh one.sh < todo)
while read -r n s; do cat "$work/res.$n.$s"; done < "$work/todo" > "$work/lines"
case $mode in
lines) cat "$work/lines" ;;
stats) awk -v mode=stats -f "$here/fidelity_v322.awk" "$work/lines" ;;
page)
    awk -v mode=page -f "$here/fidelity_v322.awk" "$work/lines" > "$work/tables"
    awk -v tables="$work/tables" '
        /^<!-- tables -->/ { print; print ""; while ((getline line < tables) > 0) print line; print ""; skip = 1 }
        /^<!-- end of tables -->/ { skip = 0 }
        !skip { print }' "$doc" > "$work/page"
    cp "$work/page" "$doc" ;;
*) echo "fidelity_v322.sh: MODE is page, stats or lines" >&2; exit 2 ;;
esac
