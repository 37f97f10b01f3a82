#!/bin/sh
# The library as a user meets it: installed somewhere, found by pkg-config, used from C and C++.
. "$WL_ROOT/tests/cli/lib.sh"
if ! command -v pkg-config >/dev/null || ! command -v c++ >/dev/null; then
    echo "1..0 # skip: needs pkg-config and c++"
    exit 0
fi
prefix=$work/prefix
cmake --install "$WL_BUILD" --prefix "$prefix" >"$work/out" 2>&1
check "installs into any prefix" test $? = 0
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name warpline.pc)")
libdir=$(dirname "$PKG_CONFIG_PATH")
export PKG_CONFIG_PATH LD_LIBRARY_PATH="$libdir"
flags=$(pkg-config --cflags --libs warpline)
static=$(pkg-config --cflags --libs warpline-static)
example=$WL_ROOT/examples/host
strict="-O1 -Wall -Wextra -Werror"
[ "${WL_SLOW:-0}" = 1 ] && strict="$strict -fsanitize=address,undefined" # a sanitized library wants its runtime

# build NAME COMMAND...: compiles without a word, then runs; leaves the output in $work/out.
build() {
    name=$1; shift
    if "$@" -o "$work/$name" >"$work/out" 2>"$work/err" && "$work/$name" >"$work/out" 2>"$work/err"; then
        ok "$name runs"
    else not_ok "$name: $*"; fi
}
# shellcheck disable=SC2086 # flags are several words
{
    build c_shared cc -std=c11 $strict "$example/run.c" $flags
    cp "$work/out" "$work/c_shared.out"
    check "its policy was used" grep -Eq '^l1_policy_counters.replaced +[1-9]' "$work/out"
    check "launches have counters" grep -Eq '^kernel atax.* [1-9][0-9]* load misses' "$work/out"
    build cpp_shared c++ -std=c++17 $strict "$example/run.cpp" $flags
    cp "$work/out" "$work/cpp_shared.out"
    check "all counters are there" grep -q '^dram.read_bytes ' "$work/out"
    check "the shared library is used" sh -c "ldd '$work/c_shared' | grep -q 'libwarpline.so.0 => $libdir'"
    LD_LIBRARY_PATH=
    build c_static cc -std=c11 $strict "$example/run.c" $static
    check "the archive gives the same numbers" cmp -s "$work/out" "$work/c_shared.out"
    build cpp_static c++ -std=c++17 $strict "$example/run.cpp" $static
    check "in C++ too" cmp -s "$work/out" "$work/cpp_shared.out"
    check "without the shared library" sh -c "! ldd '$work/c_static' '$work/cpp_static' | grep -q warpline.so"
}

# The same run by the command and by the library.
"$WARPLINE" run atax --size tiny --sched lrr --json "$work/cli.json" -q
cat >"$work/json.c" <<'C'
#include <stdio.h>
#include <warpline/warpline.h>
int main(void)
{
    char why[512];
    const char *settings[] = {"sched=lrr", 0};
    struct wl_run_spec s = wl_spec("atax");
    struct wl_result *r;
    s.size = "tiny";
    s.settings = settings;
    if (wl_run(&s, &r, why, sizeof why)) return 1;
    puts(wl_result_json(r));
    wl_result_free(r);
    return 0;
}
C
LD_LIBRARY_PATH=$libdir
# shellcheck disable=SC2086
build json cc -std=c99 -pedantic $strict "$work/json.c" $flags
no_host() { grep -v '"seconds"\|"peak_memory_bytes"\|"command"' "$1"; }
no_host "$work/cli.json" >"$work/a"; no_host "$work/out" >"$work/b"
check "command and library give the same record" cmp -s "$work/a" "$work/b"

# An executable in a process of its own.
cat >"$work/exec.c" <<'C'
#include <stdio.h>
#include <warpline/warpline.h>
int main(int argc, char **argv)
{
    char why[512];
    struct wl_run_spec s = wl_spec(0);
    struct wl_result *r;
    uint64_t cycles = 0;
    s.executable = argv + 1;
    if (argc < 2 || wl_run(&s, &r, why, sizeof why)) return fprintf(stderr, "%s\n", why), 1;
    wl_result_counter(r, "cycles", &cycles);
    printf("status %d, %s cycles, %zu launches\n", wl_result_status(r), cycles ? "some" : "no", wl_result_kernels(r));
    wl_result_free(r);
    return 0;
}
C
# shellcheck disable=SC2086
cc -std=c99 $strict "$work/exec.c" $flags -o "$work/exec"
"$work/exec" "$WL_BUILD/exec/exec_driver" >"$work/out" 2>"$work/err"
check "runs an executable" grep -q 'status 0, some cycles, [1-9][0-9]* launches' "$work/out"
"$work/exec" /nonexistent/program >"$work/out" 2>"$work/err"
check "says why one cannot be run" grep -q 'cannot run /nonexistent/program: No such file' "$work/err"
"$work/exec" /bin/true >"$work/out" 2>"$work/err"
check "says that one made no CUDA call" grep -q 'no CUDA call' "$work/err"

# Only what the headers declare leaves the library.
nm -D --defined-only "$libdir/libwarpline.so" | awk '$2 ~ /[TDBR]/ { sub(/@.*/, "", $3); print $3 }' >"$work/exported"
while read -r name; do
    grep -qw "$name" "$WL_ROOT"/include/warpline/warpline.h "$WL_ROOT"/include/warpline/cuda*.h || echo "$name"
done <"$work/exported" >"$work/hidden"
check "exports public functions" grep -qx wl_run "$work/exported"
check "and nothing else" test ! -s "$work/hidden"

# Every public header, alone, in both languages.
for h in "$WL_ROOT"/include/warpline/*.h; do
    h=$(basename "$h")
    echo "#include <warpline/$h>" >"$work/h.cpp"; cp "$work/h.cpp" "$work/h.c"
    check "$h is C++" c++ -std=c++11 -Wall -Wextra -Werror -fsyntax-only -I "$WL_ROOT/include" "$work/h.cpp"
    check "$h is C99" cc -std=c99 -Wall -Wextra -Werror -fsyntax-only -I "$WL_ROOT/include" "$work/h.c"
done
finish
