#!/bin/sh
# --threads: one simulation on several threads writes the record of one; what cannot be split runs in one thread and the
# program says why.
. "$(dirname "$0")/lib.sh"
bin=$WL_ROOT/tests/exec/bin

# same A B WHAT: two records are equal but for the host's part, the command, and what the machine said.
same() {
    python3 - "$work/$1" "$work/$2" <<'P'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:3])
for k in ("host", "command", "engine", "warnings"):
    a.pop(k, None), b.pop(k, None)
differs = [k for k in set(a) | set(b) if a.get(k) != b.get(k)]
if differs: print("differs:", differs)
sys.exit(1 if differs else 0)
P
}

# ---- workloads, kernel files, traces ----
for gpu in gtx480 h200; do
    good "one thread, $gpu" run bfs --size tiny --gpu $gpu -q --json "$work/1.json"
    for n in 2 5; do
        good "$n threads, $gpu" run bfs --size tiny --gpu $gpu -q --threads $n --json "$work/$n.json"
        check "$n threads: the same record" same 1.json $n.json
    done
done
good "one thread, --paranoid" run srad --size tiny -q --json "$work/1.json"
good "three threads, --paranoid" run srad --size tiny -q --threads 3 --paranoid --json "$work/3.json"
check "the same record" same 1.json 3.json
good "a trace" trace record mvt --size tiny -q -o "$work/mvt.wlt"
good "one thread" run "$work/mvt.wlt" -q --gpu qv100 --json "$work/1.json"
good "four threads" run "$work/mvt.wlt" -q --gpu qv100 --threads 4 --json "$work/4.json"
check "a trace: the same record" same 1.json 4.json

# ---- all pieces meet where counters are read ----
# bfs: with a sample in every cycle kernels end at one, too. h200: a network with other edges than the SMs.
for words in "bfs 1 gtx480-ideal" "srad 100 gtx480" "gemm 1000 h200" "lavamd 77 qv100"; do
    # shellcheck disable=SC2086
    set -- $words
    good "$1, samples" run $1 --size tiny --gpu $3 -q --set stats.interval=$2 --json "$work/1.json"
    good "$1, samples, tick" run $1 --size tiny --gpu $3 -q --set stats.interval=$2 --engine tick --json "$work/2.json"
    check "$1: the same samples" same 1.json 2.json
done

# ---- what runs in one thread and says so ----
run run mvt --size tiny -q --threads 2 --profile --json "$work/2.json"
check "a profile runs" [ $status -eq 0 ]
for words in "--engine tick" "--shuffle 3" "--set stats.interval=1000" "--gpu gtx480-v322" "--sample"; do
    run run mvt --size tiny --threads 2 $words
    check "$words: exit 0" [ $status -eq 0 ]
    check "$words: said why" grep -q "threads: one thread simulates, because" "$work/err"
done
bad 2 "--threads is a number from 1 to 64" run mvt --size tiny --threads 65
bad 2 "threads" run mvt --size tiny --threads many
bad 2 "--threads needs a number from 1 on" run mvt --size tiny --threads 0
bad 2 "--threads is a number from 1 to 64" exec --threads 100 -- true

# ---- programs: clocks in kernels, blocks that wait for one another ----
if ! nvcc_programs; then
    echo "# the programs of nvcc are skipped"
    finish
fi
for program in latency waiting; do
    run exec -q --json "$work/1.json" -- "$bin/$program"
    cp "$work/out" "$work/first"
    run exec -q --threads 3 --json "$work/3.json" -- "$bin/$program"
    check "$program: exit 0" [ $status -eq 0 ]
    check "$program: the same output" cmp -s "$work/out" "$work/first"
    check "$program: the same record" same 1.json 3.json
done
finish
