#!/bin/sh
# coverage.sh BUILD [JOBS] - builds with gcov's counters, runs all tests, prints lines and branches per folder.
#
# The exit status is 1 when src/ and cuda/ have less than 90 % of lines or 80 % of branches (scripts/coverage.py). It
# takes minutes. BUILD/coverage.md gets the table, BUILD/coverage-rest.txt what is below and what no test calls.
#
#   WL_FAULTS=1   also fails the Nth call in each of a set of commands (tests/fault), for branches that only a full disk
#                 or no memory reaches
#   TESTS         a pattern of ctest; without it all tests run
set -eu
cd "$(dirname "$0")/.."
build=$1 jobs=${2:-2}
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Coverage >/dev/null
cmake --build "$build" -j "$jobs" -- --no-print-directory >/dev/null
find "$build" -name '*.gcda' -delete
# The counters of processes that end at the same time are merged by gcov's runtime, under a lock on each file.
(cd "$build" && ctest -j "$jobs" ${TESTS:+-R "$TESTS"} --timeout 1500 >ctest.log 2>&1) ||
    sed -n '/The following tests FAILED/,$p' "$build/ctest.log" >&2
if [ "${WL_FAULTS:-0}" = 1 ]; then
    cc -shared -fPIC -O1 -o "$build/libwlfault.so" tests/fault/fault.c -ldl -lpthread
    python3 tests/fault/drive.py --warpline "$build/warpline" --lib "$build/libwlfault.so" --stride 20 \
        >"$build/faults.log" 2>&1 || true # the counters are wanted here; the verdict is `make fault`
fi
python3 scripts/coverage.py "$build" --jobs "$jobs" --rest >"$build/coverage.out" && rc=0 || rc=$?
sed -n '/^files below/,$p' "$build/coverage.out" >"$build/coverage-rest.txt"
sed '/^files below/,$d' "$build/coverage.out" | tee "$build/coverage.md"
exit $rc
