#!/bin/sh
# `run FILE.ptx`: launches from the command line, and what can be wrong with them.
. "$(dirname "$0")/lib.sh"
ptx=$(dirname "$0")/axpy.ptx
launch="--kernel axpy --grid 4 --block 256"
args="--arg buf:4K:iota-f32 --arg buf:4K:const-f32=1.5 --arg f32:2 --arg u32:1000"

good "a kernel" run "$ptx" $launch $args
has 'axpy.ptx:axpy'; has '  axpy '
good "its result" run "$ptx" $launch $args --dump 1:f32:10 --quiet
has '^argument 1, 10 values of f32$'
has ' 1.5 3.5 5.5 7.5 9.5 11.5 13.5 15.5$'
good "functional" run "$ptx" $launch $args --functional --dump 1:f32:2
good "integers" run "$ptx" $launch --arg buf:4K:iota-i32 --arg buf:4K:rand-u32 --arg f32:1e0 --arg u32:0 \
    --dump 0:s32:4 -q
has ' 0 1 2 3$'
head -c 64 /dev/zero >"$work/zeros"
good "a buffer from a file" run "$ptx" $launch --arg buf:4K --arg "buf:64:file:$work/zeros" --arg f32:1 --arg u32:16 \
    -q --dump 1:f32
good "no parameters" run "$ptx" --kernel nothing --grid 1 --block 32
good "JSON" run "$ptx" $launch $args --json -
has '"workload": "axpy.ptx:axpy"'

bad 2 "cannot read" run "$work/none.ptx"
bad 2 "2 kernels; choose one with --kernel" run "$ptx"
check "it lists them with their parameters" grep -q 'axpy (.u64 x, .u64 y, .f32 a, .u32 n)' "$work/err"
bad 2 "did you mean 'axpy'" run "$ptx" --kernel axpi
printf '.version 7.0\n.target sm_75\n.address_size 64\n.entry declared;\n' >"$work/declared.ptx"
bad 2 "has no kernel (.entry with a body)" run "$work/declared.ptx" --grid 1 --block 1
bad 2 "has no kernel (.entry with a body)" run "$work/declared.ptx" --grid 1 --block 1 --kernel declared
bad 2 "needs --grid" run "$ptx" --kernel axpy --block 32
bad 2 "needs --block" run "$ptx" --kernel axpy --grid 4
bad 2 "up to three numbers" run "$ptx" --kernel axpy --grid 4,x --block 32
bad 2 "up to three numbers" run "$ptx" --kernel axpy --grid 4,1,1,1 --block 32
bad 2 "up to three numbers" run "$ptx" --kernel axpy --grid 0 --block 32
bad 2 "4 parameters (.u64 x" run "$ptx" $launch --arg u32:1
bad 2 "parameter 0, x, is u64" run "$ptx" $launch --arg u32:1 --arg buf:4K --arg f32:2 --arg u32:1
bad 2 "parameter 2, a, is f32" run "$ptx" $launch --arg buf:4K --arg buf:4K --arg u32:2 --arg u32:1
bad 2 "cannot hold an address" run "$ptx" $launch --arg buf:4K --arg buf:4K --arg buf:4K --arg u32:1
bad 2 "no value of type u32" run "$ptx" $launch --arg buf:4K --arg buf:4K --arg f32:2 --arg u32:1.5
bad 2 "no value of type u32" run "$ptx" $launch --arg buf:4K --arg buf:4K --arg f32:2 --arg u32:4294967296
bad 2 "an argument is buf" run "$ptx" $launch --arg buf:4K --arg buf:4K --arg f32:2 --arg 7
bad 2 "no size in bytes" run "$ptx" $launch --arg buf:some --arg buf:4K --arg f32:2 --arg u32:1
bad 2 "did you mean 'iota-i32'" run "$ptx" $launch --arg buf:4K:iota --arg buf:4K --arg f32:2 --arg u32:1
bad 2 "more than the buffer" run "$ptx" $launch --arg "buf:32:file:$work/zeros" --arg buf:4K --arg f32:2 --arg u32:1
bad 2 "is no buffer" run "$ptx" $launch $args --dump 2:f32
bad 2 "is missing" run "$ptx" $launch $args --dump 9:f32
bad 2 "holds 1024 values" run "$ptx" $launch $args --dump 0:f32:5000
bad 2 "the type is one of" run "$ptx" $launch $args --dump 0:float
bad 2 "for workloads" run "$ptx" $launch $args --size tiny
bad 2 "larger than" run "$ptx" --kernel axpy --grid 1 --block 2048 $args
bad 2 "blocks" run "$ptx" --kernel axpy --grid 4,99999999,99999 --block 32 $args
bad 2 "writes to standard output" run "$ptx" $launch $args --dump 0:f32 --json -
bad 1 "axpy" run "$ptx" $launch --arg buf:4K --arg buf:1K --arg f32:2 --arg u32:1000

