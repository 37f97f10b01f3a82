#!/bin/sh
# warpline exec: unmodified CUDA programs, programs of the driver API, what is selected, reported,
# recorded and refused. The programs in tests/exec/bin are nvcc's work (scripts/make_fatbins.sh).
. "$(dirname "$0")/lib.sh"
bin=$WL_ROOT/tests/exec/bin
own=$WL_BUILD/exec
lib=$WL_BUILD/cuda

# exec_ok NAME PATTERN WORDS...: exit 0, silent on standard error, standard output has the pattern.
exec_ok() {
    name=$1 pattern=$2; shift 2
    run exec -q "$@"
    if [ $status -eq 0 ] && [ ! -s "$work/err" ] && grep -q -e "$pattern" "$work/out"; then ok "$name"
    else not_ok "$name (exit $status)"; fi
}
# exec_ends STATUS PATTERN WORDS...: that exit status, and standard error has the pattern.
exec_ends() {
    want=$1 pattern=$2; shift 2
    run exec -q "$@"
    if [ $status -eq "$want" ] && grep -q -e "$pattern" "$work/err"; then ok "$* : $pattern"
    else not_ok "$* : exit $status (not $want), or no '$pattern'"; fi
}
err_has() {
    if grep -q -e "$1" "$work/err"; then ok "standard error has '$1'"; else not_ok "standard error has no '$1'"; fi
}
err_once() {
    if [ "$(grep -c -e "$1" "$work/err")" = 1 ]; then ok "said once: $1"; else not_ok "not said once: $1"; fi
}
# same_counters A B: two JSON records agree in everything but identity, host and who says how many registers there are.
same_counters() {
    python3 - "$1" "$2" <<'P'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:3])
for k in ("workload", "size", "inputs", "workload_hash", "seed", "host", "engine", "failed_launches",
          "failures", "exit", "command"):
    a.pop(k, None), b.pop(k, None)
for kernel in a["kernels"] + b["kernels"]:
    del kernel["registers"], kernel["registers_from"]
sys.exit([k for k in a if a[k] != b.get(k)] or 0)
P
}

# ---- usage ----
bad 2 "which program" exec
bad 2 "which program" exec --gpu gtx480 --
bad 2 "standard output belongs to the program" exec --json - -- true
bad 2 "did you mean" exec --l1 dacahe -- true
bad 2 "the first launch is 1" exec --launch 0 -- true
bad 2 "N..M" exec --launch 5..2 -- true
bad 2 "nothing is timed" exec --launches "$work/l" --functional -- true
bad 2 "nothing is timed" exec --loads "$work/l" --functional -- true
bad 2 "needs an interval" exec --samples "$work/l" -- true
bad 2 "standard output belongs to the program" exec --loads - -- true
bad 2 "record" exec --record "$work/t" --functional -- true
bad 2 "cannot write" exec --json "$work/none/x.json" -- true
exec_ends 127 "cannot run" -- "$work/no-such-program"
exec_ends 126 "cannot run" -- "$WL_ROOT/README.md"
exec_ends 0 "no CUDA call" -- true
exec_ends 3 "no CUDA call" sh -c 'exit 3'          # without "--", options of the program stay its own
printf '#!/bin/sh\nexit 0 # .nv_fatbin\n' >"$work/static"; chmod +x "$work/static"
exec_ends 0 "nvcc -cudart shared" -- "$work/static"

# ---- the libraries ----
for v in 11.0 12 13; do
    [ "$(uname -s)" = Linux ] || break
    readelf -d "$lib/libcudart.so.$v" >"$work/dyn" && readelf --dyn-syms -W "$lib/libcudart.so.$v" >"$work/syms"
    check "libcudart.so.$v has its soname" grep -q "soname: \[libcudart.so.$v\]" "$work/dyn"
    missing=
    for f in $(grep -v '^#' "$WL_ROOT/tests/exec/functions.txt"); do
        grep -q " $f@@libcudart.so.$v\$" "$work/syms" || missing="$missing $f"
    done
    if [ -z "$missing" ]; then ok "libcudart.so.$v has all functions, versioned"
    else not_ok "libcudart.so.$v lacks:$missing"; fi
