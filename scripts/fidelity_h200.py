#!/usr/bin/env python3
"""fidelity_h200.py WARPLINE - pointer chases on the preset h200: the latencies of docs/fidelity-h200.md.

The kernels of that page are compared by `warpline fidelity h200`.
"""
import json
import random
import struct
import subprocess
import sys
import tempfile

BASE = 0xC0000000  # where the first buffer of a program lies


def run(warpline, file, kernel, grid, block, args):
    words = [warpline, "run", file, "--kernel", kernel, "--grid", grid, "--block", block, "--gpu", "h200",
             "--json", "-", "-q",
             "--set", "l2.copy_fills=no"]
    for a in args:
        words += ["--arg", a]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def latency(warpline, kernel, size, stride, steps, warm):
    """Cycles a step of a chase; the ring is cold unless it was walked before."""
    with tempfile.NamedTemporaryFile() as ring:
        order = list(range(1, size // stride))
        random.Random(5).shuffle(order)
        order.insert(0, 0)
        image = bytearray(size)
        for here, to in zip(order, order[1:] + order[:1]):
            struct.pack_into("<Q", image, here * stride, BASE + to * stride)
        ring.write(image)
        ring.flush()
        cycles = []
        for n in (warm, warm + steps):
            args = ["u32:%d" % n] if not size else ["buf:%d:file:%s" % (size, ring.name), "u32:%d" % n]
            cycles.append(run(warpline, "tests/gpu/chase.ptx", kernel, "1", "1", args)["cycles"])
    return (cycles[1] - cycles[0]) / steps


def chases(warpline):
    shared = [run(warpline, "tests/gpu/chase.ptx", "chase_shared", "1", "1", ["u32:%d" % n])["cycles"]
              for n in (512, 2048)]
    print("shared memory %.1f" % ((shared[1] - shared[0]) / 1536))
    print("L1 %.1f" % latency(warpline, "chase_ca", 8 << 10, 128, 1536, 512))
    print("L2 %.1f" % latency(warpline, "chase_cg", 1 << 18, 128, 2048, 2048))
    print("memory %.1f" % latency(warpline, "chase_cg", 4 << 20, 4096, 384, 128))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    chases(sys.argv[1])


main()
