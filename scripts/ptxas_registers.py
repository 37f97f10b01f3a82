#!/usr/bin/env python3
"""ptxas_registers.py - what ptxas -v says of every kernel of the tree and of the tests: src/ptx/ptxas_registers.csv.

Needs ptxas of CUDA 13 (PTXAS=...), and for the targets that it no longer has one of CUDA 11 (PTXAS_OLD=...; Debian's
nvidia-cuda-toolkit has 11.8). Texts for older targets than one of them has are assembled as for its oldest; their
instructions are the same. 0: the old one cannot read the text, or the target lacks an instruction.

A kernel has the FNV-1a hash of its text, from its name to the closing brace: by it src/ptx/known_registers.c finds its
row. --hashes only writes these anew, which needs no assembler, where the machine code of changed texts is the same.
"""
import csv
import glob
import os
import re
import subprocess
import sys
import tempfile

OLD_ARCHS = ("35", "50")
ARCHS = OLD_ARCHS + ("75", "80", "86", "89", "90", "100", "120")
OLD_VERSIONS, NEW_VERSIONS = (4.0, 7.8), (6.3, 9.0)
TABLE = "src/ptx/ptxas_registers.csv"
PLACES = ("workloads/*/*.ptx", "tests/cli/*.ptx", "tests/gpu/*.ptx", "tests/fidelity/v322/*.ptx")


def lowered(text, arch):
    """The text with a version and a target that the assembler for `arch` accepts."""
    old = arch in OLD_ARCHS
    text = re.sub(r"\.target\s+sm_\d+", ".target sm_" + (arch if old else "75"), text, count=1)
    version = re.search(r"\.version\s+([\d.]+)", text)
    least, most = OLD_VERSIONS if old else NEW_VERSIONS
    return text.replace(version.group(0), ".version %.1f" % min(max(float(version.group(1)), least), most), 1)


def kernel_hash(text, kernel):
    """Of the kernel's text, from its name to the brace that ends it."""
    name = re.search(r"\.entry\s+(%s)\b" % re.escape(kernel), text)
    depth = 0
    for found in re.finditer(r"//[^\n]*|/\*.*?\*/|\"[^\"]*\"|[{}]", text[name.end():], re.S):
        depth += {"{": 1, "}": -1}.get(found.group(0), 0)
        if found.group(0) == "}" and depth == 0:
            break
    value = 0xcbf29ce484222325
    for byte in text[name.start(1):name.end() + found.end()].encode():
        value = (value ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return "%016x" % value


def registers(path, arch, folder):
    """Kernel -> registers."""
    source = os.path.join(folder, "k.ptx")
    with open(source, "w", encoding="utf-8") as out:
        out.write(lowered(open(path, encoding="utf-8").read(), arch))
    ptxas = os.environ.get("PTXAS_OLD" if arch in OLD_ARCHS else "PTXAS", "ptxas")
    ran = subprocess.run([ptxas, "-v", "-O3", "-arch=sm_" + arch, source, "-o", os.path.join(folder, "k.cubin")],
                         check=arch not in OLD_ARCHS, capture_output=True, text=True)
    said = ran.stderr if ran.returncode == 0 else ""
    found, kernel = {}, None
    for line in said.splitlines():
        entry = re.search(r"Compiling entry function '(\S+)'", line)
        used = re.search(r"Used (\d+) registers", line)
        if entry:
            kernel = entry.group(1)
        elif used and kernel:
            found[kernel], kernel = used.group(1), None
    return found


def row_of(path, kernel, numbers):
    return [path, kernel, kernel_hash(open(path, encoding="utf-8").read(), kernel)] + numbers


def ask_assemblers():
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(p for place in PLACES for p in glob.glob(place)):
            by_arch = [registers(path, arch, folder) for arch in ARCHS]
            for kernel in sorted(by_arch[-1]):
                rows.append(row_of(path, kernel, [found.get(kernel, "0") for found in by_arch]))
    return rows


def hash_again():
    with open(TABLE, newline="", encoding="utf-8") as table:
        return [row_of(row["file"], row["kernel"], [row["sm_" + a] for a in ARCHS]) for row in csv.DictReader(table)]


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    rows = hash_again() if sys.argv[1:] == ["--hashes"] else ask_assemblers()
    with open(TABLE, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["file", "kernel", "hash"] + ["sm_" + a for a in ARCHS])
        writer.writerows(rows)
    print("%d kernels" % len(rows))


if __name__ == "__main__":
    sys.exit(main())
