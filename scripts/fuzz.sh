#!/bin/sh
# fuzz.sh BUILD SECONDS [JOBS] - runs every fuzz target for a while, starting from its corpus, JOBS at a time.
# With the name of a target for JOBS' place, -1NAME, only that one: this is how it calls itself.
set -eu
build=$1 seconds=$2 jobs=${3:-1}
cd "$(dirname "$0")/.."
case $jobs in
-1*)
    name=${jobs#-1}
    scratch=$build/corpus-${name#fuzz_}
    mkdir -p "$scratch"
    echo "fuzz: $name, $seconds s"
    "$build/$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -verbosity=0 -print_final_stats=0 \
        -artifact_prefix="$build/" "$scratch" "tests/fuzz/corpus/${name#fuzz_}" >"$build/$name.log" 2>&1 ||
        { tail -40 "$build/$name.log"; exit 1; }
    exit 0
    ;;
esac
for f in tests/fuzz/fuzz_*.c; do basename "$f" .c; done |
    xargs -P "$jobs" -I NAME sh scripts/fuzz.sh "$build" "$seconds" -1NAME
echo "fuzz: ok"
