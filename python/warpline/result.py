"""One result: the JSON record of a run, with attributes, dotted names and tables."""
import json

from .program import WarplineError


def flat(record, prefix=""):
    """{'l1d': {'hits': 3}} as {'l1d.hits': 3}; arrays are left out."""
    out = {}
    for name, value in record.items():
        if isinstance(value, dict):
            out.update(flat(value, prefix + name + "."))
        elif not isinstance(value, list):
            out[prefix + name] = value
    return out


def frame(rows):
    """Rows as a DataFrame if there is pandas, else as they are."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


def records(table):
    """The other way round: rows of a DataFrame or of a list of dicts, without what is missing."""
    if hasattr(table, "to_dict") and not isinstance(table, Result):
        return [{k: v for k, v in row.items() if v == v} for row in table.to_dict("records")]
    return list(table)


def _near(name, names):
    import difflib
    near = difflib.get_close_matches(name, names, 1)
    return f"; did you mean '{near[0]}'?" if near else ""


class Group:
    """A part of a record: r.l1d.hits, r.config['l1d.sets']."""

    def __init__(self, record, where=""):
        self._record = record
        self._where = where

    def __getitem__(self, name):
        at = self._record
        for part in name.split("."):
            if not isinstance(at, dict) or part not in at:
                known = list(flat(self._record)) + list(self._record)
                raise KeyError(f"there is no '{self._where}{name}' in this result{_near(name, known)}")
            at = at[part]
        return Group(at, f"{self._where}{name}.") if isinstance(at, dict) else at

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as e:
            raise AttributeError(e.args[0]) from None

    def __contains__(self, name):
        try:
            self[name]
        except KeyError:
            return False
        return True

    def __iter__(self):
        return iter(flat(self._record))

    def __len__(self):
        return len(flat(self._record))

    def __dir__(self):
        return [k for k in self._record if k.isidentifier()] + list(super().__dir__())

    def __eq__(self, other):
        mine = self._record
        return mine == (other._record if isinstance(other, Group) else other)

    def __repr__(self):
        return repr(self._record)

    def get(self, name, default=None):
        """As of a dict; dotted names too."""
        return self[name] if name in self else default

    def keys(self):
        """Dotted names of all values."""
        return list(flat(self._record))

    def items(self):
        """Dotted names and values."""
        return list(flat(self._record).items())

    def to_dict(self):
        """The record as plain dicts and lists."""
        return self._record


class Result(Group):
    """A run. Attributes (r.ipc, r.l1d.hits), dotted names (r["l1d.hits"]), and tables: kernels, loads, samples."""

    def _table(self, name, why):
        rows = self._record.get(name)
        if rows is None:
            raise WarplineError(f"this result has no {name}: {why}")
        return frame([flat(row) for row in rows])

    @property
    def kernels(self):
        """One row per launch."""
        return self._table("kernels", "the record is not that of a run")

    @property
    def loads(self):
        """One row per load instruction; needs profile=True."""
        return self._table("loads", "run it with profile=True")

    @property
    def samples(self):
        """All counters over time; needs interval=CYCLES."""
        return self._table("samples", "run it with interval=CYCLES")

    @property
    def config(self):
        """The complete machine it ran on: r.config["l1d.sets"]."""
        return Group(self._record.get("config", {}), "config.")

    @property
    def counters(self):
        """Every number and word of the record by its dotted name, without the machine."""
        return flat({k: v for k, v in self._record.items() if k != "config"})

    def __repr__(self):
        r = self._record
        words = [str(r.get(k)) for k in ("workload", "size", "gpu", "l1_policy", "l2_policy", "scheduler") if r.get(k)]
        changes = r.get("set")
        if isinstance(changes, dict):
            words += [f"{k}={v}" for k, v in flat(changes).items()]
        return f"<warpline.Result {' '.join(words)}: {r.get('cycles')} cycles, IPC {r.get('ipc')}>"


def read_json(path):
    """The result that `warpline run --json FILE` wrote; a list where the file has several."""
    try:
        with open(path, encoding="utf-8") as f:
            data = json.load(f)
    except OSError as e:
        raise WarplineError(f"cannot read {path}: {e.strerror}") from None
    except ValueError as e:
        raise WarplineError(f"{path} is no JSON: {e}") from None
    return [Result(one) for one in data] if isinstance(data, list) else Result(data)
