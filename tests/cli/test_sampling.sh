#!/bin/sh
# --sample: what is projected obeys the laws, has intervals that hold what a full run counts, and never passes for it.
. "$(dirname "$0")/lib.sh"

laws() { # sums, kernels and intervals of a sampled record
    python3 - "$1" <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
s = r["sampling"]
assert 0 < s["timed_share"] <= 1
for o in [r] + r["kernels"]:
    for group in ("account", "warp_states"):
        a = dict(o[group])
        assert a.pop("total") == sum(a.values()), group
    d, l, m = o["l1d"], o["l2"], o["sm"]
    assert d["accesses"] == d["hits"] + d["hits_reserved"] + d["misses"] + d["bypasses"] == d["loads"] + d["stores"]
    assert d["loads"] == m["load_requests"] and d["stores"] == m["store_requests"]
    assert l["accesses"] == l["hits"] + l["hits_reserved"] + l["misses"] + l["bypasses"]
    assert l["accesses"] == l["reads"] + l["writes"] + l["atomics"] and l["fetches"] == l["fills"]
assert r["cycles"] == sum(k["cycles"] for k in r["kernels"])
assert r["warp_instructions"] == sum(k["warp_instructions"] for k in r["kernels"])
for group in ("account", "l1d", "dram"):
    for key, value in r[group].items():
        if isinstance(value, int) and not key.startswith("nvm"):
            assert value == sum(k[group][key] for k in r["kernels"]), (group, key)
            q = s[group][key]
            assert q["low"] <= q["value"] == value <= q["high"], (group, key)
assert s["cycles"]["low"] <= s["cycles"]["value"] == r["cycles"] <= s["cycles"]["high"]
w = s["sm"]["warp_instructions"]
assert w["low"] == w["high"] == r["warp_instructions"]
PY
}

contains() { # FULL SAMPLED: instructions are equal; the intervals of what matters hold the full run's numbers
    python3 - "$1" "$2" <<'PY'
import json, sys
full, r = (json.load(open(f)) for f in sys.argv[1:])
s = r["sampling"]
for key in ("warp_instructions", "thread_instructions"):
    assert full[key] == r[key], key
for name, value, q in (("cycles", full["cycles"], s["cycles"]), ("ipc", full["ipc"], s["ipc"]),
                       ("l1d", full["l1d"]["misses"] / full["l1d"]["accesses"], s["l1d"]["miss_rate"]),
                       ("l2", full["l2"]["misses"] / full["l2"]["accesses"], s["l2"]["miss_rate"])):
    assert q["low"] - 1e-6 <= value <= q["high"] + 1e-6, (name, value, q)
PY
}

same() { # A B [DROP...]: equal records but for these members, and who counted the registers: a trace has the number
    python3 - "$@" <<'PY'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:3])
for o in (a, b):
    for key in ["host", "command"] + sys.argv[3:]: o.pop(key, None)
    for kernel in o["kernels"]: del kernel["registers_from"]
assert a == b, [k for k in a if a[k] != b.get(k)]
PY
}

schema() { python3 "$WL_ROOT/tests/cli/schema.py" "$WL_ROOT/docs/result.schema.json" "$1"; }

