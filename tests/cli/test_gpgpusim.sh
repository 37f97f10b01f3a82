#!/bin/sh
# Machines of GPGPU-Sim and Accel-Sim from the command line: shown, converted, run on, and files that are none.
. "$(dirname "$0")/lib.sh"
configs=$WL_ROOT/tests/configs
hash_of() { sed -n 's/.*configuration \([0-9a-f]*\)$/\1/p' "$1" | head -1; }

# Each file, its conversion and the preset made after it are one machine; what cannot be had is said.
for m in gtx480 titan qv100 rtx2060 rtx3070; do
    file=$configs/$m.config
    if [ $m != gtx480 ]; then file=$file+$m.trace.config; fi
    run gpu show "$file"
    check "show $m.config" test $status -eq 0
    check "$m: options without meaning are named" grep -q "warning: .*no meaning here:.* -gpgpu_num_reg_banks" \
        "$work/err"
    hash_of "$work/out" >"$work/a"
    run gpu convert "$file" -o "$work/$m.ini"
    check "convert $m.config" test $status -eq 0
    check "and nothing on standard output" test ! -s "$work/out"
    good "the converted file is read without a warning" gpu show "$work/$m.ini"
    hash_of "$work/out" >"$work/b"
    check "and is the same machine" cmp -s "$work/a" "$work/b"
    if [ $m = gtx480 ]; then m=gtx480-v42; fi # the rules of its release
    good "preset $m" gpu show $m
    hash_of "$work/out" >"$work/b"
    check "and so is the preset" cmp -s "$work/a" "$work/b"
    good "run on $m" run vectoradd --size tiny --gpu $m --check
done
run gpu show "$configs/gtx480.config"
has "^# made on top of gtx480-v42"
printf -- '-gpgpu_compute_capability_major 2\n-gpgpu_cache:dl2 S:64:128:8,L:B:m:L:L,A:256:4,4\n' >"$work/fermi.config"
printf -- '-config fermi.config\n-gpgpu_pipeline_widths 2,0,0,1\n' >"$work/bad.config"
bad 2 "bad.config:2: -gpgpu_pipeline_widths: '2,0,0,1' must be 11 numbers" gpu show "$work/bad.config"
printf -- '-config fermi.config\n-gpgpu_pipeline_widths 2,0,0,1,1,2,0,0,1,1,0\n' >"$work/bad.config"
run gpu show "$work/bad.config"
check "no result bus" test $status -eq 2
check "by our own name" grep -q "sm.result_buses" "$work/err"
run run vectoradd --size tiny --gpu "$configs/qv100.config+qv100.trace.config" --json "$work/file.json" -q
check "run on a gpgpusim.config" test $status -eq 0
good "the preset" run vectoradd --size tiny --gpu qv100 --json "$work/preset.json" -q
plain() {
    sed -e '/"host": {/,/}/d' -e '/"set": {}/d' -e '/"set": {/,/}/d' \
        -e '/"warnings": \[\]/d' -e '/"warnings": \[/,/\]/d' "$1" |
        grep -v '"gpu"\|"preset"\|"command"\|"machine"\|"name"'
}
plain "$work/file.json" >"$work/a"
plain "$work/preset.json" >"$work/b"
check "gives the counters of the preset" cmp -s "$work/a" "$work/b"

# A trace of a modern GPU on a modern machine, with the latencies of trace.config.
run run "$WL_ROOT/tests/traces/v5" --gpu "$configs/qv100.config+trace.config"
check "gpgpusim.config+trace.config" test $status -eq 0
check "names what trace.config has in vain" grep -q "specialized unit 6, FROB" "$work/err"
printf 'base = %s/qv100.config\nl1d.mshr = 17\n' "$configs" >"$work/mine.ini"
run gpu show "$work/mine.ini"
check "a gpgpusim.config can be a base" test $status -eq 0
has "l1d.mshr = 17"
has "sm.count = 80"
run compare vectoradd --size tiny --gpu "$configs/qv100.config" --sched lrr,gto
check "warnings come once" test "$(grep -c 'no meaning here' "$work/err")" -eq 1

# Wrong files.
printf -- '-gpgpu_n_mem x\n' >"$work/bad.config"
bad 2 "bad.config:1: -gpgpu_n_mem: 'x' is not a whole number" gpu show "$work/bad.config"
printf -- '-gpgpu_cache:dl1 S:4:128\n' >"$work/bad.config"
bad 2 "bad.config:1: .*is no cache" run vectoradd --size tiny --gpu "$work/bad.config"
sed 's/^-gpgpu_n_mem .*/-gpgpu_n_mem 9999/' "$configs/gtx480.config" >"$work/bad.config"
run gpu show "$work/bad.config"
check "an impossible machine is refused" test $status -eq 2
check "by our own name" grep -q "mem.channels" "$work/err"
printf -- '-config bad.config\n' >"$work/bad.config"
bad 2 "more than 8 deep" gpu show "$work/bad.config"
bad 2 "cannot read" gpu show "$work/none.config"
bad 2 "cannot read" gpu show "$configs/qv100.config+none.config"
bad 2 "gpu show" gpu
bad 2 "gpu convert" gpu change gtx480
bad 2 "is for 'gpu convert'" gpu show gtx480 -o "$work/x.ini"
bad 2 "cannot write" gpu convert gtx480 -o "$work/none/x.ini"
good "convert to standard output" gpu convert gtx480
has "^sm.count = 15"

# The new parameters, their limits and what contradicts itself.
bad 2 "mem.hash = ipoly hashes to 16, 32 or 64 slices.* = 128 needs 128" run vectoradd --size tiny \
    --set mem.hash=ipoly --set mem.channels=64
bad 2 "mem.hash = xor needs a power of two" run vectoradd --size tiny --set mem.hash=xor
bad 2 "ascending sizes" run vectoradd --size tiny --set shared.options=8,4
bad 2 "must hold sm.shared" run vectoradd --size tiny --set shared.unified=64K
bad 2 "l2.promote = 3" run vectoradd --size tiny --set l2.promote=3
finish
