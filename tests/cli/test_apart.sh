#!/bin/sh
# Lanes of one warp that come to barriers apart: the results are right on machines that run PTX as it stands and on
# those that assemble it, in time and without, and both engines count the same.
. "$(dirname "$0")/lib.sh"
ptx=$WL_ROOT/tests/cli/apart.ptx

# wait_apart NAME WORDS...: 96 threads of two blocks read what the lane 16 away wrote; 192 of them held the lock.
wait_apart() {
    name=$1; shift
    run run "$ptx" --kernel lock --grid 2 --block 96 --arg buf:8K:zero --dump 0:u32:1002 --json "$work/$name.json" "$@"
    [ $status -eq 0 ] || { not_ok "$name (exit $status)"; return; }
    check "$name: the words" awk '
        $1 ~ /^[0-9]+:$/ {
            for (i = 2; i <= NF; i++) {
                at = $1 + i - 2
                if (at < 192 && $i != (at % 32 < 16 ? at + 1016 : at - 16)) bad++
                if (at == 1001) lock = $i
            }
        }
        END { exit bad || lock != 192 }' "$work/out"
}
# same A B: two records agree in all that the machine counted.
same() {
    python3 - "$work/$1.json" "$work/$2.json" <<'P'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:3])
for k in ("host", "engine", "command"):
    a.pop(k, None), b.pop(k, None)
sys.exit([k for k in a if a[k] != b.get(k)] or 0)
P
}

for gpu in gtx480 h200; do
    wait_apart $gpu --gpu $gpu
    wait_apart $gpu-tick --gpu $gpu --engine tick --shuffle 3
    check "$gpu: both engines, shuffled: all counters" same $gpu $gpu-tick
done
wait_apart functional --functional
finish
