"""The command itself: where it is, how it is called, what it says when something is wrong."""
import os
import shutil
import subprocess


class WarplineError(Exception):
    """What the simulator, or this package, has to complain about: one sentence. `status` is the exit code, if any."""

    def __init__(self, text, status=None):
        super().__init__(text)
        self.status = status


def find():
    """The path of the program: $WARPLINE, else `warpline` on PATH, else build/warpline of the source tree."""
    named = os.environ.get("WARPLINE")
    if named:
        path = shutil.which(named)
        if not path:
            raise WarplineError(f"WARPLINE is {named}, which is no program that can be run")
        return path
    tree = os.path.join(os.path.dirname(__file__), "..", "..", "build", "warpline")
    path = shutil.which("warpline") or shutil.which(os.path.abspath(tree))
    if not path:
        raise WarplineError("the program warpline is not on PATH; build it with make, or set WARPLINE to its path")
    return path


def complaint(text):
    """The sentence in what a command wrote to standard error, without the progress before it."""
    lines = [line.split("\r")[-1].strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    for i, line in enumerate(lines):
        if line.startswith("warpline: "):
            return "\n".join([line[len("warpline: "):]] + lines[i + 1:])
    return "\n".join(lines[-5:])


def call(arguments, timeout=None, good=(0,)):
    """Runs the program; its standard output. Raises WarplineError with its sentence when it fails."""
    try:
        done = subprocess.run([find()] + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        raise WarplineError(f"warpline {arguments[0]} took longer than {timeout} s") from None
    if done.returncode not in good:
        text = complaint(done.stderr) or f"warpline {arguments[0]} ended with status {done.returncode}"
        raise WarplineError(text, done.returncode)
    return done.stdout


def version():
    """'0.1.0 (build 0123456789ab)'"""
    return call(["--version"]).split(None, 1)[1].strip()


def build():
    """The build id: equal builds give equal numbers."""
    text = version()
    return text.split("build ", 1)[1].split(")")[0].split()[0] if "build " in text else ""


def _names(group):
    return call(["list", group, "--plain"]).split()


def workloads():
    """Names of the built-in workloads."""
    return _names("workloads")


def policies():
    """Names of the cache policies."""
    return _names("policies")


def schedulers():
    """Names of the warp schedulers."""
    return _names("schedulers")


def gpus():
    """Names of the machines."""
    return _names("gpus")