done
readelf --dyn-syms -W "$lib/libcuda.so.1" >"$work/syms"
missing=
for f in $(sed -n 's/^F(\(.*\))$/\1/p' "$WL_ROOT/cuda/lib/driver_names.def"); do
    grep -q " $f\$" "$work/syms" || missing="$missing $f"
done
if [ -z "$missing" ]; then ok "libcuda.so.1 has all functions"; else not_ok "libcuda.so.1 lacks:$missing"; fi
printf '#include "warpline/cuda.h"\n' | ${CC:-cc} -E -I "$WL_ROOT/include" - 2>/dev/null | tr '\n' ' ' |
    grep -o 'CUresult *cu[A-Za-z0-9_]*(' | sed 's/CUresult *//; s/($//' | sort -u >"$work/declared"
sed -n 's/^F(\(.*\))$/\1/p' "$WL_ROOT/cuda/lib/driver_names.def" | sort -u >"$work/listed"
check "driver_names.def lists what cuda.h declares" cmp -s "$work/declared" "$work/listed"

# ---- programs of the driver API, and host code as nvcc 11 and 12 write it ----
run exec -q -- "$own/exec_driver"
check "a C program loads PTX" grep -q "driver ok" "$work/out"
err_has "module 2:3:1: error: expected a directive" # the bad PTX it tries too
if command -v python3 >/dev/null; then
    [ -n "$(ldd "$lib/libcuda.so.1" | grep asan)" ] ||
        exec_ok "a Python script loads PTX" "python ok on warpline mascar" --gpu mascar -- \
            python3 "$WL_ROOT/tests/exec/driver.py"
fi
run exec -q -- "$own/exec_absent"
check "calls that are not there are refused" [ $status = 0 ]
has '^[1-9][0-9]* calls, 0 wrong'
absent=$(sed -n 's/ calls.*//p' "$work/out")
check "each says so once" [ "$(grep -c 'is not supported' "$work/err")" = "$absent" ]
exec_ok "CUDA 11: LZ4, texture references" "old ok" -- "$own/exec_old_11"
exec_ok "CUDA 12: two linked objects" "old ok" -- "$own/exec_old_12"
exec_ok "the machine of --gpu and --set" "3 SMs at 500000 kHz" --set sm.count=3 --set clock.core=500000 -- \
    "$own/exec_old_12"

# ---- kernels compiled at run time, and libraries that cannot run ----
NVRTC_COMPILER=none; export NVRTC_COMPILER
exec_ends 3 "neither a libnvrtc.so.13 nor an nvcc was found" -- "$own/exec_compile"
check "the program can print why" grep -q "NVRTC_ERROR_COMPILATION: .*nor an nvcc" "$work/out"
cat >"$work/nvcc" <<'S'
#!/bin/sh
case "$*" in *-DBAD*) echo "program.cu(2): error: as told" >&2; exit 2 ;; esac
case "$*" in *--gpu-architecture=compute_75*) ;; *) exit 1 ;; esac
grep -q 'define FACTOR 7' factor.h && grep -q times program.cu || exit 1
cat >out.ptx <<'P'
.version 7.0
.target sm_75
.address_size 64
.visible .entry _Z5timesPii(.param .u64 a, .param .u32 b)
{
.reg .pred %p<2>; .reg .b32 %r<5>; .reg .b64 %rd<5>;
ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [b]; mov.u32 %r2, %tid.x; setp.ge.s32 %p1, %r2, %r1; @%p1 bra END;
cvta.to.global.u64 %rd2, %rd1; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd2, %rd3;
ld.global.u32 %r3, [%rd4]; mul.lo.s32 %r4, %r3, 7; st.global.u32 [%rd4], %r4;
END: ret;
}
P
S
chmod +x "$work/nvcc"
NVRTC_COMPILER=nvcc NVCC=$work/nvcc; export NVRTC_COMPILER NVCC
exec_ok "a string compiled by an nvcc" "compile ok" -- "$own/exec_compile"
run exec -q -- "$own/exec_compile" -DBAD
check "its errors are in the log" grep -q "program.cu(2): error: as told" "$work/out"
unset NVRTC_COMPILER NVCC
if command -v nvcc >/dev/null; then exec_ok "a string compiled by what is here" "compile ok" -- "$own/exec_compile"; fi
if command -v ${CC:-cc} >/dev/null; then
    for l in cublas cudnn; do
        echo 'int used(void) { return 0; }' |
            ${CC:-cc} -shared -fPIC -x c -Wl,-soname,lib$l.so.9 -o "$work/lib$l.so.9" -
    done
    echo 'int main(void) { return 0; }' | ${CC:-cc} -Wl,--no-as-needed -x c -o "$work/linked" - -x none \
        "$work/libcublas.so.9" "$work/libcudnn.so.9"
    LD_LIBRARY_PATH=$work; export LD_LIBRARY_PATH
    run exec -q -- "$work/linked"
    err_has "linked with cuBLAS (libcublas.so.9), cuDNN (libcudnn.so.9): machine code for real GPUs"
    unset LD_LIBRARY_PATH
