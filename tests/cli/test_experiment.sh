#!/bin/sh
# Experiments from the command line: figures, claims, the store, the report; and everything that
# may happen in the middle of a sweep.
. "$(dirname "$0")/lib.sh"
export XDG_CACHE_HOME="$work/cache"
db="$work/results.db"
cd "$work" || exit 1

rows() { "$WARPLINE" store list --store "$1" 2>/dev/null | sed -n 's/ results, .*//p'; }
# finishes SECONDS PID: waits for a process at most that long.
finishes() {
    n=0
    while kill -0 "$2" 2>/dev/null; do
        n=$((n + 1)); [ $n -gt $(($1 * 20)) ] && return 1
        sleep 0.05
    done
}

# ---- a user's file in ten lines ----
cat >mine.ini <<INI
workloads = atax bfs
[series lrr]
sched = lrr
[series gto]
sched = gto
[figure 1]
title = Speedup of GTO
metric = ipc
base = lrr
mean = geometric
INI
good "an experiment of ten lines" experiment mine.ini --size tiny --store "$db" --out fig
has '^mine.1  Speedup of GTO'; has '^atax  *1.000 '; has '^geometric mean '
check "it writes CSV" grep -q '^workload,lrr,gto$' fig/mine.1.csv
check "four runs are stored" test "$(rows "$db")" = 4
cp "$work/out" first
good "the second time nothing runs" experiment mine.ini --size tiny --store "$db" --out fig
check "and the output is the same" cmp -s first "$work/out"
check "still four" test "$(rows "$db")" = 4
sed 's/^workloads.*/workloads = small_atax bfs/' mine.ini >inputs.ini
printf '[workload small_atax]\nprogram = atax\ninputs = n=40\n' >>inputs.ini
good "other inputs are other results" experiment inputs.ini --size tiny --store "$db" --out fig -q
check "two more" test "$(rows "$db")" = 6
good "the default store is in the cache folder" experiment mine.ini --size tiny --out fig -q
check "there" test -s "$XDG_CACHE_HOME/warpline/results.db"

# ---- a trace is a workload ----
mkdir -p sub/traces
"$WARPLINE" trace record atax --size tiny -o sub/traces/recorded.wlt -q
sed 's/^workloads.*/workloads = recorded bfs/' mine.ini >sub/traced.ini
printf '[workload recorded]\ntrace = traces/recorded.wlt\nlabel = atax\n' >>sub/traced.ini
good "a trace in an experiment" experiment sub/traced.ini --size tiny --store "$db" --out fig -q
check "has the numbers of the program" cmp -s fig/mine.1.csv fig/traced.1.csv
check "its two runs are stored" test "$(rows "$db")" = 8
mv sub/traces/recorded.wlt sub/traces/moved.wlt
sed -i 's/recorded.wlt/moved.wlt/' sub/traced.ini
good "a trace that was moved" experiment sub/traced.ini --size tiny --store "$db" --out fig -q
check "is not run again" test "$(rows "$db")" = 8
good "in the report" report sub/traced.ini --size tiny --store "$db" -o traced.html -q
check "with its file" grep -q 'trace sub/traces/moved.wlt' traced.html
"$WARPLINE" trace record atax --size tiny --input n=48 -o sub/traces/moved.wlt -q
good "another trace under the same name" experiment sub/traced.ini --size tiny --store "$db" --out fig -q
check "is run" test "$(rows "$db")" = 10
sed 's/moved.wlt/none.wlt/' sub/traced.ini >sub/none.ini
bad 2 "cannot read sub/traces/none.wlt" experiment sub/none.ini --size tiny --store "$db"
echo 'no trace' >sub/traces/bad.wlt
sed 's/moved.wlt/bad.wlt/' sub/traced.ini >sub/bad.ini
bad 2 "bad.wlt" experiment sub/bad.ini --size tiny --store "$db"

