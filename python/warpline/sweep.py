"""Sweeps: every combination of workloads, policies and parameters, run by `warpline experiment` with its store.

The sweep is written as an experiment file with one series per machine. So runs are isolated, several at a time, kept in
the store as soon as they are done, and never repeated: an interrupted sweep goes on where it was stopped.
"""
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time

from .program import WarplineError, complaint, find
from .result import Result, frame
from .run import word
from .store import connect, default


def _list(value):
    return list(value) if isinstance(value, (list, tuple, range)) else [value]


class Point:
    """A run of a sweep: what was chosen, and its Result, or why it failed."""

    def __init__(self, chosen):
        self.chosen = chosen
        self.result = None
        self.failed = ""

    def tidy(self):
        """One flat row: the choices first, then every counter."""
        row = dict(self.chosen)
        row["failed"] = self.failed
        if self.result is not None:
            words = {"l1_policy": "l1", "l2_policy": "l2", "scheduler": "sched"}
            for key, value in self.result.counters.items():
                key = words.get(key, key)
                if key not in row and not key.startswith(("set.", "policies.")):
                    row[key] = value
        return row


def _machines(axes):
    """Every combination, as a list of dicts."""
    names = list(axes)
    return [dict(zip(names, values)) for values in itertools.product(*axes.values())]


def _write(path, workloads, machines, size, seed, inputs, extra):
    """The experiment file. Names of series are their numbers; those of workloads their place, as a trace has none."""
    lines = [f"size = {size}"] if size else []
    lines += [f"seed = {seed}"] if seed is not None else []
    lines.append("workloads = " + " ".join(f"w{i}" for i in range(len(workloads))))
    for i, w in enumerate(workloads):
        lines.append(f"[workload w{i}]")
        lines.append(f"trace = {os.path.abspath(w)}" if os.path.exists(w) else f"program = {w}")
        if inputs:
            lines.append("inputs = " + " ".join(f"{k}={word(v)}" for k, v in inputs.items()))
    for i, m in enumerate(machines):
        lines.append(f"[series s{i}]")
        changes = dict(extra)
        for key, value in m.items():
            if key in ("gpu", "l1", "l2", "sched", "scheme"):
                if value is not None:
                    lines.append(f"{key} = {value}")
            else:
                changes[key] = value
        if changes:
            lines.append("set = " + " ".join(f"{k}={word(v)}" for k, v in changes.items()))
    lines += ["[figure 1]", "metric = ipc", "chart = table", ""]
    for line in lines:
        if "\n" in line:
            raise WarplineError(f"a name or value with a line break in it: {line!r}")
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines))


class Bar:
    """A line of progress on standard error: what the store has gained, and the time left."""

    def __init__(self, total, wanted):
        self.total, self.start, self.shown = total, time.monotonic(), False
        self.wanted = wanted and total > 0

    def show(self, done, end=False):
        """Draws it."""
        if not self.wanted or (end and not self.shown):
            return
        done = min(done, self.total)
        spent = time.monotonic() - self.start
        left = f"{int(spent / done * (self.total - done))} s left" if done else "..."
        width = done * 24 // self.total
        text = f"\r[{'#' * width}{'.' * (24 - width)}] {done}/{self.total} runs, {left}      "
        sys.stderr.write(text + ("\n" if end else ""))
        sys.stderr.flush()
        self.shown = True


def _gained(store, since):
    try:
        db = connect(store)
    except WarplineError:
        return 0
    try:
        return db.execute("SELECT count(*) FROM results WHERE rowid > ?", (since,)).fetchone()[0]
    finally:
        db.close()


def _last(store):
    if not os.path.exists(store):
        return 0
    db = connect(store)
    try:
        return db.execute("SELECT coalesce(max(rowid), 0) FROM results").fetchone()[0]
    finally:
        db.close()


