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
sed '/"host": {/,/}/d; /"engine"/d' "$work/out" >"$work/fast"
run run atax --size tiny --check $mine --json - --engine tick
sed '/"host": {/,/}/d; /"engine"/d' "$work/out" >"$work/tick"
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
refuse range "is not in" 's/"", 1, 1, 1000000/"", 1, 0, 1000000/'
refuse counters "read_counters" '/\.read_counters = /d'
refuse empty "neither a cache policy nor a scheduler" 's/&random_policy, NULL/NULL/; s/&oldest_policy, NULL/NULL/'
refuse export "exports no variable" 's/struct wl_plugin wl_plugin/struct wl_plugin other/'
finish
