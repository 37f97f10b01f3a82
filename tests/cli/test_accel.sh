#!/bin/sh
# Accel-Sim traces from the command line: running, inspecting, converting, and files that are none.
. "$(dirname "$0")/lib.sh"
traces=$WL_ROOT/tests/traces
numbers() { sed '/"host": {/,/}/d' | grep -v '"workload\|"command"'; } # without what names the program

for v in v0 v1 v2 v3 v4 v5; do
    good "run $v" run "$traces/$v" --json -
    numbers <"$work/out" >"$work/$v"
    check "$v gives the counters of v0" cmp -s "$work/v0" "$work/$v"
done
good "a list" run "$traces/v5/kernelslist.g" --json -
numbers <"$work/out" >"$work/now"
check "a list is its folder" cmp -s "$work/v0" "$work/now"
good "one kernel" run "$traces/v5/kernel-1.traceg"
good "info" trace info "$traces/v5"
for word in "launches   1, CTAs 2" "copies     1 from the host, 4,096 bytes" \
    "executed   48 warp instructions, 1,288 thread" "global" "divergent" "footprint"; do has "$word"; done
good "info --json" trace info "$traces/v5" --json -
has '"warp_instructions": 48'

# Engines and schemes agree on a trace as on a program.
for options in "" "--engine tick" "--shuffle 7"; do
    # shellcheck disable=SC2086
    good "features $options" run "$traces/features" -q --gpu dacache --l1 dacache --json "$work/f.json" $options
    numbers <"$work/f.json" | grep -v '"engine"\|"shuffle"' >"$work/f$number"
    [ -e "$work/f.first" ] || cp "$work/f$number" "$work/f.first"
    check "the same counters" cmp -s "$work/f.first" "$work/f$number"
done
rm -f "$work/f.first"
for options in "" "--engine tick" "--shuffle 7"; do # sub-cores, units of their own, groups of copies
    # shellcheck disable=SC2086
    good "features on rtx3070 $options" run "$traces/features" -q --gpu rtx3070 --json "$work/f.json" $options
    numbers <"$work/f.json" | grep -v '"engine"\|"shuffle"' >"$work/f$number"
    [ -e "$work/f.first" ] || cp "$work/f$number" "$work/f.first"
    check "the same counters" cmp -s "$work/f.first" "$work/f$number"
done
# Every policy where it can live, every scheduler with the partner it asks for.
for p in $("$WARPLINE" list policies --plain); do
    run run "$traces/features" -q --l1 "$p"
    if grep -q "made for the L2" "$work/err"; then run run "$traces/features" -q --l2 "$p"; fi
    check "policy $p" test $status -eq 0
done
for s in $("$WARPLINE" list schedulers --plain); do
    run run "$traces/features" -q --sched "$s"
    partner=$(sed -n 's/.*add --l1 \([a-z_0-9]*\).*/\1/p' "$work/err")
    if [ -n "$partner" ]; then run run "$traces/features" -q --sched "$s" --l1 "$partner"; fi
    check "scheduler $s" test $status -eq 0
done

# What is guessed is said, once for each.
run run "$traces/features"
check "a run with warnings succeeds" test $status -eq 0
for word in "unknown opcode FROBNICATE.X (1 times), taken as an integer addition" "unknown opcode GRABG.E" "VIADD" \
    "no command"; do
    check "warning: $word" grep -q "warning: .*$word" "$work/err"
done

