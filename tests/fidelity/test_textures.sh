#!/bin/sh
# Two-dimensional textures on gtx480-v322 against GPGPU-Sim 3.2.2, which is not needed: requests of the texture cache,
# L2 misses and DRAM reads equal with the tiles of that release (and not with rows), texture misses within 2 %.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
sh "$WL_ROOT/scripts/fidelity_textures.sh" "$WARPLINE" lines >"$tmp/lines" ||
    { echo "not ok - the kernels ran"; exit 1; }
awk '
    function off(a, b) { return a > b ? a / b - 1 : b / a - 1 }
    function say(good, text) { print (good ? "ok" : "not ok") " - " text; bad += !good }
    $3 == "tiles" && $4 != "cycles" {
        bound = $4 == "l1t.misses" ? 0.02 : 0
        say(off($5, $6) <= bound, $1 " " $2 ": " $4 " " $6 ", 3.2.2 " $5)
    }
    $3 == "tiles" && $4 == "cycles" {
        say(off($5, $6) <= 0.15, $1 " " $2 ": cycles " $6 ", 3.2.2 " $5 ", at most 15 % off")
    }
    $3 == "rows" && $4 == "l1t.accesses" && $1 != "kmeans_texture" { # which has one dimension
        say($6 > 2 * $5, $1 " " $2 ": rows make more requests: " $6)
    }
    { seen++ }
    END { say(seen == 60, seen " numbers"); exit bad > 0 }' "$tmp/lines"