# ---- many launches: gaussian is made of shrinking ones, fdtd2d of equal ones; hotspot and srad of many waves ----
run_pair() { # NAME ARGS...
    pair=$1; shift
    good "$pair in full" run "$@" --json "$work/full.json" -q
    good "$pair sampled" run "$@" --sample --check --json "$work/$pair.json" -q
    check "$pair: laws" laws "$work/$pair.json"
    check "$pair: the intervals hold the truth" contains "$work/full.json" "$work/$pair.json"
    check "$pair: schema" schema "$work/$pair.json"
}
run_pair fdtd2d fdtd2d --size tiny --input steps=40
run_pair gaussian gaussian --size tiny
# many launches of many short waves: windows of several, and launches that only fill the caches are timed at their end
short='fdtd2d --size tiny --input nx=256 --input ny=256 --input steps=24 --set sm.count=1 --set sm.ctas=2'
# shellcheck disable=SC2086
run_pair short_waves $short --set l2.sets=4
check "no launch of short waves is timed as a whole" python3 -c 'import json,sys
n = json.load(open(sys.argv[1]))["sampling"]
assert n["timed_share"] < 0.1 and n["launches"]["timed"] == 0, n' "$work/short_waves.json"
if [ "${WL_SLOW:-0}" != 1 ]; then # the two long ones: minutes in a sanitized build
run_pair waves hotspot --size tiny --input side=420
# blocks that share lines drift apart and together again: three waves that are alike do not make a steady state
run_pair swings matmul_naive --size tiny --input n=256 --set sm.count=2
check "a launch that swings is timed in full, and it is said" python3 -c 'import json,sys
n = json.load(open(sys.argv[1]))["sampling"]
assert n["timed_share"] == 1 and "differ too much" in n["timed_in_full_because"][0], n' "$work/swings.json"
# its launches are short, and find in the L2 what those before them left: stretches must not keep it there for longer
run_pair stale_l2 dct8x8 --size paper
# few, long CTAs; with a small L2, since few warps run
long='corr --size tiny --input n=2400 --input m=64 --set l2.sets=4 --set run.excerpts=yes'
# shellcheck disable=SC2086
run_pair excerpts $long
# few, long CTAs whose path is known beforehand: all warps are moved on
long_rows='gesummv --size tiny --input n=256 --input loop=3000 --input pitch=3000 --set sm.count=2'
# shellcheck disable=SC2086
run_pair moves $long_rows
check "parts of warps were left out, and no CTA" python3 -c 'import json,sys
n = json.load(open(sys.argv[1]))["sampling"]
assert n["launches"]["partly"] == 1 and n["timed_share"] < 0.3 and n["ctas"]["timed"] == n["ctas"]["all"], n' \
    "$work/moves.json"
# CTAs that meet at barriers and whose path depends on data are moved on as well, where others come behind them
boxes='lavamd --size tiny --input x=6 --input y=3 --input z=3 --set sm.count=1'
# shellcheck disable=SC2086
run_pair boxes $boxes
check "parts of warps were left out, and CTAs came in the place of others" python3 -c 'import json,sys
n = json.load(open(sys.argv[1]))["sampling"]
assert n["launches"]["partly"] == 1 and n["timed_share"] < 0.6 and n["ctas"]["timed"] < n["ctas"]["all"], n' \
    "$work/boxes.json"
# three launches of one kernel that go alike: of the second and the third a beginning is enough
likes='mm3 --size tiny --input n=192 --set sm.count=2'
# shellcheck disable=SC2086
run_pair likes $likes
check "launches that go as the first one did are left soon" python3 -c 'import json,sys
n = json.load(open(sys.argv[1]))["sampling"]
assert n["launches"]["partly"] >= 2 and n["timed_share"] < 0.7, n' "$work/likes.json"
# its CTAs are in step, and none has come to its slow end when the first would be replaced by another one
run_pair ends_unseen heartwall --size small --set sm.count=2
# of its CTAs the oldest run ahead and end, and those behind them take their place: warps are moved on by rank, through
# these ends
run_pair ends atax --size tiny --input n=4096 --set sm.count=2 --set l2.sets=4
check "warps that end are not timed in full" python3 -c 'import json,sys
n = json.load(open(sys.argv[1]))["sampling"]
assert not n["timed_in_full_because"] and n["timed_share"] < 0.3, n' "$work/ends.json"
# some of its short CTAs end at any time, and others come: moved on, warps would stop at their ends and those behind
# fall into step with them (12 % too fast)
run_pair short syrk --size small --input rows=22 --input m=512 --set sm.count=1
check "short CTAs that others follow are timed in full" python3 -c 'import json,sys
assert json.load(open(sys.argv[1]))["sampling"]["timed_share"] == 1' "$work/short.json"
# one of two SMs has twice as many CTAs: no stretch begins behind the window in which the other one ran dry, which is
# faster than the rest (1.5 % too fast)
run_pair uneven gesummv --size tiny --input n=768 --input loop=4000 --input pitch=4000 --set sm.count=2
check "no stretch is like a window in which an SM ran dry" python3 -c 'import json,sys
r = json.load(open(sys.argv[1])); n = r["sampling"]
assert n["timed_share"] < 0.3 and n["cycles"]["high"] < 1.05 * r["cycles"], n["cycles"]' \
    "$work/uneven.json"
