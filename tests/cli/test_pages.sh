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

# The first screen of each page says what reproduces, what does not and why, in this order; details are below.
for name in apcm dacache dycache hac mascar; do
    check "$name.md: what reproduces, what does not, why, on one screen" awk '
        /^## / && !end { end = NR }
        /^\*\*What reproduces\*\*/ { good = NR }
        /^\*\*What does not\*\*/ { bad = NR }
        /^\*\*Why\*\*/ { why = NR }
        length($0) > 140 && !end { wide = NR }
        END { exit !(1 < good && good < bad && bad < why && why < end && end <= 45 && !wide) }' $results/$name.md
done

# ---- size paper, sampled: what is known there, next to the same claims at small ----
run claims --from $results/paper/*.csv
check "claims-paper.txt is what the files of size paper show" cmp -s $results/claims-paper.txt "$work/out"
"$WARPLINE" claims --from $results/paper/*.csv --json "$work/paper.json" -q 2>/dev/null
"$WARPLINE" claims --from $results/*.csv --json "$work/small.json" -q 2>/dev/null
check "the table of small against paper" python3 - "$work/paper.json" "$work/small.json" $results <<'PY'
import json, sys

TITLES = {"apcm": "APCM", "dacache": "DaCache", "dycache": "DyCache", "hac": "HAC", "mascar": "Mascar"}
paper, small = ({x["experiment"]: {c["claim"]: c for c in x["claims"]} for x in json.load(open(f))}
                for f in sys.argv[1:3])
page, total, wrong = open(sys.argv[3] + "/README.md").read().split("\n"), [0] * 8, 0


def want(name, numbers):
    global wrong
    line = "| %s | %d | %d | %d, %d, %d | %d, %d, %d |" % (name, *numbers)
    if not any(p.startswith(line) for p in page):
        wrong += 1
        print("# no line", line)


for name, title in TITLES.items():
    known = [c for c, o in paper[name].items() if o["measured"] is not None and "own" not in o and "same_as" not in o]
    rows = sum(1 for _ in open("%s/paper/%s.csv" % (sys.argv[3], name))) - 2
    numbers = [rows, len(known)] + [sum(of[name][c]["verdict"] == v for c in known) for of in (paper, small)
                                    for v in ("match", "direction", "miss")]
    want(title, numbers)
    total = [a + b for a, b in zip(total, numbers)]
want("**all**", total)
sys.exit(wrong != 0)
PY

# A range has the value of the rows as its default.
run claims --from $results/*.csv --json "$work/claims.json" -q
check "ranges begin at what was measured" \
    python3 - "$work/claims.json" $results/ranges-*.json $results/design-*.json <<'PY'
import json, sys

measured = {(x["experiment"], c["claim"]): c.get("measured") for x in json.load(open(sys.argv[1])) for c in x["claims"]}
wrong = 0
for name in sys.argv[2:]:
    for x in json.load(open(name)):
        for c in x["claims"]:
            key = x["experiment"], c["claim"]
            known = [v for v in c["values"] if v is not None]
            if known and not min(known) == c["lowest"] <= c["highest"] == max(known):
                wrong += 1
                print("#", name, c["claim"], "is not between its values")
            if measured[key] != c["measured"]:
                wrong += 1
                print("#", name, c["claim"], measured[key], c["measured"])
sys.exit(wrong != 0)
PY

# The table of ranges counts as the report does: a claim has a range if it is known at every point or moved at one.
check "table of ranges, headlines and reasons are of what the files hold" python3 - $results <<'PY'
import json, re, sys

results, counted = sys.argv[1], {}
for line in open(results + "/claims-small.txt"):
    if line.startswith(("claim ", "not counted")):
        paper = line.startswith("claim ")
    elif paper and "." in line.split(" ")[0]:
        counted[line.split()[0]] = re.search(" (match|direction|miss|not run)", line)[1]  # of the default machine
page, total, wrong = open(results + "/README.md").read().split("\n"), [0, 0, 0, 0], 0


def want(begin, *parts):
    global wrong
    if not any(line.startswith(begin) and all(part in line for part in parts) for line in page):
        wrong += 1
        print("# no line", begin, *parts)


HEADLINES = {"apcm": "fig12.cs.mean_speedup", "dacache": "fig8.dacache.mean_ipc", "dycache": "abstract.irregular",
             "hac": "fig6.hac_vs_lru.mean_ipc", "mascar": "abstract.speedup_over_rr"}
TITLES = {"apcm": "APCM", "dacache": "DaCache", "dycache": "DyCache", "hac": "HAC", "mascar": "Mascar"}
open_claims = {name for name, verdict in counted.items() if verdict in ("direction", "miss")}
for name in HEADLINES:
    (x,) = json.load(open("%s/ranges-%s.json" % (results, name)))
    inside, whole = {"yes": 0, "near": 0, "no": 0}, 0
    for c in x["claims"]:
        if c["claim"] == HEADLINES[name]:
            want("| %s |" % TITLES[name], "| %.3f | %.3f to %.3f over" % (c["measured"], c["lowest"], c["highest"]))
        if name + "." + c["claim"] not in counted:
            continue
        complete = None not in c["values"]
        whole += complete
        if complete or c["moved_by"]:
            inside[c["inside"]] += 1
            if c["inside"] != "no":
                open_claims.discard(name + "." + c["claim"])
    want("| [ranges-%s.json]" % name, "| %d of " % sum(inside.values()), "| %d: " % whole,
         "| %d, %d, %d |" % tuple(inside.values()))
    total = [a + b for a, b in zip(total, [whole, *inside.values()])]
want("| together |", "| %d of " % sum(total[1:]), "| %d |" % total[0], "| %d, %d, %d |" % tuple(total[1:]))

# outside.md has a reason for each claim that neither matches nor is inside its range, once.
listed = []
for line in open(results + "/outside.md"):
    if line.startswith("## "):
        name = line[3:].strip().lower()
    elif line.startswith("| ") and not line.startswith("| reason"):
        listed += [name + "." + claim for claim in re.findall("`([^`]+)`", line.split("|")[2])]
if sorted(listed) != sorted(open_claims):
    wrong += 1
    print("# outside.md:", *sorted(open_claims ^ set(listed)), *{c for c in listed if listed.count(c) > 1})
sys.exit(wrong != 0)
PY

# Designs: the headline of each paper at 16 points over all unknowns, and the table of them.
check "the table of designs is of what the files hold" python3 - $results <<'PY'
import json, sys

page, wrong = open(sys.argv[1] + "/README.md").read().split("\n"), 0
TITLES = {"apcm": "APCM", "dacache": "DaCache", "dycache": "DyCache", "hac": "HAC", "mascar": "Mascar"}
for name, title in TITLES.items():
    (x,), (r,) = (json.load(open("%s/%s-%s.json" % (sys.argv[1], kind, name))) for kind in ("design", "ranges"))
    (c,) = x["claims"]
    (same,) = [o for o in r["claims"] if o["claim"] == c["claim"]]
    one, all_ = c["values"][:-16], c["values"][-16:]
    line = "| %s | %s | %.3f | %.3f to %.3f | %.3f to %.3f | %.3f | %s | [design-%s.json]" % (
        title, c["stated"], c["measured"], min(one), max(one), min(all_), max(all_), sum(all_) / 16, c["inside"], name)
    if not any(p.startswith(line) for p in page) or one != same["values"] or x["points"][:-16] != r["points"]:
        wrong += 1
        print("# no line, or not the same range:", line)
sys.exit(wrong != 0)
PY
check "the pages have the ranges of the files" python3 scripts/range_tables.py $results --check
finish