fi

# The rest is compiled by nvcc.
if ! nvcc_programs; then
    echo "# the programs of nvcc are skipped"
    finish
fi

# ---- programs of nvcc 13 ----
for p in atax atax_plain atax_lz4 atax_many; do exec_ok "fat binary of $p" "^sum 18724498$" -- "$bin/$p"; done
exec_ok "relocatable device code" "linked ok" -- "$bin/link"
exec_ok "two modules" "two modules ok" -- "$bin/two"
exec_ok "memory of all kinds" "limits ok" -- "$bin/memory"
exec_ok "templates, streams, events, threads" "flow ok" -- "$bin/flow"
exec_ok "a default stream per thread" "flow ok" -- "$bin/per_thread"
exec_ok "thrust: reduction, scan, sort" "thrust ok" -- "$bin/thrust"
exec_ok "texture objects" "texture ok" -- "$bin/texture"
exec_ok "texture references of nvcc 11" "references ok" -- "$bin/references"
exec_ok "the device" "warpline gtx480, capability 7.5, 15 SMs, 49152 bytes" -- "$bin/device"
for p in memory flow texture link; do exec_ok "$p, functional" " ok" --functional -- "$bin/$p"; done
exec_ok "text of kernels" "thread 2 of block:  3.00 c ff 1099511627776" -- "$bin/print"
check "text of kernels keeps its place" [ "$(cut -d' ' -f1 "$work/out" | tr '\n' ' ')" = \
    "before thread thread thread after " ]

# ---- failures are the program's, said in words ----
exec_ends 7 "Assertion \`(int)threadIdx.x < limit' failed" -- "$bin/print" assert
exec_ends 3 "out-of-bounds global store of 4 bytes at 0xc0000100" -- "$bin/wrong" bounds
exec_ok "a wrong shape does no harm" "cudaErrorInvalidConfiguration" -- "$bin/wrong" shape
exec_ends 0 "cudaIpcGetMemHandle is not supported" -- "$bin/wrong" share
err_once cudaIpcGetMemHandle
exec_ends 1 "no PTX, only machine code for sm_75" -- "$bin/no_ptx"
err_has "code=compute_75"
exec_ends 0 "no PTX" --program-status -- "$bin/no_ptx"