# nobody knows how far warps go by rank under a scheduler that does not prefer the oldest
good "another scheduler" run atax --size tiny --input n=4096 --set sm.count=2 --sched twolevel --sample \
    --json "$work/turns.json" -q
check "is timed in full and says why" grep -q 'atax_rows: how far its warps go is known only' "$work/turns.json"
check "waves were left out" python3 -c 'import json,sys
n = json.load(open(sys.argv[1]))["sampling"]
assert n["launches"]["partly"] > 0 and n["ctas"]["timed"] < n["ctas"]["all"], n["launches"]' "$work/waves.json"
check "parts of CTAs were left out, and no CTA" python3 -c 'import json,sys
n = json.load(open(sys.argv[1]))["sampling"]
assert n["launches"]["partly"] > 0 and n["timed_share"] < 0.6 and n["ctas"]["timed"] == n["ctas"]["all"], n' \
    "$work/excerpts.json"
fi
check "launches were left out" python3 -c 'import json,sys
n = json.load(open(sys.argv[1]))["sampling"]
assert n["launches"]["projected"] > 50 and n["timed_share"] < 0.6, n["launches"]' "$work/fdtd2d.json"

# ---- the same every time, with every engine ----
# cutcp: CTAs end between two looks at the machine, and others are to take their places.
good "CTAs that are replaced" run cutcp --size small --set sm.count=1 --sample --json "$work/seats.json" -q
for how in "--engine tick" "--shuffle 5"; do
    # shellcheck disable=SC2086
    good "the same, $how" run cutcp --size small --set sm.count=1 --sample $how --json "$work/again.json" -q
    check "equal, $how" same "$work/seats.json" "$work/again.json" engine
done
for how in "" "--engine tick" "--shuffle 5"; do
    # shellcheck disable=SC2086
    good "again, $how" run fdtd2d --size tiny --input steps=40 --sample --check $how --json "$work/again.json" -q
    check "equal, $how" same "$work/fdtd2d.json" "$work/again.json" engine
    [ "${WL_SLOW:-0}" != 1 ] || continue
    # shellcheck disable=SC2086
    good "again, $how" run hotspot --size tiny --input side=420 --sample --check $how --json "$work/again.json" -q
    check "equal, $how" same "$work/waves.json" "$work/again.json" engine
    # shellcheck disable=SC2086
    good "again, $how" run $long_rows --sample --check $how --json "$work/again.json" -q
    check "equal, $how" same "$work/moves.json" "$work/again.json" engine
    # shellcheck disable=SC2086
    good "again, $how" run $likes --sample --check $how --json "$work/again.json" -q
    check "equal, $how" same "$work/likes.json" "$work/again.json" engine
    # shellcheck disable=SC2086
    good "again, $how" run $boxes --sample --check $how --json "$work/again.json" -q
    check "equal, $how" same "$work/boxes.json" "$work/again.json" engine
    # shellcheck disable=SC2086
    good "again, $how" run $long --sample --check $how --json "$work/again.json" -q
    check "equal, $how" same "$work/excerpts.json" "$work/again.json" engine
done

