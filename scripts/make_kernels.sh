#!/bin/sh
# make_kernels.sh - compiles the kernels of tests/kernels to PTX with nvcc (12.0 or later; NVCC names it). The PTX is
# part of the tree, so that the test needs no nvcc.
set -eu
cd "$(dirname "$0")/../tests/kernels"
nvcc=${NVCC:-nvcc}
make_ptx() { # NAME ARCHITECTURE
    "$nvcc" -ptx -arch="$2" -O3 -o "$1.ptx" "$1.cu"
    sed -i -e '/^\/\/ Cuda compilation tools/d' -e '/^\/\/ Compiler Build ID/d' -e '/^\/\/ Based on/d' "$1.ptx"
    echo "tests/kernels/$1.ptx"
}
make_ptx modern80 sm_80
make_ptx modern90 sm_90a