sed 's/fma.rn.f32/fmaa.rn.f32/' "$ptx" >"$work/bad.ptx"
bad 2 "bad.ptx:[0-9]*:[0-9]*: error: .*fmaa" run "$work/bad.ptx" --kernel axpy
check "with a caret" grep -q '^ *^$' "$work/err"
head -c 300 "$ptx" >"$work/short.ptx"
bad 2 "short.ptx:[0-9]*" run "$work/short.ptx"

# ---- long and endless kernels ----
cat >"$work/begin" <<'P'
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n)
{
.reg .b32 %r<8>; .reg .pred %p; .reg .b64 %d;
ld.param.u64 %d, [a]; ld.param.u32 %r1, [n]; mov.u32 %r2, 0;
L: add.u32 %r2, %r2, 1;
P
{ cat "$work/begin"; echo 'setp.lt.u32 %p, %r2, %r1; @%p bra L; st.global.u32 [%d], %r2; ret; }'; } >"$work/long.ptx"
{ cat "$work/begin"; echo 'st.global.u32 [%d], %r2; bra L; }'; } >"$work/endless.ptx"
one="--kernel k --grid 1 --block 32 --arg buf:4K"
good "a loop that only computes is no deadlock" run "$work/long.ptx" $one --arg u32:100000 --dump 0:u32:1 -q
has ' 100000$'
good "nor on the reference" run "$work/long.ptx" $one --arg u32:60000 --dump 0:u32:1 -q --engine tick
bad 1 "endless.ptx:8: add.*CTA (0,0,0)" run "$work/endless.ptx" $one --arg u32:0 --set run.cta_instructions=1000000
check "an endless loop says which limit" grep -q "set run.cta_instructions higher" "$work/err"
bad 1 "set run.cta_memory higher" run "$work/endless.ptx" $one --arg u32:0 --set run.cta_memory=1
bad 1 "no end in sight" run "$work/endless.ptx" $one --arg u32:0 --set run.cta_instructions=1000000 --functional
bad 1 "cannot end within the 1000 cycles" run "$work/endless.ptx" $one --arg u32:0 --max-cycles 1000

# ---- texts that are none ----
{ cat "$ptx"; printf '\0.entry q() { garbage'; } >"$work/nul.ptx"
bad 2 "nul.ptx:[0-9]*: error: a NUL byte" run "$work/nul.ptx" --kernel axpy
if [ "${WL_SLOW:-0}" != 1 ]; then # a sanitizer needs more address space than any limit
    truncate -s 3G "$work/sparse.ptx"
    (ulimit -v 1500000; "$WARPLINE" run "$work/sparse.ptx" 2>"$work/err")
    check "a text without end is not read to its end" [ $? = 2 ]
    rm "$work/sparse.ptx"
fi
# The time grows with the text, not with its square: one second here, minutes if each function looked at all others.
awk 'BEGIN {
    print ".version 7.0\n.target sm_70\n.address_size 64\n.func f0(){ ret; }"
    for (i = 1; i < 240000; i++) print ".func f" i "(){ call f" i - 1 "; ret; }"
    print ".visible .entry k(){ ret; }" }' >"$work/many.ptx"
limit=20
[ "${WL_SLOW:-0}" = 1 ] && limit=60
(ulimit -t $limit; "$WARPLINE" run "$work/many.ptx" --grid 1 --block 32 -q >"$work/out" 2>"$work/err")
check "240000 functions within $limit seconds of the processor" [ $? = 0 ]
finish
