#!/bin/sh
# The CSV of every figure of experiments/baseline.ini at tiny. `make golden` (WL_UPDATE=1) rewrites them.
set -u
golden=$WL_ROOT/tests/golden/figures
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$WARPLINE" figure baseline --size tiny --store "$tmp/store.db" --out "$tmp/out" > "$tmp/log" 2>&1 ||
    { cat "$tmp/log"; echo "not ok - warpline figure baseline"; exit 1; }
rm -f "$tmp"/out/*.svg
if [ "${WL_UPDATE:-0}" = 1 ]; then
    mkdir -p "$golden"
    cp "$tmp"/out/*.csv "$golden"
    echo "golden: $(ls "$golden" | wc -l) figures written"
    exit 0
fi
if ! diff -r "$golden" "$tmp/out" > "$tmp/diff"; then
    head -40 "$tmp/diff"
    echo "not ok - figures moved; if that was intended: make golden, and say why in the commit"
    exit 1
fi
echo "ok - $(ls "$golden" | wc -l) figures"
