#!/bin/sh
# Small programs in the style of the benchmark suites, unmodified CUDA (tests/exec/suite), as nvcc 13 and nvcc 11
# compiled them: each checks its own results, on the timed machine and, the quick way, on others.
. "$(dirname "$0")/lib.sh"
bin=$WL_ROOT/tests/exec/bin/suite
if ! nvcc_programs; then
    echo "# the programs of nvcc are skipped"
    finish
fi
# program WORDS... : exit 0, silent on standard error, "NAME ok".
program() {
    name=$1; shift
    run exec -q "$@" -- "$bin/$name"
    if [ $status -eq 0 ] && [ ! -s "$work/err" ] && grep -q " ok\$" "$work/out"; then ok "$name $*"
    else not_ok "$name $* (exit $status)"; fi
}
for p in "$bin"/*; do program "${p##*/}"; done
for p in query occupancy graph streams managed; do program $p --gpu h200 --functional; done
program query --gpu h200
check "the machine's own capability" grep -q "3 engines, capability 9.0" "$work/out"
run exec -q -- "$bin/query"
check "bandwidth from clock and width" grep -q "^177.4 GB/s, 1 engines, capability 7.5" "$work/out"
program sssp --shuffle 3
program hydro --engine tick
finish