sed -e 's,moved.wlt,v5,' sub/traced.ini >sub/folder.ini
cp -r "$WL_ROOT/tests/traces/v5" sub/traces/v5
good "a folder of Accel-Sim" experiment sub/folder.ini --size tiny --store "$db" --out fig -q
check "is run" test "$(rows "$db")" = 12
echo '# the same, otherwise written' >>sub/traces/v5/kernelslist.g
good "one of its files has changed" experiment sub/folder.ini --size tiny --store "$db" --out fig -q
check "is run again" test "$(rows "$db")" = 14
sed 's,^trace = .*,&\nkernel = none*,' sub/folder.ini >sub/kernel.ini
run experiment sub/kernel.ini --size tiny --store "$db" --out fig -q
check "kernels by name" grep -q '2 of 4 runs failed' "$work/err"

# ---- mistakes ----
sed 's/gto$/gtoo/' mine.ini >typo.ini
bad 2 "typo.ini:5:9: error: unknown scheduler 'gtoo'; did you mean 'gto'" experiment typo.ini --store "$db"
bad 2 "cannot read ./none.ini" experiment ./none.ini --store "$db"
bad 2 "did you mean 'baseline'" experiment basline --store "$db"
bad 2 "experiment takes one file" experiment --store "$db"
bad 2 "did you mean 'tiny'" experiment mine.ini --size tinny --store "$db"
bad 2 "figure needs an id" figure --store "$db"
bad 2 "baseline has no figure '77'" figure baseline.77 --store "$db"
bad 2 "store takes one of" store --store "$db"
bad 2 "did you mean 'verify'" store verfy --store "$db"
bad 2 "there is no result store" store list --store "$work/none.db"
bad 2 "csv, json or results" store export xml --store "$db"
bad 2 "needs --spool" experiment mine.ini --task abc
bad 2 "jobs is 1 to" experiment mine.ini --size tiny --jobs 4000 --store "$work/jobs.db"
PATH_KEPT=$PATH
mkdir -p bin; for t in sh; do ln -sf "$(command -v $t)" bin/$t; done
PATH="$work/bin" run experiment mine.ini --size tiny --store "$db" --out nopict
check "without gnuplot: a sentence and the CSV" sh -c \
    "[ $status = 0 ] && [ -s nopict/mine.1.csv ] && [ ! -e nopict/mine.1.svg ] &&
    grep -q 'gnuplot is not installed' '$work/err'"
PATH="$work/bin" run experiment mine.ini --size tiny --store "$work/s.db" --slurm
check "without Slurm: a sentence" sh -c "[ $status = 2 ] && grep -q 'no sbatch here' '$work/err'"
PATH=$PATH_KEPT

# ---- figures ----
good "list figures" list figures
has '^baseline.1 '
good "one figure" figure baseline.1 --size tiny --store "$db" --out fig
has '^baseline.1 '; has '^geometric mean, divergent'
for n in 1 2 3 4 5; do
    run figure baseline.$n --size tiny --store "$db" --out fig -q
    check "baseline.$n has a CSV" test -s fig/baseline.$n.csv
    if command -v gnuplot >/dev/null; then
        check "baseline.$n has an SVG" grep -q '</svg>' fig/baseline.$n.svg
    else echo "# no gnuplot: SVG of baseline.$n not checked"; fi
done
# The shape; the numbers are in tests/golden once the model is frozen.
check "header of baseline.1" grep -qx 'workload,LRR,GTO' fig/baseline.1.csv
check "header of baseline.3" grep -qx 'workload,l1d.ways,LRR,GTO' fig/baseline.3.csv
check "header of baseline.4" grep -qx 'workload,series,hit,merged,miss,bypass' fig/baseline.4.csv
check "rows of baseline.1" test "$(wc -l <fig/baseline.1.csv)" = 16
check "rows of baseline.3" test "$(wc -l <fig/baseline.3.csv)" = 57
check "no number is missing" sh -c '! grep -q ",\$\|,," fig/baseline.*.csv'

