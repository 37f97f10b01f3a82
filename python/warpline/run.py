"""One run."""
import json

from .program import WarplineError, call
from .result import Result


def settings(changes):
    """{'l1d.ways': 8} as --set words."""
    out = []
    for key, value in (changes or {}).items():
        if isinstance(value, (list, tuple)):
            raise WarplineError(f"{key} has several values; one run takes one, warpline.sweep takes lists")
        out += ["--set", f"{key}={word(value)}"]
    return out


def word(value):
    """A value as the command line writes it."""
    return str(int(value)) if isinstance(value, bool) else str(value)


def machine(gpu, l1, l2, sched, scheme, set, profile, interval):
    """Arguments that choose and change the machine."""
    out = []
    for name, value in (("--scheme", scheme), ("--gpu", gpu), ("--l1", l1), ("--l2", l2), ("--sched", sched)):
        if value is not None:
            out += [name, str(value)]
    out += settings(set)
    if profile:
        out += ["--set", "stats.profile=1"]
    if interval:
        out += ["--set", f"stats.interval={int(interval)}"]
    return out


def parse(text):
    """The record in what the program wrote."""
    try:
        return json.loads(text)
    except ValueError as e:
        raise WarplineError(f"the program wrote no JSON: {e}") from None


def run(workload, gpu=None, l1=None, l2=None, sched=None, scheme=None, size=None, set=None, input=None, seed=None,
        profile=False, interval=None, check=False, kernel=None, grid=None, block=None, args=(), plugins=(), options=(),
        timeout=None, store=None, retry=False):
    """Runs a workload, a FILE.ptx or a trace and returns its Result.

    gpu, l1, l2, sched, scheme, size, seed: as the options of `warpline run`. set: {"l1d.ways": 8}. input: {"n": 256}.
    profile=True: per-load statistics (r.loads). interval=1000: samples every so many cycles (r.samples). check=True:
    compare with the CPU reference. kernel, grid, block, args: of a FILE.ptx. plugins: files of policies. options:
    further words for the command line. store: keep the result in this store, and take it from there if it has it
    (built-in workloads and traces). timeout: in seconds.
    """
    if store is not None:
        from .sweep import sweep_results
        if kernel or grid or block or args or check or options:
            raise WarplineError("with a store, run takes a built-in workload or a trace, without check and options")
        point = sweep_results([workload], gpu=gpu, l1=l1, l2=l2, sched=sched, scheme=scheme, size=size, set=set,
                              input=input, seed=seed, profile=profile, interval=interval, plugins=plugins, store=store,
                              timeout=timeout, retry=retry, progress=False)[0]
        if point.failed:
            raise WarplineError(point.failed, 1)
        return point.result
    words = ["run", str(workload), "--json", "-", "-q"]
    words += machine(gpu, l1, l2, sched, scheme, set, profile, interval)
    for name, value in (("--size", size), ("--seed", seed), ("--kernel", kernel)):
        if value is not None:
            words += [name, str(value)]
    for name, value in (("--grid", grid), ("--block", block)):
        if value is not None:
            words += [name, ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)]
    for key, value in (input or {}).items():
        words += ["--input", f"{key}={word(value)}"]
    for value in args:
        words += ["--arg", str(value)]
    for value in plugins:
        words += ["--plugin", str(value)]
    if check:
        words.append("--check")
    return Result(parse(call(words + list(options), timeout)))


def execute(program, gpu=None, l1=None, l2=None, sched=None, scheme=None, set=None, profile=False, interval=None,
            plugins=(), options=(), timeout=None):
    """Runs a CUDA program (a path, or a list of words) under `warpline exec` and returns the Result. What the program
    prints is left out."""
    import os
    import tempfile
    command = [str(program)] if isinstance(program, (str, os.PathLike)) else [str(w) for w in program]
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "result.json")
        words = ["exec", "--json", file, "-q"] + machine(gpu, l1, l2, sched, scheme, set, profile, interval)
        for value in plugins:
            words += ["--plugin", str(value)]
        call(words + list(options) + ["--"] + command, timeout)
        try:
            with open(file, encoding="utf-8") as f:
                data = json.load(f)
        except (OSError, ValueError):
            raise WarplineError(f"{command[0]} ended without a result: did it launch a kernel?") from None
    return [Result(one) for one in data] if isinstance(data, list) else Result(data)
