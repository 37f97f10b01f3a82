#!/bin/sh
# aarch64.sh [BUILD] - cross-builds the program for aarch64 and runs it under qemu-user: its counters must equal those
# of the program built for this machine (build/warpline), which is what "the same numbers on any machine" means.
#
# Needs Debian or its kin on another architecture, with gcc-aarch64-linux-gnu and qemu-user (or qemu-user-static). The
# libraries of arm64 are unpacked into BUILD/root; nothing is installed into the system.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build-aarch64} native=${WARPLINE:-build/warpline}
libraries="libinih-dev libinih1 libjansson-dev libjansson4 libzstd-dev libzstd1 liblz4-dev liblz4-1 liblzma-dev liblzma5
    zlib1g-dev zlib1g libsqlite3-dev libsqlite3-0"
fail() { echo "aarch64: $*" >&2; exit 1; }
qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static) || fail "qemu-user is missing"
command -v aarch64-linux-gnu-gcc >/dev/null || fail "gcc-aarch64-linux-gnu is missing"
[ -x "$native" ] || fail "$native is missing: make first"

# ---- the libraries: apt with a state of its own, so that the system does not learn of another architecture ----
mkdir -p "$build"
root=$(cd "$build" && pwd)/root
if [ ! -e "$root/complete" ]; then
    apt=$root/apt
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/debs"
    : >"$apt/status"
    # shellcheck disable=SC2086 # a list of words
    apt_get() {
        apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State="$apt" \
            -o Dir::State::lists="$apt/lists" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" "$@"
    }
    apt_get update
    # shellcheck disable=SC2086
    (cd "$apt/debs" && apt_get download $libraries)
    for deb in "$apt"/debs/*.deb; do dpkg-deb -x "$deb" "$root"; done
    find "$root/usr/lib" "$root/lib" -type l | while read -r link; do # absolute links must stay inside
        case $(readlink "$link") in /*) ln -sf "$root$(readlink "$link")" "$link" ;; esac
    done
    touch "$root/complete"
fi

# ---- the program ----
lib=$root/usr/lib/aarch64-linux-gnu lib2=$root/lib/aarch64-linux-gnu
PKG_CONFIG_LIBDIR=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root cmake -S . -B "$build" -DCMAKE_SYSTEM_NAME=Linux \
    -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DWL_LTO=OFF -DWL_WERROR=ON \
    -DCMAKE_EXE_LINKER_FLAGS="-L$lib -L$lib2 -Wl,-rpath-link,$lib:$lib2" >"$build/configure.log" ||
    fail "$(tail -5 "$build/configure.log")"
cmake --build "$build" -j "${JOBS:-$(nproc)}" --target warpline-cli -- --no-print-directory

# ---- the same numbers ----
there() { "$qemu" -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$lib:$lib2" "$build/warpline" "$@"; }
counters() { grep -Ev '"(build|command|seconds|peak_memory_bytes|version)"'; }
bad=0
for run in "atax --check" "bfs --check" "gemm --check" "kmeans_1 --l1 dacache --sched mascar --gpu mascar" \
    "dct8x8 --gpu hac --l2 hac" "histogram_sdk --gpu h200"; do
    # shellcheck disable=SC2086
    "$native" run $run --size tiny --json - -q | counters >"$build/here.json"
    # shellcheck disable=SC2086
    there run $run --size tiny --json - -q | counters >"$build/there.json"
    if cmp -s "$build/here.json" "$build/there.json"; then echo "aarch64: $run: the same counters"
    else echo "aarch64: $run: counters differ"; diff "$build/here.json" "$build/there.json" | head -6; bad=1; fi
done
[ $bad = 0 ] && echo "aarch64: ok"
exit $bad
