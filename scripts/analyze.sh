#!/bin/sh
# analyze.sh [JOBS] [FILE...] - clang's static analyzer over the product, or over the files named. It must find nothing:
# what it says is printed, with the path that leads there, and the exit status is 1.
#
# It sees one file at a time; scripts/contracts.h tells it what it cannot know of the others, and our assertions
# (base/check.h) are on. NODES is how many states of a function it looks at before it gives up; all its time goes into
# the functions that have more. `make analyze` takes clang's own number and minutes, `make lint` an eighth of it.
set -eu
cd "$(dirname "$0")/.."
if [ "${1-}" = --one ]; then # FILE: prints what is found
    flags=
    for f in wl_fail wl_fail_at wl_no_memory reader_fail reader_memory reader_unknown unknown_series ini_fail \
        ini_fail_section store_fail driver_fail driver_complain graph_bad; do
        ! grep -qE "^(int|CUresult) $f\(" "$2" || flags="$flags -DDEFINES_$f"
    done
    ! grep -q '^#include "experiment/reader.h"' "$2" || flags="$flags -DIN_READER"
    ! grep -q '^#include "experiment/store_priv.h"' "$2" || flags="$flags -DIN_STORE"
    case $2 in cuda/driver*) flags="$flags -DIN_DRIVER" ;; esac
    # shellcheck disable=SC2086 # a list of words
    exec clang --analyze --analyzer-output text -o /dev/null -std=c11 -Isrc -Iinclude -I. -D_GNU_SOURCE -DWL_ASSERTS=1 \
        -DWL_VERSION='"0"' -DWL_EXEC_FROM_BIN='""' -DWL_CUDART_MAJOR=13 -DNVRTC_MAJOR=13 -DNVRTC_SONAME='"13"' \
        -Xclang -analyzer-config -Xclang "max-nodes=${NODES:-225000}" -Xclang -analyzer-disable-checker \
        -Xclang security.insecureAPI.DeprecatedOrUnsafeBufferHandling \
        -include scripts/contracts.h $flags "$2"
fi
command -v clang >/dev/null || { echo "analyze: skipped (clang is not installed)" >&2; exit 0; }
jobs=${1:-2}
[ $# -eq 0 ] || shift
out=$(mktemp)
trap 'rm -f "$out"' EXIT
if [ $# -gt 0 ]; then printf '%s\n' "$@"; else git ls-files -co --exclude-standard 'src/*.c' 'cli/*.c' 'cuda/*.c'; fi |
    while read -r f; do [ ! -e "$f" ] || echo "$f"; done |
    xargs -P "$jobs" -n 1 sh scripts/analyze.sh --one >"$out" 2>&1 || true
cat "$out"
found=$(grep -cE '(warning|error):' "$out" || true)
echo "analyze: $found findings"
[ "$found" = 0 ]
