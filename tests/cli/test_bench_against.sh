#!/bin/sh
# Our CPU seconds next to another simulator's: bench --against.
. "$(dirname "$0")/lib.sh"
cat >"$work/slow.csv" <<'CSV'
title = A slow simulator
options = --size tiny
name,command,cycles,cpu_seconds
one,run vectoradd,1000,100
two,run bfs,-,400
no time,run gemm,5000,-
CSV
good "a file with seconds" bench --against "$work/slow.csv" --json "$work/r.json"
has "A slow simulator"
has "one  *100.0 "
check "a row without seconds is left out" sh -c '! grep -q "no time" "$1"' sh "$work/out"
check "ratios and their mean" python3 -c '
import json, math, sys
r = json.load(open(sys.argv[1]))[0]
p = {x["name"]: x for x in r["programs"]}
assert list(p) == ["one", "two"] and p["two"]["reference_seconds"] == 400
for x in p.values():
    assert x["seconds"] > 0 and math.isclose(x["ratio"] * x["seconds"], x["reference_seconds"], rel_tol=1e-3)
assert math.isclose(r["geometric_mean"] ** 2, p["one"]["ratio"] * p["two"]["ratio"], rel_tol=1e-3)' "$work/r.json"
good "one row" bench --against "$work/slow.csv" --only two
check "only that" sh -c '! grep -q "^one" "$1"' sh "$work/out"
sed 's/,cpu_seconds$/,energy.total/; s/,[0-9-]*$/,-/' "$work/slow.csv" >"$work/none.csv"
bad 2 "no row has cpu_seconds" bench --against "$work/none.csv"
sed 's/,100$/,fast/' "$work/slow.csv" >"$work/wrong.csv"
bad 2 "wrong.csv:4: error: 'fast' is no number" bench --against "$work/wrong.csv"
bad 2 "bench runs a fixed set" bench "$work/slow.csv"
finish
