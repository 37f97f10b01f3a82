#!/bin/sh
# tsan.sh BUILD [JOBS] - what uses threads, under ThreadSanitizer, which ends with a report when two touch the same
# memory without order: wl_run and the driver API from several threads, a program under `warpline exec` that forks and
# calls from threads, a sweep (whose workers are processes: the parent and its signals are watched), and simulations on
# several threads.
set -eu
cd "$(dirname "$0")/.."
build=$1 jobs=${2:-2}
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Debug -DWL_TSAN=ON >/dev/null
targets="product test_threads test_driver test_driver_graph test_streams test_split test_accel_ahead exec_rough"
# shellcheck disable=SC2086 # words
cmake --build "$build" -j "$jobs" --target $targets -- --no-print-directory >/dev/null
export TSAN_OPTIONS=halt_on_error=1:exitcode=66:second_deadlock_stack=1
# The address spaces of newer kernels are too random for the runtimes of older compilers.
plain=
if ! "$build/warpline" --version >/dev/null 2>&1 && command -v setarch >/dev/null; then plain="setarch -R"; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check() { # NAME COMMAND...
    name=$1
    shift
    if "$@" >"$work/out" 2>&1; then echo "tsan: $name: ok"; else
        status=$?
        cat "$work/out"
        echo "tsan: $name: exit status $status"
        exit 1
    fi
}
check "the library from several threads" $plain "$build/test_threads"
check "simulations on several threads" $plain "$build/test_split"
check "kernels of several streams" $plain "$build/test_streams" every_engine_counts_the_same
check "traces that a thread reads" $plain "$build/test_accel_ahead"
check "the driver API" $plain "$build/test_driver"
check "graphs" $plain "$build/test_driver_graph"
check "a program that launches" $plain "$build/warpline" exec -q -- "$build/exec/exec_rough" many 20
check "a program that forks during a launch" $plain "$build/warpline" exec -q -- "$build/exec/exec_rough" thread
printf 'workloads = vectoradd reduction\nsize = tiny\n[series a]\nsched = lrr\n[series b]\n[figure 1]\nmetric = ipc\n' \
    >"$work/small.ini"
check "a sweep" $plain "$build/warpline" experiment "$work/small.ini" --store "$work/r.db" --out "$work" -j 2 -q
check "the same store by two at once" sh -c '
    for i in 1 2; do
        '"$plain $build"'/warpline experiment "$0/small.ini" --store "$0/two.db" --out "$0" -q & pids="$pids $!"
    done
    for p in $pids; do wait $p || exit 1; done' "$work"
