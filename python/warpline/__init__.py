"""warpline from Python: runs, sweeps, stored results, reports and plots.

    import warpline as wl
    r = wl.run("kmeans_1", size="small", l1="dacache:promo=2", set={"l1d.mshr": 64})
    r.ipc, r["l1d.load_misses"], r.config["l1d.sets"]
    df = wl.sweep(["atax", "bfs"], sched=["lrr", "gto"], set={"l1d.ways": [4, 8]}, store="s.db", jobs=4)
    wl.plot.bars(df, y="ipc", by="sched", base="lrr")

Everything is done by the command `warpline`, which is found through the environment variable WARPLINE, on PATH, or in
the build folder of the source tree. With pandas installed tables are DataFrames, without it lists of dicts.
"""
from . import plot
from .program import WarplineError, build, find, gpus, policies, schedulers, version, workloads
from .report import Report, read_report
from .result import Result, read_json
from .run import execute, run
from .store import read_store
from .sweep import sweep

__version__ = "0.1.0"
__all__ = ["Report", "Result", "WarplineError", "build", "execute", "find", "gpus", "plot", "policies", "read_json",
           "read_report", "read_store", "run", "schedulers", "sweep", "version", "workloads"]
