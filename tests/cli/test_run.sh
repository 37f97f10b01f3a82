#!/bin/sh
# Runs: the summary, JSON and CSV for machines, exit codes, lost output.
. "$(dirname "$0")/lib.sh"

good "run" run vectoradd --size tiny
for word in machine policies kernel cycles IPC L1D L2 DRAM simulation; do has "$word"; done
good "run --check" run vectoradd --size tiny --check
has '  check  '
good "--quiet says nothing" run vectoradd --size tiny --quiet
check "really nothing" test ! -s "$work/out"
good "functional only" run vectoradd --size tiny --functional --check
has 'not timed'

# JSON: the promised keys, in a text that parses.
good "--json -" run vectoradd --size tiny --json -
cp "$work/out" "$work/a.json"
for key in workload size gpu l1_policy l2_policy scheduler version config_hash cycles warp_instructions \
    thread_instructions ipc l1d accesses hits hits_reserved misses bypasses evictions stalls l2 dram sm icnt l1t l1c \
    host seconds peak_memory_bytes \
    l1_policy_counters; do
    check "JSON has $key" grep -q "\"$key\": " "$work/a.json"
done
check "JSON begins and ends as an object" sh -c 'head -1 "$0" | grep -qx "{" && tail -1 "$0" | grep -qx "}"' \
    "$work/a.json"
if command -v python3 >/dev/null 2>&1; then
    check "JSON parses" python3 -c 'import json,sys
r = json.load(open(sys.argv[1]))
assert r["workload"] == "vectoradd" and r["cycles"] > 0
assert abs(r["ipc"] - r["thread_instructions"] / r["cycles"]) < 1e-5
assert r["l1d"]["accesses"] == sum(r["l1d"][k] for k in ("hits", "hits_reserved", "misses", "bypasses"))
assert isinstance(r["l1d"]["stalls"]["mshr"], int)
assert len(r["config_hash"]) == 16' "$work/a.json"
fi
without_host() { sed '/"host": {/,/}/d; /"command"/d' "$1"; }
run run vectoradd --size tiny --json -
without_host "$work/out" >"$work/b"; without_host "$work/a.json" >"$work/a"
check "a second run gives the same record" cmp -s "$work/a" "$work/b"
run run vectoradd --size tiny --json - --engine tick
without_host "$work/out" | grep -v '"engine"' >"$work/b"; grep -v '"engine"' "$work/a" >"$work/c"
check "the reference engine gives the same counters" cmp -s "$work/c" "$work/b"
for w in bfs histogram; do good "$w keeps its invariants" run $w --size tiny --check --paranoid; done
good "and so does a sectored machine with prefetches" \
    run atax --size tiny --gpu qv100 --l1 nextline:degree=2 --check --paranoid
run run vectoradd --size tiny --json - --shuffle 5
without_host "$work/out" >"$work/b"
check "shuffled ticks give the same counters" cmp -s "$work/a" "$work/b"
run run vectoradd --size tiny --json - --set l1d.mshr=32
check "another machine has another hash" sh -c '! grep -qF "$(grep config_hash "$0")" "$1"' "$work/a.json" "$work/out"

good "--json FILE --csv FILE" run vectoradd --size tiny --json "$work/r.json" --csv "$work/r.csv"
has 'cycles'
check "CSV is a header and a row" test "$(wc -l <"$work/r.csv")" -eq 2
check "CSV columns match" sh -c 'h=$(head -1 "$0" | tr -cd , | wc -c)
    r=$(tail -1 "$0" | tr -cd , | wc -c); [ $h -eq $r ]' "$work/r.csv"
check "CSV has flat keys" grep -q 'l1d.stalls.mshr' "$work/r.csv"
good "--csv -" run vectoradd --size tiny --csv -
check "nothing but CSV" test "$(wc -l <"$work/out")" -eq 2

# Output that does not arrive is an error.
bad 2 "cannot write" run vectoradd --size tiny --json "$work/none/x.json"
if [ -c /dev/full ]; then
    bad_full() {
        run run vectoradd --size tiny -q --json /dev/full
        [ $status -eq 1 ] && grep -q "cannot write /dev/full" "$work/err"
    }
    check "a full disk is an error" bad_full
    "$WARPLINE" list options >/dev/full 2>"$work/err"; status=$?
    check "a full disk behind standard output is an error" test $status -eq 1
fi
{ "$WARPLINE" list options 2>"$work/err"; echo $? >"$work/status"; } | true
sleep 0 # the reader is gone before or after; both must end, and a lost output must not be status 0 and noise
case $(cat "$work/status") in
0 | 1) ok "a closed pipe" ;;
*) not_ok "a closed pipe: status $(cat "$work/status")" ;;
esac

good "compare" compare vectoradd reduction --size tiny --sched lrr,gto
has 'geometric mean'; has 'speedup'
good "compare --json" compare vectoradd --size tiny --set l1d.mshr=32 --gpu gtx480,gtx480-v322 --json -
has '"speedup": 1.0'
good "compare --csv" compare vectoradd --size tiny --sched lrr,gto --csv -
check "a row each" test "$(wc -l <"$work/out")" -eq 3
bad 1 "stopped" run vectoradd --size tiny --max-cycles 10
# Energy of machines that no table was fitted to.
good "energy of a Hopper machine" run atax --size tiny --gpu h200
has 'by table gtx480_eff (not calibrated for this machine)'
good "energy of a Fermi machine" run atax --size tiny
has 'by table gtx480_eff:'
for case in h200:no gtx480:yes titan:no apcm:yes; do
    run run atax --size tiny --gpu ${case%:*} -q --csv "$work/e.csv"
    check "energy.calibrated of $case in CSV" [ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { print $at["energy.calibrated"] }' "$work/e.csv")" = "${case#*:}" ]
done
run run atax --size tiny --gpu h200 -q --json "$work/e.json"
check "energy.calibrated in JSON" grep -q '"calibrated": false' "$work/e.json"
finish
