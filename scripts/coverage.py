#!/usr/bin/env python3
"""coverage.py BUILD [--rest] [--minimum LINES BRANCHES] - a table of covered lines and branches per folder.

BUILD was compiled with -DCMAKE_BUILD_TYPE=Coverage and its tests have run; gcov's JSON is read and nothing else. A line
is covered if any copy of it was executed (a header is compiled many times, libcudart three times). A branch is one
way out of a condition, as gcov counts them, in the function it stands in; copies of a function are one.
--rest also names every file below the minimum and every function that no test calls. With --minimum the exit status is
1 when src/ and cuda/ together have less.
"""
import argparse
import collections
import concurrent.futures
import gzip
import json
import os
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
COUNTED = ("src", "cuda")          # what the minimum is about
SHOWN = ("src", "cuda", "cli", "include")


def notes(build):
    """Every .gcno of the product; those of test programs tell about tests."""
    for folder, _, files in os.walk(os.path.join(build, "CMakeFiles")):
        if "/test_" in folder or "/exec_" in folder.replace(build, ""):
            continue
        for f in files:
            if f.endswith(".gcno"):
                yield os.path.join(folder, f)


def read(note):
    data = note[:-5] + ".gcda"
    source = data if os.path.exists(data) else note
    p = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", source], capture_output=True,
                       cwd=os.path.dirname(note), check=False)
    text = p.stdout
    if text[:2] == b"\x1f\x8b":
        text = gzip.decompress(text)
    try:
        return json.loads(text), p.stderr.decode(errors="replace")
    except ValueError:
        return None, f"{source}: gcov printed no JSON"


class File:
    def __init__(self):
        self.lines = collections.Counter()        # line -> executions
        self.branches = collections.Counter()     # (function, line, index) -> executions
        self.functions = collections.Counter()    # (name, first line) -> executions

    def add(self, f):
        for fn in f["functions"]:
            self.functions[(fn["name"], fn["start_line"])] += fn["execution_count"]
        for line in f["lines"]:
            self.lines[line["line_number"]] += line["count"]
            for i, b in enumerate(line["branches"]):
                self.branches[(line.get("function_name", ""), line["line_number"], i)] += b["count"]


def gather(build, jobs):
    files = collections.defaultdict(File)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for report, said in pool.map(read, sorted(notes(build))):
            if report is None:
                print("coverage: " + said, file=sys.stderr)
                continue
            where = report["current_working_directory"]
            for f in report["files"]:
                path = os.path.relpath(os.path.join(where, f["file"]), ROOT)
                if path.split("/")[0] in SHOWN:
                    files[path].add(f)
    return files


def sums(some):
    line = [n for f in some for n in f.lines.values()]
    branch = [n for f in some for n in f.branches.values()]
    return len(line), sum(n > 0 for n in line), len(branch), sum(n > 0 for n in branch)


def percent(part, whole):
    return f"{100 * part / whole:.1f}" if whole else "-"


def row(name, some):
    lines, lines_hit, branches, branches_hit = sums(some)
    return f"| {name} | {lines} | {percent(lines_hit, lines)} | {branches} | {percent(branches_hit, branches)} |"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("build")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--rest", action="store_true")
    p.add_argument("--missed", metavar="FILE", help="print the lines of FILE that were not executed")
    p.add_argument("--minimum", nargs=2, type=float, metavar=("LINES", "BRANCHES"), default=(90, 80))
    a = p.parse_args()
    files = gather(os.path.abspath(a.build), a.jobs)
    if not files:
        sys.exit("coverage: no notes of gcov in " + a.build + "; configure it with -DCMAKE_BUILD_TYPE=Coverage")
    if a.missed:
        for n, count in sorted(files[a.missed].lines.items()):
            if not count:
                print(n)
        return
    folders = collections.defaultdict(list)
    for path, f in files.items():
        folders[os.path.dirname(path)].append(f)
    print("| folder | lines | covered % | branches | covered % |\n|---|---:|---:|---:|---:|")
    for folder in sorted(folders):
        print(row("`" + folder + "`", folders[folder]))
    counted = [f for path, f in files.items() if path.split("/")[0] in COUNTED]
    print(row("**`src` and `cuda`**", counted))
    lines, lines_hit, branches, branches_hit = sums(counted)
    if a.rest:
        rest(files, a.minimum)
    if 100 * lines_hit < a.minimum[0] * lines or 100 * branches_hit < a.minimum[1] * branches:
        sys.exit(f"coverage: less than {a.minimum[0]:g} % of lines or {a.minimum[1]:g} % of branches")


def rest(files, minimum):
    print("\nfiles below the minimum (lines %, branches %, lines and branches missed):")
    below = []
    for path, f in files.items():
        lines, hit, branches, branches_hit = sums([f])
        if 100 * hit < minimum[0] * lines or 100 * branches_hit < minimum[1] * branches:
            shares = f"{percent(hit, lines)}, {percent(branches_hit, branches)}"
            below.append((branches - branches_hit, f"  {path}: {shares}; {lines - hit}, {branches - branches_hit}"))
    for _, text in sorted(below, reverse=True):
        print(text)
    print("\nfunctions that no test calls:")
    for path in sorted(files):
        called = collections.Counter()
        for (name, _), n in files[path].functions.items():
            called[name] += n
        names = sorted(name for name, n in called.items() if not n)
        if names:
            print(f"  {path}: {' '.join(names)}")


main()
