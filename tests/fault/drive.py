#!/usr/bin/env python3
"""drive.py - fails the Nth call, for N = 1, 2, 3, ..., of each kind, in each of a set of commands.

usage: drive.py --warpline FILE --lib libwlfault.so [--asan] [--stride N] [--case NAME] [--kind NAME]
                [--from N] [--to N] [--places] [--sample] [--jobs N] [--work FOLDER]

After each run with a failed call this must hold:
  - no signal ended it, no sanitizer spoke, it ended in time;
  - exit status 0 only if everything it wrote equals what it writes in peace;
  - any other exit status comes with a sentence on standard error;
  - no temporary file is left;
  - the store can be read and passes `store verify`, and the same command in peace then gives the results it always
    gives.
--stride N takes a sample: the first 12 calls, then every Nth. --places fails one call of each chain of callers instead
of all calls (with --stride: of every Nth chain). --sample is what a test has time for: chains of five callers, every
eighth of those that take memory, every third of the others. --jobs N runs so many at once. The commands run in a
temporary folder of --work, by default in memory (/dev/shm), where no fsync waits for a disk.
"""
import argparse
import csv
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

KINDS = ["alloc", "open", "read", "write", "fsync", "rename", "fork", "mmap"]
LIMIT = 30

EXPERIMENT = """title = Fault
about = two runs
size = tiny
workloads = atax
[series a]
label = LRR
sched = lrr
[series b]
label = GTO
sched = gto
[figure 1]
title = Speed
workloads = atax
series = a b
metric = ipc
"""


def cases(root):
    ptx = os.path.join(root, "tests/cli/axpy.ptx")

    return {
        # name: (commands in peace first, the command, files it writes, uses the store)
        "run": ([], ["run", "atax", "--size", "tiny", "--json", "out.json", "--csv", "out.csv"],
                ["out.json", "out.csv"], False),
        "ptx": ([], ["run", ptx, "--kernel", "axpy", "--grid", "2", "--block", "32", "--arg", "buf:4096",
                     "--arg", "buf:4096", "--arg",
                     "f32:2", "--arg", "u32:64"], [], False),
        "machine": ([], ["gpu", "show", "dacache", "--set", "l1d.size=32K"], [], False),
        "record": ([], ["trace", "record", "atax", "--size", "tiny", "-o", "out.wlt"], ["out.wlt"], False),
        "replay": ([["trace", "record", "atax", "--size", "tiny", "-o", "in.wlt"]],
                   ["run", "in.wlt", "--json", "out.json"], ["out.json"], False),
        "convert": ([["trace", "record", "atax", "--size", "tiny", "-o", "in.wlt"]],
                    ["trace", "convert", "in.wlt", "-o", "out.wlt"], ["out.wlt"], False),
        "sweep": ([], ["sweep", "atax", "--size", "tiny", "--sched", "lrr,gto", "-j", "2", "--store", "r.db", "--csv",
                       "out.csv", "-q"], ["out.csv"], True),
        "experiment": ([], ["experiment", "fault.ini", "--store", "r.db", "-j", "1", "-q"], [], True),
        "report": ([["experiment", "fault.ini", "--store", "r.db", "-j", "1", "-q"]],
                   ["report", "fault.ini", "--store", "r.db", "-o", "out.html", "-q"], ["out.html"], True),
        "store": ([["experiment", "fault.ini", "--store", "r.db", "-j", "1", "-q"]],
                  ["store", "export", "csv", "fault.ini", "--store", "r.db", "-o", "out.csv"], ["out.csv"], True),
        "verify": ([["experiment", "fault.ini", "--store", "r.db", "-j", "1", "-q"]],
                   ["store", "verify", "--store", "r.db"], [], True),
        "threads": ([], ["run", "atax", "--size", "tiny", "--threads", "2", "--json", "out.json"], ["out.json"], False),
        "sample": ([], ["run", "gaussian", "--size", "tiny", "--sample", "--json", "out.json"], ["out.json"], False),
        "cluster": ([], ["run", os.path.join(root, "tests/fuzz/corpus/exec/cluster_bulk.ptx"), "--grid", "4", "--block",
                         "64", "--arg", "buf:8K", "--json", "out.json"], ["out.json"], False),
        "accel": ([], ["trace", "convert", os.path.join(root, "tests/traces/features"), "-o", "out.wlt"], ["out.wlt"],
                  False),
        "streams": ([], ["trace", "convert", "two", "-o", "out.wlt"], ["out.wlt"], False),
        "to_accel": ([["trace", "record", "atax", "--size", "tiny", "-o", "in.wlt"]],
                     ["trace", "convert", "in.wlt", "-o", "out"], ["out/kernelslist.g", "out/kernel-1.traceg"], False),
        "calibrate": ([], ["calibrate", os.path.join(root, "tests/cli/measurements.txt"), "-o", "out.ini"], ["out.ini"],
                      False),
        "fidelity": ([], ["fidelity", os.path.join(root, "tests/fidelity/ncu_raw.csv"), "-o", "out.csv", "--", "run",
                          ptx], ["out.csv"], False),
        "exec": ([], ["exec", "--json", "out.json", "--", "PROGRAM"], ["out.json"], False),
    }


