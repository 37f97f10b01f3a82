#!/bin/sh
# layers.sh - checks the dependency law: which folder may include which.
#   base <- param, stats, stream, engine <- mem <- sm <- observe <- sim <- cuda, cli; base, stream <- ptx, trace <- sim
#   base, param, stats, workloads <- experiment <- cli
# mem never sees sm, sm never sees ptx, a policy sees only include/warpline.
set -eu
cd "$(dirname "$0")/.."
bad=0
# allow FOLDER "folders it may include besides itself, libc and include/warpline"
allow() {
    dir=$1
    for f in $(find "$dir" -maxdepth 1 \( -name '*.[ch]' -o -name '*.inc' \) | sort); do
        for inc in $(sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\([^"]*\)\/[^"]*".*/\1/p' "$f" | sort -u); do
            case " $2 $(echo "$dir" | sed 's/^src\///') warpline " in
            *" $inc "*) ;;
            *) echo "$f includes $inc/: not allowed ($dir may see: $2)"; bad=1 ;;
            esac
        done
    done
}
allow src/base ""
allow src/stats "base"
allow src/param "base"
allow src/stream "base"
allow src/observe "base stats stream mem sm"
allow src/mem "base param stats engine observe"
allow src/ptx "base stream"
for d in src/trace src/trace/wlt src/trace/accel; do allow $d "base stream trace trace/wlt trace/accel"; done
allow src/sm "base param stats mem stream engine observe"
allow src/sim "base param stats mem stream sm ptx trace trace/wlt trace/accel engine observe"
allow cuda "base param stats sim ptx cuda"
allow cuda/lib "base param stats sim trace trace/wlt"
allow cuda/runtime "" # over the driver API only
allow src/experiment "base param stats workloads"
allow cli "base param stats sim ptx trace trace/wlt trace/accel stream workloads experiment cli"
for f in src/policy/*.c; do
    case "$f" in src/policy/registry.c) continue ;; esac # the registry is the one that knows them all
    grep -n '#[ \t]*include "' "$f" | grep -v '"warpline/' && { echo "$f: a policy may include only warpline/*.h"; bad=1; }
done
[ $bad = 0 ] && echo "layers: ok"
exit $bad
