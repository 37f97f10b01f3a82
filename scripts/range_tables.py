#!/usr/bin/env python3
"""range_tables.py FOLDER [--check] - the section "All ranges" of each page of docs/results, from ranges-NAME.json.

A page has the section between its heading and the next one. --check changes nothing and fails where a page differs.
"""
import json, sys

HEAD = "## All ranges"


def number(v):
    return "%.0f" % v if v == int(v) and abs(v) >= 2 else "%.3f" % v


def points_of(x):
    """Each point in words; the default has none."""
    return [", ".join("%s %s" % kv for kv in p.items()) for p in x["points"]]


def counted(c):
    return not c.get("own") and "same_as" not in c and "skip" not in c


def has_range(c):
    return None not in c["values"] or c["moved_by"]


def row(c, points):
    missing = [p for p, v in zip(points, c["values"]) if v is None]
    moved = "nothing"
    if c["moved_by"]:
        moved = "%s %s: %s%s" % (c["moved_by"], c["moved_to"], "+" if c["move"] > 0 else "", number(c["move"]))
    if c["within_noise"]:
        moved += ", within noise"
    return "| `%s` | %s | %s | %s | %s | %s | %s | %s |" % (
        c["claim"], c["stated"], number(c["measured"]), number(c["lowest"]), number(c["highest"]), c["inside"], moved,
        "all" if not missing else "all but %d" % len(missing))


def wrap(text, width=126):
    lines, line = [], ""
    for word in text.split():
        if len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = (line + " " + word).strip()
    return "\n".join(lines + [line])


def section(x):
    points = points_of(x)
    claims = [c for c in x["claims"] if counted(c) and has_range(c)]
    whole = sum(None not in c["values"] for c in claims)
    inside = {k: sum(c["inside"] == k for c in claims) for k in ("yes", "near", "no")}
    about = ("`scripts/range_tables.py` makes this section from ranges-%s.json. %d claims have a range, %d of them are "
             "known at all %d points: the default, and one unknown at a time at %s. The stated value is inside for %d, "
             "near for %d, outside for %d.")
    about %= (x["experiment"], len(claims), whole, len(points), "; ".join(points[1:]), *inside.values())
    out = [HEAD, "", wrap(about), "",
           "| claim | stated | measured | lowest | highest | inside | moved most by | known at |", "|---" * 8 + "|"]
    orders = {"at every point": [], "at some": [], "at none": []}
    for c in claims:
        if c["stated"] != "holds":
            out.append(row(c, points))
            continue
        known = [v for v in c["values"] if v is not None]
        where = "at every point" if all(known) else "at some" if any(known) else "at none"
        orders[where].append("`%s`" % c["claim"])
    text = ["Orders that hold %s: %s." % (where, ", ".join(names)) for where, names in orders.items() if names]
    return "\n".join(out + [""] + [wrap(t) for t in text]).rstrip("\n") + "\n"


def main():
    folder, check = sys.argv[1], "--check" in sys.argv
    wrong = 0
    for name in ("apcm", "dacache", "dycache", "hac", "mascar"):
        (x,) = json.load(open("%s/ranges-%s.json" % (folder, name)))
        page = "%s/%s.md" % (folder, name)
        text = open(page).read()
        begin = text.find(HEAD + "\n")
        if begin < 0:
            text += "\n"
            begin = end = len(text)
        else:
            end = text.find("\n## ", begin + 1)
            end = len(text) if end < 0 else end + 1
        made = section(x) + ("\n" if end < len(text) else "")
        if check and text[begin:end] != made:
            wrong += 1
            print("# %s: run scripts/range_tables.py" % page)
        if not check:
            open(page, "w").write(text[:begin] + made + text[end:])
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