def two_streams(root, folder):
    """An Accel-Sim trace of two kernels in two streams."""
    os.mkdir(folder)
    kernel = open(os.path.join(root, "tests/traces/features/kernel-1.traceg")).read()
    for i in (1, 2):
        with open(os.path.join(folder, f"kernel-{i}.traceg"), "w") as f:
            f.write(re.sub("-cuda stream id = .*", f"-cuda stream id = {4 + i}", kernel))
    with open(os.path.join(folder, "kernelslist.g"), "w") as f:
        f.write("kernel-1.traceg\nkernel-2.traceg\n")


HOST = re.compile(r'"(?:seconds|peak_memory_bytes|created|generated)": [^,\n}]*|^ *"command": .*\n|^ *simulation .*$'
                  r'|\b[0-9]{4}-[0-9]{2}-[0-9]{2}[^\n"<]*|[0-9.]+ s\b',
                  re.M)


def steady(name, text):
    """What does not differ from run to run: no times, no memory of the host, no command line, which a record
    may lack."""
    if name.endswith(".csv"):
        rows = list(csv.reader(text.splitlines()))
        if rows:
            keep = [i for i, key in enumerate(rows[0]) if not key.startswith("host") and key != "command"]
            text = "\n".join(";".join(r[i] for i in keep if i < len(r)) for r in rows)
    return HOST.sub("", text)


def differs(a, b):
    for x, y in zip("\n".join(a).splitlines(), "\n".join(b).splitlines()):
        if x != y:
            return f"it wrote {y[:200]!r}, not {x[:200]!r}"
    return "it wrote more or less"


