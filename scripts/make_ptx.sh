#!/bin/sh
# make_ptx.sh [NAME...] - makes the .ptx next to each workloads/*/NAME.cu (all when none is named)
# with nvcc. The .ptx files are part of the tree: only someone who changes a kernel needs this.
set -eu
cd "$(dirname "$0")/.."
nvcc=${NVCC:-nvcc}
arch=${ARCH:-compute_75}
if ! command -v "$nvcc" >/dev/null 2>&1; then
    echo "make_ptx.sh: nvcc (CUDA toolkit 13) is needed to make PTX and is not in PATH; set NVCC=..." >&2
    exit 1
fi
wanted() { # no names given, or $1 is one of them
    name=$1; shift
    [ $# -eq 0 ] && return 0
    for w in "$@"; do [ "$w" = "$name" ] && return 0; done
    return 1
}
made=0
for cu in workloads/*/*.cu; do
    name=$(basename "$cu" .cu)
    wanted "$name" "$@" || continue
    (cd "$(dirname "$cu")" && "$nvcc" -O3 -arch="$arch" -ptx "$name.cu" -o "$name.ptx.tmp" &&
        mv "$name.ptx.tmp" "$name.ptx")
    if grep -q "$(pwd)" "${cu%.cu}.ptx"; then
        echo "make_ptx.sh: ${cu%.cu}.ptx names a folder of this machine" >&2
        exit 1
    fi
    echo "${cu%.cu}.ptx"
    made=$((made + 1))
done
if [ "$made" -eq 0 ]; then
    echo "make_ptx.sh: no workload named: $*" >&2
    exit 2
fi