# ---- claims ----
good "claims" claims baseline --size tiny --store "$db"
has '^claims: 2 total, 2 match, 0 direction, 0 miss, 0 not run$'
run claims baseline --size tiny --no-run --store "$work/fresh.db"
check "without results a claim is not run" grep -q '^claims: 2 total, 0 match, 0 direction, 0 miss, 2 not run$' \
    "$work/out"

# ---- the store ----
good "verify" store verify --store "$db"
good "export csv" store export csv --store "$db"
has '^key,build,created,status,reason,workload,'
good "export json" store export json --store "$db" -o all.json
check "it is JSON" sh -c 'command -v python3 >/dev/null || exit 0; python3 -m json.tool all.json >/dev/null'
good "prune keeps this build" store prune --store "$db"
has '^0 results removed'
printf 'rubbish, not a database' >bad.db
bad 1 "bad.db is damaged or no store" experiment mine.ini --size tiny --store bad.db
: >empty.db
bad 1 "empty.db is an empty file" experiment mine.ini --size tiny --store empty.db
check "neither was touched" sh -c '[ ! -s empty.db ] && grep -q rubbish bad.db'
run store list --store empty.db; check "nor listed as empty" test $status -eq 1
( ulimit -f 40; "$WARPLINE" experiment mine.ini --size tiny --store full.db --out fig >/dev/null 2>full.txt ); status=$?
check "a full disk is said" sh -c "[ $status = 1 ] && grep -q 'full' full.txt"

# ---- in the middle of a sweep ----
cat >sweep.ini <<INI
workloads = reduction conv2d conv3d vectoradd histogram
size = tiny
[series lrr]
sched = lrr
[series gto]
sched = gto
[figure 1]
chart = sweep
sweep = l1d.ways: 2 3 4 5 6 7 8 10 12
metric = ipc
INI
"$WARPLINE" experiment sweep.ini --store whole.db --out whole >/dev/null 2>&1
total=$(rows whole.db)
check "the sweep has 90 runs" test "$total" = 90
for signal in KILL INT TERM HUP GROUP; do # HUP: a closed terminal; GROUP: SIGTERM to all, as a time limit does it
    setsid "$WARPLINE" experiment sweep.ini --jobs 2 --store cut.$signal.db --out cut >cut.out 2>cut.err &
    pid=$!
    n=0
    until [ -s cut.$signal.db ] && [ "$(rows cut.$signal.db)" -ge 8 ] 2>/dev/null || [ $n -gt 200 ]; do
        n=$((n + 1))
        sleep 0.02
    done
    if [ $signal = GROUP ]; then kill -s TERM -- -$pid; else kill -$signal $pid; fi
    wait $pid; status=$?
    kept=$(rows cut.$signal.db)
    check "$signal: some runs are kept ($kept)" test "$kept" -ge 8
    if [ "$kept" -lt "$total" ] && [ $signal != KILL ]; then
        check "$signal: exit 1, and how to go on" sh -c "[ $status = 1 ] && grep -q 'repeat the command' cut.err"
    fi
    check "$signal: the store is sound" "$WARPLINE" store verify --store cut.$signal.db -q
    "$WARPLINE" store export csv --store cut.$signal.db | cut -d, -f1-4 | sort >before
    check "$signal: the same command goes on" "$WARPLINE" experiment sweep.ini --store cut.$signal.db --out cut -q
    "$WARPLINE" store export csv --store cut.$signal.db | cut -d, -f1-4 | sort >after
    check "$signal: nothing lost" sh -c '[ -z "$(comm -23 before after)" ]'
    check "$signal: nothing twice" test "$(rows cut.$signal.db)" = "$total"
    check "$signal: the figure is the same" cmp -s whole/sweep.1.csv cut/sweep.1.csv
