#!/bin/sh
# docs.sh WARPLINE FOLDER - writes the pages that are made from tables in the program; `make lint` compares them.
set -eu
w=$1 out=$2
{
    echo '# Parameters of the machine'
    echo
    echo 'Made from `src/param/params.def` by `make docs`. Defaults are the preset `gtx480`.'
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
