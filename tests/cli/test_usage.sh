#!/bin/sh
# Help, listings, and every way to mistype a command line.
. "$(dirname "$0")/lib.sh"

good "help" help
has '^  warpline run '
check "help fits one screen" test "$(wc -l <"$work/out")" -le 24
good "--help" --help
good "version" --version
has '^warpline [0-9.]* (build [0-9a-f]*)$'
good "-V" -V
"$WARPLINE" list options 2>"$work/err" | head -1 >"$work/out"
check "a reader that goes away is no reason to speak" test ! -s "$work/err"
for c in run compare list gpu trace bench; do good "$c --help" $c --help; has "usage: warpline $c"; done
run; check "no command is an error" test $status -eq 2

bad 2 "did you mean 'run'" rum atax
bad 2 "unknown command 'zzzzzz'" zzzzzz
bad 2 "did you mean '--size'" run atax --sise tiny
bad 2 "knows no option '--zzzz'" run atax --zzzz
bad 2 "knows no option '--plain'" run atax --plain
bad 2 "needs a value" run atax --gpu
bad 2 "given twice" run atax --gpu gtx480 --gpu hac
bad 2 "takes no value" run atax --check=yes
bad 2 "needs a number" run atax --seed x
bad 2 "needs a workload" run
bad 2 "takes one program" run atax bfs
bad 2 "unknown workload 'ataks'; did you mean 'atax'" run ataks
bad 2 "unknown workload 'qqqqqqqq'" run qqqqqqqq
bad 2 "did you mean 'gtx480'" run atax --gpu gtx48
bad 2 "unknown GPU 'zzzzzz'" run atax --gpu zzzzzz
bad 2 "cannot read ./nope.ini" run atax --gpu ./nope.ini
bad 2 "unknown L1 policy 'lrv'; did you mean 'lru'" run atax --l1 lrv
bad 2 "unknown L2 policy" run atax --l2 zzzzzz
bad 2 "unknown scheduler 'gtoo'; did you mean 'gto'" run atax --sched gtoo
bad 2 "has no parameters" run atax --l1 lru:depth=1
bad 2 "did you mean 'tiny'" run atax --size tinny
bad 2 "fast or tick" run atax --engine slow
bad 2 "has no input 'q'" run atax --input q=1
bad 2 "needs key=value" run atax --input n
bad 2 "is 1 to" run atax --input n=0
bad 2 "is for 'run FILE.ptx'" run atax --grid 4
bad 2 "did you mean 'policies'" list polices
bad 2 "list takes one of" list
bad 2 "gpu show NAME" gpu show
bad 2 "cannot both go to standard output" run atax --json - --csv -
bad 2 "cannot load plugin" run atax --plugin "$work/none.so"
bad 2 "compare needs workloads" compare
bad 2 "empty entry" compare atax --l1 lru,,lru
bad 2 "did you mean 'gto'" compare atax --size tiny --sched lrr,gtp
bad 2 "did you mean '@dacache.divergent'" compare @dacache.dvergent
bad 2 "is several workloads" run @hac
[ "${WL_SLOW:-0}" = 1 ] || good "compare @group" compare @hac --size tiny

for k in workloads groups policies schedulers schemes gpus figures counters options; do
    good "list $k" list $k
    check "list $k is not empty" test -s "$work/out"
    good "list $k --plain" list $k --plain
    if grep -q ' ' "$work/out"; then not_ok "$k --plain: one name a line"; else ok "$k --plain: one name a line"; fi
    [ "$k ${WL_SLOW:-0}" = "workloads 1" ] || good "list $k -v" list $k -v # of workloads: executes every one
    good "list $k --json" list $k --json -
    check "list $k --json: as many objects as names" python3 -c 'import json, subprocess, sys
names = subprocess.run([sys.argv[1], "list", sys.argv[2], "--plain"], stdout=subprocess.PIPE, text=True).stdout.split()
have = [o["name"] for o in json.load(open(sys.argv[3]))]
assert set(have) <= set(names) and len(names) - len(have) <= 8, set(names) ^ set(have)' \
        "$WARPLINE" $k "$work/out"
done
run list gpus --plain
for g in gtx480 gtx480-v321 gtx480-v322 gtx480-v323 dacache apcm apcm-kepler dycache mascar hac hac-bw4; do
    check "preset $g" grep -qx "$g" "$work/out"
done
run list counters --plain; has '^l1d.stalls.mshr$'
run list options --plain; has '^l1d.mshr$'
bad 2 "takes nothing more" --version extra
finish
