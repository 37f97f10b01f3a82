#!/bin/sh
# fuzz.sh BUILD SECONDS JOBS [TARGET] - runs every fuzz target, or one, for a while, starting from its corpus; JOBS of
# them at a time.
set -eu
build=$1 seconds=$2 jobs=$3 name=${4:-}
cd "$(dirname "$0")/.."
if [ -z "$name" ]; then
    for f in tests/fuzz/fuzz_*.c; do basename "$f" .c; done |
        xargs -P "$jobs" -I NAME sh scripts/fuzz.sh "$build" "$seconds" "$jobs" NAME
    echo "fuzz: ok"
    exit 0
fi
corpus=tests/fuzz/corpus/${name#fuzz_}
scratch=$build/corpus-${name#fuzz_}
mkdir -p "$scratch"
echo "fuzz: $name, $seconds s"
"$build/$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -verbosity=0 -print_final_stats=0 \
    -artifact_prefix="$build/" "$scratch" "$corpus" >"$build/$name.log" 2>&1 || {
    tail -40 "$build/$name.log"
    exit 1
}
