"""The Python package: what a result, a sweep, a store, a report and a plot are, with pandas and without."""
import os
import subprocess
import sys
import tempfile
import unittest

import warpline as wl
from warpline.result import flat, records

ROOT = os.environ["WL_ROOT"]
WORK = tempfile.mkdtemp(dir=os.environ.get("WL_WORK"))
STORE = os.path.join(WORK, "s.db")


def sentence(call, *args, **words):
    """What it complains about; it must."""
    try:
        call(*args, **words)
    except wl.WarplineError as e:
        return str(e)
    raise AssertionError("nothing was wrong")


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.r = wl.run("atax", size="tiny", set={"l1d.ways": 8}, profile=True, interval=5000)

    def test_attributes_dotted_names_and_config_are_the_record(self):
        record = self.r.to_dict()
        self.assertEqual(self.r.ipc, record["ipc"])
        self.assertEqual(self.r.l1d.hits, record["l1d"]["hits"])
        self.assertEqual(self.r["l1d.stalls.mshr"], record["l1d"]["stalls"]["mshr"])
        self.assertEqual(self.r.config["l1d.ways"], 8)
        self.assertEqual(self.r.config.l1d.ways, 8)
        self.assertIn("l1d.hits", self.r)
        self.assertNotIn("l1d.hitz", self.r)
        self.assertEqual(self.r.counters["l1d.hits"], self.r.l1d.hits)

    def test_tables(self):
        kernels, loads, samples = (records(t) for t in (self.r.kernels, self.r.loads, self.r.samples))
        self.assertEqual([k["name"] for k in kernels], ["atax_rows", "atax_cols"])
        self.assertEqual(sum(k["cycles"] for k in kernels), self.r.cycles)
        self.assertEqual(sum(row["hits"] for row in loads), self.r["l1d.load_hits"])
        self.assertGreater(len(samples), 3)
        self.assertEqual(sum(s["l1d.hits"] for s in samples), self.r.l1d.hits)

    def test_what_was_not_recorded_is_said(self):
        plain = wl.run("vectoradd", size="tiny")
        with self.assertRaisesRegex(wl.WarplineError, "profile=True"):
            plain.loads
        with self.assertRaisesRegex(wl.WarplineError, "interval=CYCLES"):
            plain.samples

    def test_unknown_names(self):
        with self.assertRaisesRegex(KeyError, "did you mean 'l1d.load_misses'"):
            self.r["l1d.load_mises"]
        with self.assertRaisesRegex(AttributeError, "there is no 'nothing'"):
            self.r.nothing
        self.assertIn("did you mean 'atax'", sentence(wl.run, "atx"))
        self.assertIn("warpline.sweep takes lists", sentence(wl.run, "atax", set={"l1d.ways": [4, 8]}))

    def test_ptx(self):
        r = wl.run(os.path.join(ROOT, "tests/cli/axpy.ptx"), options=["--functional"], kernel="axpy", grid=4, block=256,
                   args=["buf:4K:iota-f32", "buf:4K:iota-f32", "f32:2", "u32:1024"])
        self.assertGreater(r.thread_instructions, 0)


class Sweeps(unittest.TestCase):
    def test_one_row_per_combination(self):
        rows = records(wl.sweep(["atax", "vectoradd"], sched=["lrr", "gto"], set={"l1d.ways": [4, 8]}, size="tiny",
                                store=STORE, jobs=2))
        points = [(r["workload"], r["sched"], r["l1d.ways"]) for r in rows]
        self.assertEqual(points, [(w, s, n) for w in ("atax", "vectoradd") for s in ("lrr", "gto") for n in (4, 8)])
        alone = wl.run("atax", size="tiny", sched="lrr", set={"l1d.ways": 8})
        row = rows[points.index(("atax", "lrr", 8))]
        for name in ("cycles", "l1d.hits", "dram.reads"):
            self.assertEqual(row[name], alone[name])
        self.assertEqual({r["failed"] for r in rows}, {""})

    def test_the_store_answers_the_second_time(self):
        words = dict(sched="gto", size="tiny", store=os.path.join(WORK, "twice.db"))
        first = records(wl.sweep("bfs", **words))
        before = len(records(wl.read_store(words["store"])))
        self.assertEqual(records(wl.sweep("bfs", **words)), first)
        self.assertEqual(len(records(wl.read_store(words["store"]))), before)

    def test_inputs_and_seeds_are_kept_apart(self):
        words = dict(size="tiny", store=STORE)
        small = wl.run("vectoradd", input={"n": 500}, **words)
        usual = wl.run("vectoradd", **words)
        self.assertLess(small.thread_instructions, usual.thread_instructions)
        rows = records(wl.sweep("bfs", seed=[1, 2], **words))
        self.assertEqual([r["seed"] for r in rows], [1, 2])
        self.assertNotEqual(rows[0]["cycles"], rows[1]["cycles"])

    def test_schemes_and_sizes(self):
        rows = records(wl.sweep("atax", gpu="dacache", scheme=["none", "dacache"], set={"l1d.size": ["16K", "32K"]},
                                size="tiny", store=STORE))
        self.assertEqual([(r["scheme"], r["l1d.size"], r["l1"]) for r in rows],
                         [(s, n, p) for s, p in (("none", "lru"), ("dacache", "dacache")) for n in ("16K", "32K")])
        refused = sentence(wl.sweep, "atax", gpu="h100", scheme="hac", size="tiny", store=STORE, set={"l2.ways": 25})
        self.assertTrue(refused.startswith("scheme hac cannot work on h100"), refused)

    def test_mistakes(self):
        self.assertIn("did you mean 'atax'", sentence(wl.sweep, "atx", size="tiny", store=STORE))
        self.assertIn("l1d.foo", sentence(wl.sweep, "atax", set={"l1d.foo": [1]}, size="tiny", store=STORE))
        self.assertIn("needs a workload", sentence(wl.sweep, [], store=STORE))
        self.assertIn("no value", sentence(wl.sweep, "atax", sched=[], store=STORE))

    def test_a_run_that_fails_keeps_its_row(self):
        path = os.path.join(WORK, "f.db")
        rows = records(wl.sweep("atax", sched=["lrr"], size="paper", store=path, timeout=1))
        self.assertIn("took longer than --timeout 1 s", rows[0]["failed"])
        self.assertNotIn("cycles", rows[0])
        self.assertIn("took longer", sentence(wl.run, "atax", sched="lrr", size="paper", store=path))


