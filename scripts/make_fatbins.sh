#!/bin/sh
# make_fatbins.sh - compiles the CUDA test programs of tests/exec with nvcc into tests/exec/bin, for
# the forms in which nvcc embeds PTX. The programs are part of the tree, so that `warpline exec` is
# tested without nvcc; only someone who changes a test needs this. NVCC is CUDA 12.8 or later; NVCC11 is that of CUDA
# 11 (Debian: nvidia-cuda-toolkit of bookworm), the last with texture references. Without it those programs stay as they
# are. Names after the command build only these.
set -eu
cd "$(dirname "$0")/../tests/exec"
nvcc=${NVCC:-nvcc}
if ! command -v "$nvcc" >/dev/null 2>&1; then
    echo "make_fatbins.sh: nvcc is needed and is not in PATH; set NVCC=..." >&2
    exit 1
fi
mkdir -p bin
compiler=$nvcc
only=$* # names of programs; none: all
ptx="-gencode arch=compute_75,code=compute_75"
# Where the toolkit is installed is written into machine code and messages: blotted out, letter by letter.
forget() {
    toolkit=$(dirname "$(dirname "$(command -v "$compiler")")")
    for place in "$toolkit" "$(readlink -f "$toolkit")"; do
        PLACE=$place perl -0777 -pi -e 's{\Q$ENV{PLACE}\E[\w./+-]*}{"x" x length $&}ge' "$1"
    done
}
build() { # NAME FLAGS... FILES
    name=$1
    shift
    case " $only " in "  " | *" $name "*) ;; *) return 0 ;; esac
    "$compiler" -O3 -cudart shared -cudadevrt none -Xlinker -z -Xlinker noseparate-code -o "bin/$name" "$@"
    strip "bin/$name"
    forget "bin/$name"
    if grep -q "$(pwd)" "bin/$name"; then
        echo "make_fatbins.sh: bin/$name names a folder of this machine" >&2
        exit 1
    fi
    echo "tests/exec/bin/$name"
}
build atax -arch=sm_75 atax.cu                 # PTX and machine code, as nvcc does by default; zstd
build atax_plain $ptx -compress-mode=none atax.cu
build atax_lz4 $ptx -compress-mode=speed atax.cu
build atax_many -gencode arch=compute_100,code=compute_100 -gencode arch=compute_75,code=compute_75 \
    -gencode arch=compute_80,code=compute_80 atax.cu
build no_ptx -gencode arch=compute_75,code=sm_75 wrong.cu
build per_thread $ptx -default-stream per-thread flow.cu
for program in memory flow device print wrong texture refused overread waiting latency; do
    build $program $ptx $program.cu
done
build link -rdc=true $ptx -gencode arch=compute_75,code=sm_75 link_a.cu link_b.cu
build thrust $ptx -compress-mode=size thrust.cu
build two $ptx two_a.cu two_b.cu
build calibrate $ptx -compress-mode=size ../../src/experiment/calibrate.cu
# The kernels of tests/fidelity/h200-suite.csv.
build suite_style -gencode arch=compute_90,code=compute_90 -compress-mode=size -I../gpu ../gpu/suite_style.cu

# Small programs in the style of the benchmark suites; those with texture references need nvcc 11.
mkdir -p bin/suite
old="kmeans bfs_texture track"
for source in suite/*.cu; do
    program=${source#suite/}
    program=${program%.cu}
    case " $old " in *" $program "*) continue ;; esac
    target=$ptx
    case $program in
    cluster | im2col | pairs) target="-gencode arch=compute_90,code=compute_90" ;;
    tiles | triangles | halves) target="-gencode arch=compute_80,code=compute_80" ;;
    esac
    build suite/$program -std=c++17 $target -compress-mode=size $source
done
compiler=${NVCC11:-}
[ -n "$compiler" ] || { echo "make_fatbins.sh: NVCC11 is not set: the programs of CUDA 11 are left alone" >&2; exit 0; }
for program in $old; do build suite/$program ${CCBIN11:+-ccbin "$CCBIN11"} -w $ptx suite/$program.cu; done
build suite/graph11 ${CCBIN11:+-ccbin "$CCBIN11"} -w $ptx suite/graph.cu
build references ${CCBIN11:+-ccbin "$CCBIN11"} -w $ptx references.cu
