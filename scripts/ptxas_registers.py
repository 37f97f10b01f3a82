#!/usr/bin/env python3
"""ptxas_registers.py - what ptxas -v says of every kernel of the tree and of the tests: tests/unit/ptxas_registers.csv.

Needs ptxas of CUDA 13 (PTXAS=...). Texts for targets it no longer has are assembled as compute_75; their
instructions are the same.
"""
import csv
import glob
import os
import re
import subprocess
import sys
import tempfile

ARCHS = ("75", "80", "90")
PLACES = ("workloads/*/*.ptx", "tests/cli/*.ptx", "tests/gpu/*.ptx", "tests/fidelity/v322/*.ptx")


def registers(path, arch, folder):
    """Kernel -> registers."""
    text = open(path, encoding="utf-8").read()
    text = re.sub(r"\.target\s+sm_\d+", ".target sm_75", text, count=1)
    version = re.search(r"\.version\s+([\d.]+)", text)
    if version and float(version.group(1)) < 6.3:
        text = text.replace(version.group(0), ".version 6.3", 1)
    source = os.path.join(folder, "k.ptx")
    with open(source, "w", encoding="utf-8") as out:
        out.write(text)
    said = subprocess.run([os.environ.get("PTXAS", "ptxas"), "-v", "-O3", "-arch=sm_" + arch, source, "-o",
                           os.path.join(folder, "k.cubin")], check=True, capture_output=True, text=True).stderr
    found, kernel = {}, None
    for line in said.splitlines():
        entry = re.search(r"Compiling entry function '(\S+)'", line)
        used = re.search(r"Used (\d+) registers", line)
        if entry:
            kernel = entry.group(1)
        elif used and kernel:
            found[kernel], kernel = used.group(1), None
    return found


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(p for place in PLACES for p in glob.glob(place)):
            by_arch = [registers(path, arch, folder) for arch in ARCHS]
            rows += [[path, kernel] + [found[kernel] for found in by_arch] for kernel in sorted(by_arch[0])]
    with open("tests/unit/ptxas_registers.csv", "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["file", "kernel"] + ["sm_" + a for a in ARCHS])
        writer.writerows(rows)
    print("%d kernels" % len(rows))


if __name__ == "__main__":
    sys.exit(main())
