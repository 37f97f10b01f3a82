#!/bin/sh
# Machines: presets, files, assignments, and machines that cannot be.
. "$(dirname "$0")/lib.sh"

for g in $("$WARPLINE" list gpus --plain); do
    good "gpu show $g" gpu show "$g"
    cp "$work/out" "$work/$g.ini"
    good "what gpu show $g prints can be read" gpu show "$work/$g.ini"
    grep -v '^#' "$work/out" >"$work/b"; grep -v '^#' "$work/$g.ini" >"$work/a"
    check "and is the same machine" cmp -s "$work/a" "$work/b"
done
run gpu show mascar; has '^l1d.mshr = 64'; has '^sched = lrr'
run gpu show gtx480 --set l1d.mshr=12; has '^l1d.mshr = 12'
run gpu show gtx480 --set sm.shared=16K; has '^sm.shared = 16384'

bad 2 "did you mean 'l1d.mshr'" run atax --set l1d.mshrs=3
bad 2 "no assignment" run atax --set l1d.mshr
bad 2 "out of range; 1 to 65536 entries" run atax --set l1d.mshr=0
bad 2 "out of range" run atax --set l1d.mshr=99999999999999999999
bad 2 "needs a whole number" run atax --set l1d.mshr=many
bad 2 "did you mean 'fermi'" run atax --set l1d.index=fermy
bad 2 "choose the machine with --gpu" run atax --set base=hac
bad 2 "fermi needs 32 or 64 sets" run atax --set l1d.sets=16
bad 2 "ipoly needs 16, 32 or 64" run atax --set l1d.sets=128 --set l1d.index=ipoly
bad 2 "not a power of two" run atax --set l1d.sets=48 --set l1d.index=linear
bad 2 "not a multiple of sm.schedulers" run atax --set sm.warps=47
bad 2 "does not divide dram.banks" run atax --set dram.groups=3
bad 2 "not a power of two" run atax --set dram.banks=12
bad 2 "cannot name dram.banks" run atax --set dram.banks=8
bad 2 "64 address bits" run atax --set "dram.map=dramid@8;RRBB"
bad 2 "no letter of dram.map" run atax --set "dram.map=dramid@8;X"
bad 2 "lines" run atax --set l1d.sets=65536 --set l1d.ways=1024 --set l1d.index=linear

# file NAME TEXT...: writes a machine file.
file() { f="$work/$1"; shift; printf '%s\n' "$@" >"$f"; }
file good.ini '# mine' 'base = mascar' '' '[l1d]' 'mshr = 16   # fewer' 'ways = 8 ; more' '[dram]' 'banks = 16'
good "a file with sections and comments" gpu show "$work/good.ini"
has '^l1d.mshr = 16'; has '^l1d.ways = 8'; has '^sched = lrr'
file inherits.ini 'base = good.ini' 'l1d.mshr = 17'
good "a file on top of a file" gpu show "$work/inherits.ini"
has '^l1d.mshr = 17'; has '^l1d.ways = 8'

file a.ini 'l1d.mshr = 16' 'l1d.mshrs = 3'
bad 2 "a.ini:2:1: error: unknown parameter 'l1d.mshrs'; did you mean" gpu show "$work/a.ini"
check "the line is shown" grep -q '^  l1d.mshrs = 3' "$work/err"
file a.ini 'l1d.mshr = 16' '' 'l1d.mshr = 17'
bad 2 "a.ini:3:1: error: 'l1d.mshr' is given twice; line 1" gpu show "$work/a.ini"
file a.ini 'l1d.mshr = -1'
bad 2 "a.ini:1:12: error: .*out of range" gpu show "$work/a.ini"
file a.ini 'l1d.mshr 12'
bad 2 "a.ini:1: error: neither" gpu show "$work/a.ini"
file a.ini '[l1d' 'mshr = 12'
bad 2 "a.ini:1: error: neither" gpu show "$work/a.ini"
file a.ini 'l1d.mshr = 16' 'base = hac'
bad 2 "base must come first" gpu show "$work/a.ini"
file a.ini 'base = mascra'
bad 2 "did you mean 'mascar'" gpu show "$work/a.ini"
file a.ini 'base = b.ini'; file b.ini 'base = a.ini'
bad 2 "its own base" gpu show "$work/a.ini"
file a.ini 'sched = gtoo'
bad 2 "a.ini:1:9: error: unknown scheduler" gpu show "$work/a.ini"
file a.ini 'l1d.sets = 16'
bad 2 "fermi needs" gpu show "$work/a.ini"
printf 'l1d.mshr = 16\n\000\n' >"$work/a.ini"
bad 2 "not a text file" gpu show "$work/a.ini"
bad 2 "is not a file" gpu show "$work/"
finish
