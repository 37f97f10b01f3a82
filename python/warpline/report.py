"""Reading a report: the data behind its figures, and its claims."""
import csv
import io
import urllib.parse
from html.parser import HTMLParser

from .program import WarplineError
from .result import frame


def _number(text):
    try:
        return float(text)
    except ValueError:
        return text


class _Page(HTMLParser):
    """Collects data links and rows of the list of claims."""

    def __init__(self):
        super().__init__()
        self.data, self.titles, self.claims = {}, {}, []
        self.paper = self.row = self.cell = self.panel = None
        self.heading = False

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        kind = (a.get("class") or "").split()
        if tag == "div" and (a.get("id") or "").startswith("f-"):
            self.panel = a["id"][2:]
        elif tag == "h3":
            self.heading = True
        elif tag == "a" and "csv" in kind:
            self.data[a.get("download", "")[:-4]] = urllib.parse.unquote(a.get("href", "").split(",", 1)[-1])
        elif tag == "details" and "group" in kind:
            self.paper = a.get("data-paper")
        elif tag == "tr" and (a.get("id") or "").startswith("c-"):
            self.row = {"paper": self.paper, "claim": a["id"][2:], "verdict": a.get("data-verdict"), "cells": []}
        elif tag in ("td", "th") and self.row is not None:
            self.cell = ""

    def handle_endtag(self, tag):
        if tag == "h3":
            self.heading = False
        elif tag in ("td", "th") and self.row is not None and self.cell is not None:
            self.row["cells"].append(" ".join(self.cell.split()))
            self.cell = None
        elif tag == "tr" and self.row is not None:
            cells = self.row.pop("cells")
            names = ("", "text", "stated", "measured")
            self.row.update({n: c for n, c in zip(names, cells) if n})
            self.claims.append(self.row)
            self.row = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data
        elif self.heading and self.panel:
            self.titles[self.panel] = self.titles.get(self.panel, "") + data


class Report:
    """A page of `warpline report`: figures by id, and claims."""

    def __init__(self, page):
        self._data = page.data
        self.titles = {k: v.replace(k, "", 1).replace("#", "").replace("\xa0", " ").strip()
                       for k, v in page.titles.items()}
        self.claims = frame([{**c, "stated": _number(c["stated"]), "measured": _number(c["measured"])}
                             for c in page.claims])

    @property
    def figures(self):
        """Ids of the figures."""
        return list(self._data)

    def __getitem__(self, figure):
        if figure not in self._data:
            raise WarplineError(f"the report has no figure '{figure}'; it has {', '.join(self._data)}")
        rows = csv.DictReader(io.StringIO(self._data[figure]))
        return frame([{k: _number(v) if v != "" else None for k, v in row.items()} for row in rows])


def read_report(path):
    """The data of a page: read_report("report.html")["dacache.8"], .claims, .figures, .titles."""
    page = _Page()
    try:
        with open(path, encoding="utf-8") as f:
            page.feed(f.read())
    except OSError as e:
        raise WarplineError(f"cannot read {path}: {e.strerror}") from None
    except UnicodeDecodeError:
        raise WarplineError(f"{path} is no report of warpline") from None
    if not page.data:
        raise WarplineError(f"{path} is no report of warpline: it has no figures")
    return Report(page)
