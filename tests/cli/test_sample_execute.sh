#!/bin/sh
# A sampled run need not execute what it does not time: that changes no number, and happens where no timing can depend
# on it. On a machine that holds one block, so that even the smallest programs have many waves.
. "$(dirname "$0")/lib.sh"

cat >"$work/compare.py" <<'PY'
import glob, json, sys
work, data, least, bad = sys.argv[1], sys.argv[2].split(), 0, []
for name in glob.glob(work + "/*.counted"):
    w = name.split("/")[-1][:-len(".counted")]
    counted, executed = json.load(open(name)), json.load(open(name[:-7] + "executed"))
    share = counted["sampling"].pop("executed_share")
    least += share < 1
    if executed["sampling"].pop("executed_share") != 1: bad.append(w + ": not all was executed")
    for o in (counted, executed):
        for key in ("host", "command", "config", "config_hash", "set"): o.pop(key, None)
    if counted != executed: bad.append(f"{w}: {[k for k in counted if counted[k] != executed.get(k)]} differ")
    if not counted["sampling"]["timed_share"] - 1e-9 <= share <= 1: bad.append(f"{w}: share {share}")
    if w in data and share < 1: bad.append(w + ": depends on data and was not executed")
assert not bad and least >= 4, (bad, least)
PY

# Programs that depend on data: everything is executed, whatever is timed.
data="apsp bfs betweenness btree coloring components components_hook degree histogram hybridsort lavamd lbm mummer
 sssp spmv spmv_jds streamcluster triangles wordcount"
machine="--size tiny --set sm.count=1 --set sm.ctas=1 --sample"
some=$("$WARPLINE" list workloads --plain)
[ "${WL_SLOW:-0}" != 1 ] || some="fdtd2d gaussian gramschm matmul nw bfs spmv conv3d"
for w in $some; do
    input=
    [ "$w" != fdtd2d ] || input="--input steps=12"
    # shellcheck disable=SC2086
    good "$w" run $w $machine $input --json "$work/$w.counted" -q
    # shellcheck disable=SC2086
    good "$w, executed" run $w $machine $input --set run.sample_execute=all --json "$work/$w.executed" -q
done
# Warps of long rows are moved on, and run only what their path and addresses follow from.
for w in atax bicg; do
    long="--input n=256 --input nx=64 --input ny=8192"
    # shellcheck disable=SC2086
    good "$w, long" run $w $machine $long --json "$work/long_$w.counted" -q
    # shellcheck disable=SC2086
    good "$w, long, executed" run $w $machine $long --set run.sample_execute=all --json "$work/long_$w.executed" -q
    check "$w is moved on" python3 -c 'import json,sys
s = json.load(open(sys.argv[1]))["sampling"]
assert s["launches"]["partly"] and s["executed_share"] < 0.8, s["executed_share"]' "$work/long_$w.counted"
done
check "every number is the same, and what depends on data is executed" python3 "$work/compare.py" "$work" "$data"

# Who looks at results gets them: a check executes everything from the start, a program of which a later kernel depends
# on data begins anew.
# shellcheck disable=SC2086
good "a check" run fdtd2d $machine --input steps=12 --check --json "$work/a.json" -q
check "executes everything" python3 -c 'import json,sys
r = json.load(open(sys.argv[1]))
s = r["sampling"]
assert s["executed_share"] == 1 and s["timed_share"] < 1 and "values" in r["check"]' "$work/a.json"
# shellcheck disable=SC2086
good "a program with a kernel that depends on data" run leukocyte $machine=5% --json "$work/a.json" -q
check "executes everything" python3 -c 'import json,sys
s = json.load(open(sys.argv[1]))["sampling"]
assert s["executed_share"] == 1 and s["timed_share"] < 1, s["timed_share"]' "$work/a.json"
bad 2 "run.sample_execute" run fdtd2d --size tiny --set run.sample_execute=some
finish
