#!/bin/sh
# Atomics of a warp on one word: an assembled program sends one for all lanes, and the sums are the same.
. "$(dirname "$0")/lib.sh"
ptx=$(dirname "$0")/once.ptx

# atomics MACHINE KERNEL: atomics that reached the L2; $work/out has the first words of the buffer.
atomics() {
    run run "$ptx" --kernel "$2" --gpu "$1" --grid 3 --block 64 --arg buf:4K --dump 0:u32:4 --csv "$work/row"
    [ $status -eq 0 ] || not_ok "$2 on $1"
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "l2.atomics") at = i } NR == 2 { print $at }' "$work/row"
}
is() { # NAME WANT GOT
    if [ "$2" = "$3" ]; then ok "$1"; else echo "# $3 is not $2"; not_ok "$1"; fi
}

is "one word: one for each of six warps" 6 "$(atomics h200 one_word)"
grep -q "6048" "$work/out" && ok "and the sum of all lanes" || not_ok "and the sum of all lanes"
is "as it is written: one for each thread" 192 "$(atomics gtx480 one_word)"
is "with a result, a constant: one for each warp" 6 "$(atomics h200 numbered)"
grep -q "192" "$work/out" && ok "and each thread has a number" || not_ok "and each thread has a number"
is "floats: each lane" 192 "$(atomics h200 floats)"
is "words of their own: each lane" "$(atomics gtx480 own_word)" "$(atomics h200 own_word)"
for engine in "--engine tick" "--shuffle 3" "--threads 2"; do
    run run "$ptx" --kernel numbered --gpu h200 --grid 3 --block 64 --arg buf:4K -q --csv "$work/row" $engine
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cycles") at = i } NR == 2 { print $at }' \
        "$work/row" >>"$work/cycles"
done
is "the same in every engine" 1 "$(sort -u "$work/cycles" | wc -l | tr -d ' ')"
finish
