#!/bin/sh
# claims --range: a range that is known beforehand, as text, CSV and JSON; what is stored is not run again, whatever
# stopped the first attempt; Slurm; the report.
. "$(dirname "$0")/lib.sh"
export XDG_CACHE_HOME="$work/cache"
db="$work/results.db"
cd "$work" || exit 1

rows() { "$WARPLINE" store list --store "$1" 2>/dev/null | sed -n 's/ results, .*//p'; }

# The claim `ways` is the parameter itself, so its range is what the unknown lists.
cat >known.ini <<INI
workloads = atax
gpu = gtx480
[series lru]
[series six]
set = l1d.ways=6
[claim ways]
text = ways, of which the source says nothing
metric = gpu.l1d.ways
value = 7
tolerance = 0
measure = at(lru, atax)
[claim own]
text = what a series says itself stays
metric = gpu.l1d.ways
value = 6
tolerance = 0
measure = at(six, atax)
[claim more]
metric = gpu.l1d.ways
measure = at(lru, atax) > 6
[unknown ways]
text = Ways of the L1D
set = l1d.ways
why = the preset
values = 2 8
why.2 = an old machine
why.8 = a new one
[unknown noise]
noise = yes
set = icnt.latency
why = nobody states it
values = +1
why.+1 = means nothing
INI

good "a range that is known" claims known.ini --size tiny --store "$db" --range
has '^known.ways  *7  *4  miss  *2  *8  yes  *ways=8 +4.000$'
has '^known.own  *6  *6  match  *6  *6  yes  *-$'
has '^known.more  *holds  *does not  miss  *does not  *holds  yes  *ways=8$'
has '^ranges: the stated value is inside for 3, near for 0, outside for 0, not known for 0; 0 move no further'
check "one run for each series and point that differ" test "$(rows "$db")" = 6
cp "$work/out" first
good "the second time nothing runs" claims known.ini --size tiny --store "$db" --range --no-run
check "and it says the same" cmp -s first "$work/out"
good "the verdicts are those without a range" claims known.ini --size tiny --store "$db"
has '^known.ways  *7  *4  miss$'
good "reasons with --verbose" claims known.ini --size tiny --store "$db" --range --verbose
has '^known.ways  Ways of the L1D$'; has '^    8  *a new one$'; has '^    default  *the preset$'

# ---- points over all unknowns ----
good "four points more" claims known.ini --size tiny --store "$db" --range 4
check "share what they can" test "$(rows "$db")" -le 9
n=$(rows "$db")
good "the same four again" claims known.ini --size tiny --store "$db" --range=4
check "are the same" test "$(rows "$db")" = "$n"
good "more points go on from there" claims known.ini --size tiny --store "$db" --range 5 --json five.json
"$WARPLINE" claims known.ini --size tiny --store "$db" --range 4 --json four.json -q
check "of nine points the first eight are those of --range 4" python3 -c "
import json
four, five = json.load(open('four.json'))[0]['points'], json.load(open('five.json'))[0]['points']
assert four == five[:-1] and len(five) == 9 and four[0] == {}, (four, five)"

# ---- CSV and JSON ----
good "CSV" claims known.ini --size tiny --store "$db" --range --csv -
has '^claim,text,stated,measured,verdict,counted,lowest,highest,inside,moved_by,moved_to,move,noise,within_noise,'
has '^known.ways,"ways, of which the source says nothing",7,4,miss,yes,2,8,yes,ways,8,4,0,no,4,4$'
good "CSV without a range" claims known.ini --size tiny --store "$db" --csv -
has '^known.own,what a series says itself stays,6,6,match,yes$'
good "JSON" claims known.ini --size tiny --store "$db" --range --json r.json -q
check "has claims, values and reasons" python3 -c "
import json
x = json.load(open('r.json'))[0]
c = x['claims'][0]
assert (c['lowest'], c['highest'], c['inside'], c['moved_by'], c['moved_to']) == (2, 8, 'yes', 'ways', '8'), c
assert c['values'] == [4, 2, 8, 4] and x['points'] == [{}, {'ways': '2'}, {'ways': '8'}, {'noise': '+1'}], x
assert x['unknowns'][0]['values'][1] == {'value': '8', 'why': 'a new one'} and x['unknowns'][1]['noise'], x"

# ---- going on from a file ----
good "part of a range" claims known.ini --size tiny --store part.db --range --only own --json part.json
good "goes on from it" claims known.ini --size tiny --store rest.db --range --only ways --known part.json \
    --json whole.json
