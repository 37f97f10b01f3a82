#!/bin/sh
# Clusters of CTAs in time: where they are placed, their barrier, the shared memory of others, and products of warp
# groups. Closed forms: what an option adds to each of n steps, a run adds n times.
. "$(dirname "$0")/lib.sh"

kernel() { # CLUSTER BODY
    cat >"$work/k.ptx" <<P
.version 8.4
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out) $1 {
.reg .b64 %out; .reg .b32 %t, %v, %n, %a, %b, %rank, %other, %size; .reg .pred %p, %q;
.shared .align 16 .b8 box[$3]; .shared .align 8 .b8 bar[8];
ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %a, box; mov.u32 %v, %t; mov.u32 %n, 0;
mov.u32 %rank, %cluster_ctarank; mov.u32 %size, %cluster_nctarank; add.u32 %other, %rank, 1;
rem.u32 %other, %other, %size;
st.shared.u32 [%a], %t;
$2
mov.u32 %a, %ctaid.x; mad.lo.u32 %a, %a, 32, %t; mad.wide.u32 %out, %a, 4, %out; st.global.u32 [%out], %v; ret; }
P
}
meet="barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
value() { sed -n "s/^ *\"$1\": *\([0-9]*\).*/\1/p" "$work/r.json" | head -1; }
cycles() { # GRID BLOCK WORDS...
    grid=$1 block=$2; shift 2
    run run -q "$work/k.ptx" --grid "$grid" --block "$block" --arg buf:64K --json "$work/r.json" --paranoid "$@"
    [ $status -eq 0 ] || { not_ok "the kernel runs: $* (exit $status)"; cat "$work/err"; } >&2
    value cycles
}
near() { # within 2 %: a wait hides a part of its first poll, a fetch or the last store's way to another clock a cycle
    d=$(($2 - $3)); [ $d -ge 0 ] || d=$((-d))
    if [ $((d * 50)) -le "$3" ]; then ok "$1 ($2, $3)"; else not_ok "$1: $2, not $3"; fi
}
equal() { if [ "$2" -eq "$3" ]; then ok "$1 ($2)"; else not_ok "$1: $2, not $3"; fi; }

# A chase of 64 loads through the shared memory of the next CTA.
chase="mapa.shared::cluster.u32 %b, %a, %other; $meet
L: ld.shared::cluster.u32 %v, [%b]; and.b32 %v, %v, 0; add.u32 %b, %b, %v;
add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 64; @%p bra L; $meet"
for gpu in gtx480 h200; do
    kernel ".reqnctapercluster 2, 1, 1" "$chase" 64
    a=$(cycles 4 1 --gpu $gpu --set cluster.latency=100) b=$(cycles 4 1 --gpu $gpu --set cluster.latency=300)
    near "each of 64 loads is 200 cycles later, on $gpu" $((b - a)) 12800
    kernel ".reqnctapercluster 2, 1, 1" "$(echo "$chase" | sed 's/%other; b/%rank; b/')" 64
    a=$(cycles 4 1 --gpu $gpu --set cluster.latency=100) b=$(cycles 4 1 --gpu $gpu --set cluster.latency=300)
    equal "the own memory by its address in the cluster is the own, on $gpu" "$b" "$a"
    # The barrier: 10 times.
    kernel ".reqnctapercluster 4, 1, 1" "L: $meet add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 10; @%p bra L;" 64
    a=$(cycles 8 64 --gpu $gpu --set cluster.barrier=100) b=$(cycles 8 64 --gpu $gpu --set cluster.barrier=250)
    near "each of 10 barriers is 150 cycles later, on $gpu" $((b - a)) 1500
    # To and fro: an arrival at the other's mbarrier, 8 times there and 8 times back.
    kernel ".reqnctapercluster 2, 1, 1" "mov.u32 %b, bar; mbarrier.init.shared.b64 [%b], 1;
        mapa.shared::cluster.u32 %a, %b, %other; $meet
        setp.eq.u32 %q, %rank, 0;
        L: and.b32 %v, %n, 1; @!%q bra W; mbarrier.arrive.shared::cluster.b64 _, [%a];
        W: mbarrier.try_wait.parity.shared.b64 %p, [%b], %v; @!%p bra W;
        @%q bra N; mbarrier.arrive.shared::cluster.b64 _, [%a];
        N: add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 8; @%p bra L; $meet" 64
    a=$(cycles 2 1 --gpu $gpu --set cluster.event=100) b=$(cycles 2 1 --gpu $gpu --set cluster.event=250)
    near "16 arrivals at another CTA are 150 cycles later, on $gpu" $((b - a)) $((16 * 150))
