#!/bin/sh
# picture.sh WARPLINE - the picture of docs/experiments.md: the scoreboard of the committed results in Chromium.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" report --from "$here"/docs/results/*.csv -o "$work/report.html" -q
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1060,790 \
    --screenshot="$here/docs/pictures/report.png" "file://$work/report.html" 2>/dev/null
