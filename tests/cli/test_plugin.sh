#!/bin/sh
# The example plugin, built out of tree against include/ only; and plugins that must be refused.
. "$(dirname "$0")/lib.sh"
cc=${CC:-cc}
if ! command -v "$cc" >/dev/null 2>&1; then echo "1..0 # no C compiler"; exit 0; fi

build() { "$cc" -std=c11 -O2 -Wall -Wextra -Werror -shared -fPIC -I "$WL_ROOT/include" "$1" -o "$2" 2>"$work/err"; }
cp "$WL_ROOT/examples/plugin/mine.c" "$work/mine.c"
check "the example builds against include/ alone" build "$work/mine.c" "$work/mine.so"

good "its policy is listed" list policies -v --plugin "$work/mine.so"
has '^random '; has 'replacements'; has 'seed'
good "its scheduler is listed" list schedulers --plugin "$work/mine.so"
has '^oldest '
mine="--plugin $work/mine.so --l1 random:seed=7 --l2 random --sched oldest"
good "a run with both" run atax --size tiny --check $mine --json -
has '"l1_policy": "random:seed=7"'; has '"scheduler": "oldest"'; has '"replacements": '
sed '/"host": {/,/}/d; /"engine"/d; /"command"/d' "$work/out" >"$work/fast"
run run atax --size tiny --check $mine --json - --engine tick
sed '/"host": {/,/}/d; /"engine"/d; /"command"/d' "$work/out" >"$work/tick"
check "both engines count the same" cmp -s "$work/fast" "$work/tick"
bad 2 "did you mean 'seed'" run atax --size tiny --plugin "$work/mine.so" --l1 random:sead=1
bad 2 "out of range" run atax --size tiny --plugin "$work/mine.so" --l1 random:seed=0
bad 2 "exists already" list policies --plugin "$work/mine.so" --plugin "$work/mine.so"

# refuse NAME PATTERN SED: the example with one change must be refused with that sentence.
refuse() {
    sed "$3" "$work/mine.c" >"$work/broken.c"
    "$cc" -std=c11 -shared -fPIC -I "$WL_ROOT/include" "$work/broken.c" -o "$work/$1.so" 2>/dev/null
    bad 2 "$2" list policies --plugin "$work/$1.so"
}
refuse abi "plugin interface 99" 's/{WL_ABI, sizeof(struct wl_plugin)/{99, sizeof(struct wl_plugin)/'
refuse table_abi "plugin interface 98" 's/\.abi = WL_ABI/.abi = 98/'
refuse name "exists already" 's/\.name = "random"/.name = "lru"/'
refuse victim "lacks its victim" '/\.victim = /d'
refuse pick "lacks its pick" '/\.pick = /d'
refuse levels "where it can live" 's/\.levels = .*/.levels = 0,/'
refuse range "is not in" 's/\.def = 1,/.def = 0,/'
refuse empty "neither a cache policy nor a scheduler" 's/&random_policy, NULL/NULL/; s/&oldest_policy, NULL/NULL/'
refuse export "exports no variable" 's/struct wl_plugin wl_plugin/struct wl_plugin other/'

# ---- plugins that break the contract while they run ----

build "$WL_ROOT/tests/cli/broken_plugin.c" "$work/broken.so" || not_ok "the broken plugin builds"
broken="--plugin $work/broken.so"
# breach FAULT LEVEL PATTERN: the run ends with exit 1 and a sentence that says who, what, where, when.
breach() {
    run run atax --size tiny --set l2.copy_fills=no --set l2.sets=16 $broken --$2 broken:fault=$1 -q
    if [ $status -eq 1 ] && grep -q -e "policy broken: $3" "$work/err" &&
        grep -q -e '; kernel [a-z_0-9]*, cycle [0-9]*' "$work/err"; then ok "$1 in the $2: $3"
    else not_ok "$1 in the $2: exit $status, or no '$3'"; fi
}
allowed='; allowed are ways 0 to [0-9]* that are not RESERVED, WL_NO_WAY_STALL (-1) and WL_NO_WAY_BYPASS (-2)'
good "without a fault it runs" run atax --size tiny --check $broken --l1 broken --l2 broken -q
breach out_of_range l1 "victim() answered way 4 in set [0-9]* of the L1D of SM [0-9]*$allowed"
breach out_of_range l2 "victim() answered way 8 in set [0-9]* of L2 slice [0-9]*$allowed"
breach negative l1 "victim() answered way -7 in set [0-9]* of the L1D of SM [0-9]*$allowed"
breach negative l2 "victim() answered way -7 in set [0-9]* of L2 slice [0-9]*$allowed"
breach reserved l1 "victim() answered way [0-9], which is RESERVED, in set [0-9]* of the L1D of SM [0-9]*$allowed"
breach reserved l2 "victim() answered way [0-9], which is RESERVED, in set [0-9]* of L2 slice [0-9]*$allowed"
breach fickle l1 "victim() answered [0-9] and, asked again at once, [0-9] in set [0-9]* of the L1D of SM [0-9]*"
breach fickle l2 "victim() answered [0-9] and, asked again at once, [0-9] in set [0-9]* of L2 slice [0-9]*"
breach decision l1 "decide() answered 77 in set [0-9]* of the L1D of SM [0-9]*; allowed are WL_NORMAL (0) and \
WL_BYPASS (1)"
breach undecided l1 "decide() answered [01] and, asked again at once, [01] in set [0-9]* of the L1D of SM [0-9]*"
# grained FAULT PATTERN: the same for a cache of grains.
grained() {
    run run atax --size tiny $broken --l1 broken_grains:fault=$1 -q
    if [ $status -eq "$3" ] && grep -q -e "$2" "$work/err"; then ok "grains: $1"
    else not_ok "grains: $1: exit $status"; fi
}
grained granularity "policy broken_grains: granularity() answered 48 in the L1D of SM [0-9]*; \
allowed are 32, 64 and 128 bytes; kernel" 1
grained fickle_grain "policy broken_grains: granularity() answered [0-9]* and, asked again at once, [0-9]* in \
the L1D of SM" 1
grained shape "policy broken_grains: shape() asks for a granularity of 48 bytes" 2
grained rows "counters from row 12 on" 2
bad 2 "cannot manage this L1D: it gives no reason" run atax --size tiny $broken --l1 broken:fault=no_reason

# ---- C++ ----

if command -v c++ >/dev/null 2>&1; then
    for h in chain duel grain oldest policy_loads policy_notes; do echo "#include <warpline/$h.h>"; done >"$work/cpp.cc"
    echo 'extern "C" const wl_cache_policy mine = {};' >>"$work/cpp.cc"
    check "the headers of cache policies are C++ too" \
        c++ -std=c++17 -fsyntax-only -Wall -Wextra -I "$WL_ROOT/include" "$work/cpp.cc"
fi
finish
