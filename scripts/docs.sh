#!/bin/sh
# docs.sh WARPLINE FOLDER - writes the pages that are made from tables in the program; `make lint` compares them.
set -eu
w=$1 out=$2
{
    echo '# Parameters of the machine'
    echo
    echo 'Made from `src/param/params.def` by `make docs`. Defaults are the preset `gtx480-ideal`.'
    echo
    echo '```'
    "$w" list options -v
    echo '```'
} > "$out"/parameters.md
{
    echo '# Counters'
    echo
    echo 'Made from `src/stats/counters.def` by `make docs`. A request that is refused and tried again counts once.'
    echo
    echo '```'
    "$w" list counters
    echo '```'
} > "$out"/counters.md
# The page stays as it was written up to its tables of functions.
{
    sed '/^<!-- made by scripts\/api_table.sh -->$/q' docs/exec.md
    sh scripts/api_table.sh "$(dirname "$w")"/cuda
} > "$out"/exec.md.new
mv "$out"/exec.md.new "$out"/exec.md
# The table of PTX instructions stands inside a page that is otherwise written by hand.
root=$(dirname "$0")/..
page=$(awk '
    FNR == NR && /^ISA/ { row = "" }
    FNR == NR { row = row " " $0; gsub(/" +"/, "", row) } # literals side by side are one
    FNR == NR && row ~ /^ ISA_GROUP.*\)$/ {
        split(row, part, "\"")
        table = table "\n**" part[2] "**\n\n| instruction | state | note |\n|---|---|---|\n"
    }
    FNR == NR && row ~ /^ ISA\(.*\)$/ {
        split(row, part, "\"")
        state = tolower(part[3])
        gsub(/[^a-z]/, "", state)
        count[state]++
        table = table "| `" part[2] "` | " state " | " part[6] " |\n"
    }
    FNR == NR { next }
    /^<!-- end of the table -->/ { inside = 0 }
    !inside { print }
    /^<!-- the table/ {
        inside = 1
        print "\n" count["full"] " instructions are executed in full, " count["partial"] " in part, " count["refused"] \
            " are refused."
        print table
    }' "$root/src/ptx/isa.def" "$root/docs/ptx.md")
printf '%s\n' "$page" >"$out"/ptx.md