done
(trap '' HUP; exec "$WARPLINE" experiment sweep.ini --jobs 2 --store nohup.db --out cut -q 2>cut.err) & pid=$!
n=0
until [ -s nohup.db ] || [ $n -gt 500 ]; do n=$((n + 1)); sleep 0.02; done
kill -HUP $pid
wait $pid
check "under nohup a closed terminal ends nothing" sh -c "[ $? = 0 ] && [ $(rows nohup.db) = $total ]"
"$WARPLINE" experiment sweep.ini --jobs 2 --store two.db --out two1 -q & one=$!
"$WARPLINE" experiment sweep.ini --jobs 2 --store two.db --out two2 -q; status=$?
wait $one || status=1
check "two processes at once" test $status -eq 0
check "give one set of results" test "$(rows two.db)" = "$total"

# ---- runs that fail ----
cc=${CC:-cc}
if command -v "$cc" >/dev/null 2>&1; then
    sed 's/\.name = "random"/.name = "crash"/' "$WL_ROOT/examples/plugin/mine.c" >p.c
    # The first line of the victim function becomes what goes wrong.
    breaks() { awk -v what="$1" '{print} /_victim\(const/{f=1} f&&/^{/{print what; f=0}' p.c >"$2.c" &&
        "$cc" -std=c11 -O1 -w -shared -fPIC -include signal.h -include unistd.h -I "$WL_ROOT/include" "$2.c" \
            -o "$2.so" 2>"$work/err"; }
    cat >fails.ini <<INI
workloads = atax conv2d
size = tiny
[series good]
l1 = lru
[series bad]
l1 = crash
[figure 1]
metric = ipc
base = good
INI
    check "a policy that crashes builds" breaks 'raise(SIGKILL);' crash
    run experiment fails.ini --plugin ./crash.so --store fail.db --out fail
    check "a crash: exit 1" test $status -eq 1
    check "its reason is said" grep -q 'failed: atax, bad: crashed: signal 9' "$work/err"
    check "the others ran" grep -q '^atax  *1.000 ' "$work/out"
    check "it is stored as failed" sh -c "'$WARPLINE' store list --plugin ./crash.so --store fail.db |
        grep -q 'failed: crashed: signal 9'"
    run report fails.ini --plugin ./crash.so --store fail.db -o fail.html
    check "the report shows it" grep -q 'crashed: signal 9' fail.html
    run store export results fails.ini --plugin ./crash.so --store fail.db -o fail.csv
    check "an export with failed runs: exit 1" test $status -eq 1
    check "the file has what was done" grep -q '^atax,good,[0-9a-f]*,,[0-9]' fail.csv
    check "and the reason of what was not" grep -q '^atax,bad,[0-9a-f]*,"crashed: signal 9' fail.csv
    check "a policy that hangs builds" breaks 'for (;;) sleep(1);' hang
    run experiment fails.ini --plugin ./hang.so --timeout 1 --store hang.db --out fail
    check "a timeout: exit 1 and its reason" sh -c \
        "[ $status = 1 ] && grep -q 'took longer than --timeout 1 s' '$work/err'"
    run experiment fails.ini --plugin ./hang.so --timeout 1 --store hang.db --out fail
    check "a failed run is not done again" grep -q 'retry' "$work/err"
    good "prune --failed" store prune --failed --store hang.db
    has '^[12] results removed'
    # Stopped for longer than --timeout in the middle of runs that need less.
    check "a policy that takes its time builds" breaks 'static int n; if (n++ < 15) usleep(100000);' slow
    setsid "$WARPLINE" experiment fails.ini --plugin ./slow.so --timeout 5 --store slow.db --out fail -q \
        >"$work/out" 2>"$work/err" &
    sleep 0.8
    kill -s STOP -- -$!
    sleep 6
    kill -s CONT -- -$!
    wait $!
    check "the time in which a sweep was stopped does not count for --timeout" test $? -eq 0
