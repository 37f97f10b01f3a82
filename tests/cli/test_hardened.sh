#!/bin/sh
# What `make install` installs from a release build is hardened: it is placed anywhere in memory, its tables are
# read-only before it starts, its stack cannot be executed, and libc's and the compiler's checks are compiled in.
. "$(dirname "$0")/lib.sh"
cache=$WL_BUILD/CMakeCache.txt
if ! command -v readelf >/dev/null || ! grep -q -E '^CMAKE_BUILD_TYPE:[A-Z]*=(Release)?$' "$cache" ||
    ! grep -q '^WL_HARDEN:BOOL=ON$' "$cache" || grep -Eq '^WL_(SANITIZE|TSAN|FUZZ):BOOL=ON$' "$cache"; then
    echo "1..0 # skip: not a release build, or no readelf"
    exit 0
fi
prefix=$work/prefix
cmake --install "$WL_BUILD" --prefix "$prefix" >"$work/out" 2>&1
check "installs" test $? = 0
binary=$prefix/bin/warpline
libcuda=$(find "$prefix" -name 'libcuda.so.1')
libwarpline=$(find "$prefix" -name 'libwarpline.so.*.*' | head -1)
elf() { readelf -hldW "$1"; }
for f in "$binary" "$libwarpline" "$libcuda"; do
    name=${f##*/}
    elf "$f" >"$work/out" 2>"$work/err"
    check "$name is placed anywhere" grep -Eq 'Type: +DYN' "$work/out"
    check "$name: relocations are read-only" grep -q GNU_RELRO "$work/out"
    check "$name: all symbols are bound at the start" grep -Eq 'FLAGS.*NOW|BIND_NOW' "$work/out"
    check "$name: the stack is not executed" sh -c "grep GNU_STACK '$work/out' | grep -q 'RW '"
    readelf --dyn-syms -W "$f" >"$work/out" 2>"$work/err"
    check "$name: stack protector" grep -q '__stack_chk_fail' "$work/out"
    check "$name: fortified calls of libc" grep -Eq '__(snprintf|memcpy|fprintf|vsnprintf)_chk' "$work/out"
done
elf "$binary" >"$work/out"
check "the program is a PIE" grep -Eq 'FLAGS_1.*PIE' "$work/out"
if [ "$(uname -m)" = x86_64 ] && grep -q '^WL_HAS_SHADOW_STACK:INTERNAL=1$' "$cache"; then
    # Of what we compile: the linked program has it only where the start files of the C library have it too.
    readelf -nW "$(find "$prefix" -name libwarpline.a)" 2>"$work/err" | grep -E '^File:|x86 feature' >"$work/out"
    members=$(grep -c '^File:' "$work/out")
    check "every file is ready for a shadow stack" test "$members" -gt 100 -a \
        "$(grep -c 'x86 feature:.*SHSTK' "$work/out")" = "$members"
fi
finish
