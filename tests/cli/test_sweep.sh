#!/bin/sh
# Sweeps and comparisons over lists: tables, CSV, JSON, the store, continuing, schemes, sizes of caches.
. "$(dirname "$0")/lib.sh"
export XDG_CACHE_HOME="$work/cache"
cd "$work" || exit 1
two="sweep vectoradd reduction --size tiny --set l1d.size=16K,32K --sched lrr,gto --store s.db"

good "a sweep" $two -j 2 --csv s.csv --json s.json
has '^workload  *sched  l1d.size  *cycles'; has '^geometric mean  lrr    16K'
check "the table has a line per run, and a mean per point" test "$(wc -l <out)" = 13
cp out first
good "again" $two
check "gives the same table" cmp -s out first
good "from the store alone" $two --no-run -q --json again.json
check "CSV and JSON" python3 - <<'P'
import csv, json
rows = list(csv.DictReader(open("s.csv")))
assert len(rows) == 8
assert {(r["workload"], r["l1d.size"], r["scheduler"]) for r in rows} == {
    (w, s, p) for w in ("vectoradd", "reduction") for s in ("16384", "32768") for p in ("lrr", "gto")}
assert {r["set"] for r in rows} == {"", "l1d.sets=64"} and {r["l1d.sets"] for r in rows} == {"32", "64"}
assert "l1d.ways" not in rows[0] and rows[0]["config.l1d.ways"] == "4"
assert all(r["command"].startswith("warpline sweep vectoradd") for r in rows)
j, k = json.load(open("s.json")), json.load(open("again.json"))
assert j == k and j["varied"] == ["sched", "l1d.size"] and j["baseline"] == "lrr 16K" and len(j["runs"]) == 8
for r, c in zip(j["runs"], rows):
    assert r["point"] == {"sched": r["scheduler"], "l1d.size": str(r["config"]["l1d"]["size"] // 1024) + "K"}
    assert str(r["cycles"]) == c["cycles"] and r["label"] == c["label"]
assert j["runs"][0]["speedup"] == 1
P
good "a longer list runs what is new" sweep vectoradd reduction --size tiny --set l1d.size=16K,32K,48K --sched lrr,gto \
    --store s.db -q
good "the store" store export csv --store s.db -o all.csv
check "has each run once, with its point" python3 - <<'P'
import csv
rows = list(csv.DictReader(open("all.csv")))
assert len(rows) == 12 == len({(r["workload"], r["l1d.size"], r["scheduler"]) for r in rows})
assert {r["point"] for r in rows} == {"sched=%s l1d.size=%s" % (p, s) for p in ("lrr", "gto")
                                      for s in ("16K", "32K", "48K")}
assert {r["experiment"] for r in rows} == {"sweep"} and {r["l1d.ways"] for r in rows} == {"4", "6"}
P
good "the default store is in the cache folder" sweep vectoradd --size tiny -q
check "there" test -f cache/warpline/results.db
good "inputs and policies" sweep vectoradd --size tiny --input n=1000 --l1 lru,dip:leaders=8,dip \
    --csv p.csv --store p.db -q
check "a parameter of a policy that was varied has a column" python3 - <<'P'
import csv
rows = list(csv.DictReader(open("p.csv")))
assert [r["l1.leaders"] for r in rows][1] == "8" and rows[0]["l1.leaders"] == "" and rows[0]["inputs"] == "n=1000", rows
P
good "nothing to show" sweep vectoradd --size tiny --store empty.db --no-run -q
run sweep vectoradd --size tiny --store empty.db --no-run
has 'not run'
bad 2 "with l1d.size=20000: l1d.size = 20000 is no size" sweep vectoradd --size tiny --set l1d.size=16K,20000
bad 2 "l1d.size and l1d.sets are both set" sweep vectoradd --size tiny --set l1d.size=16K,32K --set l1d.sets=32
bad 2 "sched is given twice\|--sched is given twice" sweep vectoradd --sched lrr --sched gto
bad 2 "l1d.ways is given twice" sweep vectoradd --set l1d.ways=4 --set l1d.ways=8
bad 2 "empty entry" sweep vectoradd --set l1d.ways=4,,8
bad 2 "no assignment" sweep vectoradd --set l1d.ways
bad 2 "did you mean 'l1d.ways'" sweep vectoradd --set l1d.wys=4,8
bad 2 "needs workloads" sweep
bad 2 "did you mean 'vectoradd'" sweep vectorad
bad 2 "more than 4096 combinations" sweep vectoradd --set l1d.mshr=$(seq -s, 1 100) --set l2.mshr=$(seq -s, 4 100)

# Ctrl-C: what is done is kept, and the same command goes on.
long="sweep atax bfs kmeans_1 --size tiny --set l1d.size=16K,32K,64K --sched lrr,gto"
long="$long --set l1d.mshr=8,12,16,20,24,28,32,40,48,56,64,96 --store c.db"
python3 - "$WARPLINE" $long <<'P' >cut.out 2>cut.err
import os, signal, subprocess, sys, time
p = subprocess.Popen(sys.argv[1:] + ["-j", "1"], preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
while p.poll() is None and not os.path.exists("c.db"): time.sleep(0.01)
time.sleep(0.5)
p.send_signal(signal.SIGINT)
sys.exit(p.wait())
P
status=$?
check "Ctrl-C" test $status -eq 1
check "says how to go on" grep -q 'of 216 runs are done and stored: repeat the command' cut.err
WARPLINE_PROGRESS=0.2 "$WARPLINE" $long -j 2 >"$work/out" 2>log
check "the same command goes on" test $? -eq 0
check "with lines of progress and the time left" grep -q '^[0-9]*/[0-9]* runs  [a-z_0-9]*, .* left$' log
check "and not from the beginning" sh -c '[ "$(sed -n "1s,.*/\([0-9]*\) runs.*,\1,p" log)" -lt 216 ]'

# ---- compare: the same lists, no store ----
good "compare over settings" compare vectoradd --size tiny --set l1d.size=16K,32K --set l1d.mshr=8,64 -j 2 --csv - 
check "a row each" test "$(wc -l <out)" -eq 5
good "with checks" compare vectoradd --size tiny --sched lrr,gto --check --paranoid --engine tick
check "nothing is stored" test "$(ls cache/warpline | wc -l)" = 1
good "with a store" compare vectoradd --size tiny --sched lrr,gto --store k.db
check "kept" test -f k.db
bad 2 "do not go together" compare vectoradd --store k.db --check
bad 1 "with lrr: .*stopped" compare vectoradd --size tiny --sched lrr,gto --max-cycles 10

# ---- schemes ----
good "schemes" list schemes
for s in dacache apcm dycache mascar hac ccws pcal; do has "^$s "; done
good "a scheme with two parts" run atax --size tiny --scheme ccws --json -
has '"l1_policy": "ccws_tags"'; has '"scheduler": "ccws"'
good "parameters go to its policy" run atax --size tiny --scheme mascar:part=sched --json -
has '"scheduler": "mascar:part=sched"'
good "a part of it replaced" run atax --size tiny --scheme dacache --sched lrr --json -
has '"l1_policy": "dacache"'; has '"scheduler": "lrr"'
good "lists of schemes" compare atax --size tiny --scheme none,dacache,pcal
has '^atax  *none '
quietly() { "$WARPLINE" "$@" >out 2>err; } # a scheme that changes the machine says so
for g in $("$WARPLINE" list gpus --plain); do
    for s in dycache hac; do check "$s on $g" quietly run vectoradd --size tiny --gpu $g --scheme $s -q; done
done
check "a scheme sets what it needs" quietly run vectoradd --size tiny --gpu h100 --scheme dycache --json needs.json -q
check "says so" grep -q "scheme dycache sets shared.unified=0 l1d.sectored=no: h100" err
check "the record has it" python3 -c 'import json
r = json.load(open("needs.json"))
assert r["set"] == {"shared.unified": 0, "l1d.sectored": "no"} and r["l1_policy"] == "dycache", r["set"]
assert "scheme dycache sets" in r["warnings"][0]'
bad 2 "lines of the L1D have sectors; one miss may send 5 packets" run vectoradd --gpu gtx480 --scheme dycache \
    --set l1d.sectored=yes --set l1d.missq=4
check "what was set by hand is refused, with all that would do" \
    grep -q -e 'do: --set l1d.sectored=no --set l1d.missq=5' err
bad 2 "the L2 has 25 ways" run vectoradd --gpu h100 --scheme hac --set l2.ways=25
bad 2 "These would do: --l1 ccws_tags" run vectoradd --size tiny --scheme ccws --l1 lru
bad 2 "the L2 has 25 ways.*do: --set l2.size=" run vectoradd --gpu h100 --scheme hac --set l2.size=50M
check "that size does" \
    quietly run vectoradd --size tiny --gpu h100 --scheme hac -q --set "$(sed -n 's/.*--set //p' err)"
bad 2 "did you mean 'dycache'" run atax --scheme dycahe
bad 2 "has no parameter 'x'" run atax --scheme dacache:x=1

# ---- inputs and seeds ----
good "lists of inputs and seeds" sweep bfs --size tiny --input nodes=256,512 --seed 1,2 --sched lrr,gto --store in.db \
    -j 2 --csv in.csv --json in.json
check "a run for each, each as it is alone" python3 - "$WARPLINE" <<'PY'
import csv, json, subprocess, sys

runs = json.load(open("in.json"))["runs"]
assert json.load(open("in.json"))["varied"] == ["sched", "nodes", "seed"]
assert [(r["point"]["sched"], r["point"]["nodes"], r["point"]["seed"]) for r in runs] == [
    (s, n, d) for s in ("lrr", "gto") for n in ("256", "512") for d in "12"]
first = {(r["point"]["nodes"], r["point"]["seed"]): r["cycles"] for r in runs[:4]}
assert len(set(first.values())) > 2  # another seed is another graph
for r in runs:
    p = r["point"]
    words = "run bfs --size tiny --json - -q --input nodes=%(nodes)s --seed %(seed)s --sched %(sched)s" % p
    alone = json.loads(subprocess.run([sys.argv[1], *words.split()], stdout=subprocess.PIPE).stdout)
    assert (r["cycles"], r["l1d"]) == (alone["cycles"], alone["l1d"]), p
    assert abs(r["speedup"] - first[p["nodes"], p["seed"]] / r["cycles"]) < 1e-5  # over the same inputs
rows = list(csv.DictReader(open("in.csv")))
assert [row["inputs.nodes"] + " " + row["seed"] for row in rows[:4]] == ["256 1", "256 2", "512 1", "512 2"]
PY
good "nothing is run again" sweep bfs --size tiny --input nodes=256,512 --seed 1,2 --sched lrr,gto --store in.db \
    --no-run
good "compare too" compare bfs vectoradd --size tiny --seed 3,4
has '^bfs  *3 '
bad 2 "nodes is given twice" sweep bfs --size tiny --input nodes=256 --input nodes=512 --store in.db
bad 2 "has no input 'nn'" sweep bfs --size tiny --input nn=1,2 --store in.db
bad 2 "needs numbers, not 'x'" sweep bfs --size tiny --seed 1,x --store in.db
bad 2 "needs a number, not '1,2'" run bfs --size tiny --seed 1,2
finish
