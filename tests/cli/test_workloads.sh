#!/bin/sh
# Every workload on a simulated machine with its result checked, by the names the papers give them; textures
# reach the texture cache.
. "$(dirname "$0")/lib.sh"

for w in dycache/HW apcm/MRI mascar/leuko-1 mascar/leuko-2 mascar/leuko-3 mascar/mrig-1 mascar/mrig-2 mascar/mrig-3 \
    mascar/mummer mascar/sad-1 mascar/sad-2 mascar/cutcp mascar/tpacf hac/LIB hac/DCT hac/HG hac/RAY hac/NN hac/MUM \
    hac/BH hac/WP; do
    good "$w" run "$w" --size tiny --check
    has '  check  .* values'
done
for w in kmeans_texture leukocyte_1 mummer sad_1 dct8x8; do
    good "$w fetches" run "$w" --size tiny
    has '^  texture *[1-9][0-9,]* requests'
done

# Local memory takes no more than its bytes: with an L2 that holds all of them nothing is written back.
for w in libor weather ray; do
    good "$w with 48 MB of L2" run "$w" --size tiny --gpu hac --set l2.sets=2048 --csv "$work/row"
    check "$w writes nothing back" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { exit $at["l2.writebacks"] != 0 || $at["l2.accesses"] == 0 }' "$work/row"
done

# A pitch of its own keeps the result and changes the addresses.
good "atax with a pitch" run atax --size tiny --input pitch=8192 --input loop=64 --check
has 'pitch=8192 loop=64'; has 'atax_rows_8192'
bad 1 "pitch=64: a row has 128 columns" run bicg --size tiny --input pitch=64

good "a paper's set" compare @hac.cs --size tiny --sched lrr,gto
for w in mummer laplace3d barneshut weather; do has "$w"; done
bad 2 "did you mean '@hac.cs'" compare @hac.sc --size tiny
finish
