#!/usr/bin/env python3
"""rough_day.py - a sweep on a bad day ends with exactly the results of a calm one.

usage: rough_day.py --warpline FILE [--runs N] [--rounds N] [--seed N]

The same experiment of N runs is done twice: once in peace, once while everything goes wrong at random moments:
  - kill -9 of the command, of one worker, of all processes at once; SIGTERM, SIGHUP and Ctrl-C;
  - the machine sleeps (SIGSTOP to all processes, SIGCONT later, or kill -9 in its sleep);
  - the disk is full and has room again later: a small file system of its own where this may mount one (root on Linux),
    else a limit of the file size put on the running processes;
  - a second command works on the same store at the same time.
After each blow the store must be sound. At last the command is repeated in peace. It must exit with 0, and then the
exported results, the exported store and the CSV files of the figures must be those of the calm day, byte for byte, but
for what tells of the host and the day (created, command, host.*). No other file may be left.
"""
import argparse
import csv
import io
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

WORKLOADS = ["vectoradd", "reduction", "histogram", "conv2d", "conv3d", "atax", "bicg", "mvt", "gemm", "bfs"]
KINDS = ["kill", "kill all", "kill a worker", "sleep", "sleep and kill", "full disk", "term", "hangup", "interrupt"]
WAYS = ["2", "3", "4", "5", "6", "7", "8", "10", "12", "16"]


def experiment(runs):
    """2 series x points x workloads, as square as it gets: 200 is 10 x 10, 32 is 4 x 4."""
    side = max(1, min(10, round((runs / 2) ** 0.5)))
    return "\n".join(["workloads = " + " ".join(WORKLOADS[:side]), "size = tiny", "[series lrr]", "sched = lrr",
                      "[series gto]", "sched = gto", "[figure 1]", "chart = sweep",
                      "sweep = l1d.ways: " + " ".join(WAYS[:side]), "metric = ipc", ""]), 2 * side * side