class Driver:
    def __init__(self, a):
        self.a = a
        self.bad = 0
        self.runs = 0
        self.root = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
        self.build = os.path.dirname(os.path.abspath(a.warpline))

    def call(self, folder, words, fault=None, log=None):
        env = dict(os.environ, HOME=folder, XDG_CACHE_HOME=folder, TMPDIR=folder, LC_ALL="C")
        for k in ("WL_FAULT", "WL_FAULT_LOG", "LD_PRELOAD"):
            env.pop(k, None)
        if self.a.asan:
            env["ASAN_OPTIONS"] = "verify_asan_link_order=0:detect_leaks=1:allocator_may_return_null=1:exitcode=99"
            env["UBSAN_OPTIONS"] = "print_stacktrace=1"
        if fault:
            env.update(WL_FAULT=fault, WL_FAULT_LOG=log, LD_PRELOAD=os.path.abspath(self.a.lib))
        words = [os.path.join(self.build, "exec/exec_driver") if w == "PROGRAM" else w for w in words]
        try:
            p = subprocess.run([os.path.abspath(self.a.warpline)] + words, cwd=folder, env=env, timeout=LIMIT,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except subprocess.TimeoutExpired:
            return -999, b"", b"it did not end"
        self.runs += 1
        return p.returncode, p.stdout, p.stderr

    def outputs(self, folder, out, files):
        text = [steady("", out.decode(errors="replace"))]
        for f in files:
            p = os.path.join(folder, f)
            text.append(steady(f, open(p, "rb").read().decode("latin-1")) if os.path.exists(p) else "(no file)")
        return [t.replace(folder, "").replace(" --retry", "") for t in text]

    def fresh(self, base, folder):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(base, folder)

    def finding(self, name, fault, what, err, log=""):
        self.bad += 1
        said = err.decode(errors="replace").split("\n")[:self.a.lines]
        print(f"FAULT {name} {fault} [{log}]: {what}\n    " + "\n    ".join(said), flush=True)

    def judge(self, name, case, fault, folder, calm, log):
        words, files, stored = case[1], case[2], case[3]
        rc, out, err = self.call(folder, words, fault, log)
        said = open(log).read() if os.path.exists(log) else ""
        fired = any(not line.startswith("calls") for line in said.splitlines())
        if not fired:
            return False
        where = next(line for line in said.splitlines() if not line.startswith("calls"))
        left = [f for f in os.listdir(folder) if ".part" in f or f.startswith("warpline.")]
        if rc == -999 or rc < 0 or rc >= 99 or b"Sanitizer" in err or b"runtime error" in err:
            self.finding(name, fault, f"status {rc}", err, where)
        elif rc == 0 and self.outputs(folder, out, files) != calm:
            self.finding(name, fault, "status 0, but " + differs(calm, self.outputs(folder, out, files)), err, where)
        elif rc != 0 and len(err.strip()) < 10:
            self.finding(name, fault, f"status {rc} without a sentence", err, where)
        if left:
            self.finding(name, fault, f"left behind: {left}", err, where)
        if stored and os.path.exists(os.path.join(folder, "r.db")):
            rc, out, err = self.call(folder, ["store", "verify", "--store", "r.db"])
            if rc:
                self.finding(name, fault, f"store verify: {rc} {out!r}", err, where)
            rc, out, err = self.call(folder, words + (["--retry"] if words[0] in ("sweep", "experiment") else []))
            if rc or self.outputs(folder, out, files) != calm:
                what = differs(calm, self.outputs(folder, out, files))
                self.finding(name, fault, f"in peace again: status {rc}, " + what, err, where)
        return True

    def case(self, name, case):
        with tempfile.TemporaryDirectory(dir=self.a.work) as top:
            base, folder = os.path.join(top, "base"), os.path.join(top, "f")
            os.mkdir(base)
            with open(os.path.join(base, "fault.ini"), "w") as f:
                f.write(EXPERIMENT)
            two_streams(self.root, os.path.join(base, "two"))
            for words in case[0]:
                rc, _, err = self.call(base, words)
                if rc:
                    sys.exit(f"{name}: {words} in peace: {rc} {err.decode()}")
            self.fresh(base, folder)
            rc, out, err = self.call(folder, case[1])
            if rc:
                sys.exit(f"{name} in peace: {rc} {err.decode()}")
            calm = self.outputs(folder, out, case[2])
            self.fresh(base, folder)
            rc, out, err = self.call(folder, case[1])
            if self.outputs(folder, out, case[2]) != calm:
                sys.exit(f"{name} in peace, twice: " + differs(calm, self.outputs(folder, out, case[2])))
            for kind in self.a.kind.split(",") if self.a.kind else KINDS:
                self.one_kind(name, case, kind, calm, top)

    def places(self, case, kind, top):
        """The first call of each chain of callers, by its number."""
        folder, log = os.path.join(top, "f"), os.path.join(top, "log")
        self.fresh(os.path.join(top, "base"), folder)
        if os.path.exists(log):
            os.unlink(log)
        os.environ["WL_FAULT_DEPTH"] = str(self.a.depth)
        self.call(folder, case[1], f"{kind}:0", log)
        first = {}
        for line in open(log) if os.path.exists(log) else []:
            n, place = line.split()
            if int(n) < first.get(place, 1 << 60):
                first[place] = int(n)
        return sorted(set(first.values()))

    def numbers(self, case, kind, top):
        if self.a.places:
            stride = self.a.stride
            if self.a.sample:
                stride = (8 if kind == "alloc" else 3) * (8 if self.a.asan else 1)
            places = self.places(case, kind, top)
            yield from places if self.a.sample and len(places) < 16 else places[::stride]
            return
        n = self.a.first
        while n <= self.a.to:
            yield n
            n += 1 if n < 12 else self.a.stride

    def one_kind(self, name, case, kind, calm, top):
        def at(n):
            with tempfile.TemporaryDirectory(dir=top) as own:
                folder = os.path.join(own, "f")
                shutil.copytree(os.path.join(top, "base"), folder)
                return self.judge(name, case, f"{kind}:{n}{'+' if self.a.on else ''}", folder, calm,
                                  os.path.join(own, "log"))

        last, ran, numbers = 0, 0, self.numbers(case, kind, top)
        with ThreadPoolExecutor(self.a.jobs) as pool:
            while batch := list(itertools.islice(numbers, 4 * self.a.jobs)):
                fired = [n for n, hit in zip(batch, pool.map(at, batch)) if hit]
                ran += len(fired)
                last = max([last] + fired)
                if len(fired) < len(batch) and not self.a.places:
                    break
        print(f"fault: {name} {kind}: {ran} calls failed, the last one number {last}", flush=True)


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--warpline", required=True)
    p.add_argument("--lib", required=True)
    p.add_argument("--asan", action="store_true")
    p.add_argument("--stride", type=int, default=1)
    p.add_argument("--case", default="")
    p.add_argument("--kind", default="")
    p.add_argument("--from", dest="first", type=int, default=1)
    p.add_argument("--to", type=int, default=1 << 40)
    p.add_argument("--on", action="store_true", help="all calls from the Nth on fail")
    p.add_argument("--places", action="store_true")
    p.add_argument("--sample", action="store_true")
    p.add_argument("--depth", type=int, default=14)
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--lines", type=int, default=6)
    p.add_argument("--work", default="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    a = p.parse_args()
    if a.sample:
        a.places, a.depth = True, 5
    d = Driver(a)
    for name, case in cases(d.root).items():
        if not a.case or name in a.case.split(","):
            d.case(name, case)
    print(f"fault: {d.runs} runs, {d.bad} findings")
    sys.exit(1 if d.bad else 0)


main()
