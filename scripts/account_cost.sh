#!/bin/sh
# account_cost.sh - what the account of cycles costs: the program with it against the program without it
#
#   scripts/account_cost.sh [WORKLOAD...]
#
# Builds warpline twice, as it is and with -DWL_ACCOUNT=0 (src/sm/account.h), and counts the instructions that both take
# for each workload under valgrind's callgrind, which is free of noise. Settings, from the environment:
#
#   GPU    the machine                          (gtx480)
#   SIZE   size of the workloads                (tiny)
#   BUILD  folder in which the two are built    (build-account)
#   JOBS   jobs at a time                       (2)
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build-account} jobs=${JOBS:-2}
for account in 1 0; do
    cmake -S . -B "$build/$account" -DWL_LTO=OFF -DCMAKE_C_FLAGS="-DWL_ACCOUNT=$account" >/dev/null
    cmake --build "$build/$account" -j "$jobs" --target warpline-cli >/dev/null
done
count() { # account workload
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$build/$1/warpline" run "$2" --gpu "${GPU:-gtx480}" \
        --size "${SIZE:-tiny}" -q 2>&1 >/dev/null | sed -n 's/.*refs: *//p' | tr -d ,
}
[ $# -gt 0 ] || set -- gemm bfs kmeans_1 srad lbm
for w in "$@"; do echo "$w $(count 0 "$w") $(count 1 "$w")"; done | awk '
    BEGIN { print "workload         without     with    more"; print "              (million instructions)" }
    NF == 3 { printf "%-14s %9.2f %8.2f  %5.2f %%\n", $1, $2 / 1e6, $3 / 1e6, 100 * ($3 / $2 - 1) }
    NF != 3 { print $1 " did not run"; bad = 1 }
    END { exit bad }'
