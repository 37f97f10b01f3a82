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
n = sum(1 for e in json.load(open("all.json"))["traceEvents"] if "pc" in e.get("args", {}))
assert n == json.load(open("r.json"))["warp_instructions"], n'
good "timeline" run vectoradd --size tiny --set sm.count=1 --json plain.json
check "and nothing else changes" python3 -c '
import json
a, b = json.load(open("r.json")), json.load(open("plain.json"))
for d in a, b: d.pop("host"), d.pop("command")
assert a == b'

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
