#!/bin/sh
# The account of cycles and the counters of each launch: text, JSON, CSV, table; workloads, PTX, traces, executables.
. "$(dirname "$0")/lib.sh"

sums() { # the members of account and warp_states add up, at the top, in each kernel and in each sample
    python3 - "$1" <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
for o in [r] + r["kernels"] + r.get("samples", []):
    for group in ("account", "warp_states"):
        a = dict(o[group])
        total = a.pop("total")
        assert sum(a.values()) == total, (group, total, a)
for group in ("account", "l1d", "l2", "dram"):
    for key, value in r[group].items():
        if isinstance(value, int) and not key.endswith("_max"):
            assert value == sum(k[group][key] for k in r["kernels"]), (group, key)
schedulers = r["config"]["sm"]["schedulers"]
assert r["account"]["total"] == schedulers * (r["sm"]["active_cycles"] + r["sm"]["issue_ends"])
assert r["account"]["issued"] > 0
PY
}

good "run" run bfs --size tiny
for word in 'account ' 'schedulers' 'issued' 'load, answered by L2' 'ALU result' 'no warp'; do has "$word"; done
good "run --json" run bfs --size tiny --samples 700 --json "$work/bfs.json" -q
check "the account adds up everywhere" sums "$work/bfs.json"
good "tick" run bfs --size tiny --engine tick --json "$work/tick.json" -q
check "both engines have the same account" python3 -c 'import json,sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
assert a["account"] == b["account"] and a["warp_states"] == b["warp_states"]
assert [k["account"] for k in a["kernels"]] == [k["account"] for k in b["kernels"]]' "$work/bfs.json" "$work/tick.json"

good "a row for each launch" run bfs --size tiny -q --launches "$work/launches.csv"
check "16 launches" test "$(wc -l <"$work/launches.csv")" -eq 17
check "with their account" grep -q 'account.load_dram' "$work/launches.csv"
good "a column for each kernel" run bfs --size tiny -v
for word in bfs_expand account.load_l2 warp_states.issued dram.requests; do has "$word"; done
bad 2 "nothing is timed" run bfs --size tiny --functional --launches "$work/x.csv"
bad 2 "needs an interval" run bfs --size tiny --samples many
bad 2 "takes no value" run bfs --size tiny --profile=1

good "a profile" run atax --size tiny --profile --json "$work/profile.json" -q
check "has loads" python3 -c 'import json,sys; assert json.load(open(sys.argv[1]))["loads"]' "$work/profile.json"

good "record" trace record bfs --size tiny -o "$work/bfs.wlt" -q
good "a trace" run "$work/bfs.wlt" --json "$work/trace.json" -q
check "adds up too" sums "$work/trace.json"
good "some of its kernels" run "$work/bfs.wlt" --kernel 'bfs_c*' --json "$work/some.json" -q
check "only those" python3 -c 'import json,sys
assert {k["name"] for k in json.load(open(sys.argv[1]))["kernels"]} == {"bfs_commit"}' "$work/some.json"
good "characterize some of its kernels" characterize "$work/bfs.wlt" --kernel 'bfs_c*' --json "$work/some.json"
check "only those, too" python3 -c 'import json,sys
assert {k["name"] for k in json.load(open(sys.argv[1]))["kernels"]} == {"bfs_commit"}' "$work/some.json"

axpy="$WL_ROOT/tests/cli/axpy.ptx --kernel axpy --grid 4 --block 256 --arg buf:4K:iota-f32 --arg buf:4K:iota-f32
      --arg f32:2 --arg u32:1024"
# shellcheck disable=SC2086
good "a kernel file" characterize $axpy
has 'account '; has 'never asked for again'
has 'median reuse distance          - inter-warp, - intra-warp'
# shellcheck disable=SC2086
good "as JSON" characterize $axpy --json "$work/axpy.json" -q
check "a median of nothing is null" python3 -c 'import json,sys
r = json.load(open(sys.argv[1]))
assert r["metrics"]["reuse.intra_warp_median"] is None and r["kernels"][0]["account"]["total"] > 0' "$work/axpy.json"

# An executable: per launch as everything else, characterised, on a timeline.
app=$WL_ROOT/tests/exec/bin/references
if [ -x "$app" ]; then
    run exec -q --samples 500 --json "$work/exec.json" --timeline "$work/exec.trace" -- "$app"
    check "exec with a timeline" test $status -eq 0
    check "its launches add up" sums "$work/exec.json"
    check "the timeline is a Chrome trace" python3 -c 'import json,sys
t = json.load(open(sys.argv[1])); assert len(t["traceEvents"] if isinstance(t, dict) else t) > 10' "$work/exec.trace"
    run characterize --json "$work/char.json" -- "$app"
    check "characterize an executable" python3 -c 'import json,sys
r = json.load(open(sys.argv[1])); assert r["metrics"] and r["kernels"][0]["account"]["total"] > 0' "$work/char.json"
fi
good "counters of a policy in each launch" run bfs --size tiny --l1 dacache --json "$work/dacache.json" -q
check "add up" python3 -c 'import json,sys
r = json.load(open(sys.argv[1]))
for k, v in r["l1_policy_counters"].items():
    if k != "storage_bits": assert v == sum(x["l1_policy_counters"][k] for x in r["kernels"]), k' "$work/dacache.json"

bad 2 "takes an executable alone" characterize atax -- ./app
bad 2 "is for executables" characterize atax --launch 1
bad 2 "--grid is for" characterize atax --grid 4
finish
