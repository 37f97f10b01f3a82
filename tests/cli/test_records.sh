#!/bin/sh
# A record knows what it ran, in every form; the schema holds for all of them; a record runs again from itself.
. "$(dirname "$0")/lib.sh"
export XDG_CACHE_HOME="$work/cache"
cd "$work" || exit 1
valid() { python3 "$WL_ROOT/tests/cli/schema.py" "$WL_ROOT/docs/result.schema.json" "$@" >"$work/err" 2>&1; }

run run atax --size tiny --gpu dacache --set l1d.ways=16 --set l1d.index=xor \
    --l1 dacache:promo=2 --seed 3 --json a.json -q
check "a record" test $status -eq 0
check "has the schema's form" valid a.json
check "and says what it ran" python3 - <<'P'
import json
r = json.load(open("a.json"))
assert r["set"] == {"l1d.ways": 16, "l1d.index": "xor"} and r["gpu"] == r["preset"] == "dacache"
assert r["config"]["l1d"]["ways"] == 16 and r["config"]["l1d"]["sets"] == 32 and r["config"]["l1d"]["size"] == 65536
p = r["policies"]
assert p["l1"]["name"] == "dacache" and p["l1"]["parameters"]["promo"] == "2" and "fcw_init" in p["l1"]["parameters"]
assert p["l2"] == {"name": "lru", "parameters": {}} and p["sched"]["name"] == "gto"
assert r["inputs"]["n"] > 0 and r["seed"] == 3 and len(r["build"]) == 32
assert r["command"] == ("warpline run atax --size tiny --gpu dacache --set l1d.ways=16 --set l1d.index=xor"
                        " --l1 dacache:promo=2 --seed 3 --json a.json -q"), r["command"]
P
check "enough to run it again" python3 - "$WARPLINE" <<'P'
import json, subprocess, sys
r = json.load(open("a.json"))
words = [sys.argv[1], "run", r["workload"], "--size", r["size"], "--gpu", r["preset"], "--seed", str(r["seed"]), "-q"]
for place, of in r["policies"].items():
    words += ["--" + place, of["name"] + ":" + ",".join("%s=%s" % p for p in of["parameters"].items())]
for name, value in r["set"].items():
    words += ["--set", "%s=%s" % (name, value)]
for name, value in r["inputs"].items():
    words += ["--input", "%s=%d" % (name, value)]
subprocess.run(words + ["--json", "b.json"], check=True)
b = json.load(open("b.json"))
for d in r, b:
    del d["host"], d["command"]
assert r == b
P
printf 'base = gtx480-v322\nl1d.mshr = 7\n' >mine.ini
good "a machine of a file" run vectoradd --size tiny --gpu mine.ini --json m.json -q
check "differs from its preset by its lines" python3 -c 'import json
r = json.load(open("m.json"))
assert r["gpu"] == "mine.ini" and r["preset"] == "gtx480-v322" and r["set"] == {"l1d.mshr": 7}'
good "words with blanks" run vectoradd --size tiny --json 'a b.json' -q
check "are quoted in the command" \
    grep -q "\"command\": \"warpline run vectoradd --size tiny --json 'a b.json' -q\"" 'a b.json'

# ---- CSV ----
good "CSV" run atax --size tiny --set l1d.ways=8 --set l1d.mshr=9 --csv c.csv -q
check "has it too" python3 -c 'import csv
[r] = csv.DictReader(open("c.csv"))
assert r["set"] == "l1d.ways=8 l1d.mshr=9" and r["config.l1d.ways"] == "8" and r["preset"] == "gtx480"
assert r["command"].startswith("warpline run atax") and r["config.l1d.size"] == str(32 * 8 * 128), r'

# ---- all kinds of records have the schema'"'"'s form ----
good "profile and samples" run bfs --size tiny --set stats.interval=5000 --samples s.csv --loads l.csv --json p.json -q
good "functional" run vectoradd --size tiny --functional --json f.json -q
good "checked" run vectoradd --size tiny --check --json k.json -q
good "a trace" trace record vectoradd --size tiny -o v.wlt -q
good "replayed" run v.wlt --json t.json -q
good "a kernel" run "$WL_ROOT/tests/cli/axpy.ptx" --kernel axpy --grid 4 --block 96 --arg buf:4K:iota-f32 \
    --arg buf:4K:zero --arg f32:2 --arg u32:300 --json x.json -q
good "a scheme" run atax --size tiny --scheme ccws --gpu mascar --json q.json -q
good "compared" compare vectoradd --size tiny --sched lrr,gto --json w.json -q
good "swept" sweep vectoradd --size tiny --set l1d.size=16K,32K --store z.db -q
good "exported" store export json --store z.db -o z.json
check "all are as the schema says" valid p.json f.json k.json t.json x.json q.json w.json z.json m.json
sed 's/"cycles": \([0-9]*\)/"cycles": "\1"/; s/"preset": .*/"preset": 7,/' a.json >wrong.json
check "and the schema is not a formality" sh -c '! python3 "$0" "$1" wrong.json >/dev/null' \
    "$WL_ROOT/tests/cli/schema.py" "$WL_ROOT/docs/result.schema.json"

# ---- lists as CSV ----
check "samples and loads" python3 - <<'P'
import csv, json
r = json.load(open("p.json"))
samples, loads = list(csv.DictReader(open("s.csv"))), list(csv.DictReader(open("l.csv")))
assert len(samples) == len(r["samples"]) > 2 and len(loads) == len(r["loads"]) > 2
assert [int(s["cycle"]) for s in samples] == [s["cycle"] for s in r["samples"]]
assert [int(s["l1d.stalls.mshr"]) for s in samples] == [s["l1d"]["stalls"]["mshr"] for s in r["samples"]]
assert [(l["kernel"], int(l["pc"]), int(l["misses"])) for l in loads] == [
    (l["kernel"], l["pc"], l["misses"]) for l in r["loads"]]
P
bad 2 "needs an interval: add --samples CYCLES" run vectoradd --size tiny --samples s2.csv
good "both in either order" run vectoradd --size tiny --samples s3.csv --samples 500 -q
bad 2 "samples is given twice" run vectoradd --size tiny --samples 500 --samples 600
bad 2 "samples is given twice" run vectoradd --size tiny --samples s2.csv --samples s4.csv
bad 2 "cannot both go to standard output" run vectoradd --size tiny --loads - --json -
check "no file is left" test ! -e s2.csv

# ---- a store of an older version ----
if python3 -c 'import sqlite3' 2>/dev/null; then
    python3 - <<'P'
import sqlite3
for name, version in (("old.db", 2), ("new.db", 9)):
    import shutil
    shutil.copy("z.db", name)
    db = sqlite3.connect(name)
    if version == 2: db.execute("DROP TABLE uses")
    db.execute("PRAGMA user_version=%d" % version)
    db.commit()
    db.close()
P
    good "a store of format 2 is read" store export csv --store old.db
    check "without what it does not know" sh -c '! head -1 "$0" | grep -q ",series"' out
    good "and becomes one of format 3" sweep vectoradd --size tiny --set l1d.size=16K,48K --store old.db -q
    good "with its results" store export csv --store old.db
    has ',experiment,series,point$'
    check "all of them" test "$(wc -l <out)" = 4
    bad 2 "has format 9, which another version of warpline wrote" store list --store new.db
fi
finish
