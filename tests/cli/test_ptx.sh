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
bad 2 "bad.ptx:[0-9]*:[0-9]*: error: .*fmaa" run "$work/bad.ptx"
check "with a caret" grep -q '^ *^$' "$work/err"
head -c 300 "$ptx" >"$work/short.ptx"
bad 2 "short.ptx:[0-9]*" run "$work/short.ptx"
finish
