#!/bin/sh
# What the pages of docs/results state is what the results files beside them hold: verdicts, counts, ranges.
. "$(dirname "$0")/lib.sh"
cd "$WL_ROOT" || exit 1
results=docs/results

good "no result is of a machine that has been changed since" claims --from $results/*.csv
check "claims-small.txt is what they show" cmp -s $results/claims-small.txt "$work/out"

# counts FILE...: "total match direction miss unknown"
counts() {
    run claims --from "$@"
    awk '/^claims: / { print $2, $4, $6, $8, $10 }' "$work/out"
}

for name in apcm:APCM dacache:DaCache dycache:DyCache hac:HAC mascar:Mascar; do
    file=${name%:*} title=${name#*:}
    set -- $(counts $results/$file.csv)
    check "$title: its page has the counts" \
        grep -q "^$1 claims at size \`small\`: \*\*$2 match, $3 have the direction, $4 miss\*\*" $results/$file.md
    check "$title: the table of all has them" \
        grep -qF "| [$title]($file.md) | $1 | $2 | $3 | $4 | $5 |" $results/README.md
done
set -- $(counts $results/*.csv)
check "the sum" grep -qF "| **all** | $1 | $2 | $3 | $4 | $5 |" $results/README.md
check "README.md has it" grep -q "^Of $1 claims of the five papers $2 match at size \`small\`, $3 have the direction, \
$4 miss, $5 cannot be run" README.md

# A range of the build that made the rows has their value as its default.
run claims --from $results/*.csv --json "$work/claims.json" -q
check "ranges begin at what was measured" python3 - "$work/claims.json" $results/ranges-*.json <<'PY'
import json, sys

measured = {(x["experiment"], x["build"], c["claim"]): c.get("measured") for x in json.load(open(sys.argv[1])) for c in
            x["claims"]}
wrong = 0
for name in sys.argv[2:]:
    for x in json.load(open(name)):
        for c in x["claims"]:
            key = x["experiment"], x["build"], c["claim"]
            known = [v for v in c["values"] if v is not None]
            if known and not min(known) == c["lowest"] <= c["highest"] == max(known):
                wrong += 1
                print("#", name, c["claim"], "is not between its values")
            if key in measured and measured[key] != c["measured"]:
                wrong += 1
                print("#", name, c["claim"], measured[key], c["measured"])
sys.exit(wrong != 0)
PY
finish