has '^known.own  *6  *6  match  *6  *6  yes  *-$'
check "what was known is not run" test "$(rows rest.db)" = 4
check "old values and new ones are in one file" python3 -c "
import json
x, part = (json.load(open(f))[0] for f in ('whole.json', 'part.json'))
assert [c['claim'] for c in x['claims']] == ['ways', 'own'] and x['claims'][0]['values'] == [4, 2, 8, 4], x
assert x['claims'][1] == part['claims'][0] and x['known_builds'] == [part['build']], x"
good "all that is left" claims known.ini --size tiny --store left.db --range --known r.json
check "is nothing" test "$(rows left.db)" = 0
bad 2 "has no range of known at size small" claims known.ini --size small --store left.db --range --known r.json
bad 2 "cannot read nowhere.json" claims known.ini --size tiny --store left.db --range --known nowhere.json
bad 2 "names results" report known.ini --size tiny --store left.db --range --known r.json -o left.html

# ---- less of it ----
good "one unknown" claims known.ini --size tiny --store one.db --range --unknown noise
check "two points" test "$(rows one.db)" = 4
good "one claim" claims known.ini --size tiny --store two.db --range --only 'own'
check "its series only" test "$(rows two.db)" = 2
good "by the whole id" claims known.ini --size tiny --store two.db --only 'known.o*'
bad 2 "no claim has an id like 'nope'" claims known.ini --size tiny --store two.db --only nope
bad 2 "did you mean 'noise'" claims known.ini --size tiny --store two.db --range --unknown nois
bad 2 "goes with --range" claims known.ini --size tiny --store two.db --unknown noise
bad 2 "up to 1024 points" claims known.ini --size tiny --store two.db --range 5000

# ---- what cannot be ----
sed 's/^set = l1d.ways$/set = l1d.sets/; s/^values = 2 8/values = 2 256/; s/^why.8/why.256/' known.ini >refused.ini
bad 2 'refused.ini:[0-9]*: error: with ways=2 no machine can be built' claims refused.ini --store two.db --range
check "before anything runs" test "$(rows two.db)" = 2
sed 's/^why.8.*//' known.ini >why.ini
bad 2 'why.ini:2[0-9]: error: ways = 8: it needs its reason' claims why.ini --store two.db

# ---- killed in the middle ----
sed 's/atax/slow/' known.ini >slow.ini
printf '[workload slow]\nprogram = atax\ninputs = n=1280\n' >>slow.ini
"$WARPLINE" claims slow.ini --size tiny --store slow.db --range -j 1 >/dev/null 2>&1 &
pid=$!
n=0
until [ "$(rows slow.db)" -ge 2 ] 2>/dev/null; do
    n=$((n + 1)); [ $n -gt 1200 ] && break
    sleep 0.05
done
kill -9 $pid
wait $pid 2>/dev/null
kept=$(rows slow.db)
check "kill -9 keeps what was finished" test "$kept" -ge 2
check "and something was left" test "$kept" -lt 6
"$WARPLINE" store export csv --store slow.db -o before.csv
good "the same command goes on" claims slow.ini --size tiny --store slow.db --range
check "to the end" test "$(rows slow.db)" = 6
"$WARPLINE" store export csv --store slow.db -o after.csv
check "without repeating a run" python3 -c "
before, after = (set(line.split(',')[0] for line in open(f)) for f in ('before.csv', 'after.csv'))
assert before <= after and len(after) == len(before) + 6 - $kept"

# ---- Slurm: an sbatch that runs the tasks at once ----
mkdir bin
cat >bin/sbatch <<'SH'
#!/bin/sh
for word; do case $word in --array=0-*) last=${word#--array=0-};; esac; done
cat >script.sh
i=0
while [ $i -le $last ]; do SLURM_ARRAY_TASK_ID=$i sh script.sh >/dev/null || exit 1; i=$((i + 1)); done
echo 17
SH
printf '#!/bin/sh\n' >bin/squeue
chmod +x bin/sbatch bin/squeue
PATH="$work/bin:$PATH" run claims known.ini --size tiny --store slurm.db --range 4 --slurm
check "a range as a job array" test $status = 0
"$WARPLINE" claims known.ini --size tiny --store "$db" --range 4 >here
check "and says what a run here says" cmp -s here "$work/out"

# ---- the report ----
good "the report" report known.ini --size tiny --store "$db" -o range.html -q
check "shows the range" grep -q 'class=strip' range.html
check "and the reasons" grep -q 'a new one' range.html
"$WARPLINE" store export results known.ini --size tiny --store "$db" -o known.csv
good "ranges from a file" report known.ini --size tiny --store none.db --ranges r.json -o file.html -q
strips() { grep -o '<svg class=strip.*</svg>' "$1"; }
check "are the same strips" test "$(strips file.html)" = "$(strips range.html)"
good "with a results file too" report --from known.csv --ranges r.json -o from.html -q
check "nothing was run for it" grep -q 'class=strip' from.html
sed 's/"ways": "8"/"ways": "9"/' r.json >old.json
bad 2 "old.json: known has no such value of an unknown: '9'" \
    report known.ini --size tiny --store none.db --ranges old.json -o old.html
good "where none is stored" report known.ini --size tiny --store none.db -o none.html -q
check "there is no range" sh -c '! grep -q "class=strip" none.html'
finish
