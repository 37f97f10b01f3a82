# lib.sh - helpers of the command-line tests; sourced, never run.
#
# Each check prints "ok" or "not ok"; finish exits with 1 when any failed.
set -u
: "${WARPLINE:?the program to test}" "${WL_ROOT:?the source tree}" "${WL_BUILD:?the build tree}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 number=0

ok() { number=$((number + 1)); echo "ok $number - $1"; }
not_ok() {
    number=$((number + 1)); failed=$((failed + 1))
    echo "not ok $number - $1"
    sed 's/^/#   /' "$work/out" "$work/err" 2>/dev/null | head -20
}

# Programs of nvcc are for x86-64, and cannot load sanitized libraries.
nvcc_programs() {
    [ "$(uname -m)" = x86_64 ] && ! ldd "$WL_BUILD/cuda/libcuda.so.1" | grep -q -e asan -e clang_rt &&
        ! nm -D "$WL_BUILD/cuda/libcuda.so.1" | grep -q __asan
}

# run ARGS...: runs the program; leaves $status, $work/out and $work/err.
run() { "$WARPLINE" "$@" >"$work/out" 2>"$work/err"; status=$?; }

# good NAME ARGS...: must exit with 0 and say nothing on standard error.
good() {
    name=$1; shift
    run "$@"
    if [ $status -eq 0 ] && [ ! -s "$work/err" ]; then ok "$name"; else not_ok "$name (exit $status)"; fi
}

# bad STATUS PATTERN ARGS...: must exit with STATUS, name the mistake, and print no result.
bad() {
    want=$1 pattern=$2; shift 2
    run "$@"
    if [ $status -eq "$want" ] && grep -q -e "$pattern" "$work/err" && [ ! -s "$work/out" ]; then ok "$* : $pattern"
    else not_ok "$* : exit $status (not $want), or no '$pattern', or output"; fi
}

# has PATTERN: the output of the last run has a line like that.
has() { if grep -q -e "$1" "$work/out"; then ok "output has '$1'"; else not_ok "output has no '$1'"; fi; }

check() { # NAME COMMAND...: the command succeeds
    name=$1; shift
    if "$@"; then ok "$name"; else not_ok "$name"; fi
}

finish() { echo "1..$number"; [ $failed -eq 0 ]; exit; }
