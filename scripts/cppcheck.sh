#!/bin/sh
# cppcheck.sh [JOBS] - cppcheck over the product; prints one line per finding, and nothing when there is none.
#
# Not judged: a shift of a negative number, which gcc and clang both define and the simulator of a GPU needs; and
# "a < b || a >= b" in the executor, which cppcheck takes for a tautology and which is false for a NaN.
set -eu
cd "$(dirname "$0")/.."
git ls-files -co --exclude-standard 'src/*.c' 'cli/*.c' 'cuda/*.c' |
    while read -r f; do [ ! -e "$f" ] || echo "$f"; done |
    xargs -P "${1:-2}" -n 40 cppcheck --enable=warning,performance,portability --inline-suppr --quiet --std=c11 \
        --platform=unix64 -Isrc -Iinclude -I. -D_GNU_SOURCE -DWL_VERSION='"0"' -DWL_CUDART_MAJOR=13 -DNVRTC_MAJOR=13 \
        -D'json_object_foreach(o,k,v)=while((k=0,v=o))' -D'json_array_foreach(a,i,v)=while((i=0,v=a))' \
        --suppress=shiftTooManyBitsSigned --suppress='incorrectLogicOperator:src/ptx/*' \
        --template='{file}:{line}: {id}: {message}' 2>&1
