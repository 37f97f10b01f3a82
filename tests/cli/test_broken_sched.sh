#!/bin/sh
# A scheduler that answers what sched.h does not allow ends the run with exit 1 and a sentence that names the scheme,
# its answer, what was allowed, the SM, the kernel and the cycle.
. "$(dirname "$0")/lib.sh"
cc=${CC:-cc}
if ! command -v "$cc" >/dev/null 2>&1; then echo "1..0 # no C compiler"; exit 0; fi
"$cc" -std=c11 -O2 -Wall -Wextra -Werror -shared -fPIC -I "$WL_ROOT/include" "$WL_ROOT/tests/cli/broken_sched.c" \
    -o "$work/broken.so" 2>"$work/err" || { not_ok "the plugin builds"; finish; }

good "without a fault it runs" run atax --size tiny --check --plugin "$work/broken.so" --sched broken -q

# fault NUMBER PATTERN: both engines end the run alike.
fault() {
    for engine in fast tick; do
        bad 1 "$2" run atax --size tiny --plugin "$work/broken.so" --sched "broken:fault=$1" --engine $engine -q
        where="SM [0-9]*.*; kernel atax_rows, cycle [0-9]*"
        if grep -q "scheduler broken: .*$where" "$work/err"; then ok "the sentence is complete ($engine)"
        else not_ok "the sentence is complete ($engine)"; fi
    done
}
fault 1 "pick() answered 64, which is none of the candidates 0x[0-9a-f]* and not -1; SM 0, scheduler [01];"
fault 2 "pick() answered 1000000, which is none of the candidates"
fault 3 "pick() answered -99, which is none of the candidates"
fault 4 "pick() answered [0-9]*, which is none of the candidates"
fault 5 "pick() answered [0-9]* and, asked again, -1; it must not change state"
fault 6 "allowed() answered the warps 0x[0-9a-f]* and, asked again, 0x[0-9a-f]*; it must not change state"
fault 7 "first() answered 99, but there are schedulers 0 to 1"
fault 8 "first() answered [01] and, asked again, [01]; it must not change state"
fault 9 "second() answered the warps 0x[0-9a-f]*, but those of its own are 0x[0-9a-f]*"
fault 10 "on_cycle() answered cycle 0, but it must be later than this one"
fault 11 "on_cycle() answered cycle \([0-9]*\), but it must be later than this one, \1"
fault 12 "may_miss() answered [a-z]* for warp [0-9]* and, asked again, the opposite"

bad 2 "asks for a re-execution queue with same_warp = 200; the largest is 2" \
    run atax --size tiny --plugin "$work/broken.so" --sched broken:fault=13 -q
bad 2 "scheduler broken cannot run this SM: it does not say why" \
    run atax --size tiny --plugin "$work/broken.so" --sched broken:fault=14 -q

# A deadlock says which instruction the first warp that waits stands at, and its line.
cat >"$work/stuck.ptx" <<'P'
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 a)
{
.reg .b32 %r<2>; .reg .b64 %d;
ld.param.u64 %d, [a];
ld.global.u32 %r1, [%d];
ret; }
P
for engine in fast tick; do
    bad 3 "deadlock: nothing has moved.*" run "$work/stuck.ptx" --kernel k --grid 1 --block 32 --arg buf:4K \
        --plugin "$work/broken.so" --sched broken:fault=15 --set run.watchdog=100000 --engine $engine -q
    check "the line it stands at ($engine)" \
        grep -q "SM 0: 1 warps live, 1 ready.*warp 0 stands at pc 0x[0-9a-f]* (PTX line 7: ld.param" "$work/err"
done
finish
