#!/bin/sh
# Traces: recording, inspecting, replaying with the same counters, and files that are none.
. "$(dirname "$0")/lib.sh"
# And without who says how many registers there are: a trace has the number only.
without_host() { sed '/"host": {/,/}/d; /"command"/d; /"registers_from"/d' "$1"; }

# same NAME TRACE ARGS...: the trace on that machine gives the record of the direct run in $work/direct.
same() {
    name=$1 trace=$2; shift 2
    run run "$trace" --json - "$@"
    without_host "$work/out" >"$work/replay"
    if [ $status -eq 0 ] && [ ! -s "$work/err" ] && cmp -s "$work/direct" "$work/replay"; then ok "$name"
    else not_ok "$name (exit $status)"; diff "$work/direct" "$work/replay" | head -10; fi
}
direct() { run run "$@" --json -; without_host "$work/out" >"$work/direct"; }

[ "${WL_SLOW:-0}" = 1 ] && some=9 || some=2 # every some-th workload; all of them with WL_LONG=1
[ -n "${WL_LONG:-}" ] && some=1
for w in $("$WARPLINE" list workloads --plain | awk -v n=$some 'NR % n == 0 || $1 ~ /^(atax|vectoradd)$/'); do
    good "record $w" trace record "$w" --size tiny -o "$work/$w.wlt"
    for gpu in gtx480 dycache; do # textures are recorded row by row, whatever a machine makes of them (docs/wlt.md)
        direct "$w" --size tiny --gpu $gpu --set l1t.layout=rows
        same "$w on $gpu" "$work/$w.wlt" --gpu $gpu --set l1t.layout=rows
    done
done
t=$work/atax.wlt
direct atax --size tiny --sched lrr --set l1d.ways=8 --engine tick
same "another scheduler, another L1D, the reference engine" "$t" --sched lrr --set l1d.ways=8 --engine tick

# The program's inputs and seed are kept.
good "record with inputs" trace record bfs --size tiny --seed 9 --check -o "$work/seed.wlt"
direct bfs --size tiny --seed 9
same "seed and inputs" "$work/seed.wlt"
good "record again" trace record bfs --size tiny --seed 9 -o "$work/again.wlt"
check "a recording is the same every time" cmp -s "$work/seed.wlt" "$work/again.wlt"

# A kernel of a file.
set -- --kernel axpy --grid 4 --block 96 --arg buf:4K:iota-f32 --arg buf:4K:zero --arg f32:2 --arg u32:300
if "$WARPLINE" run "$WL_ROOT/tests/cli/axpy.ptx" "$@" -q 2>/dev/null; then
    good "record a .ptx file" trace record "$WL_ROOT/tests/cli/axpy.ptx" "$@" -o "$work/ptx.wlt"
    direct "$WL_ROOT/tests/cli/axpy.ptx" "$@"
    same "a .ptx file" "$work/ptx.wlt"
else
    not_ok "axpy.ptx runs"
fi

good "info" trace info "$t"
for word in launches copies executed memory global divergent footprint size atax_rows; do has "$word"; done
good "info --json" trace info "$t" --json -
for key in workload launches ctas warp_instructions thread_instructions footprint_lines stream_bytes file_bytes memory \
    kernels; do
    has "\"$key\": "
done
if command -v python3 >/dev/null 2>&1; then
    "$WARPLINE" run atax --size tiny --json "$work/run.json" -q
    check "info counts what a run counts" python3 -c 'import json, os, sys
i, r = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
for k in ("warp_instructions", "thread_instructions", "workload", "size", "inputs", "seed"): assert i[k] == r[k], k
assert i["launches"] == len(r["kernels"])
m = i["memory"]
loads = sum(m[s]["loads"] for s in m if s != "shared")
assert loads == r["sm"]["loads"], (loads, r["sm"]["loads"])
assert i["file_bytes"] == os.path.getsize(sys.argv[3])' "$work/out" "$work/run.json" "$t"
fi
good "--quiet says nothing" trace record atax --size tiny -o "$work/q.wlt" --quiet
check "really nothing" test ! -s "$work/out"

