#!/bin/sh
# Generic accesses: they arrive in the space they point into, and cost there what an instruction that names
# the space costs.
. "$(dirname "$0")/lib.sh"
ptx=$(dirname "$0")/spaces.ptx

# Counters of the row just written, one line "name value" each, without what names the run.
list() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i }
             NR == 2 { for (i = 1; i <= NF; i++)
                 if (name[i] !~ /^(workload|inputs|version|config_hash|engine|check|host|command)/) print name[i], $i
             }' "$work/row"
}
# counters KERNEL FILE ARGS...
counters() {
    kernel=$1 file=$2; shift 2
    run run "$ptx" --kernel "$kernel" --grid 4 --block 128 --arg buf:4K -q --csv "$work/row" "$@"
    [ $status -eq 0 ] && list >"$file" || not_ok "$kernel $*"
}
# What an instruction asks for, without when.
accesses() {
    grep -E '^sm.(warp_i|thread_i|loads|stores|shared|l1d_loads|load_req|store_req)' "$1"
    grep -E '^(l1d.(acc|load|store|miss|fill)|l2.(acc|miss))' "$1"
}
same() { # NAME FILE FILE
    if [ -s "$2" ] && diff "$2" "$3" >"$work/out"; then ok "$1"; else not_ok "$1"; fi
}

# The kernels lie at different places of the file, which an instruction cache notices, and one has a cvta where the
# other has an add, to which GPGPU-Sim 3.2 gives another latency: neither is in question here.
set -- --set sm.fetch=ideal --set sm.classes=hardware
for space in local shared; do
    for gpu in gtx480 gtx480-v322 qv100; do
        counters ${space}_named "$work/named" --gpu $gpu "$@"
        counters ${space}_generic "$work/generic" --gpu $gpu "$@"
        same "$space memory on $gpu: generic as named, every counter" "$work/named" "$work/generic"
    done
done
check "and it reaches shared memory" grep -q '^sm.shared_accesses [1-9]' "$work/generic"
check "and not the L1D" grep -q '^l1d.loads 0$' "$work/generic"

# Lanes of one instruction in three spaces: three parts, each as an instruction of its own.
counters mixed_named "$work/all"; accesses "$work/all" >"$work/named"
counters mixed_generic "$work/all"; accesses "$work/all" >"$work/generic"
same "lanes in three spaces: the accesses of three instructions" "$work/named" "$work/generic"
for engine in "--engine tick" "--shuffle 3"; do
    counters mixed_generic "$work/other" $engine
    same "lanes in three spaces, $engine" "$work/all" "$work/other"
done
launch="--kernel mixed_generic --grid 4 --block 128 --arg buf:4K"
good "their values" run "$ptx" $launch --dump 0:u32:8 -q
has ' 1 2 3 4 5 6 7 8$'
good "functional" run "$ptx" $launch --functional
good "recorded" trace record "$ptx" $launch -o "$work/mixed.wlt" -q
good "replayed" run "$work/mixed.wlt" -q --csv "$work/row"
list >"$work/other"
same "a replay of lanes in three spaces" "$work/all" "$work/other"
good "in its summary" trace info "$work/mixed.wlt"
has 'local'; has 'shared'
bad 1 "a generic atomic cannot reach local memory" run "$ptx" --kernel atomic_in_local --grid 1 --block 32
finish
