#!/bin/sh
# Timelines: the file of a run, and the paper's example as text.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# ---- the file ----
good "timeline" run bfs --size tiny --gpu mascar --sched mascar --timeline fast.json --timeline-window 1000..3000 \
    --timeline-sms 0,1 -q
good "timeline" run bfs --size tiny --gpu mascar --sched mascar --timeline tick.json --timeline-window 1000..3000 \
    --timeline-sms 0,1 -q --engine tick
check "both engines write the same" cmp fast.json tick.json
cat >look.py <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
ev = d["traceEvents"]
lo, hi = int(sys.argv[2]), int(sys.argv[3])
for e in ev:
    if "ts" in e:
        assert lo <= e["ts"] and e["ts"] + e.get("dur", 0) <= hi, e
names = {e["args"]["name"] for e in ev if e["ph"] == "M"}
assert {"SM 0", "SM 1", "mode", "owner", "ld/st unit", "kernels", "warp 0"} <= names, names
assert not any(n.startswith("SM ") and n not in ("SM 0", "SM 1") for n in names)
kinds = {(e["ph"], e["name"]) for e in ev}
for k in ("C", "MSHRs"), ("C", "miss queue"), ("X", "EP"), ("X", "load"), ("X", "compute"), ("X", "waits for a load"):
    assert k in kinds, k
PY
check "the events are the window's" python3 look.py fast.json 1000 3000

# An SM's instructions of the whole run are those it counted.
good "timeline" run vectoradd --size tiny --set sm.count=1 --timeline all.json --timeline-window 0..10M --json r.json
check "every issue is there" python3 -c '
import json
n = sum(1 for e in json.load(open("all.json"))["traceEvents"] if "lanes" in e.get("args", {}))
assert n == json.load(open("r.json"))["warp_instructions"], n'
good "timeline" run vectoradd --size tiny --set sm.count=1 --json plain.json
check "and nothing else changes" python3 -c '
import json
a, b = json.load(open("r.json")), json.load(open("plain.json"))
for d in a, b: d.pop("host"), d.pop("command")
assert a == b'

# ---- the format, requests on their way, triggers ----
schema=$WL_ROOT/tests/cli/trace_schema.py
check "it is what the format's description asks for" python3 "$schema" fast.json 1000 3000
good "requests" run bfs --size tiny --set l2.copy_fills=no --timeline flows.json --timeline-requests 8 -q
good "requests, tick" run bfs --size tiny --set l2.copy_fills=no --timeline flows-tick.json --timeline-requests 8 \
    -q --engine tick
check "both engines follow the same" cmp flows.json flows-tick.json
check "flows are whole" python3 "$schema" flows.json 0 20000
cat >flows.py <<'PY'
import collections, json, re
ev = json.load(open("flows.json"))["traceEvents"]
process = {e["pid"]: e["args"]["name"] for e in ev if e["name"] == "process_name"}
way = collections.defaultdict(list)
for e in ev:
    if e["ph"] in "stf": way[e["id"]].append(re.sub(" [0-9]+$", "", process[e["pid"]]))
there, back = ["SM", "network to the L2", "L2 slice"], ["network to the SMs", "SM"]
assert there + back in way.values()                                           # the L2 had it
assert there + ["memory channel", "L2 slice"] + back in way.values()          # it had not
one = next(e for e in ev if e["ph"] == "X" and e["name"] == "L2" and "ld.global" in e["args"]["where"])
assert one["args"]["where"].startswith("PTX line ") and one["args"]["pc"] > 0 and one["args"]["address"][:2] == "0x"
assert {"CTA 0", "ready", "waits for a result"} <= {e["name"] for e in ev}
PY
check "through every part and back, with pc and line" python3 flows.py
good "none" run bfs --size tiny --timeline none.json --timeline-requests 0 -q
check "no flows" sh -c '! grep -q "\"ph\":\"s\"" none.json'
good "from a kernel" run atax --size tiny --timeline k.json --timeline-from 'kernel:atax_*#2' \
    --timeline-window 0..500 -q
good "its cycles" run atax --size tiny --json r.json -q
check "the second launch's" python3 -c '
import json
first = json.load(open("r.json"))["kernels"][0]["cycles"]
ts = [e["ts"] for e in json.load(open("k.json"))["traceEvents"] if "ts" in e]
assert first <= min(ts) <= first + 50 and max(ts) <= first + 501, (first, min(ts), max(ts))'
good "from a pc" run atax --size tiny --timeline pc.json --timeline-from pc:0x40 --timeline-window 0..100 -q
check "where it issues" python3 -c '
import json
e = min((e for e in json.load(open("pc.json"))["traceEvents"] if "lanes" in e.get("args", {})), key=lambda e: e["ts"])
assert e["args"]["pc"] == 64, e'
good "from a stall" run kmeans_1 --size tiny --timeline s.json --timeline-from stall:mshr --timeline-window 0..300 -q
check "which is the first thing seen" grep -q 'stalls: no MSHR' s.json
run run atax --size tiny --timeline never.json --timeline-from pc:1 -q
check "what never happens is said" grep -q 'did not happen' "$work/err"
bad 2 "is kernel:NAME" run atax --size tiny --timeline x.json --timeline-from stall:what
bad 2 "needs --timeline FILE" run atax --size tiny --timeline-from stall

# ---- mistakes ----
bad 2 "needs two cycles" run bfs --size tiny --timeline x.json --timeline-window 30..20
bad 2 "needs two cycles" run bfs --size tiny --timeline x.json --timeline-window 30
bad 2 "needs numbers of SMs" run bfs --size tiny --timeline x.json --timeline-sms 0,x
bad 2 "needs --timeline FILE" run bfs --size tiny --timeline-sms 0
bad 2 "cannot write no/such/x.json" run bfs --size tiny --timeline no/such/x.json
bad 2 "leave --functional out" run bfs --size tiny --functional --timeline x.json
bad 2 "mascar-fig3" timeline
bad 2 "no example 'fig9'" timeline fig9

# ---- the paper's example ----
good "example" timeline mascar-fig3
has 'any number of outstanding loads: finishes in 21'
has 'round robin, two outstanding loads: finishes in 26'
has 'Mascar, two outstanding loads: finishes in 23'
has '    W1        12.....++++'

bad 2 "there is no SM 99; this machine has SMs 0 to 14" run bfs --size tiny --timeline x.json --timeline-sms 0,99
finish
