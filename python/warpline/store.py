"""Stored results, read through sqlite3."""
import json
import os
import sqlite3

from .program import WarplineError
from .result import Result, flat, frame

NEEDED = ("build", "workload", "size", "inputs", "gpu", "l1", "l2", "sched", "seed", "config_hash", "failed", "reason",
          "json")


def default():
    """The store of the command line."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(cache, "warpline", "results.db")


def connect(path):
    """A store, for reading; one sentence if it is none, or of a version this package does not know."""
    if not os.path.exists(path):
        raise WarplineError(f"there is no result store {path}")
    try:
        db = sqlite3.connect(f"file:{os.path.abspath(path)}?mode=ro", uri=True, timeout=30)
        columns = [row[1] for row in db.execute("PRAGMA table_info(results)")]
    except sqlite3.Error as e:
        raise WarplineError(f"cannot read the result store {path}: {e}") from None
    missing = [name for name in NEEDED if name not in columns]
    if missing:
        db.close()
        raise WarplineError(f"{path} is no result store of this version of warpline: it has no {missing[0]}")
    return db


class Stored:
    """A row of the store."""

    def __init__(self, row):
        self.row = dict(zip(NEEDED, row))
        self.failed = (self.row["reason"] or "failed") if self.row["failed"] else ""
        self.result = None if self.failed else Result(json.loads(self.row["json"]))

    def tidy(self):
        """One flat row: what it ran, then every counter."""
        r = self.row
        words = {k: r[k] for k in ("workload", "size", "inputs", "gpu", "l1", "l2", "sched", "seed", "build",
                                   "config_hash")}
        words["failed"] = self.failed
        if self.result is not None:
            record = self.result.to_dict()
            if isinstance(record.get("set"), dict):
                words.update(flat(record["set"]))
            words.update({k: v for k, v in flat({k: v for k, v in record.items() if k not in ("config", "set")}).items()
                          if k not in words})
        return words


def stored_rows(path, where="", values=()):
    """Rows as Stored objects."""
    db = connect(path)
    try:
        cursor = db.execute(f"SELECT {', '.join(NEEDED)} FROM results {where}", values)
        return [Stored(row) for row in cursor]
    except sqlite3.Error as e:
        raise WarplineError(f"cannot read the result store {path}: {e}") from None
    finally:
        db.close()


def read_store(path=None, results=False, **equal):
    """What a store holds: a tidy table, one row per run; results=True: a list of Results (of runs that did not fail).

    equal: only rows with these values, as in read_store("s.db", workload="atax", sched="gto").
    """
    for name in equal:
        if name not in NEEDED:
            raise WarplineError(f"a store has no column '{name}'; it has {', '.join(NEEDED)}")
    where = "WHERE " + " AND ".join(f"{name} = ?" for name in equal) if equal else ""
    rows = stored_rows(path or default(), where + " ORDER BY rowid", [str(v) for v in equal.values()])
    return [r.result for r in rows if r.result is not None] if results else frame([r.tidy() for r in rows])
