#!/bin/sh
# fidelity.sh WARPLINE - our counters next to those of GPGPU-Sim 4.2.0 on its SM2_GTX480 configuration, as a table.
# The reference rows were measured with public PolyBench/GPU and Rodinia programs (nvcc 11.8, sm_35, PTX mode); ours
# are our own kernels with the same mapping. "-": the reference does not give it.
set -eu
w=$1
rows='atax n=1024,pitch=0,loop=0 9408512 294144 2052259 1212480 995174 7221 3981016 2146354 2141502 2488
bicg n=1024,pitch=0,loop=0 9410560 294208 2063649 1212480 993699 - 3974988 2308570 2302942 2814
bicg n=512,pitch=0,loop=0 2362368 73888 861553 303136 277105 2561 1108516 379818 379022 398
syrk n=128,m=0,rows=0,pitch=0 13008896 407552 439972 2229248 548913 366646 2198090 26 26 0
gemm n=128 12664832 396800 59163 197632 75782 - 305566 26 26 0
conv2d n=512,ni=0 11739248 375904 39464 127500 57828 13118 231522 65422 32782 10212
conv3d n=64,ni=0 15627968 505672 175053 123008 54064 5702 216586 63542 32790 9422
bfs nodes=65536 30938328 2245852 527363 1187899 980968 - 3066325 414792 361638 45221'
echo '| program | who | thread instr. | warp instr. | cycles | L1D accesses | L1D misses | pending hits |' \
    'L2 accesses | L2 misses | DRAM reads | DRAM writes |'
echo '|---|---|---|---|---|---|---|---|---|---|---|---|'
echo "$rows" | while read -r name input ref; do
    # shellcheck disable=SC2046 # several inputs are several words
    "$w" run "$name" --size small $(echo "$input" | sed 's/[^,]*/--input &/g; s/,/ /g') \
        --gpu gtx480 --sched gto -q --csv - |
        awk -F, -v name="$name ${input%%,*}" -v ref="$ref" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 {
            n = split("thread_instructions warp_instructions cycles l1d.accesses l1d.misses l1d.hits_reserved " \
                "l2.accesses l2.misses dram.reads dram.writes", key, " ")
            split(ref, r, " ")
            line = "| " name " | reference |"; ours = "| | ours |"; diff = "| | difference |"
            for (k = 1; k <= n; k++) {
                v = $at[key[k]]
                line = line " " r[k] " |"; ours = ours " " v " |"
                diff = diff " " (r[k] == "-" || r[k] < 1000 ? "" : sprintf("%+.1f %%", 100 * (v - r[k]) / r[k])) " |"
            }
            print line; print ours; print diff
        }'
done