# A memory operation that could not be made is said with its number, and -q does not hide it; JSON has every warning.
k=$traces/v5/kernel-1.traceg
lost() { sed "/^insts/,\$s/$1/$2/" "$k" >"$work/lost.traceg"; run run "$work/lost.traceg" -q --json -; }
lost 'LDG.E.SYS 1 R2 4 .*' 'UTMALDG.2D 1 R2 0 0'
check "a bulk copy without addresses runs" test $status -eq 0
check "and is a counted warning" grep -q "warning: UTMALDG.2D ([1-9][0-9]* times) has no addresses" "$work/err"
check "also in JSON" grep -q '"UTMALDG.2D ([1-9][0-9]* times) has no addresses' "$work/out"
lost 'LDG.E.SYS' 'UBLKCP.S.G'
check "a bulk copy with addresses" grep -q "UBLKCP.S.G ([1-9][0-9]* times): a trace does not say how much" "$work/err"
check "moves memory" grep -q '"reads": [1-9]' "$work/out"
lost 'LDG.E.SYS 1 R2 4 .*' 'TEX.LL 1 R2 0 0'
check "a texture access" grep -q "TEX.LL ([1-9][0-9]* times) has no addresses" "$work/err"
run run "$traces/features" -q
check "-q hides what is only a guess" sh -c "! grep -q FROBNICATE '$work/err'"
for key in shmem nregs; do
    grep -v "^-$key = " "$k" >"$work/less.traceg"
    run run "$work/less.traceg" --json -
    check "a missing -$key is said" grep -q "warning: the headers of 1 launches give no '-$key'" "$work/err"
    check "and is in JSON" grep -q "give no '-$key'" "$work/out"
done
sed 's/^-shmem = /-shmen = /' "$k" >"$work/less.traceg"
run run "$work/less.traceg"
check "an unknown header line is said" grep -q "the header line '-shmen' is not known" "$work/err"

mkdir "$work/streams"
cp "$k" "$work/streams/kernel-1.traceg"
for stream in 7 9; do
    sed "s/^-cuda stream id = .*/-cuda stream id = $stream/" "$k" >"$work/streams/kernel-$stream.traceg"
    grep -q '^-cuda stream id' "$k" || sed -i "1a -cuda stream id = $stream" "$work/streams/kernel-$stream.traceg"
done
printf 'kernel-1.traceg\nkernel-7.traceg\n' >"$work/streams/kernelslist.g"
run run "$work/streams"
check "one stream beside the default one overlaps with nothing" sh -c "! grep -q 'several streams' '$work/err'"
printf 'kernel-7.traceg\nkernel-9.traceg\n' >"$work/streams/kernelslist.g"
run run "$work/streams"
check "streams that may overlap are said" grep -q "several streams; .* different streams may overlap" "$work/err"

# Every counter of both launches together, and when each ran; without what names the file and the host, and warnings.
ran() {
    run run "$1" -q --json "$work/ran.json" --set "gpu.concurrent_kernels=$2"
    grep -vE '"(workload|inputs|arguments|command|workload_hash|seconds|peak_memory_bytes)"' "$work/ran.json" |
        awk '/"warnings"/ { skip = 1 } !skip { print } /]/ { skip = 0 }'
}
ran "$work/streams" 8 >"$work/together"
check "launches of two streams overlap" [ "$(grep -c '"overlap": 1' "$work/together")" -eq 2 ]
run trace convert "$work/streams" "$work/streams.wlt"
ran "$work/streams.wlt" 8 >"$work/as_wlt"
check "as they do from a .wlt file" cmp "$work/together" "$work/as_wlt"
run trace convert "$work/streams.wlt" "$work/streams_back"
ran "$work/streams_back" 8 >"$work/as_text"
check "and from what that becomes" cmp "$work/together" "$work/as_text"
ran "$work/streams" 1 >"$work/apart"
check "one kernel at a time does not" [ "$(grep -c '"overlap"' "$work/apart")" -eq 0 ]

# A list that ran nothing is an error.
mkdir "$work/nothing"
: >"$work/nothing/kernelslist.g"
bad 2 "no kernel ran: the trace has no kernel" run "$work/nothing"
printf 'MemcpyHtoD,0x7f0100000000,4096\n' >"$work/nothing/kernelslist.g"
bad 2 "no kernel ran" run "$work/nothing"
bad 2 "no kernel ran: none of its 1 launches is of 'x\*'; the first is of" run "$traces/v5" --kernel 'x*'
good "the kernels of a name" run "$traces/v5" --kernel '*'

# Of kernels that were not asked for only the header is read; the record says what was asked for.
mkdir "$work/two"
cp "$k" "$work/two/kernel-1.traceg"
sed -e 's/^-kernel name = .*/-kernel name = other/' -e '/^insts/,$s/LDG.E.SYS 1 R2 4 .*/UTMALDG.2D 1 R2 0 0/' "$k" \
    >"$work/two/kernel-2.traceg"
