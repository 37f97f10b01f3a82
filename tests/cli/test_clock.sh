#!/bin/sh
# Clocks in kernels tell simulated time: micro-benchmarks measure the machine that is simulated, in both engines and in
# any order of parts; without timing they count instructions, and that is said once.
. "$(dirname "$0")/lib.sh"
bin=$WL_ROOT/tests/exec/bin
if ! nvcc_programs; then
    echo "# the programs of nvcc are skipped"
    finish
fi

# measure WORDS...: runs the micro-benchmarks; value NAME is what one printed, in cycles.
measure() {
    run exec -q "$@" -- "$bin/latency"
    if [ $status -eq 0 ] && [ ! -s "$work/err" ]; then ok "latency $*"; else not_ok "latency $*"; fi
}
value() { sed -n "s/^$1 \([0-9]*\).*/\1/p" "$work/out"; }
param() { "$WARPLINE" gpu show "$1" | sed -n "s/^$2 = \([0-9]*\).*/\1/p"; }
# is NAME WANT: a benchmark printed just that.
is() { if [ "$(value "$1")" = "$2" ]; then ok "$1: $2 cycles"; else not_ok "$1: $(value "$1") cycles, not $2"; fi; }

# 64 steps and the two cycles of the loop's own instructions: one before the first step, one behind the last.
for gpu in gtx480 h200; do
    measure --gpu $gpu --set il1.perfect=yes # code that is not there yet would be timed too
    delay=$(param $gpu sm.mem_delay)
    is add $((64 * ($(param $gpu sm.issue_delay) + $(param $gpu lat.int_add)) + 2))
    is fma $((64 * ($(param $gpu sm.issue_delay) + $(param $gpu lat.fp_mad)) + 2))
    is shared $((64 * (delay + 1 + $(param $gpu shared.latency)) + 2)) # one bank pass
    # An assembler makes two instructions of the 64-bit addition behind the last step; the second waits for the carry.
    carry=0
    [ $gpu = gtx480 ] || carry=$(param $gpu lat.int_add)
    is l1d $((64 * (delay + $(param $gpu l1d.pipe) + $(param $gpu l1d.hit)) + 2 + carry))
    is clock 1
done

# What is behind the L1D: a parameter that grows shows as much in every step. The L2's clock is the core's here.
measure --gpu gtx480
l2=$(value l2) dram=$(value dram)
check "DRAM is slower than the L2" [ "$dram" -gt $((l2 + 64 * 50)) ]
measure --gpu gtx480 --set l2.latency=$(($(param gtx480 l2.latency) + 50))
is l2 $((l2 + 64 * 50))
measure --gpu gtx480 --set il1.perfect=yes --set lat.int_add=17 # the code is there
is add $((64 * ($(param gtx480 sm.issue_delay) + 17) + 2))

# Nanoseconds: 700 MHz. The timer is read one cycle before and one behind the clock.
ns=$(sed -n 's/^timer \([0-9]*\) ns.*/\1/p' "$work/out")
cycles=$(sed -n 's/^timer .* ns \([0-9]*\) .*/\1/p' "$work/out")
check "timer $ns ns, $cycles cycles" [ $((ns * 7 - cycles * 10)) -ge -20 -a $((ns * 7 - cycles * 10)) -le 40 ]

# Both engines, any order of parts: the same readings. Another policy may give others.
cp "$work/out" "$work/first"
measure --gpu gtx480 --set il1.perfect=yes --set lat.int_add=17 --engine tick --shuffle 7
check "the reference engine, shuffled, gives the same readings" cmp -s "$work/out" "$work/first"

# Without timing.
run exec -q --functional -- "$bin/latency"
check "functional: exit 0" [ $status -eq 0 ]
check "functional: said once" [ "$(grep -c 'clocks count the instructions' "$work/err")" = 1 ]
is add 66
finish
