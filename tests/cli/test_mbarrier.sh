#!/bin/sh
# What waits at mbarriers cost, and what bulk copies bring: laws that hold on every machine.
. "$(dirname "$0")/lib.sh"

# kernel BODY: two warps and an mbarrier for one arrival, at which BODY may wait.
kernel() {
    cat >"$work/k.ptx" <<P
.version 8.2
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b64 %in, %out; .reg .b32 %t, %v, %n, %bar, %to; .reg .pred %p, %first;
.shared .align 128 .b8 tile[32768]; .shared .align 8 .b8 bar[8];
ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %bar, bar; mov.u32 %to, tile;
setp.eq.u32 %p, %t, 0; setp.lt.u32 %first, %t, 32; mov.u32 %v, %t; mov.u32 %n, 0;
@%p mbarrier.init.shared.b64 [%bar], 1;
bar.sync 0;
$1
mad.wide.u32 %out, %t, 4, %out; st.global.u32 [%out], %v; ret; }
P
}
# A chain of additions, each of which needs the one before: $1 of them, with labels of their own.
chain() { echo "mov.u32 %n, 0; C$2: add.u32 %v, %v, %n; add.u32 %n, %n, 1; setp.lt.u32 %p, %n, $1; @%p bra C$2;"; }
await="W: mbarrier.try_wait.parity.shared.b64 %p, [%bar], 0; @!%p bra W;"
one="setp.ne.u32 %p, %t, 0; @%p bra N; mbarrier.arrive.shared.b64 _, [%bar]; N:"
value() { sed -n "s/^ *\"$1\": *\([0-9]*\).*/\1/p" "$work/r.json" | head -1; }
cycles() { # MACHINE WORDS...
    gpu=$1; shift
    run run -q "$work/k.ptx" --gpu "$gpu" --grid 1 --block 64 --arg buf:32K:iota-i32 --arg buf:4K --paranoid \
        --json "$work/r.json" "$@"
    [ $status -eq 0 ] || not_ok "the kernel runs on $gpu $* (exit $status)" >&2
    value cycles
}
near() { # NAME A B: equal within 6 % and a few cycles: new instructions are fetched
    d=$(($2 - $3)); [ $d -ge 0 ] || d=$((-d))
    if [ $((d * 16)) -le $(($3 + 500)) ]; then ok "$1 ($2, $3)"; else not_ok "$1: $2, not $3"; fi
}

for gpu in gtx480 h200; do
    # The first warp works and arrives, the second works after it has waited: one after the other.
    kernel "@!%first bra S; $one bra E; S: $await E:"
    none=$(cycles $gpu)
    kernel "@!%first bra S; $(chain 600 1) $one bra E; S: $await E:"
    before=$(cycles $gpu)
    kernel "@!%first bra S; $(chain 600 1) $one bra E; S: $await $(chain 600 2) E:"
    both=$(cycles $gpu)
    near "a wait lasts until the arrival, on $gpu" $((both - none)) $((2 * (before - none)))
    # The same without the wait: at the same time.
    kernel "@!%first bra S; $(chain 600 1) $one bra E; S: $(chain 600 2) E:"
    near "who does not wait does not, on $gpu" $(($(cycles $gpu) - none)) $((before - none))
done

# A bulk copy: the lines it touches, once each; all warps wait for the last of them.
copy() {
    echo "setp.ne.u32 %p, %t, 0; @%p bra N; mbarrier.arrive.expect_tx.shared.b64 _, [%bar], $1;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%to], [%in], $1, [%bar]; N:"
}
# The time of work is that without a copy.
load="mad.lo.u32 %to, %t, 4, %to; ld.shared.u32 %v, [%to];"
kernel "$load"; none=$(cycles gtx480) base=$(value loads)
kernel "$(chain 600 1) $load"; work_time=$(($(cycles gtx480) - none))
for bytes in 512 4096 32768; do
    kernel "$(copy $bytes) $await $load"
    waits=$(cycles gtx480)
    check "$bytes bytes: one record per 512, and the first" test $(($(value loads) - base)) -eq $((bytes / 512 + 1))
    kernel "$(copy $bytes) $await $(chain 600 1) $load"
    near "$bytes bytes: work behind the wait begins when they are there" $(($(cycles gtx480) - waits)) $work_time
done
kernel "$(copy 32768) $await $load"
a=$(cycles h200) b=$(cycles h200 --engine tick) c=$(cycles h200 --shuffle 3)
check "the engines agree" test "$a $a" = "$b $c"
good "recorded" trace record "$work/k.ptx" --grid 1 --block 64 --arg buf:32K:iota-i32 --arg buf:4K -o "$work/t.wlt"
good "replayed" run -q "$work/t.wlt" --gpu h200 --json "$work/r.json"
near "a trace waits as the program does" "$(value cycles)" "$a"
finish