printf 'kernel-1.traceg\nkernel-2.traceg\n' >"$work/two/kernelslist.g"
identity() { sed -n 's/.*"workload_hash": "\([0-9a-f]*\)".*/\1/p' "$work/out"; }
run run "$work/two" -q --json -
check "both kernels" [ $status -eq 0 ]
has 'UTMALDG.2D ([1-9][0-9]* times) has no addresses'
both=$(identity)
good "the first alone" run "$work/two" -q --kernel small --json -
has '"kernel": "small"'
has '"warnings": \[\]'
check "a part of a program has another hash" [ "$(identity)" != "$both" ]
echo "no instruction" >>"$work/two/kernel-2.traceg"
good "what is not wanted need not be whole" run "$work/two" -q --kernel small
bad 2 "kernel-2.traceg:[0-9]*: '#BEGIN_TB' is due" run "$work/two" -q --kernel other

# Names: the folder of the list, of a folder `traces` those above it.
mkdir -p "$work/app/__data_4096/traces" "$work/other"
cp "$traces"/v5/* "$work/app/__data_4096/traces"
cp -r "$work/app/__data_4096/traces" "$work/other/traces"
good "Accel-Sim's folders" run "$work/app/__data_4096/traces/kernelslist.g" --json -
has '"workload": "app"'
has '"arguments": "__data_4096"'
good "the folder above traces" run "$work/other/traces/" --json -
has '"workload": "other"'
cd "$work/other/traces"
good "from inside" run . --json -
has '"workload": "other"'
cd - >/dev/null

# Compressed files, also where the list names the plain one.
for c in xz gzip zstd; do
    command -v $c >/dev/null 2>&1 || continue
    rm -rf "$work/packed"
    cp -r "$traces/v3" "$work/packed"
    $c -q "$work/packed/kernel-1.traceg" && rm -f "$work/packed/kernel-1.traceg"
    good "$c" run "$work/packed" --json -
    numbers <"$work/out" >"$work/now"
    check "$c gives the same" cmp -s "$work/v0" "$work/now"
    f=$(echo "$work"/packed/kernel-1.traceg.*)
    good "$c, one file" run "$f"
    size=$(wc -c <"$f")
    head -c $((size / 2)) "$f" >"$work/cut" && cp "$work/cut" "$f"
    bad 2 "packed/kernel-1.traceg.*truncated" run "$work/packed"
done

# Long ones are decompressed on a thread of its own: the same counters, and the same line in messages.
run trace record gemm --size tiny --input n=96 -o "$work/gemm.wlt" -q
run trace convert "$work/gemm.wlt" -o "$work/gemm" -q
check "more than a few buffers of text" [ "$(wc -c <"$work/gemm/kernel-1.traceg")" -gt 4000000 ]
good "plain" run "$work/gemm" --json -
numbers <"$work/out" >"$work/plain"
for c in xz gzip zstd; do
    command -v $c >/dev/null 2>&1 || continue
    rm -rf "$work/long"
    cp -r "$work/gemm" "$work/long"
    $c -q "$work/long/kernel-1.traceg" && rm -f "$work/long/kernel-1.traceg"
    good "long $c" run "$work/long" --json -
    numbers <"$work/out" >"$work/now"
    check "long $c gives the same" cmp -s "$work/plain" "$work/now"
    f=$(echo "$work"/long/kernel-1.traceg.*)
    head -c $(($(wc -c <"$f") * 3 / 4)) "$f" >"$work/cut" && cp "$work/cut" "$f"
    bad 2 "long/kernel-1.traceg[.a-z]*:[0-9][0-9]*: truncated" run "$work/long"
    check "behind the last whole line ($c)" sh -c \
        '[ "$(sed "s/.*traceg[.a-z]*:\([0-9]*\): .*/\1/" "$1")" -gt 1000 ]' sh "$work/err"
done

# A trace holds no data, so none of the device's memory is reserved for it.
if ! ldd "$WARPLINE" | grep -q asan && ! nm "$WARPLINE" 2>/dev/null | grep -q __asan; then
    (ulimit -v 1500000 && exec "$WARPLINE" run "$work/gemm.wlt" -q) >"$work/out" 2>"$work/err"
    check "in little address space" [ $? = 0 ]
fi

