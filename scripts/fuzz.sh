#!/bin/sh
# fuzz.sh BUILD SECONDS - runs every fuzz target for a while, starting from its corpus.
set -eu
build=$1 seconds=$2
cd "$(dirname "$0")/.."
for f in tests/fuzz/fuzz_*.c; do
    name=$(basename "$f" .c)
    corpus=tests/fuzz/corpus/${name#fuzz_}
    scratch=$build/corpus-${name#fuzz_}
    mkdir -p "$scratch"
    echo "fuzz: $name, $seconds s"
    "$build/$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -verbosity=0 -print_final_stats=0 \
        -artifact_prefix="$build/" "$scratch" "$corpus" >"$build/$name.log" 2>&1 || {
        tail -40 "$build/$name.log"
        exit 1
    }
done
echo "fuzz: ok"
