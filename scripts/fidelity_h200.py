#!/usr/bin/env python3
"""fidelity_h200.py WARPLINE [KERNEL...] - the tables of docs/fidelity-h200.md.

First pointer chases on the preset h200 next to what a real H200 measured, then the kernels whose hardware counters
are known, ours with the same shapes on the preset. All kernels take some ten minutes on one core.
"""
import json
import random
import struct
import subprocess
import sys
import tempfile

BASE = 0xC0000000  # where the first buffer of a program lies

# cycles, warp instructions, load requests, load sectors, L1 sector hits, store sectors, L2 read sectors, L2 read hits,
# DRAM bytes read, DRAM bytes written
KERNELS = {
    "atax_rows": ("atax", "atax_rows", "128", "32,8", "64M 16K 16K", "4096 4096",
                  (1421515, 19705856, 8388608, 138412032, 136249344, 16781312, 3209904, 1110640, 67136512, 2463744)),
    "atax_cols": ("atax", "atax_cols", "128", "32,8", "64M 16K 16K", "4096 4096",
                  (2984272, 19704832, 8388608, 20971520, 18808832, 16781312, 3196573, 47566, 67132928, 2361600)),
    "bicg_s": ("bicg", "bicg_s", "16", "256", "64M 16K 16K", "4096 4096",
               (2927884, 2463104, 1048576, 2621440, 516096, 2097664, 3159492, 10406, 67199488, 2199040)),
    "bicg_q": ("bicg", "bicg_q", "16", "256", "64M 16K 16K", "4096 4096",
               (1261895, 2463232, 1048576, 17301504, 15196159, 2097664, 3156402, 1057903, 67132672, 2307328)),
    "conv2d": ("conv2d", "conv2d_4096", "128,512", "32,8", "64M 64M", "4096 4096",
               (121782, 23585792, 4716288, 21984780, 18076425, 2096128, 5299137, 2388325, 67307520, 50482688)),
    "gemm": ("gemm", "gemm_512", "16,64", "32,8", "1M 1M 1M", "512 512 512",
             (350838, 24797184, 8396800, 21004288, 19392496, 16809984, 859151, 674767, 3152384, 0)),
    "fdtd2d_ey": ("fdtd2d", "fdtd2d_ey_2048", "64,256", "32,8", "4K 20M 20M", "2048 2048 0",
                  (30012, 3931776, 393088, 1572160, 458876, 524288, 1646863, 58372, 33549312, 708096)),
    "fdtd2d_ex": ("fdtd2d", "fdtd2d_ex_2048", "64,256", "32,8", "20M 20M", "2048 2048",
                  (30370, 3801088, 393216, 1701888, 524464, 524288, 1726611, 190660, 33558784, 1064448)),
    "fdtd2d_hz": ("fdtd2d", "fdtd2d_hz_2048", "64,256", "32,8", "20M 20M 20M", "2048 2048",
                  (35103, 4455232, 655040, 2749121, 983096, 524032, 2590168, 258059, 50320384, 5529600)),
}


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


def percent(ours, real):
    return "%+.1f %%" % (100.0 * (ours / real - 1)) if real else "-"


def compare(warpline, name):
    source, kernel, grid, block, buffers, numbers, real = KERNELS[name]
    args = ["buf:" + b for b in buffers.split()] + ["s32:" + n for n in numbers.split()]
    j = run(warpline, "workloads/polybench/%s.ptx" % source, kernel, grid, block, args)
    l2, dram = j["l2"], j["dram"]
    ours = (j["cycles"], j["warp_instructions"], j["sm"]["l1d_loads"], l2["reads"],
            dram["read_bytes"], dram["write_bytes"])
    real = (real[0], real[1], real[2], real[3] - real[4], real[8], real[9])
    print("| %s | H200 | " % name + " | ".join(str(v) for v in real) + " |")
    print("| | ours | " + " | ".join(str(v) for v in ours) + " |")
    print("| | difference | " + " | ".join(percent(a, b) for a, b in zip(ours, real)) + " |", flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if len(sys.argv) == 2:
        chases(sys.argv[1])
    for name in sys.argv[2:] or KERNELS:
        compare(sys.argv[1], name)


main()
