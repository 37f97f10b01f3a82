#!/bin/sh
# warpline fidelity: built-in references, files of one's own, and what ncu --csv prints. The numbers of the ncu files
# are made up; their shape is that of ncu.
. "$(dirname "$0")/../cli/lib.sh"
data=$WL_ROOT/tests/fidelity

good "a built-in reference" fidelity gtx480 --only 'gemm*'
has '^| gemm n=128 | reference | 12664832 | 396800 | 59163 |'
has '^| l1d.accesses | 1 | 1 | 0.0 % | +0.0 % | +0.0 % | gemm n=128 | - |$'
has '^| cycles | at most 8 % | at most 20 % | at least 0.997 | missed |$'
if [ "${WL_SLOW:-0}" != 1 ]; then # 132 SMs take their time in a sanitized build
    good "a kernel file of a built-in reference" fidelity h200 --only fdtd2d_ex --set sm.count=132 --csv -
    has '^A real H200,fdtd2d_ex,sm.l1d_loads,393216,393216,0.0000$'
    good "a program of a reference in a file" fidelity "$data/h200-suite.csv" --only copy4 --csv -
    has ',copy4,cycles,6061,'
fi

# A reference whose commands run traces of a folder that is named; its numbers are made up.
bad 2 "needs a folder with the traces" fidelity accelsim
printf 'title = T\nneeds = traces\noptions = --gpu gtx480\n' > "$work/traces.csv"
printf 'name,command,warp_instructions\nv5,run v5,10\n' >> "$work/traces.csv"
bad 2 "needs a folder with traces" fidelity "$work/traces.csv"
good "traces of a folder" fidelity "$work/traces.csv" "$WL_ROOT/tests/traces"
has '^| v5 | reference | 10 |$'
if [ -d "$WL_ROOT/../shared/traces/bfs-sm80" ]; then # public traces, where they are at hand
    good "the reference accelsim" fidelity accelsim "$WL_ROOT/../shared/traces"
    has '^| warp_instructions | .* | reached |$'
fi

# A file of one's own: 6412 warp instructions are 3012 and 3400 of two launches.
cat > "$work/own.csv" <<'END'
# a comment
title = mine
options = --size tiny --gpu gtx480
aim = warp_instructions mean 9 worst 13
name,command,launch,grid,block,warp_instructions,cycles
all,run atax,,,,6412,-
rows,run atax,atax_rows#1,1,"256,1",2678,
cols,run atax,2,"1,1,1",256,3400,
END
good "a file of one's own" fidelity "$work/own.csv" --json "$work/own.json"
has '^## mine$'
has '^| rows | reference | 2678 | - |$'
has '^| warp_instructions | 3 | 2 | 4.2 % | +4.2 % | +12.5 % | rows | 0.99'
has '^| warp_instructions | at most 9 % | at most 13 % | | reached |$'
check "JSON has the statistics" python3 - "$work/own.json" <<'END'
import json, sys
j = json.load(open(sys.argv[1]))[0]
s = j["statistics"]["warp_instructions"]
assert s["runs"] == 3 and s["equal"] == 2 and s["worst_run"] == "rows", s
assert abs(s["worst_percent"] - 100 * (3012 - 2678) / 2678) < 1e-9
assert j["runs"][0]["counters"]["cycles"]["reference"] is None
assert j["aims"][0]["reached"] is True
END

# ncu: both forms are the same rows; the raw metric wins over the label of the details page, Kbyte is 1000 bytes.
for form in long raw; do
    run fidelity "$data/ncu_$form.csv" --gpu gtx480 -o "$work/$form.csv" -- run atax --size tiny
    check "ncu, $form: exit 0" [ $status -eq 0 ]
    grep -v -e '^title' "$work/$form.csv" > "$work/$form.rows"
    check "ncu, $form: a row per launch" grep -q '^atax_cols#1,run atax --size tiny,atax_cols#1,"1,1,1","256,1,1",' \
        "$work/$form.rows"
    good "ncu, $form: its file runs" fidelity "$work/$form.csv" --csv -
    sed 's/^[^,]*,//' "$work/out" | sort > "$work/$form.result"
    has ',atax_rows#1,cycles,30000,'
    has ',atax_cols#1,warp_instructions,4250,3400,-20.0000$'
    has ',atax_rows#1,dram.read_bytes,66560,'
done
check "both forms of ncu give the same" cmp -s "$work/long.result" "$work/raw.result"
run fidelity "$data/ncu_long.csv" -q --csv "$work/x.csv" -- run atax --size tiny
check "rounded units are said" grep -q 'print-units base is exact' "$work/err"

# The rows of GPGPU-Sim 3.2.2 as a reference file.
check "v322 as a reference file" sh "$WL_ROOT/scripts/fidelity_v322.sh" "$WARPLINE" reference "$work/v322"
good "one of its rows" fidelity "$work/v322/v322.csv" --only 'sssp_relax lrr'
has '^| warp_instructions | 1 | 1 | 0.0 % |'
has '^| cycles | at most 4 % | at most 12 % | | reached |$'
has '^| dram.reads | at most 3 % | | | nothing compared |$'

# What is wrong is said with file and line.
wrong() { # PATTERN TEXT
    printf "$2" > "$work/wrong.csv"
    bad 2 "$1" fidelity "$work/wrong.csv"
}
wrong 'no table' 'title = x\n'
wrong ":1: .*a column 'command'" 'name,cycles\na,1\n'
wrong ":2: .*'many' is no number" 'name,command,cycles\na,run atax --size tiny,many\n'
wrong ":2: .*begins with 'run' or 'exec'" 'name,command,cycles\na,rm -rf x,1\n'
wrong ':3: .*as many fields' 'name,command,cycles\n\na,run atax --size tiny\n'
wrong ":1: .*has title, options, needs, least and aim, not 'tile'" 'tile = x\nname,command,cycles\n'
wrong ":1: .*no column of the table" 'aim = ipc mean 3\nname,command,cycles\na,run atax,1\n'
wrong "no counter 'l1d.mises'" 'name,command,l1d.mises\na,run atax --size tiny,1\n'
bad 2 'built-in references are accelsim, gtx480, h200' fidelity nowhere
bad 2 'say what was profiled' fidelity "$data/ncu_raw.csv"
bad 2 "no row has a name like" fidelity gtx480 --only nothing
printf 'name,command,launch,grid,cycles\na,run atax --size tiny,1,7,1\n' > "$work/grid.csv"
bad 1 'another grid than the reference: 7' fidelity "$work/grid.csv"
printf 'name,command,cycles\na,run nothing,1\n' > "$work/none.csv"
bad 1 ":2: a: its run failed: .*nothing" fidelity "$work/none.csv"
printf 'name,command,warp_instructions\na,run nothing,1\nb,run atax --size tiny,6412\n' >"$work/half.csv"
run fidelity "$work/half.csv" --csv "$work/half.out"
check "one failed run is an error" [ $status -eq 1 ]
check "which says so" grep -q '1 of 2 runs failed; the first: .*:2: a: its run failed: .*nothing' "$work/err"
has '^| b | reference | 6412 |$'
check "and the others are kept" grep -q ',b,warp_instructions,6412,6412,' "$work/half.out"
sed 's/30,000/30.000.000/' "$data/ncu_raw.csv" > "$work/locale.csv"
bad 2 ':5: .*LC_ALL=C' fidelity "$work/locale.csv" -- run atax --size tiny
finish