# ---- where nothing is left out the counters are those of a full run ----
good "in full" run bfs --size tiny --json "$work/full.json" -q
good "refused" run bfs --size tiny --sample --json "$work/bfs.json" -q
check "equal but for what is said of it" same "$work/full.json" "$work/bfs.json" sampling config config_hash set
check "all was timed" python3 -c 'import json,sys
s = json.load(open(sys.argv[1]))["sampling"]
assert s["timed_share"] == 1 and s["launches"]["projected"] == 0
assert s["cycles"]["low"] == s["cycles"]["high"]' "$work/bfs.json"
good "a profile" run fdtd2d --size tiny --input steps=40 --sample --profile --json "$work/profile.json" -q
check "is of everything, and says why" python3 -c 'import json,sys
s = json.load(open(sys.argv[1]))["sampling"]
assert s["timed_share"] == 1 and "profile" in s["timed_in_full_because"][0]' "$work/profile.json"
good "not sampled" run fdtd2d --size tiny --json "$work/plain.json" -q
check "a full record has no member of that name" python3 -c 'import json,sys
assert "sampling" not in json.load(open(sys.argv[1]))' "$work/plain.json"

# ---- words ----
good "text" run fdtd2d --size tiny --input steps=40 --sample=2%
has 'sampled  *[0-9.]* % of the warp instructions were timed'; has 'cycles .* to .* (+- .* %)'
good "auto" run fdtd2d --size tiny --sample=auto -q
bad 2 "auto or an error" run fdtd2d --size tiny --sample=often
bad 2 "auto or an error" run fdtd2d --size tiny --sample=0%
bad 2 "auto or an error" run fdtd2d --size tiny --sample=21%
bad 2 "given twice" run fdtd2d --size tiny --sample --sample=2%

# ---- traces ----
good "record" trace record fdtd2d --size tiny --input steps=40 -o "$work/f.wlt" -q
good "a sampled trace" run "$work/f.wlt" --sample --json "$work/trace.json" -q
check "counts what the program does" same "$work/fdtd2d.json" "$work/trace.json" check

# ---- a sampled result never passes for a full one ----
cat >"$work/x.ini" <<'INI'
title = sampling
workloads = fdtd2d

[series lru]
gpu = gtx480

[series lrr]
gpu = gtx480
sched = lrr

[figure a]
title = cycles
metric = cycles
series = lru, lrr

[claim a]
text = faster
figure = a
value = 1
tolerance = 100
measure = amean(lrr)
INI
good "an experiment in full" experiment "$work/x.ini" --size tiny --store "$work/r.db" --out "$work" -j 1
good "and sampled" experiment "$work/x.ini" --size tiny --store "$work/r.db" --out "$work" -j 1 --sample
has '(sampled)'
check "are four results" test "$("$WARPLINE" store list --store "$work/r.db" | grep -c fdtd2d)" -eq 4
good "claims" claims "$work/x.ini" --size tiny --store "$work/r.db" -j 1 --sample
has '^sampled: '
good "compare" compare fdtd2d --size tiny --sample --sched gto,lrr -j 1
has 'sampled, cycles +- '

# ---- nor does one in a results file ----
good "sampled results to a file" store export results "$work/x.ini" --size tiny --sample --store "$work/r.db" \
    -o "$work/s.csv"
good "and back" figure --from "$work/s.csv" --out "$work/back" -q
good "as from the store" experiment "$work/x.ini" --size tiny --sample --store "$work/r.db" --no-run -q \
    --out "$work/there"
check "they are the same" cmp "$work/back/x.a.csv" "$work/there/x.a.csv"
good "claims of the file" claims --from "$work/s.csv"
has '^sampled: runs are timed in part, their cycles to within 1 %'
good "full results to a file" store export results "$work/x.ini" --size tiny --store "$work/r.db" -o "$work/f.csv"
good "are not" claims --from "$work/f.csv"
check "called sampled" test "$(grep -c sampled "$work/out")" -eq 0
sed '1s/run.sample=100/run.sample=0/' "$work/s.csv" >"$work/bad.csv"
bad 2 "bad.csv:1: the last field" claims --from "$work/bad.csv"
bad 2 "goes with 'store export results'" store list --sample --store "$work/r.db"
bad 2 "goes without" claims --from "$WL_ROOT/docs/results/hac.csv" --sample

# ---- executables ----
LD_LIBRARY_PATH= run exec --sample --json "$work/exec.json" -q -- "$WL_BUILD/exec/exec_driver"
check "exec" python3 -c 'import json,sys
assert "timed_share" in open(sys.argv[1]).read()' "$work/exec.json"
finish