# ---- a program that looks at no error does not pass for one that ran ----
# failure_is KEY=VALUE...: what the JSON in $work/f.json says of the only failed launch.
failure_is() {
    check "the record: $*" python3 - "$work/f.json" "$@" <<'P'
import json, sys
r = json.load(open(sys.argv[1]))
assert r["failed_launches"] == 1 and len(r["failures"]) == 1 and r["exit"]["program"] == 0, r["exit"]
f = r["failures"][0]
for pair in sys.argv[2:]:
    key, value = pair.split("=", 1)
    assert value in str(f[key]), (key, f[key])
P
}
exec_ok "a module with kernels that cannot run" "refused ok" --json "$work/f.json" -- "$bin/refused"
check "no failure: an empty list" python3 -c "
import json; r = json.load(open('$work/f.json')); assert r['failures'] == [] and r['exit']['status'] == 0"
exec_ends 1 "kernel _Z7unknownPi cannot be executed here" --json "$work/f.json" -- "$bin/refused" unknown
check "the program went on" grep -q "refused ok" "$work/out"
err_has "frobnicate.u32 %r1, 1;"
failure_is launch=2 kernel=unknown end=refused error=CUDA_ERROR_INVALID_PTX "message=unknown instruction 'frobnicate'"
exec_ends 1 "kernel _Z5callsPi cannot be executed here" --json "$work/f.json" -- "$bin/refused" calls
failure_is kernel=calls "message=frobnicate.u32 %r1, 2"
exec_ends 0 "cannot be executed here" --program-status -- "$bin/refused" calls

# ---- records of programs: the schema, samples and loads, schemes ----
exec_ok "observed" "sum 18724498" --samples 5000 --samples "$work/s.csv" --loads "$work/l.csv" \
    --json "$work/o.json" -- "$bin/atax"
exec_ok "two processes" "sum 18724498" --loads "$work/l2.csv" --json "$work/o2.json" -- \
    sh -c "'$bin/atax'; '$bin/atax'"
exec_ends 0 "scheme dycache sets shared.unified=0 l1d.sectored=no" --gpu h100 --scheme dycache \
    --json "$work/d.json" -- "$bin/atax"
check "records have the schema's form" python3 "$WL_ROOT/tests/cli/schema.py" "$WL_ROOT/docs/result.schema.json" \
    "$work/f.json" "$work/o.json" "$work/o2.json" "$work/d.json"
check "and what was asked for" python3 - "$work" <<'P'
import csv, json, sys
work = sys.argv[1] + "/"
def rows(name): return list(csv.DictReader(open(work + name)))
o, two, d = (json.load(open(work + f)) for f in ("o.json", "o2.json", "d.json"))
assert o["exit"] == {"program": 0, "signal": 0, "status": 0} and o["failures"] == [] and o["failed_launches"] == 0
assert o["heat"] and o["instructions"] and o["account"]["total"] and o["warp_states"]["total"]
assert [int(s["cycle"]) for s in rows("s.csv")] == [s["cycle"] for s in o["samples"]] and len(o["samples"]) > 2
assert [int(l["misses"]) for l in rows("l.csv")] == [l["misses"] for l in o["loads"]] and o["loads"]
assert "process" not in rows("l.csv")[0] and [l["process"] for l in rows("l2.csv")] == (
    ["1"] * len(two[0]["loads"]) + ["2"] * len(two[1]["loads"]))
assert d["set"] == {"shared.unified": 0, "l1d.sectored": "no"} and d["l1_policy"] == "dycache"
assert d["l1_policy_counters"], "the process did not get the scheme"
P
exec_ends 1 "out-of-bounds global load .*--set run.granule=2097152" --json "$work/f.json" -- "$bin/overread"
failure_is launch=1 kernel=sum end=faulted error=CUDA_ERROR_ILLEGAL_ADDRESS message=out-of-bounds
exec_ok "loads within a page" "^sum 4950$" --set run.granule=2097152 -- "$bin/overread"
exec_ok "stores within a page" "^filled 7$" --set run.granule=2097152 -- "$bin/overread"
exec_ends 1 "out-of-bounds global load" --set run.granule=2097152 -- "$bin/overread" far
exec_ends 134 "signal 6" -- "$bin/wrong" abort
exec_ends 137 "signal 9" -- "$bin/wrong" kill

