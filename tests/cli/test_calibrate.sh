#!/bin/sh
# warpline calibrate: the program it prints measures simulated machines, and the machine files made of that have their
# parameters again.
. "$(dirname "$0")/lib.sh"
odd=$WL_ROOT/tests/cli/measurements.txt # what the program measured on the machine below

good "--source" calibrate --source
check "--source is the file" cmp -s "$work/out" "$WL_ROOT/src/experiment/calibrate.cu"

# A machine that differs from every preset in what is measured.
cat >"$work/odd.ini" <<'INI'
base = h200
clock.core = 1500000
clock.icnt = 6000000
clock.l2 = 1100000
clock.dram = 2500000
sm.count = 6
sm.warps = 48
sm.ctas = 16
sm.registers = 49152
sm.shared = 128K
sm.kernel_delay = 700
mem.channels = 4
l2.sets = 128
l2.ways = 16
l2.latency = 120
l2.promote = 1
mem.latency = 170
l1d.ways = 24
l1d.pipe = 40
shared.latency = 24
shared.banks = 16
lat.int_add = 6
lat.int_mad = 7
lat.fp_mad = 5
lat.dp_add = 16
lat.sfu = 22
lat.shfl = 30
init.fp_max = 8
init.dp_add = 8
init.sfu = 16
il0.sets = 16
il0.ways = 16
il1.sets = 64
il1.ways = 16
il1.mshr = 4
il1.turn = 5
device.capability = 80
INI
if nvcc_programs; then
    program=$WL_ROOT/tests/exec/bin/calibrate
    good "the program measures a simulated machine" exec -q --gpu "$work/odd.ini" -- "$program" --quick
    odd=$work/odd.txt
    cp "$work/out" "$odd"
    good "kernels end while code is still asked for ahead" \
        exec -q --gpu "$work/odd.ini" --set il1.turn=64 -- "$program" --quick
else
    echo "# the programs of nvcc are skipped"
fi
good "calibrate" calibrate "$odd" --base h200 -o "$work/made.ini"
good "the machine can be built" gpu show "$work/made.ini"
recovered() { awk '
    BEGIN { # parameter, value, by how much it may differ: half a step of a sweep; the clock of the L2, and what is
        # counted in its cycles, by 15 per cent, because its bandwidth depends on how requests meet
        split("clock.core 1500000 0|clock.icnt 6000000 0|clock.l2 1100000 165000|clock.dram 2500000 0|sm.count 6 0|" \
              "sm.warps 48 0|sm.ctas 16 0|sm.registers 49152 0|sm.shared 131072 0|sm.kernel_delay 700 60|" \
              "mem.channels 4 0|l2.latency 120 22|l2.promote 1 0|mem.latency 170 30|l1d.ways 24 1|l1d.pipe 40 1|" \
              "shared.latency 24 1|shared.banks 16 0|lat.int_add 6 0|lat.int_mad 7 0|lat.fp_mad 5 0|lat.dp_add 16 0|" \
              "lat.sfu 22 0|lat.shfl 30 0|il1.turn 5 0|init.fp_max 8 0|init.dp_add 8 0|init.sfu 16 0|" \
              "device.capability 80 0", want, "|")
        for (i in want) { split(want[i], f, " "); value[f[1]] = f[2]; within[f[1]] = f[3] }
    }
    { n = split($0, f, " ")
      if (n < 3 || !(f[1] in value)) next
      seen++; v = f[3]; if (v ~ /K$/) v = v * 1024
      d = v - value[f[1]]; if (d < 0) d = -d
      if (d > within[f[1]]) { print "not ok - " f[1] " is " f[3] ", not " value[f[1]]; bad = 1 }
    }
    END { if (seen != length(value)) { print "not ok - " seen " of " length(value) " parameters"; bad = 1 }
          exit bad }' "$work/out"; }
check "the parameters are those of the machine" recovered
# 32 KiB of instructions in a scheduler's cache, 128 in the SM's: a step of the sweep is 16
code_kib() { awk -v cache="$1" -v want="$2" '
    $1 == cache ".sets" { s = $3 } $1 == cache ".ways" { w = $3 }
    END { k = s * w / 8; exit !(k > want - 16 && k < want + 16) }' "$work/out"; }
check "a scheduler's instruction cache has 32 KiB" code_kib il0 32
check "the SM's has 128 KiB" code_kib il1 128
check "the L2 has 2 MiB" awk '/^l2.sets/ { s = $3 } /^l2.ways/ { w = $3 } END { exit s * w != 2048 }' "$work/out"
cp "$work/made.ini" "$work/out"
has '^l2.latency = .*# measured latency.l2 .*; this machine: '
has '^# Not measured, as in h200:'
has '^#.* l1d.mshr=512'

# The output of one run is a run; several are put together; the nearest preset is the base.
{ cat "$odd"; sed 's/^latency.shared .*/latency.shared 40/' "$odd"; } >"$work/two.txt"
good "two runs" calibrate "$work/two.txt"
has "base = rtx3070"
has "latency.shared 3[0-9.]* (.* to 40)"

# What can be wrong with a file.
bad 2 "which measurements" calibrate
bad 2 "--source takes no files" calibrate --source "$odd"
bad 2 "No such file" calibrate "$work/none.txt"
grep -v '^end' "$odd" >"$work/cut.txt"
bad 2 "the run was cut off" calibrate "$work/cut.txt"
printf 'latency.l1 33 x\nend 1\n' >"$work/bad.txt"
bad 2 "bad.txt:1: '33 x' are not the numbers of latency.l1" calibrate "$work/bad.txt"
printf '\nlatency.l1 33,1\nend 1\n' >"$work/bad.txt"
bad 2 "bad.txt:2:" calibrate "$work/bad.txt"
printf 'latency.l1 33 34 35\nend 1\n' >"$work/bad.txt"
bad 2 "the median is not between" calibrate "$work/bad.txt"
printf 'Latency 33\nend 1\n' >"$work/bad.txt"
bad 2 "is no key" calibrate "$work/bad.txt"
printf 'end 1\n' >"$work/bad.txt"
bad 2 "no line of the measurements" calibrate "$work/bad.txt"
sed 's/^device.sms .*/device.sms 100000/' "$odd" >"$work/bad.txt"
bad 2 "gives sm.count = 100000" calibrate "$work/bad.txt"
bad 2 "none" calibrate "$odd" --base none
head -c 300000 /dev/zero >"$work/bad.txt"
bad 2 "not a text" calibrate "$work/bad.txt"

# Broken files are refused with a sentence, or are files: never a crash. Some lines are damaged.
n=0
while [ $n -lt 12 ]; do
    n=$((n + 1))
    awk -v n=$n 'BEGIN { srand(n) } { if (rand() < 0.02) { p = int(rand() * length($0)) + 1
        $0 = substr($0, 1, p - 1) sprintf("%c", 33 + int(rand() * 90)) substr($0, p + 1 + int(rand() * 3)) } print }' \
        "$odd" >"$work/broken.txt"
    "$WARPLINE" calibrate "$work/broken.txt" --base h200 >"$work/out" 2>"$work/err"
    rc=$?
    [ $rc = 0 ] || { [ $rc = 2 ] && [ -s "$work/err" ]; } || not_ok "exit $rc for broken file $n"
done
ok "broken files"
finish