done
c=$(cycles 2 1 --gpu h200 --engine tick --set cluster.event=250)
d=$(cycles 2 1 --gpu h200 --shuffle 3 --set cluster.event=250)
check "the engines agree" test "$b $b" = "$c $d"
c=$(cycles 2 1 --gpu h200 --threads 2 --set cluster.event=250)
equal "so do threads" "$c" "$b"
good "recorded" trace record "$work/k.ptx" --grid 2 --block 1 --arg buf:64K -o "$work/t.wlt"
a=$(cycles 2 1 --gpu gtx480)
good "replayed" run -q "$work/t.wlt" --gpu gtx480 --json "$work/r.json"
equal "a trace waits as the program does" "$(value cycles)" "$a"

# Room. 15 SMs, CTAs of which an SM holds one, and work that takes 100000 cycles.
work_long="L: add.u32 %v, %v, %n; add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 3000; @%p bra L;"
rounds() { # CLUSTER GRID WORDS...: how often the work is done
    kernel ".reqnctapercluster $1, 1, 1" "$work_long" 40000
    grid=$2; shift 2
    n=$(cycles "$grid" 32 --gpu gtx480 "$@")
    echo $(((n + once / 2) / once))
}
kernel "" "$work_long" 40000; once=$(cycles 1 32 --gpu gtx480)
equal "15 CTAs in clusters of 5 fill 15 SMs" "$(rounds 5 15)" 1
equal "of GPCs with 6, 6 and 3 SMs the last has no room for 5" "$(rounds 5 15 --set gpu.gpcs=332)" 2
equal "but it has for 3" "$(rounds 3 15 --set gpu.gpcs=332)" 1
equal "two clusters of 8 come one after the other" "$(rounds 8 16)" 2
kernel ".reqnctapercluster 8, 1, 1" "$work_long" 40000
bad 1 "a cluster of 8 CTAs, of which an SM holds 1, does not fit any GPC" \
    run -q "$work/k.ptx" --grid 8 --block 32 --arg buf:64K --gpu gtx480 --set gpu.gpcs=332
# Boxes: the clusters of a grid of two dimensions, with ranks that follow.
kernel ".reqnctapercluster 2, 2, 1" "mapa.shared::cluster.u32 %b, %a, %other;
    st.shared.u32 [%a], %rank; $meet ld.shared::cluster.u32 %v, [%b]; $meet" 64
a=$(cycles 4,4 32 --gpu gtx480)
good "recorded" trace record "$work/k.ptx" --grid 4,4 --block 32 --arg buf:64K -o "$work/t.wlt"
good "replayed" run -q "$work/t.wlt" --gpu gtx480 --json "$work/r.json"
equal "a trace of clusters in two dimensions" "$(value cycles)" "$a"

# Products of warp groups: a chain of n takes its pipe n times, whatever it adds to.
product() { # COLUMNS TIMES WORK-BEFORE-THE-WAIT
    regs=$(awk -v n="$1" 'BEGIN { for (i = 0; i < n / 2; i++) printf "%s%%f%d", i ? "," : "", i }')
    one="wgmma.mma_async.sync.aligned.m64n$1k16.f32.f16.f16 {$regs}, %d, %d, %q, 1, 1, 0, 0;"
    body=""; i=0; while [ $i -lt "$2" ]; do body="$body $one"; i=$((i + 1)); done
    kernel "" ".reg .f32 %f<128>; .reg .b64 %d; setp.eq.u32 %q, 0, 1; shr.u32 %b, %a, 4; cvt.u64.u32 %d, %b;
        or.b64 %d, %d, 0x0000000800010000; wgmma.fence.sync.aligned;
        $body wgmma.commit_group.sync.aligned; $3 wgmma.wait_group.sync.aligned 0;" 16384
}
time_of() { # COLUMNS TIMES WORK WORDS...
    product "$1" "$2" "$3"; shift 3
    cycles 1 128 --gpu h200 --set init.wgmma_least=0 "$@"
}
for n in 8 64 256; do # long enough that none waits for its code
    a=$(time_of $n 6 "" --set init.wgmma=140) b=$(time_of $n 6 "" --set init.wgmma=160)
    near "6 products of $n columns at 20 cycles more for each 8" $((b - a)) $((6 * n / 8 * 20))
done
a=$(time_of 64 2 "" --set lat.wgmma=1000) b=$(time_of 64 2 "" --set lat.wgmma=1100)
near "a wait lasts lat.wgmma longer, whatever the number" $((b - a)) 100
# Work between the products and the wait costs nothing as long as the products take longer; behind it, all of it.
idle="M: add.u32 %v, %v, %n; add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 8; @%p bra M;"
a=$(time_of 256 1 "" --set init.wgmma=64) b=$(time_of 256 1 "$idle" --set init.wgmma=64)
check "work between a product and its wait is hidden ($a, $b)" test $((b - a)) -lt 60
# Of two groups the first is waited for, then the second.
late="wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %d, %d, %q, 1, 1, 0, 0;
    wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1; $idle"
a=$(time_of 256 1 "$late" --set init.wgmma=64)
b=$(time_of 256 1 "$(echo "$late" | sed 's/aligned 1;/aligned 0;/')" --set init.wgmma=64)
check "a wait for all but one is shorter than one for all ($a, $b)" test "$a" -lt "$b"
finish
