#!/bin/sh
# results.sh WARPLINE SIZE STORE [JOBS [NAME...]] - runs everything that the figures and claims of the papers need and
# writes what docs/results keeps of it: NAME.csv at size small, SIZE/NAME.csv at another, and claims-SIZE.txt with all
# verdicts. An interrupted call continues where it was. WARPLINE report --from docs/results/NAME.csv shows a file.
# SAMPLE=--sample (or --sample=2%) samples the runs; NORUN=--no-run writes what is stored and runs nothing; KNOWN=yes
# keeps the rows that the files have already and does not run them again. Runs that failed are in the files with their
# reason; the exit status is 1 then.
set -eu
warpline=$1 size=$2 store=$3 jobs=${4:-2}
[ $# -gt 4 ] && shift 4 || set -- apcm dacache dycache hac mascar
cd "$(dirname "$0")/.."
folder=docs/results
[ "$size" = small ] || folder=docs/results/$size
mkdir -p "$folder"
failed=0
# Runs that failed (1) do not keep the others from being written; anything else does.
may_fail() { "$@" || { [ $? -eq 1 ] && failed=1; }; }
for name; do
    known=
    [ -z "${KNOWN:-}" ] || [ ! -f "$folder/$name.csv" ] || known=--known=$folder/$name.csv
    may_fail "$warpline" report "$name" --size "$size" ${SAMPLE:+"$SAMPLE"} ${NORUN:+"$NORUN"} --store "$store" \
        --jobs "$jobs" ${known:+"$known"} -o /dev/null -q
    may_fail "$warpline" store export results "$name" --size "$size" ${SAMPLE:+"$SAMPLE"} --store "$store" \
        ${known:+"$known"} -o "$folder/$name.csv"
done
for name; do set -- "$@" "$folder/$name.csv"; shift; done
"$warpline" claims --from "$@" >"docs/results/claims-$size.txt"
tail -3 "docs/results/claims-$size.txt"
exit $failed