def _run(file, folder, store, jobs, timeout, retry, plugins, total, progress):
    words = [find(), "experiment", file, "--store", store, "--out", folder, "--json",
             os.path.join(folder, "runs.json"), "-q"]
    words += ["--jobs", str(jobs)] if jobs else []
    words += ["--timeout", str(timeout)] if timeout else []
    words += ["--retry"] if retry else []
    for p in plugins:
        words += ["--plugin", str(p)]
    since, bar = _last(store), Bar(total, progress)
    with open(os.path.join(folder, "said"), "w+", encoding="utf-8") as said:
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=said, text=True) as p:
            try:
                while True:
                    try:
                        p.wait(0.3)
                        break
                    except subprocess.TimeoutExpired:
                        bar.show(_gained(store, since))
            except KeyboardInterrupt: # the program has heard it too; what is done is stored
                p.wait()
                raise
        bar.show(_gained(store, since), end=True)
        said.seek(0)
        text = said.read()
    if p.returncode not in (0, 1): # 1: some runs failed, which their rows say
        own = re.match(r".*sweep\.ini:[0-9:]* error: (.*)", complaint(text)) # a file that the caller does not know
        text = own.group(1) if own else complaint(text)
        raise WarplineError(text or f"warpline experiment ended with status {p.returncode}", p.returncode)
    return complaint(text)


def _collect(points, file, why):
    """The records that the program wrote, by workload and series."""
    try:
        with open(file, encoding="utf-8") as f:
            runs = json.load(f)
    except (OSError, ValueError):
        raise WarplineError(why or "the sweep left no results") from None
    for one in runs:
        p = points.get((one["workload"], one["series"]))
        if p is None:
            continue
        p.failed = "" if one["state"] == "done" else one.get("reason") or "the run was not done"
        if one["state"] == "done":
            p.result = Result(one["result"])


def sweep_results(workloads, gpu=None, l1=None, l2=None, sched=None, scheme=None, size=None, set=None, input=None,
                  seed=None, profile=False, interval=None, plugins=(), store=None, jobs=None, timeout=None, retry=False,
                  progress=None):
    """As sweep, but a list of points: each has .chosen, .result and .failed."""
    names = [str(w) for w in _list(workloads)]
    if not names:
        raise WarplineError("a sweep needs a workload")
    axes = {k: _list(v) for k, v in (("gpu", gpu), ("l1", l1), ("l2", l2), ("sched", sched), ("scheme", scheme))
            if v is not None}
    axes.update({k: _list(v) for k, v in (set or {}).items()})
    for key, values in axes.items():
        if not values:
            raise WarplineError(f"{key} has no value to run with")
    extra = {**({"stats.profile": 1} if profile else {}), **({"stats.interval": int(interval)} if interval else {})}
    machines = _machines(axes)
    store = os.path.abspath(store or default())
    os.makedirs(os.path.dirname(store), exist_ok=True)
    progress = sys.stderr.isatty() if progress is None else progress
    out = []
    for one in _list(seed):
        points = {}
        for i, name in enumerate(names):
            for k, m in enumerate(machines):
                chosen = {"workload": name, **m, **({"seed": one} if one is not None else {})}
                points[f"w{i}", f"s{k}"] = Point(chosen)
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "sweep.ini")
            _write(file, names, machines, size, one, input, extra)
            why = _run(file, folder, store, jobs, timeout, retry, plugins, len(points), progress)
            _collect(points, os.path.join(folder, "runs.json"), why)
        out += points.values()
    return out


def sweep(workloads, gpu=None, l1=None, l2=None, sched=None, scheme=None, size=None, set=None, input=None, seed=None,
          profile=False, interval=None, plugins=(), store=None, jobs=None, timeout=None, retry=False, progress=None):
    """Runs every combination and returns a tidy table: one row per run, a column for each thing that was varied, then
    all counters by their dotted names. Any of gpu, l1, l2, sched, scheme, seed and the values of set may be a list.

    store: where results are kept and looked for (default: that of the command line). jobs: runs at a time (default: one
    per core). retry: repeat runs that failed. progress: a bar on standard error (default: if that is a terminal).
    A run that failed has its reason in the column `failed`, which is empty otherwise.
    """
    points = sweep_results(workloads, gpu, l1, l2, sched, scheme, size, set, input, seed, profile, interval, plugins,
                           store, jobs, timeout, retry, progress)
    return frame([p.tidy() for p in points])