# ---- results ----
"$WARPLINE" run atax --size tiny -q --json "$work/built-in" >"$work/out" 2>"$work/err"
run exec --json "$work/a" --csv "$work/a.csv" --launches "$work/l.csv" -- "$bin/atax" 128
check "standard output is the program's" [ "$(cat "$work/out")" = "sum 18724498" ]
err_has "atax_rows  *1  1  *256  *32,716"
check "each launch has a row, and they add up" python3 - "$work/l.csv" "$work/a.csv" <<'P'
import csv, sys
rows, all = (list(csv.DictReader(open(f))) for f in sys.argv[1:3])
assert [r["workload"] for r in rows] == ["atax:atax_rows", "atax:atax_cols"], rows
for key in ("cycles", "warp_instructions", "l1d.hits", "l2.accesses", "dram.reads"):
    assert sum(int(r[key]) for r in rows) == int(all[0][key]) > 0, key
P
check "CSV has a row" [ "$(wc -l <"$work/a.csv")" = 2 ]
check "the counters are those of the built-in workload" same_counters "$work/built-in" "$work/a"
"$WARPLINE" run atax --size tiny -q --set stats.profile=1 --set stats.interval=10000 --json "$work/profile" \
    2>"$work/err"
run exec -q --set stats.profile=1 --set stats.interval=10000 --json "$work/b" -- "$bin/atax" 128
check "and with a profile and samples" same_counters "$work/profile" "$work/b"
run exec -q --engine tick --json "$work/b" -- "$bin/atax" 128
check "and of the other engine" same_counters "$work/a" "$work/b"
run exec -q --shuffle 7 --json "$work/b" -- "$bin/atax" 128
check "and in any order" same_counters "$work/a" "$work/b"
cat >"$work/twice.sh" <<S
"$bin/atax" 128; cd /; "$bin/wrong" exit
S
printf 'base = gtx480\n' >"$work/my.ini"
mkdir "$work/tmp"
(cd "$work" && TMPDIR=$work/tmp "$WARPLINE" exec --gpu my.ini -q --json both -- sh twice.sh >out 2>err)
check "a script's status" [ $? -eq 5 ]
check "two processes, one of which ended by _exit" python3 -c "
import json,sys
r=json.load(open('$work/both'))
sys.exit(not([p['workload'] for p in r]==['atax','wrong'] and [len(p['kernels']) for p in r]==[2,1]))"
check "no folder is left" rmdir "$work/tmp"

