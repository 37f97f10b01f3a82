# trace_schema.py FILE [FROM TO] - whether a file is a Chrome trace as its format is documented: the JSON object format
# with duration ("X"), counter ("C"), flow ("s", "t", "f") and metadata ("M") events.
#   every event has ph, pid and name; all but M have a ts that is a number; X have a dur above 0
#   slices of one track (pid, tid) nest or lie apart, never across
#   a flow (cat, name, id) begins with one s and ends with one f, its times do not go back, and each of its events lies
#   in a slice of its track, which is what "bp": "e" binds to
#   counters have numbers; M name a process or a thread, each once; every track that is used has a name
import collections, json, sys

doc = json.load(open(sys.argv[1]))
window = [int(a) for a in sys.argv[2:4]]
assert isinstance(doc, dict) and isinstance(doc["traceEvents"], list) and doc["displayTimeUnit"] in ("ms", "ns")
slices, flows, names = collections.defaultdict(list), collections.defaultdict(list), {}
for e in doc["traceEvents"]:
    assert isinstance(e["ph"], str) and isinstance(e["pid"], int) and isinstance(e["name"], str) and e["name"], e
    if e["ph"] == "M":
        key = (e["name"], e["pid"], e["tid"] if e["name"] == "thread_name" else 0)
        assert e["name"] in ("process_name", "thread_name") and e["args"]["name"] and key not in names, e
        names[key] = e["args"]["name"]
        continue
    assert isinstance(e["ts"], int) and e["ts"] >= 0, e
    if window: assert window[0] <= e["ts"] and e["ts"] + e.get("dur", 0) <= window[1], e
    if e["ph"] == "X":
        assert isinstance(e["tid"], int) and isinstance(e["dur"], int) and e["dur"] > 0, e
        slices[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"]))
    elif e["ph"] == "C":
        assert e["args"] and all(isinstance(v, int) and v >= 0 for v in e["args"].values()), e
    else:
        assert e["ph"] in "stf" and e["bp"] == "e" and isinstance(e["id"], int), e
        flows[e["cat"], e["name"], e["id"]].append(e)
for track, list_ in slices.items():
    assert ("thread_name", *track) in names and ("process_name", track[0], 0) in names, track
    open_ = []
    for begin, end in sorted(list_, key=lambda s: (s[0], -s[1])):
        while open_ and open_[-1] <= begin: open_.pop()
        assert not open_ or end <= open_[-1], (track, begin, end, open_)
        open_.append(end)
for key, events in flows.items():
    assert [e["ph"] for e in events] == ["s"] + ["t"] * (len(events) - 2) + ["f"], key
    times = [e["ts"] for e in events]
    assert times == sorted(times), (key, times)
    for e in events:
        assert any(a <= e["ts"] < b for a, b in slices[e["pid"], e["tid"]]), e
print(len(doc["traceEvents"]), "events,", len(flows), "flows,", len(slices), "tracks")