# Both ways.
good "to .wlt" trace convert "$traces/v4" -o "$work/v4.wlt"
good "run it" run "$work/v4.wlt" --json -
numbers <"$work/out" >"$work/now"
check "a converted trace gives the same" cmp -s "$work/v0" "$work/now"
good "and back" trace convert "$work/v4.wlt" -o "$work/back"
good "run that" run "$work/back" --json -
numbers <"$work/out" >"$work/now"
check "and the same again" cmp -s "$work/v0" "$work/now"
run trace record atax --size tiny -o "$work/atax.wlt"
run trace convert "$work/atax.wlt" -o "$work/atax"
check "a program's trace can be converted" test $status -eq 0
check "what does not fit is said" grep -q "warning: .*parameter" "$work/err"
good "and run" run "$work/atax" --json -
has '"warp_instructions": 6412'
# There and back again: every counter of the machine, energy included, of machine code and of PTX.
printf '%s\n' '#BEGIN_TB' 'thread block = 0,0,0' 'warp = 0' 'insts = 9' \
    '0000 ffffffff 1 R4 LDSM.16.M88.4 1 R2 4 1 0x40 16 0' '0010 ffffffff 1 R8 HMMA.16816.F32 3 R4 R6 R8 0 0' \
    '0020 ffffffff 0 LDGSTS.E.BYPASS.128 2 R1 R2 16 1 0x7f0100004000 16 0' '0030 ffffffff 0 LDGDEPBAR 0 0 0' \
    '0040 ffffffff 0 DEPBAR.LE 0 0 1' '0050 ffffffff 1 R3 LDG.E.STRONG.SYS 1 R2 4 1 0x7f0100000000 4 0' \
    '0060 ffffffff 1 R5 TEX.LL 1 R2 0 0' '0070 ffffffff 0 UIADD3 0 0 0' '0080 ffffffff 0 EXIT 0 0 0' \
    '#END_TB' >"$work/body"
sed '/^#BEGIN_TB/,$d; s/^-grid dim.*/-grid dim = (1,1,1)/; s/^-block dim.*/-block dim = (32,1,1)/' "$k" |
    cat - "$work/body" >"$work/tensor.traceg"
for program in atax kmeans libor bfs; do "$WARPLINE" trace record $program --size tiny -o "$work/$program.wlt" -q; done
counters() {
    sed -e '/"host": {/,/}/d' -e '/"inputs": {}/d' -e '/"inputs": {/,/}/d' \
        -e '/"warnings": \[\]/d' -e '/"warnings": \[/,/\]/d' |
        grep -v '"workload\|"size"\|"seed"\|"command"'
}
for t in "$traces/features" "$work/tensor.traceg" "$work/atax.wlt" "$work/kmeans.wlt" "$work/libor.wlt" \
    "$work/bfs.wlt"; do
    rm -rf "$work/there"
    run trace convert "$t" -o "$work/again.wlt" -q
    run trace convert "$work/again.wlt" -o "$work/there" -q
    run trace convert "$work/there" -o "$work/back.wlt" -q
    for gpu in rtx3070 gtx480; do
        "$WARPLINE" run "$t" --gpu $gpu -q --json - 2>/dev/null | counters >"$work/a"
        check "${t##*/} runs on $gpu" grep -q '"cycles"' "$work/a"
        for copy in again.wlt there back.wlt; do
            "$WARPLINE" run "$work/$copy" --gpu $gpu -q --json - 2>/dev/null | counters >"$work/b"
            check "${t##*/} as $copy on $gpu has its counters" cmp -s "$work/a" "$work/b"
        done
    done
done
sed 's/ EXIT / EXIT.WL200 /' "$work/tensor.traceg" >"$work/mark.traceg"
bad 2 "of the code table is not valid" run "$work/mark.traceg"
bad 2 "where to" trace convert "$traces/v4"
bad 2 "takes a trace and -o" trace convert "$traces/v4" -o "$work/x.wlt" --size tiny
bad 2 "No such file" trace convert "$work/none" -o "$work/x.wlt"
bad 2 "cannot" trace convert "$traces/v4" -o "$work/none/x"

