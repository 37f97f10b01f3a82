#!/bin/sh
# Instructions and their lines: .loc of PTX, .wlt and Accel-Sim traces, faults, characterize --source.
. "$(dirname "$0")/lib.sh"
cd "$WL_ROOT/tests/cli" || exit 1 # the source is found by the name the compiler was given
args='--grid 4 --block 256 --arg buf:16K:iota-f32 --arg buf:4K --arg u32:8 --arg u32:33'

# What the JSON says of each instruction must be what stands in the PTX: the line itself, its text, the last .loc.
good "a profiled run" run lines.ptx $args --set stats.profile=1 --json "$work/run.json" -q
cat >"$work/lines.py" <<'P'
import json, re, sys
text = open("lines.ptx").read().split("\n")
loc, known = None, {}
for number, line in enumerate(text, 1):
    m = re.match(r"\s*\.loc\s+1 (\d+) \d+(?:.*inlined_at 1 (\d+) )?", line)
    if m: loc = (int(m[1]) or None, int(m[2]) if m[2] else None)
    known[number] = (" ".join(line.split(";")[0].split()), loc)
result = json.load(open(sys.argv[1]))
seen = result["instructions"] + result["loads"]
for i in seen:
    words, place = known[i["ptx_line"]]
    assert i["text"] == words, (i, words)
    assert (i["line"], i.get("inlined_at_line")) == (place if place[0] else (None, None)), (i, place)
    assert i["file"] == ("lines.cu" if place[0] else None), i
assert any(i.get("inlined_at_line") == 15 for i in result["loads"])
total = sum(i["warp_instructions"] for i in result["instructions"])
assert total == result["warp_instructions"], (total, result["warp_instructions"])
threads = sum(i["thread_instructions"] for i in result["instructions"])
assert threads == result["thread_instructions"]
# A load's requests are answered by someone: the L1D, a fetch in flight, or the L2, which asks memory.
for l in result["loads"]:
    assert l["requests"] == l["hits"] + l["merged"] + l["misses"] + l["bypasses"], l
    assert l["misses"] + l["bypasses"] == l["l2_hits"] + l["l2_merged"] + l["l2_misses"], l
# Warps stand at instructions for at most the time in which they are there.
stood = sum(sum(i["stall_cycles"].values()) for i in result["instructions"])
assert 0 < stood <= result["warp_states"]["total"], (stood, result["warp_states"]["total"])
assert any(i["stall_cycles"]["barrier"] for i in result["instructions"] if i["text"].startswith("bar"))
P
check "lines are those of the .loc directives" python3 "$work/lines.py" "$work/run.json"
good "and the same on the reference" run lines.ptx $args --set stats.profile=1 --engine tick --json "$work/tick.json" -q
same() { for f; do python3 -c 'import json, sys
r = json.load(open(sys.argv[1])); print(json.dumps([r["instructions"], r["loads"]]))' "$f" >"$f.list"; done
    cmp -s "$1.list" "$2.list"; }
check "cycle by cycle" same "$work/run.json" "$work/tick.json"

# Traces carry them.
good "record" trace record lines.ptx $args -o "$work/l.wlt" -q
good "replay" run "$work/l.wlt" --set stats.profile=1 --json "$work/wlt.json" -q
check "a .wlt has all of it" same "$work/run.json" "$work/wlt.json"
good "to Accel-Sim" trace convert "$work/l.wlt" -o "$work/accel" -q
check "with line numbers" grep -q '^-enable lineinfo = 1' "$work/accel/kernel-1.traceg"
good "and back" run "$work/accel" --set stats.profile=1 --json "$work/accel.json" -q
check "lines survive" python3 -c 'import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
lines = lambda r: sorted((i["line"] or 0, i["warp_instructions"]) for i in r["loads_by_line"])
for r in (a, b):
    sums = {}
    for i in r["instructions"]: sums[i["line"] or 0] = sums.get(i["line"] or 0, 0) + i["warp_instructions"]
    r["loads_by_line"] = [{"line": k, "warp_instructions": v} for k, v in sums.items()]
assert lines(a) == lines(b), (lines(a), lines(b))' "$work/run.json" "$work/accel.json"

# The annotated source.
good "in place" characterize "$work/l.wlt" --source
has '^lines.cu$'
has '  15  .*sum += at(a, (i \* stride + k) & 4095);'
has '   4  .*return p\[i\];'
has '   3  *{$'
good "sorted" characterize "$work/l.wlt" --source --sort awaited
check "the load that is waited for comes first" sh -c 'sed -n 5p "$0" | grep -q "lines.cu: return p"' "$work/out"
good "without lines it is PTX" characterize vectoradd --size tiny --source
has 'kernel vectoradd, lines of its PTX'
has 'ld.global'
good "CSV" characterize "$work/l.wlt" --source --csv -
check "a row per instruction, rectangular" python3 -c 'import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) > 20 and all(len(r) == 25 and None not in r for r in rows)
assert sum(int(r["requests"]) for r in rows if r["line"] == "4") > 0' "$work/out"
bad 2 "goes with --source" characterize atax --size tiny --sort stalls
bad 2 "not 'size'" characterize atax --size tiny --source --sort size
bad 2 "one program" characterize atax bfs --size tiny --source

# A fault says where; so does a machine that stands still.
bad 1 'lines.ptx:[0-9]*: ld.global.f32 .*, lines.cu:4 inlined at lines.cu:15' run lines.ptx --grid 4 --block 256 \
    --arg buf:4K --arg buf:4K --arg u32:8 --arg u32:33
finish
