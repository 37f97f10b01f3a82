"""Plots in the project's colours; they need matplotlib. Each returns the axes; `save` names a file to write."""
import math

from .program import WarplineError
from .result import records

#: Okabe and Ito's colours, which people with any common colour blindness can tell apart, in the order of the figures.
COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c8c", "#f0e442"]


def _axes(ax, size):
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise WarplineError("plots need matplotlib (Debian: python3-matplotlib); the table has the numbers") from None
    except Exception as e: # a display that is named and not there, say
        raise WarplineError(f"matplotlib cannot draw here: {e}; MPLBACKEND=Agg needs no display") from None
    if ax is None:
        _, ax = plt.subplots(figsize=size, layout="constrained")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.grid(axis="y", color="#dddddd", linewidth=0.8)
    ax.set_axisbelow(True)
    return ax


def _finish(ax, save, legend):
    if legend:
        ax.legend(frameon=False, ncols=min(legend, 4), loc="lower left", bbox_to_anchor=(0, 1))
    if save:
        ax.figure.savefig(save)
    return ax


def _need(rows, *names):
    if not rows:
        raise WarplineError("there is nothing to plot: the table is empty")
    for name in names:
        if name and not any(name in r for r in rows):
            known = ", ".join(list(rows[0])[:12])
            raise WarplineError(f"the table has no column '{name}'; it has {known}, ...")


def _order(rows, name):
    return list(dict.fromkeys(r.get(name) for r in rows))


def mean(values, kind="geometric"):
    """The mean of numbers; NaN if there is none, or one that a geometric mean cannot take."""
    values = list(values)
    if not values or any(v is None or v != v for v in values):
        return math.nan
    if kind == "arithmetic":
        return sum(values) / len(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if all(v > 0 for v in values) else math.nan


def normalised(table, y="ipc", x="workload", by="sched", base=None):
    """{(x, by): y divided by that of by == base}; base None: as it is. Rows that failed are NaN."""
    rows = records(table)
    _need(rows, y, x, by)
    value = {}
    for r in rows:
        key = r.get(x), r.get(by)
        if key in value:
            raise WarplineError(f"several rows have {x} = {key[0]} and {by} = {key[1]}: choose rows, or another by")
        value[key] = r.get(y, math.nan)
    if base is None:
        return value
    base = list(base.values())[0] if isinstance(base, dict) else base
    if base not in _order(rows, by):
        raise WarplineError(f"no row has {by} = {base}; there are {', '.join(map(str, _order(rows, by)))}")
    out = {}
    for (a, b), v in value.items():
        under = value.get((a, base), math.nan)
        out[a, b] = v / under if under else math.nan
    return out


def bars(table, y="ipc", x="workload", by="sched", base=None, means="geometric", ax=None, save=None, size=(8, 3.6)):
    """Grouped bars: one group per x, one bar per by, divided by the one whose `by` is `base`; the mean at the end."""
    rows = records(table)
    value = normalised(rows, y, x, by, base)
    ax = _axes(ax, size)
    groups, series = _order(rows, x), _order(rows, by)
    labels = [str(g) for g in groups] + ([{"geometric": "gmean"}.get(means, "mean")] if means else [])
    width = 0.8 / len(series)
    for i, s in enumerate(series):
        heights = [value.get((g, s), math.nan) for g in groups]
        places = [g + (i - (len(series) - 1) / 2) * width for g in range(len(groups))]
        if means:
            heights.append(mean(heights, means))
            places.append(len(groups) + 0.5 + (i - (len(series) - 1) / 2) * width)
        ax.bar(places, heights, width, color=COLOURS[i % len(COLOURS)], label=str(s))
    ticks = list(range(len(groups))) + ([len(groups) + 0.5] if means else [])
    ax.set_xticks(ticks, labels, rotation=35 if sum(map(len, labels)) > 70 else 0,
                  ha="right" if sum(map(len, labels)) > 70 else "center")
    if base is not None:
        ax.axhline(1, color="#444444", linestyle="--", linewidth=1)
    word = list(base.values())[0] if isinstance(base, dict) else base
    ax.set_ylabel(y if base is None else f"{y}, relative to {word}")
    return _finish(ax, save, len(series))


def lines(table, x, y="ipc", by="workload", ax=None, save=None, size=(6, 3.6)):
    """One line per `by` over x, which is a column of numbers or words: a parameter of a sweep."""
    rows = records(table)
    _need(rows, x, y, by)
    ax = _axes(ax, size)
    points = _order(rows, x)
    numbers = all(isinstance(p, (int, float)) for p in points)
    series = _order(rows, by)
    for i, s in enumerate(series):
        mine = [r for r in rows if r.get(by) == s]
        at = [r.get(x) if numbers else points.index(r.get(x)) for r in mine]
        ax.plot(at, [r.get(y, math.nan) for r in mine], marker="o", markersize=4, color=COLOURS[i % len(COLOURS)],
                label=str(s))
    if not numbers:
        ax.set_xticks(range(len(points)), [str(p) for p in points])
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.set_ylim(bottom=0)
    return _finish(ax, save, len(series))


def samples(result, y="ipc", ax=None, save=None, size=(8, 3)):
    """A counter over time: of a Result that was run with interval=CYCLES."""
    rows = records(result.samples)
    names = [y] if isinstance(y, str) else list(y)
    x = next((k for k in ("cycle", "cycles", "end") if rows and k in rows[0]), None)
    _need(rows, *names)
    ax = _axes(ax, size)
    for i, name in enumerate(names):
        ax.plot([r[x] for r in rows] if x else range(len(rows)), [r.get(name, math.nan) for r in rows],
                color=COLOURS[i % len(COLOURS)], label=name)
    ax.set_xlabel("cycle" if x else "sample")
    ax.set_ylabel(names[0] if len(names) == 1 else "")
    return _finish(ax, save, len(names) if len(names) > 1 else 0)