# ---- selection ----
kernels() { python3 -c "
import json,sys
r=json.load(open('$work/k'))
print(' '.join('%s:%d' % (k['name'], k['cycles']) for k in r['kernels']), r['cycles'])"; }
run exec --kernel 'atax_c*' --json "$work/k" -- "$bin/atax" 128
err_has "1 of 2 launches; the others were executed, not timed"
check "only one kernel is timed" sh -c "case '$(kernels)' in atax_cols:*) ;; *) exit 1 ;; esac"
check "the program's results are whole" [ "$(cat "$work/out")" = "sum 18724498" ]
run exec -q --launch 1 --json "$work/k" -- "$bin/atax" 128
check "only the first launch" [ "$(kernels)" = "atax_rows:32716 32716" ]
run exec -q --launch 3.. --json "$work/k" -- "$bin/atax" 128
check "no launch at all" [ "$(kernels)" = " 0" ]
run exec -q --kernel apply --json "$work/k" -- "$bin/flow"
check "a C++ kernel by its source name" sh -c "case '$(kernels)' in apply#*:*) ;; *) exit 1 ;; esac"
run exec --set sm.count=1 --set sm.ctas=1 --max-cycles 1000 --json "$work/k" -- "$bin/atax" 512
err_has "cut        2 launches were timed up to 1,000 cycles only"
check "a cut program's results are whole" [ "$(cat "$work/out")" = "sum 1205592080" ]

# ---- traces ----
run exec --record "$work/traces" -- "$bin/atax" 128
err_has "atax.wlt: 2 launches"
run exec -q --record "$work/traces" -- "$bin/atax_lz4" 128
run exec -q --record "$work/traces" -- "$bin/atax" 128
check "a second recording has a name of its own" [ -f "$work/traces/atax.2.wlt" ]
run run "$work/traces/atax.wlt" -q --json "$work/b"
check "a replay has the counters of the program" same_counters "$work/a" "$work/b"
check "and its registers, which the trace says" python3 - "$work/built-in" "$work/a" "$work/b" <<'P'
import json, sys
text, program, trace = (json.load(open(f))["kernels"] for f in sys.argv[1:4])
assert [k["registers"] for k in program] == [k["registers"] for k in trace]
for kernels, said in ((text, "text"), (program, "machine_code"), (trace, "trace")):
    assert {k["registers_from"] for k in kernels} == {said}, said
P
run exec --record "$work/traces" -- "$bin/wrong" abort
err_has "trace      none: the program ended before it was finished"
check "half a trace is not kept" [ ! -e "$work/traces/wrong.wlt" ]

# ---- what rough programs do ----
launches() { python3 -c 'import json, sys; r = json.load(open(sys.argv[1]))
print(*[len(x["kernels"]) for x in (r if isinstance(r, list) else [r])])' "$1"; }
exec_ok "a program that forks" "child 0, 4.5" --json "$work/f.json" -- "$own/exec_rough" fork
check "a child without launches of its own has no account" [ "$(launches "$work/f.json")" = 3 ]
exec_ok "a child that launches" "child 0, 4.5" --json "$work/f.json" -- "$own/exec_rough" fork own
check "has one, with what its copy of the device had done" [ $(($(launches "$work/f.json" | tr " " +))) = 5 ]
rm -rf "$work/traces"
exec_ok "a program that forks is recorded" "child 0, 4.5" --record "$work/traces" -- "$own/exec_rough" fork
run run "$work/traces/exec_rough.wlt" -q --json "$work/f.json"
check "and its trace is whole" [ "$status $(launches "$work/f.json")" = "0 3" ]
exec_ok "a fork during a launch" "[1-6] of 6 were refused" -- "$own/exec_rough" thread
exec_ok "a call in a signal handler" "refused" -- "$own/exec_rough" handler
if command -v localedef >/dev/null && localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2>/dev/null; then
    LOCPATH=$work; export LOCPATH
    exec_ok "a locale with a decimal comma" "^1,5$" -- "$own/exec_rough" locale
    unset LOCPATH
fi

# ---- results that cannot be written: the disk of TMPDIR is full, played by a limit of the file size ----
mkdir "$work/tmp"
TMPDIR=$work/tmp; export TMPDIR
echo old >"$work/l.json"
"$WARPLINE" exec -q --json "$work/l.json" -- sh -c \
    'trap "" XFSZ; ulimit -f 64; exec "$0" many 40' "$own/exec_rough" >"$work/out" 2>"$work/err"
check "lost results are a failure" [ $? = 1 ]
err_has "results of the program are lost"
check "and nothing is written of them" [ "$(cat "$work/l.json")" = old ]
"$WARPLINE" exec -q --json "$work/l.json" -- sh -c 'trap "" XFSZ; ulimit -f 0; exec "$0" many 3' "$own/exec_rough" \
    2>&1 >/dev/null | cat >"$work/err"
err_has "results of the program are lost" # when not a byte can be written, to tell of it, too
check "and nothing is written of them" [ "$(cat "$work/l.json")" = old ]
exec_ok "with room for them" "^60.0$" --json "$work/l.json" -- "$own/exec_rough" many 40
check "all are there" [ "$(launches "$work/l.json")" = 40 ]
(umask 777; "$WARPLINE" exec -q -- "$own/exec_rough" many >"$work/out" 2>"$work/err")
check "a program that runs with umask 777" [ $? = 0 ]
check "no folder is left" [ -z "$(ls -A "$work/tmp")" ]
"$WARPLINE" exec -q -- sleep 20 >"$work/out" 2>"$work/err" &
pid=$!
sleep 0.3; kill -KILL $pid; wait $pid 2>/dev/null
check "kill -9 leaves a folder" [ -n "$(ls -A "$work/tmp")" ]
run exec -q -- "$own/exec_rough" many
check "which the next one removes" [ -z "$(ls -A "$work/tmp")" ]
TMPDIR=$work/none
exec_ends 1 "cannot make a folder for the results in .*none: No such file" -- "$own/exec_rough" many
unset TMPDIR

finish
