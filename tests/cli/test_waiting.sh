#!/bin/sh
# Blocks that wait for one another: locks, barriers across the grid, producers and consumers. The results are right, and
# the instructions the same on every machine of the same size, whatever policy and engine.
. "$(dirname "$0")/lib.sh"
bin=$WL_ROOT/tests/exec/bin
if ! nvcc_programs; then
    echo "# the programs of nvcc are skipped"
    finish
fi

# waits NAME WORDS...: the program's own checks pass.
waits() {
    name=$1; shift
    run exec -q --json "$work/$name.json" "$@" -- "$bin/waiting"
    if [ $status -eq 0 ] && [ ! -s "$work/err" ] && grep -q "waiting: ok" "$work/out"; then ok "$name"
    else not_ok "$name (exit $status)"; fi
}
# same A B WHAT: two records agree in the instructions of every kernel ("instructions") or in all counters ("all").
same() {
    python3 - "$work/$1.json" "$work/$2.json" "$3" <<'P'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:3])
if sys.argv[3] == "instructions":
    a, b = ([(k["name"], k["warp_instructions"], k["thread_instructions"]) for k in r["kernels"]] for r in (a, b))
    sys.exit(a != b or not a)
for k in ("host", "engine", "command"):
    a.pop(k, None), b.pop(k, None)
sys.exit([k for k in a if a[k] != b.get(k)] or 0)
P
}

waits fast
waits tick --engine tick --shuffle 5
check "both engines, shuffled: all counters" same fast tick all
waits policy --l1 dacache --sched lrr
check "another policy: the same instructions" same fast policy instructions
waits small --set sm.count=4 # 24 blocks of each kernel just fit
run exec -q --functional -- "$bin/waiting"
check "functional" [ $status -eq 0 ]
run exec -q -- "$bin/waiting" too_many
check "more blocks than fit: the program fails" [ $status -ne 0 ]
check "and is told why" grep -q "the machine holds no more than 120 of them at once" "$work/err"
run exec -q --program-status -- "$bin/waiting" too_large
check "a cooperative launch of more blocks than fit gets its own error" [ $status -eq 0 ]
run exec -q --set sm.count=1 -- "$bin/waiting"
check "a machine of 8 blocks" grep -q "the machine holds no more than 8 of them at once" "$work/err"
finish
