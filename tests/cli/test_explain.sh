#!/bin/sh
# explain: programs of every kind, the page, JSON, two results, mistakes. The texts are golden (tests/golden).
. "$(dirname "$0")/lib.sh"
cd "$WL_ROOT/tests/cli" || exit 1

good "a .ptx file, as a page and as JSON" explain lines.ptx --grid 8 --block 256 --arg buf:16K:iota-f32 --arg buf:8K \
    --arg u32:8 --arg u32:33 --html "$work/page.html" --json "$work/x.json"
has 'lines.cu:15: ld.global.f32'
check "the JSON adds up" python3 -c 'import json, sys
x = json.load(open(sys.argv[1]))
a = dict(x["scheduler_cycles"]); total = a.pop("total")
assert sum(a.values()) == total > 0
assert x["headline"].startswith("lines.ptx:lines on gtx480: ")
runs = {r["id"]: r for r in x["runs"]}
assert runs["l1d_size"]["set"] == ["l1d.ways=16"] and runs["l1d_perfect"]["bound"]
assert all(abs(r["speedup"] - x["result"]["cycles"] / r["cycles"]) < 1e-5 for r in x["runs"])
assert [r["cycles"] for r in x["runs"]] == sorted(r["cycles"] for r in x["runs"])' "$work/x.json"
check "each run can be repeated by hand" python3 -c 'import json, subprocess, sys
w, x = sys.argv[1], json.load(open(sys.argv[2]))
r = next(r for r in x["runs"] if r["id"] == "l1d_size")
out = subprocess.run([w, "run", "lines.ptx", "--grid", "8", "--block", "256", "--arg", "buf:16K:iota-f32",
    "--arg", "buf:8K", "--arg", "u32:8", "--arg", "u32:33", "--json", "-"] +
    sum((["--set", s] for s in r["set"]), []), capture_output=True)
assert json.loads(out.stdout)["cycles"] == r["cycles"]' "$WARPLINE" "$work/x.json"
check "the page is well formed and has its pictures" python3 -c 'import html.parser, sys
class P(html.parser.HTMLParser):
    void = {"meta", "br", "line", "rect"}
    def __init__(s): super().__init__(); s.open = []; s.svg = 0
    def handle_starttag(s, t, a):
        s.svg += t == "svg"
        if t not in s.void and t not in ("li", "tr", "td", "th"): s.open.append(t)
    def handle_endtag(s, t):
        if t in s.void or t in ("li", "tr", "td", "th"): return
        assert s.open.pop() == t, t
p = P(); p.feed(open(sys.argv[1]).read())
assert not p.open and p.svg >= 5, (p.open, p.svg)' "$work/page.html"
check "axes are cycles and distances" sh -c 'grep -q ">cycle<" "$0" && grep -q "reuse distance" "$0"' "$work/page.html"

good "record" trace record vectoradd --size tiny -o "$work/v.wlt" -q
good "a trace" explain "$work/v.wlt"
has '^vectoradd on gtx480: '
bad 2 "BEFORE.json AFTER.json" explain
echo '{}' >"$work/none.json"
bad 2 "compares two results" explain "$work/x.json"
good "two explanations" explain "$work/x.json" "$work/x.json"
has '^+0 cycles, 1.000x'
bad 2 "has no cycles" explain "$work/none.json" "$work/none.json"
bad 2 "one program" explain atax bfs
bad 2 "unknown workload" explain nothing_like_it
echo '{"cycles": 5}' >"$work/old.json"
bad 2 "old.json has no account" explain "$work/old.json" "$work/old.json"
echo 'no json' >"$work/bad.json"
bad 2 "bad.json:1:" explain "$work/bad.json" "$work/bad.json"
finish