# Wrong traces: exit 2, file and line, no result.
wrong() { # NAME SED-SCRIPT PATTERN
    sed "$2" "$k" >"$work/$1.traceg"
    bad 2 "$1.traceg:[0-9]*: .*$3" run "$work/$1.traceg"
}
wrong count 's/^insts = 12/insts = 13/' "has 12 instructions, but 'insts = 13' was promised"
wrong fewer 's/^insts = 12/insts = 11/' "is due"
wrong huge 's/^insts = 12/insts = 4294967295/' "was promised"
wrong grid 's/^-grid dim = .*/-grid dim = (4000000000,4000000000,1)/' "more than 4294967295 blocks"
wrong block 's/^-block dim = .*/-block dim = (4096,1,1)/' "larger than 1024"
wrong outside 's/^thread block = 1,0,0/thread block = 7,0,0/' "not in the grid"
wrong delta 's/0x7f0100000000 4096/0x10 -4096/' "outside of any memory"
wrong version 's/^-accelsim tracer version = 5/-accelsim tracer version = 2/' "block and warp"
wrong future 's/^-accelsim tracer version = 5/-accelsim tracer version = 9/' "version 9 is not known"
wrong lines 's/^-enable lineinfo = 0/-enable lineinfo = 1/' "the mask"
head -c 700 "$k" >"$work/short.traceg"
bad 2 "short.traceg:[0-9]*: " run "$work/short.traceg"
head -c 4000 /dev/urandom >"$work/junk.traceg"
bad 2 "junk.traceg" run "$work/junk.traceg"
: >"$work/empty.traceg"
bad 2 "the file is empty" run "$work/empty.traceg"
bad 2 "kernel-9.traceg" trace info "$work/kernel-9.traceg"
mkdir "$work/folder"
bad 2 "has no kernelslist.g" run "$work/folder"
: >"$work/folder/kernelslist"
bad 2 "post-processing" run "$work/folder"
printf 'kernel-1.traceg\n' >"$work/folder/kernelslist.g"
bad 2 "kernelslist.g:1: there is no file kernel-1.traceg" run "$work/folder"
printf 'MemcpyHtoD,zz,4\n' >"$work/folder/kernelslist.g"
bad 2 "kernelslist.g:1: a copy is written" run "$work/folder"
printf 'MemcpyHtoD,0x100,99999999999999\n' >"$work/folder/kernelslist.g"
bad 2 "outside of any memory" run "$work/folder"
bad 2 "a trace holds what a program has done" run "$traces/v5" --size tiny
bad 2 "is a trace already" trace record "$traces/v5" -o "$work/x.wlt"
check "nothing was left behind" test ! -e "$work/x.wlt"

# A large grid of which the trace has two blocks costs nothing.
sed 's/^-grid dim = .*/-grid dim = (65535,65535,1)/' "$k" >"$work/sparse.traceg"
run run "$work/sparse.traceg"
check "a sparse grid runs" test $status -eq 0
check "and is said" grep -q "lack blocks of their grid" "$work/err"
bad 2 "more than 1048576 are missing" trace convert "$work/sparse.traceg" -o "$work/x.wlt"
check "no half trace" test ! -e "$work/x.wlt"

# Traces recorded by others, where there are any: instruction counts as published with them.
real=${WL_TRACES:-$WL_ROOT/../shared/traces}
for row in vectoradd-sm80:26601 bfs-sm80:159509 gtx1080/vectoradd-100-32-trace:344 \
    gtx1080/matrixmul-32-32-trace:4416; do
    t=$real/${row%:*}
    if [ ! -d "$t" ]; then echo "# skipped: no ${row%:*} (WL_TRACES names the folder of real traces)"; continue; fi
    good "real ${row%:*}" run "$t" --json -
    has "\"warp_instructions\": ${row#*:}"
done

# ---- lists that ask for nothing, or for too much ----
mkdir "$work/empty"; : >"$work/empty/kernelslist.g"
bad 2 "the trace has no kernel" run "$work/empty"
cp -r "$traces/v4" "$work/huge" # 256 GiB in a line: minutes, if it were walked
{ printf 'MemcpyHtoD,0x7f0100000000,274877906944\n'; cat "$traces/v4/kernelslist.g"; } >"$work/huge/kernelslist.g"
if timeout 60 "$WARPLINE" run "$work/huge" -q; then ok "a copy of 256 GiB"; else not_ok "a copy of 256 GiB"; fi
finish