class Day:
    def __init__(self, a, folder, own_disk):
        self.warpline = os.path.abspath(a.warpline)
        self.folder = folder
        self.own_disk = own_disk
        self.chance = random.Random(a.seed)
        self.blows = {}

    def words(self, store, out, *more):
        return [self.warpline, "experiment", "day.ini", "--store", store, "--out", out, "-q", *more]

    def start(self, jobs):
        """A writer in a session of its own, so that its workers can be reached."""
        def ready():
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a background shell has it ignored
        return subprocess.Popen(self.words("rough.db", "rough", "--jobs", str(jobs)), cwd=self.folder, preexec_fn=ready,
                                start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE)

    def workers(self, writer):
        try:
            with open(f"/proc/{writer.pid}/task/{writer.pid}/children", encoding="ascii") as f:
                return [int(p) for p in f.read().split()]
        except OSError:
            return []

    @staticmethod
    def send(number, *pids, group=False):
        for p in pids:
            try:
                os.killpg(p, number) if group else os.kill(p, number)
            except ProcessLookupError:
                pass

    def fill(self):
        """Takes all that is left of the disk."""
        with open(os.path.join(self.folder, "ballast"), "wb", buffering=0) as f:
            block = b"\0" * 65536
            while block:
                try:
                    if f.write(block) < len(block):
                        block = block[:len(block) // 2]
                except OSError:
                    block = block[:len(block) // 2]

    def free(self):
        path = os.path.join(self.folder, "ballast")
        if os.path.exists(path):
            os.unlink(path)

    def blow(self, writers, short):
        """Something happens to the writers. Returns its name."""
        pids = [w.pid for w in writers]
        kind = self.chance.choice(KINDS)
        if kind == "kill":
            self.send(signal.SIGKILL, self.chance.choice(pids))
        elif kind == "kill all":
            self.send(signal.SIGKILL, *pids, group=True)
        elif kind == "kill a worker":
            self.send(signal.SIGKILL, *self.workers(writers[0])[:1])
        elif kind in ("sleep", "sleep and kill"):
            self.send(signal.SIGSTOP, *pids, group=True)
            time.sleep(short * self.chance.random())
            if kind == "sleep and kill":
                self.send(signal.SIGKILL, *pids, group=True)
            self.send(signal.SIGCONT, *pids, group=True)
        elif kind == "full disk" and self.own_disk:
            self.fill()
            time.sleep(4 * short * self.chance.random())
            self.free()
        elif kind == "full disk":
            for p in pids:
                try:
                    resource.prlimit(p, resource.RLIMIT_FSIZE, (self.chance.randrange(200000), resource.RLIM_INFINITY))
                except ProcessLookupError:
                    pass
        else:
            number = {"term": signal.SIGTERM, "hangup": signal.SIGHUP, "interrupt": signal.SIGINT}[kind]
            self.send(number, self.chance.choice(pids), group=self.chance.random() < 0.5)
        self.blows[kind] = self.blows.get(kind, 0) + 1
        return kind

    def verify(self, after):
        if not os.path.exists(os.path.join(self.folder, "rough.db")):
            return
        p = subprocess.run([self.warpline, "store", "verify", "--store", "rough.db"], cwd=self.folder,
                           capture_output=True, check=False)
        if p.returncode:
            fail(f"after {after} the store is not sound: {p.stdout + p.stderr!r}")

    def ended(self, w, kind):
        """How a writer may end: by the signal, or with a status and a sentence."""
        said = w.communicate()[1].decode(errors="replace")
        if w.returncode > 1 or w.returncode not in (0, 1, -signal.SIGKILL, -signal.SIGXFSZ, -signal.SIGTERM,
                                                    -signal.SIGHUP, -signal.SIGINT):
            fail(f"after {kind} it ended with {w.returncode}: {said}")
        if w.returncode == 1 and not said:
            fail(f"after {kind} it failed without a word")
        return w.returncode

    def rough(self, first, per_run, most):
        """Blow after blow until the experiment is done in spite of them, or `most` times. A blow falls around the time
        of the `first` results, or a few runs later."""
        for n in range(most):
            writers = [self.start(self.chance.choice([1, 2])) for _ in range(self.chance.choice([1, 1, 2]))]
            time.sleep(first * self.chance.uniform(0.2, 1.2) + per_run * self.chance.uniform(0, 5))
            kind = self.blow(writers, 5 * per_run)
            time.sleep(per_run * self.chance.uniform(0, 3))
            if len(self.blows) < len(KINDS) or self.chance.random() < 0.9:  # who survived works on only now and then
                self.send(signal.SIGKILL, *[w.pid for w in writers], group=True)
            ends = [self.ended(w, kind) for w in writers]
            if n % 4 == 0:
                self.verify(kind)
            if 0 in ends:
                return n + 1
        return most


def fail(text):
    print("not ok - " + text)
    sys.exit(1)


def steady(text):
    """An export of the store, sorted, without the columns that tell of the host and the day."""
    rows = list(csv.reader(io.StringIO(text)))
    keep = [i for i, key in enumerate(rows[0]) if key not in ("created", "command") and not key.startswith("host.")]
    return sorted(",".join(r[i] for i in keep) for r in rows)


def results(day, store, out):
    def export(what):
        p = subprocess.run([day.warpline, "store", "export", what, "day.ini", "--store", store], cwd=day.folder,
                           capture_output=True, text=True, check=False)
        if p.returncode:
            fail(f"store export {what}: {p.stderr}")
        return p.stdout
    with open(os.path.join(day.folder, out, "day.1.csv"), encoding="utf-8") as f:
        figure = f.read()
    return {"results": export("results"), "store": steady(export("csv")), "figure": figure}


def one_round(a, folder, own_disk, seed):
    text, runs = experiment(a.runs)
    with open(os.path.join(folder, "day.ini"), "w", encoding="utf-8") as f:
        f.write(text)
    a.seed = seed
    day = Day(a, folder, own_disk)
    started = time.monotonic()
    p = subprocess.run(day.words("calm.db", "calm"), cwd=folder, capture_output=True, text=True, check=False)
    if p.returncode:
        fail(f"the calm day: {p.stderr}")
    calm = results(day, "calm.db", "calm")
    if len(calm["store"]) != runs + 1:
        fail(f"the calm day has {len(calm['store']) - 1} results, not {runs}")
    per_run = (time.monotonic() - started) / runs
    started = time.monotonic()
    subprocess.run(day.words("calm.db", "calm", "--no-run"), cwd=folder, capture_output=True, check=False)
    n = day.rough(time.monotonic() - started, per_run, runs // 2)
    day.verify("everything")
    p = subprocess.run(day.words("rough.db", "rough", "--retry"), cwd=folder, capture_output=True, text=True,
                       check=False)
    if p.returncode:
        fail(f"in peace again: exit {p.returncode}: {p.stderr}")
    rough = results(day, "rough.db", "rough")
    for what in calm:
        if calm[what] != rough[what]:
            different = [(x, y) for x, y in zip(calm[what], rough[what]) if x != y][:1]
            fail(f"seed {seed}: {what} differs from the calm day: {str(different)[:600]}")
    left = sorted(set(os.listdir(folder)) - {"day.ini", "calm.db", "calm", "rough.db", "rough"})
    if left:
        fail(f"seed {seed}: files are left: {' '.join(left)}")
    blows = ", ".join(f"{k} {v}" for k, v in sorted(day.blows.items()))
    print(f"ok - seed {seed}: {runs} runs, {n} starts; {blows}", flush=True)
    return n


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--warpline", required=True)
    p.add_argument("--runs", type=int, default=200)
    p.add_argument("--rounds", type=int, default=1)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--inside", help=argparse.SUPPRESS)
    a = p.parse_args()
    if not a.inside and os.geteuid() == 0 and shutil.which("unshare"):  # a name space in which a disk can be mounted
        words = ["unshare", "--mount", sys.executable, __file__, *sys.argv[1:], "--inside"]
        if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode == 0:
            os.execvp("unshare", words + ["yes"])
    total = 0
    for i in range(a.rounds):
        folder = tempfile.mkdtemp(prefix="rough-day-")
        disk = a.inside and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "rough", folder],
                                           capture_output=True, check=False).returncode == 0
        try:
            total += one_round(a, folder, disk, a.seed + i)
        finally:
            if disk:
                subprocess.run(["umount", "-l", folder], check=False)
            shutil.rmtree(folder, ignore_errors=True)
    how = "a file system of its own" if disk else "a limit of the file size"
    print(f"rough_day: {a.rounds} rounds, {total} starts, full disk by {how}: ok")


main()
