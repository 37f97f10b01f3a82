#!/bin/sh
# Golden explanations: what explain says of three programs and of the difference of two runs. A change of the model or
# of the words shows here as a diff; `make golden` (WL_UPDATE=1) accepts it.
set -u
golden=$WL_ROOT/tests/golden/explain
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

say() { "$WARPLINE" "$@" 2>&1 || echo "not ok - $*"; }
for w in kmeans_1 bfs vectoradd; do say explain $w --size tiny >"$tmp/$w.txt"; done
say run kmeans_1 --size tiny -q --json "$tmp/before.json"
say run kmeans_1 --size tiny --l1 dacache -q --json "$tmp/after.json"
(cd "$tmp" && say explain before.json after.json >ledger.txt &&
    say explain before.json after.json --json ledger.json -q)

# The ledger adds up.
python3 - "$tmp" <<'P' || { echo "not ok - the ledger"; exit 1; }
import json, sys
d = sys.argv[1]
l, a, b = (json.load(open(f"{d}/{f}.json")) for f in ("ledger", "before", "after"))
assert l["difference"] == b["cycles"] - a["cycles"] == sum(e["difference"] for e in l["ledger"])
assert abs(sum(e["before"] for e in l["ledger"]) - a["cycles"]) < 2
P

if [ "${WL_UPDATE:-0}" = 1 ]; then
    mkdir -p "$golden" && cp "$tmp"/*.txt "$golden"
    echo "golden: explanations written"
    exit 0
fi
for f in kmeans_1 bfs vectoradd ledger; do
    diff "$golden/$f.txt" "$tmp/$f.txt" || { echo "not ok - $f"; exit 1; }
done
echo "ok - 4 explanations"
