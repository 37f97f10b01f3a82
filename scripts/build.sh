#!/bin/sh
# build.sh BUILD JOBS TARGET - builds TARGET with one line of progress; the compilers' output is shown only on failure.
set -eu
build=$1 jobs=$2 target=$3
log=$build/build.log
status=$build/build.status
terminal=0
[ -t 1 ] && terminal=1
{ cmake --build "$build" -j "$jobs" --target "$target" 2>&1 && echo 0 >"$status" || echo 1 >"$status"; } | tee "$log" |
    awk -v terminal=$terminal '
    match($0, /^\[ *[0-9]+%\]/) {
        percent = substr($0, 2, 3) + 0
        if (percent == last || !/Building/) next
        if (terminal) printf "\rbuilding %3d %%", percent
        else if (int(percent / 25) > int(last / 25)) print "building " percent " %"
        fflush()
        last = percent
    }
    END { if (terminal && last) printf "\r\033[K" }'
[ "$(cat "$status")" = 0 ] && exit 0
grep -v '^\[ *[0-9]*%\]' "$log" | tail -40
exit 1
