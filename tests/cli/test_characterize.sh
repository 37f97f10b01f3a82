#!/bin/sh
# characterize, stats.profile, stats.interval: pages, tables, JSON, CSV, both engines, experiments, mistakes.
. "$(dirname "$0")/lib.sh"

good "characterize" characterize atax --size tiny
for word in program loads footprint intensity 'ld/st unit' issue 'coherent loads' 'divergent loads' streaming APS \
    'median reuse' 'of fetched bytes' 'eighths' 'atax_rows'; do has "$word"; done
check "it fits a page" test "$(wc -l <"$work/out")" -le 52
has '2,056 through the L1D, 24.9 % divergent'
good "characterize a program without loads that hit" characterize vectoradd --size tiny
check "nothing divides by zero" sh -c '! grep -q -i nan "$0"' "$work/out"
good "characterize --help" characterize --help
good "several make a table" characterize atax bfs --size tiny
has '^atax  '
has '^bfs  '
if [ "${WL_SLOW:-0}" != 1 ]; then
    good "a group" characterize @hac --size tiny
    has '^laplace3d'
fi
good "quiet" characterize atax --size tiny -q
check "really nothing" test ! -s "$work/out"

good "--csv -" characterize atax bfs --size tiny --csv -
check "CSV is rectangular" awk -F, 'NR == 1 { n = NF } NF != n { exit 1 } END { exit NR != 3 }' "$work/out"
good "--json -" characterize atax --size tiny --json -
cp "$work/out" "$work/a.json"
good "tick" characterize atax --size tiny --engine tick --json -
strip() { sed '/"host": {/,/}/d' "$1" | grep -v '"engine"\|"command"'; }
strip "$work/out" >"$work/b"; strip "$work/a.json" >"$work/a"
check "both engines see the same" cmp -s "$work/a" "$work/b"

# A profiled run: the arrays, the counters, and nothing else changed.
good "plain run" run bfs --size tiny --json "$work/plain.json" -q
good "profiled run" run bfs --size tiny --set stats.profile=1 --set stats.interval=700 --json "$work/p.json" -q
good "profiled text" run bfs --size tiny --set stats.profile=1
has '  profile  '
good "profiled CSV" run bfs --size tiny --set stats.profile=1 --csv -
has 'profile.access.intra_warp'
good "plain CSV" run bfs --size tiny --csv -
check "no profile, no columns" sh -c '! grep -q profile.access "$0"' "$work/out"
if command -v python3 >/dev/null 2>&1; then
    check "JSON of characterize" python3 -c 'import json,sys
r = json.load(open(sys.argv[1]))
m = r["metrics"]
assert abs(m["requests_per_load"] - r["sm"]["load_requests"] / r["sm"]["l1d_loads"]) < 1e-6
assert abs(sum(m["lines." + k] for k in ("streaming", "inter_warp", "intra_warp", "mixed")) - 1) < 1e-5
assert abs(sum(m["size_" + k] for k in ("32", "64", "128")) - 1) < 1e-5
assert sum(x["requests"] for x in r["sizes_over_time"]) == r["l1d"]["loads"] == sum(l["requests"] for l in r["loads"])
assert "samples" not in r and len(r["sizes_over_time"]) == 8' "$work/a.json"
    check "samples add up, other counters are those of the plain run" python3 -c 'import json,sys
a, b = (json.load(open(f)) for f in sys.argv[1:3])
s = b["samples"]
assert s[0]["cycle"] == s[0]["cycles"] == 700 and s[-1]["cycle"] == b["cycles"] == sum(x["cycles"] for x in s)
def flat(o, at=""):
    for k, v in o.items():
        if isinstance(v, dict): yield from flat(v, at + k + ".")
        elif isinstance(v, int): yield at + k, v
whole = dict(flat({g: b[g] for g in ("sm", "l1d", "l1t", "l1c", "icnt", "l2", "dram", "profile")}))
total = {}
for x in s:
    for k, v in flat(x): total[k] = total.get(k, 0) + v
assert all(total[k] == v for k, v in whole.items()), [k for k, v in whole.items() if total[k] != v]
for k in ("samples", "heat", "profile", "loads", "instructions", "reuse", "issue_ranks"): del b[k]
for k in b["kernels"]: k.pop("profile", None)
for o in (a, b): del o["host"], o["config_hash"], o["config"], o["set"], o["command"]
assert a == b' "$work/plain.json" "$work/p.json"
fi

# Figures over what was observed.
cat >"$work/x.ini" <<END
workloads = atax
size = tiny
set = stats.profile=1 stats.interval=1000
[series lru]
l1 = lru
[figure time]
chart = time
each = samples
metric = profile.size_32 / l1d.loads
[figure ranks]
chart = cdf
each = issue_ranks
metric = value
[figure loads]
chart = time
each = loads
metric = misses / requests
[figure aps]
metric = profile.infinite.majority / profile.infinite.lines
END
good "an experiment over samples, ranks and loads" experiment "$work/x.ini" --store "$work/s.db" --out "$work" \
    --jobs 1 -q
run experiment "$work/x.ini" --store "$work/s.db" --out "$work" --jobs 1
check "a point a sample" test "$(grep -c '^atax' "$work/x.time.csv")" -ge 50
check "a point a load" test "$(grep -c '^atax' "$work/x.loads.csv")" -eq 18

if [ "${WL_SLOW:-0}" != 1 ]; then # it executes every program
    good "list workloads -v" list workloads -v
    has 'tiny: 2 kernels, 2 launches, 2 CTAs, 512 threads, 6,412 warp instructions; 2,056 L1D loads, 24.9 % divergent'
    has '    in @dacache.divergent @apcm.cs'
fi

# A trace has the character of its program.
good "record" trace record atax --size tiny -o "$work/atax.wlt" -q
good "characterize a trace" characterize "$work/atax.wlt"
cp "$work/out" "$work/of_trace"
good "characterize its program" characterize atax --size tiny
check "trace and program have one character" cmp -s "$work/out" "$work/of_trace"
bad 2 "characterize needs a workload" characterize
bad 2 "did you mean 'atax'" characterize ataks
bad 2 "did you mean '@apcm.cs'" characterize @apcm.sc
bad 2 "knows no option '--l1'" characterize atax --l1 lru
bad 2 "has no input" characterize atax --input q=1
bad 2 "no size 'tinny'" characterize atax --size tinny
bad 2 "cannot write" characterize atax --size tiny --json "$work/none/x.json"
bad 2 "cannot both" characterize atax --size tiny --json - --csv -
bad 2 "stats.profile" run atax --size tiny --set stats.profile=2
bad 2 "stats.interval" run atax --size tiny --set stats.interval=-1
bad 2 "goes with 'list workloads -v'" list workloads --size tiny
bad 2 "goes with 'list workloads -v'" list gpus --size tiny
finish
