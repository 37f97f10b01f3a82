#!/bin/sh
# fuzz.sh BUILD SECONDS JOBS [TARGET] - runs every fuzz target, or one, JOBS of them at a time: first all inputs that
# are kept (tests/fuzz/corpus, tests/fuzz/saved, for PTX also the workloads), then SECONDS of new ones. What a target
# found is in BUILD/corpus-NAME and stays for the next time; an input that ends one is in BUILD/NAME-crash-... Prints a
# line per target: executions, executions per second, edges reached, inputs found. FUZZ_FLAGS: more options of
# libFuzzer, like -max_len=500 -entropic=0, with which slow targets are several times as fast.
# fuzz.sh BUILD keep [TARGET] - minimises what is in BUILD/corpus-NAME and saves it as tests/fuzz/saved/NAME.tar.gz, the
# smallest inputs first, up to 400 KiB of them before compression.
set -eu
build=$1 seconds=$2
cd "$(dirname "$0")/.."

# The slowest first, so that no core is idle at the end.
targets() {
    printf '%s\n' timing exec
    for f in tests/fuzz/fuzz_*.c; do basename "$f" .c | sed 's/^fuzz_//'; done | grep -vx 'timing\|exec'
}

# All folders with inputs for a target.
seeds() {
    echo "tests/fuzz/corpus/$1"
    rm -rf "$build/saved-$1"
    mkdir -p "$build/saved-$1"
    if [ -e "tests/fuzz/saved/$1.tar.gz" ]; then
        tar -xzf "tests/fuzz/saved/$1.tar.gz" -C "$build/saved-$1"
        echo "$build/saved-$1"
    fi
    case $1 in
    ptx | exec)
        mkdir -p "$build/workloads-$1"
        cp workloads/*/*.ptx "$build/workloads-$1/"
        echo "$build/workloads-$1"
        ;;
    esac
    case $1 in
    exec) echo tests/fuzz/corpus/ptx ;;
    ptx) echo tests/fuzz/corpus/exec ;;
    esac
}

# Words of the language, from the tables that define it.
dictionary() {
    case $1 in
    ptx | exec) sed -n 's/^ *[A-Z_0-9]*([A-Z_0-9]*, *"\([a-z0-9_.:]*\)".*/\1/p' src/ptx/opcodes.def ;;
    config | words) sed -n 's/^P([A-Z0-9_]*, "\([a-z0-9_.]*\)".*/\1/p' src/param/params.def ;;
    gpgpusim) sed -n 's/.*{"\(-[a-z0-9_:]*\)".*/\1/p' src/param/gpgpusim_options.c ;;
    esac | sort -u
    words=tests/fuzz/$1.words
    [ "$1" != exec ] || words=tests/fuzz/ptx.words
    [ ! -e "$words" ] || cat "$words"
}

keep() {
    rm -rf "$build/merged-$1"
    mkdir -p "$build/merged-$1" tests/fuzz/saved
    "$build/fuzz_$1" -merge=1 -timeout=60 -rss_limit_mb=4096 "$build/merged-$1" $(seeds "$1") "$build/corpus-$1" \
        >"$build/$1-merge.log" 2>&1 || { tail -20 "$build/$1-merge.log" && exit 1; }
    (cd "$build/merged-$1" && find . -type f -printf '%s %f\n' | sort -n |
        awk '{ sum += $1; if (sum > 409600) exit; print $2 }' | sort) >"$build/$1.list"
    list=$(realpath "$build/$1.list")
    tar -C "$build/merged-$1" -cf - --mtime=@0 --owner=0 --group=0 --numeric-owner -T "$list" |
        gzip -9n >"tests/fuzz/saved/$1.tar.gz"
    echo "fuzz: $1: $(wc -l <"$build/$1.list") inputs of $(find "$build/merged-$1" -type f | wc -l)," \
        "$(wc -c <"tests/fuzz/saved/$1.tar.gz") bytes"
}

if [ "$seconds" = keep ]; then
    for t in ${3:-$(targets)}; do keep "$t"; done
    exit 0
fi
jobs=$3 name=${4:-}
if [ -z "$name" ]; then
    targets | xargs -P "$jobs" -I NAME sh scripts/fuzz.sh "$build" "$seconds" "$jobs" NAME
    echo "fuzz: ok"
    exit 0
fi
mkdir -p "$build/corpus-$name"
dictionary "$name" | sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/"&"/' >"$build/$name.dict"
dict=
[ ! -s "$build/$name.dict" ] || dict=-dict=$build/$name.dict
"$build/fuzz_$name" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 -reload=0 \
    ${FUZZ_FLAGS-} $dict -artifact_prefix="$build/$name-" "$build/corpus-$name" $(seeds "$name") \
    >"$build/$name.log" 2>&1 || {
    tail -60 "$build/$name.log"
    echo "fuzz: $name: a finding; the input is $build/$name-crash-* (or -leak-, -timeout-, -oom-)" >&2
    exit 1
}
awk -v name="$name" '
    /DONE/ { for (i = 1; i < NF; i++) if ($i == "cov:") edges = $(i + 1) }
    /number_of_executed_units/ { n = $2 }
    /average_exec_per_sec/ { rate = $2 }
    /new_units_added/ { found = $2 }
    END { printf "fuzz: %-10s %10d executions, %6d/s, %6d edges, %5d inputs found\n", name, n, rate, edges, found }
' "$build/$name.log"