else echo "# no C compiler: failing runs not tested"; fi

# ---- the report ----
good "report" report baseline demo --size tiny --store "$db" -o report.html
for id in $("$WARPLINE" list figures --plain | grep -E '^(baseline|demo)\.'); do
    check "the report has $id" grep -q "id=\"f-$id\"" report.html
done
# What is exported for the repository shows the same page and the same claims.
for x in baseline demo; do
    good "export results $x" store export results $x --size tiny --store "$db" -o $x.csv
done
good "report --from" report --from baseline.csv demo.csv -o from.html
for page in report from; do sed 's/[0-9-]* [0-9:]* UTC/now/g; s/ --store [^<]*//' $page.html >$page.txt; done
check "the page is that of the store" cmp report.txt from.txt
"$WARPLINE" claims baseline --size tiny --store "$db" >stored.txt
good "claims --from" claims --from baseline.csv
check "the claims are those of the store" cmp stored.txt "$work/out"
# What a file has is not run again, and an export that takes it along is the file.
run claims baseline --size tiny --store "$work/other.db" --known baseline.csv
check "--known: the claims are those of the file" cmp stored.txt "$work/out"
check "and it says how many it knows" grep -q "baseline.csv: [1-9][0-9]* results are known" "$work/err"
check "nothing was stored" test "$("$WARPLINE" store list --store "$work/other.db" | awk 'END { print $1 }')" = 0
good "export with --known" store export results baseline --size tiny --store "$work/other.db" --known baseline.csv \
    -o again.csv -q
check "is the file" cmp baseline.csv again.csv
bad 2 "has results of baseline, not of demo" experiment demo --size tiny --store "$work/other.db" --known baseline.csv
bad 2 "not small" claims baseline --size small --store "$work/other.db" --known baseline.csv
bad 2 "must be as it was" claims baseline --size tiny --sample --store "$work/other.db" --known baseline.csv
bad 2 "no file of ranges" claims baseline --size tiny --range --store "$work/other.db" --known baseline.csv
bad 2 "without --from" claims --from baseline.csv --known baseline.csv
"$WARPLINE" figure baseline --size tiny --store "$db" --out . >stored.txt
good "figure --from" figure --from baseline.csv --out from
check "the figures are those of the store" cmp stored.txt "$work/out"
check "and their files" cmp baseline.1.csv from/baseline.1.csv
bad 2 "name the results files" claims --from
bad 2 "cannot read nope.csv" claims --from nope.csv
bad 2 "not small" claims --from baseline.csv --size small
bad 2 "needs one experiment" store export results --store "$db"
bad 2 "no results file" report --from "$WL_ROOT/README.md" -o never.html
check "no network" sh -c '! grep -Eo "(src|href)=\"?(https?:)?//" report.html'
if command -v gnuplot >/dev/null; then
    check "a picture each" test "$(grep -c '<svg' report.html)" = \
        "$("$WARPLINE" list figures --plain | grep -cE '^(baseline|demo)\.')"