class Reading(unittest.TestCase):
    def test_stores(self):
        path = os.path.join(WORK, "read.db")
        wl.sweep("vectoradd", sched=["lrr", "gto"], size="tiny", store=path)
        rows = records(wl.read_store(path, sched="gto"))
        self.assertEqual([r["sched"] for r in rows], ["gto"])
        self.assertEqual(wl.read_store(path, results=True, sched="gto")[0].cycles, rows[0]["cycles"])
        self.assertIn("no column 'colour'", sentence(wl.read_store, path, colour=1))
        self.assertIn("there is no result store", sentence(wl.read_store, os.path.join(WORK, "none.db")))
        text = os.path.join(WORK, "text.db")
        with open(text, "w", encoding="utf-8") as f:
            f.write("no database, whatever its name says\n" * 40)
        self.assertIn("cannot read the result store", sentence(wl.read_store, text))

    def test_reports(self):
        page = os.path.join(WORK, "page.html")
        subprocess.run([wl.find(), "report", "--from", os.path.join(ROOT, "docs/results/hac.csv"), "-o", page, "-q"],
                       check=True, stderr=subprocess.DEVNULL)
        report = wl.read_report(page)
        rows = records(report["hac.6"])
        mean = next(r for r in rows if r.get("HAC (paper)") == 1.1278)
        self.assertGreater(len(rows), 10)
        claim = next(c for c in records(report.claims) if c["claim"] == "hac.fig6.hac_vs_lru.mean_ipc")
        self.assertEqual(claim["stated"], 1.1278)
        self.assertAlmostEqual(claim["measured"], mean["HAC"], 3)
        self.assertIn("IPC", report.titles["hac.6"])
        self.assertIn("no figure 'hac.99'", sentence(report.__getitem__, "hac.99"))
        self.assertIn("is no report", sentence(wl.read_report, os.path.join(ROOT, "README.md")))

    def test_json(self):
        path = os.path.join(WORK, "r.json")
        subprocess.run([wl.find(), "run", "vectoradd", "--size", "tiny", "--json", path, "-q"], check=True)
        self.assertEqual(wl.read_json(path).workload, "vectoradd")
        self.assertIn("is no JSON", sentence(wl.read_json, os.path.join(ROOT, "README.md")))

    def test_versions_agree(self):
        self.assertEqual(wl.version().split()[0], wl.__version__)
        with open(os.path.join(ROOT, "pyproject.toml"), encoding="utf-8") as f:
            self.assertIn(f'version = "{wl.__version__}"', f.read())


class Plots(unittest.TestCase):
    TABLE = [{"workload": w, "sched": s, "ipc": v} for w, s, v in
             (("a", "lrr", 2.0), ("a", "gto", 3.0), ("b", "lrr", 4.0), ("b", "gto", 4.0))]

    def test_normalised_numbers(self):
        v = wl.plot.normalised(self.TABLE, base={"sched": "lrr"})
        self.assertEqual(v["a", "gto"], 1.5)
        self.assertEqual(v["b", "gto"], 1.0)
        self.assertAlmostEqual(wl.plot.mean([1.0, 4.0]), 2.0)
        self.assertIn("no row has sched = ccws", sentence(wl.plot.normalised, self.TABLE, base="ccws"))
        self.assertIn("no column 'ipcc'", sentence(wl.plot.normalised, self.TABLE, y="ipcc"))
        self.assertIn("several rows", sentence(wl.plot.normalised, self.TABLE + self.TABLE))

    def test_pictures(self):
        file = os.path.join(WORK, "bars.svg")
        try:
            import matplotlib
        except ImportError:
            self.assertIn("plots need matplotlib", sentence(wl.plot.bars, self.TABLE))
            return
        matplotlib.use("Agg")
        wl.plot.bars(self.TABLE, base="lrr", save=file)
        with open(file, encoding="utf-8") as f:
            self.assertIn("#0072b2", f.read().lower())
        wl.plot.lines(self.TABLE, x="sched", save=file)
        wl.plot.samples(wl.run("vectoradd", size="tiny", interval=500), y=["ipc"], save=file)


class Small(unittest.TestCase):
    def test_flat(self):
        self.assertEqual(flat({"a": {"b": 1, "c": [1]}, "d": 2}), {"a.b": 1, "d": 2})

    def test_the_program_is_named_when_it_is_missing(self):
        code = "import warpline as wl\ntry: wl.version()\nexcept wl.WarplineError as e: print(e)"
        env = {**os.environ, "WARPLINE": "/nowhere/warpline"}
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=False).stdout
        self.assertIn("/nowhere/warpline, which is no program", said)


if __name__ == "__main__":
    unittest.main()