# Damaged files: exit 2, the file's name, no result, at every tenth of its length.
size=$(wc -c <"$t")
for part in 1 2 3 4 5 6 7 8 9; do
    head -c $((size * part / 10)) "$t" >"$work/cut.wlt"
    bad 2 "cut.wlt: truncated" run "$work/cut.wlt"
    bad 2 "cut.wlt: truncated" trace info "$work/cut.wlt"
done
head -c $((size - 1)) "$t" >"$work/cut.wlt"
bad 2 "cut.wlt: truncated" run "$work/cut.wlt"
rm -f "$work/half.json"
bad 2 "truncated" run "$work/cut.wlt" --json "$work/half.json"
check "no half result" test ! -e "$work/half.json"
{ head -c $((size / 2)) "$t"; printf 'xxxx'; tail -c +$((size / 2 + 5)) "$t"; } >"$work/spot.wlt"
bad 2 "spot.wlt: " run "$work/spot.wlt"
{ cat "$t"; printf x; } >"$work/long.wlt"
bad 2 "bytes follow the end" trace info "$work/long.wlt"
echo "this is no trace" >"$work/junk.wlt"
bad 2 "junk.wlt is not a .wlt trace" run "$work/junk.wlt"
bad 2 "junk.wlt is not a .wlt trace" trace info "$work/junk.wlt"
: >"$work/empty.wlt"
bad 2 "it is empty" run "$work/empty.wlt"
mkdir "$work/folder.wlt"
bad 2 "Is a directory" run "$work/folder.wlt"
bad 2 "Is a directory" trace record atax --size tiny -o "$work/folder.wlt"
bad 2 "No such file" run "$work/missing.wlt"
bad 2 "No such file" trace info "$work/missing.wlt"
{ head -c 8 "$t"; printf '\007\000\000\000'; tail -c +13 "$t"; } >"$work/future.wlt"
bad 2 "format version 7" run "$work/future.wlt"

# Compared like programs: the table of the program itself.
run compare atax vectoradd --size tiny --sched gto,lrr
cp "$work/out" "$work/table"
good "compare traces" compare "$t" "$work/vectoradd.wlt" --sched gto,lrr
check "the same table" cmp -s "$work/table" "$work/out"
good "compare a trace beside a workload" compare "$t" vectoradd --size tiny --sched gto,lrr
check "and again" cmp -s "$work/table" "$work/out"
bad 2 "a trace holds what a program has done" compare "$t" --size tiny
bad 2 "cannot read .*none.wlt" compare atax "$work/none.wlt" --size tiny

# Usage.
bad 2 "trace record" trace
bad 2 "trace record" trace record
bad 2 "trace record" trace replay "$t"
bad 2 "where to" trace record atax
bad 2 "ends in .wlt" trace record atax -o "$work/atax.txt"
bad 2 "did you mean 'atax'" trace record atxa -o "$work/x.wlt"
bad 2 "no such file\|No such file" trace record atax --size tiny -o "$work/none/x.wlt"
bad 2 "is a trace already" trace record "$t" -o "$work/x.wlt"
bad 2 "for 'run FILE.ptx'" trace record atax --grid 4 -o "$work/x.wlt"
bad 2 "'trace info'" trace record atax --json - -o "$work/x.wlt"
bad 2 "takes a trace" trace info "$t" --size tiny
for option in "--size tiny" "--input n=8" "--seed 3" --check --functional; do
    # shellcheck disable=SC2086
    bad 2 "a trace holds what a program has done" run "$t" $option
done
bad 2 "for 'run FILE.ptx'" run "$t" --grid 4
bad 1 "stopped" run "$t" --max-cycles 10
check "nothing was left behind" test ! -e "$work/x.wlt"

# A recording that fails leaves no file.
bad 1 "." trace record "$WL_ROOT/tests/cli/axpy.ptx" --kernel axpy --grid 400 --block 96 --arg buf:4K:iota-f32 \
    --arg buf:16:zero \
    --arg f32:2 --arg u32:30000 -o "$work/fault.wlt"
check "no partial trace" test ! -e "$work/fault.wlt"
if [ -c /dev/full ]; then
    ln -s /dev/full "$work/full.wlt"
    bad 1 "cannot write .*full.wlt" trace record atax --size tiny -o "$work/full.wlt"
fi
finish