fi
# ---- real axes, heat maps, scatters, several seeds ----
cat >"$work/axes.ini" <<'INI'
workloads = bfs
size = tiny
set = stats.profile=1 stats.interval=2000
[series lru]
[series dacache]
l1 = dacache
[figure time]
chart = time
each = samples
metric = ipc
x = cycle
[figure reuse]
chart = cdf
each = reuse
metric = inter_warp
x = distance
xscale = log
[figure sets]
chart = heat
series = lru
each = heat.set_misses
x = cycle
[figure account]
chart = stacked
series = lru
each = samples
x = cycle
part.issued = account.issued / account.total
part.waits_for_DRAM = (account.load_dram + account.load_in_flight) / account.total
part.other = 1 - (account.issued + account.load_dram + account.load_in_flight) / account.total
[figure scatter]
chart = scatter
x = l1d.load_misses / l1d.loads
metric = ipc
[figure claims]
chart = scatter
[figure seeds]
workloads = bfs
metric = cycles
seeds = 1 2 3
mean = arithmetic
[claim misses]
figure = seeds
text = fewer
kind = ratio
measure = gmean(dacache / lru)
value = 0.9
INI
good "axes" experiment "$work/axes.ini" --store "$db" --out axes -q
check "cycles, distances, sets, stated against measured, the range of the seeds" python3 -c '
import csv
rows = lambda name: list(csv.reader(open(f"axes/axes.{name}.csv")))
t = rows("time")
assert t[0] == ["workload", "series", "cycle", "value"] and [r[2] for r in t[1:4]] == ["2000", "4000", "6000"]
assert [r[2] for r in rows("reuse")[1:4]] == ["1", "2", "4"] and rows("reuse")[0][2] == "distance"
s = rows("sets")
assert s[0][2:5] == ["cycle", "0", "1"] and len(s[0]) == 3 + 32 and sum(float(v) for v in s[5][3:]) > 0
a = rows("account")
assert a[0] == ["workload", "series", "cycle", "issued", "waits for DRAM", "other"] and a[1][2] == "2000"
for r in a[1:]: assert abs(sum(float(v) for v in r[3:]) - 1) < 1e-4, r
assert rows("scatter")[0][2:] == ["l1d.load_misses / l1d.loads", "ipc"] and len(rows("scatter")) == 3
c = rows("claims")
assert c[0] == ["claim", "stated", "measured"] and c[1][1] == "0.9" and 0.5 < float(c[1][2]) < 1.5
head, *body = rows("seeds")
assert head == ["workload", "lru", "dacache"] + [f"{s} {k}" for s in ("lru", "dacache") for k in ("lowest", "highest")]
for r in body: assert float(r[3]) <= float(r[1]) <= float(r[4]) and float(r[3]) < float(r[4]), r'
if command -v gnuplot >/dev/null; then check "and their pictures" test "$(ls axes/*.svg | wc -l)" = 7; fi
good "to a file" store export results "$work/axes.ini" --store "$db" -o "$work/axes.results.csv"
mkdir -p back
good "and back" figure --from "$work/axes.results.csv" --out back -q
for f in sets account time; do check "the same $f" cmp axes/axes.$f.csv back/axes.$f.csv; done
sed 's/^each = samples/&\nbase = lru/' "$work/axes.ini" >"$work/wrong.ini"
bad 2 "parts over time are not divided by a base" experiment "$work/wrong.ini" --store "$db" --out axes
sed 's/^x = cycle/x = cycle\nxscale = odd/' "$work/axes.ini" >"$work/wrong.ini"
bad 2 "xscale is linear or log" experiment "$work/wrong.ini" --store "$db" --out axes
sed 's/^seeds = .*/seeds = 1/' "$work/axes.ini" >"$work/wrong.ini"
bad 2 "write several seeds" experiment "$work/wrong.ini" --store "$db" --out axes

# ---- many series: all of them are shown ----
awk 'BEGIN { print "workloads = vectoradd\nsize = tiny"; for (i = 1; i <= 600; i++) print "[series s" i "]"
    print "[figure 1]\nmetric = ipc\nchart = table" }' >"$work/many.ini"
XDG_CACHE_HOME=$work/many "$WARPLINE" experiment "$work/many.ini" --out "$work/many" -q >"$work/out" 2>"$work/err"
check "600 series" [ $? = 0 ]
check "are 600 columns" [ "$(head -1 "$work/many/many.1.csv" | tr , '\n' | grep -c '^s')" = 600 ]
XDG_CACHE_HOME=$work/many "$WARPLINE" experiment "$work/many.ini" --out "$work/many" >"$work/out" 2>"$work/err"
check "on the screen too" [ "$(tr ' ' '\n' <"$work/out" | grep -c '^s[0-9]')" = 600 ]
finish
