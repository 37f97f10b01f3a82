#!/usr/bin/env python3
"""triton_kernels.py DIR - four kernels in Triton, run on the GPU at hand, for comparison with the simulator.

For each kernel DIR gets NAME.ptx as Triton compiled it for this GPU, a line of DIR/launches.txt (name, kernel, grid,
warps, bytes of shared memory, arguments, near to how `warpline run` takes them) and NAME.out with every 29th number
of its result (raw f32). Inputs are words of a small generator that tests/cli/triton.py repeats, so that none has to be
kept. Folders of this machine go from the PTX.
Needs PyTorch and Triton with a GPU; nothing of the build does.
"""
import os
import re
import sys

import numpy as np
import torch
import triton
import triton.language as tl


def values(count, seed):
    """Numbers in [-1, 1) with 12 bits each: exact in half precision, whatever the machine."""
    words = (np.arange(count, dtype=np.uint64) + np.uint64(seed)) * np.uint64(2654435761)
    words = (words ^ (words >> np.uint64(13))) * np.uint64(2246822519) & np.uint64(0xFFFFFFFF)
    return ((words >> np.uint64(20)).astype(np.float32) - 2048) / 2048


@triton.jit
def softmax_rows(out, src, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    x = tl.load(src + row * columns + at, mask=inside, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out + row * columns + at, e / tl.sum(e, axis=0), mask=inside)


@triton.jit
def layer_norm(out, src, scale, shift, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    x = tl.load(src + row * columns + at, mask=inside, other=0.0)
    mean = tl.sum(x, axis=0) / columns
    centred = tl.where(inside, x - mean, 0.0)
    spread = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / columns + eps)
    w = tl.load(scale + at, mask=inside)
    b = tl.load(shift + at, mask=inside)
    tl.store(out + row * columns + at, centred * spread * w + b, mask=inside)


@triton.jit
def product(c, a, b, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, k, BK):
        left = tl.load(a + rows[:, None] * k + (start + inner)[None, :])
        right = tl.load(b + (start + inner)[:, None] * n + columns[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * n + columns[None, :], total)


@triton.jit
def attention(out, q, k, v, scale, length, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(1) * length * D
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    query = tl.load(q + head + rows[:, None] * D + d[None, :])
    top = tl.full((BM,), -float("inf"), dtype=tl.float32)
    weight = tl.zeros((BM,), dtype=tl.float32)
    result = tl.zeros((BM, D), dtype=tl.float32)
    for start in range(0, length, BN):
        keys = start + tl.arange(0, BN)
        key = tl.load(k + head + keys[None, :] * D + d[:, None])
        score = tl.dot(query, key) * scale
        above = tl.maximum(top, tl.max(score, axis=1))
        e = tl.exp2(score - above[:, None])
        keep = tl.exp2(top - above)
        value = tl.load(v + head + keys[:, None] * D + d[None, :])
        result = tl.dot(e.to(tl.float16), value, result * keep[:, None])
        weight = weight * keep + tl.sum(e, axis=1)
        top = above
    tl.store(out + head + rows[:, None] * D + d[None, :], result / weight[:, None])


def main(folder):
    os.makedirs(folder, exist_ok=True)
    launches = open(os.path.join(folder, "launches.txt"), "w")

    def tensor(count, seed, kind):
        return torch.from_numpy(values(count, seed)).to("cuda").to(kind)

    def keep(name, kernel, grid, compiled, out, arguments):
        torch.cuda.synchronize()
        with open(os.path.join(folder, name + ".ptx"), "w") as f:
            f.write(re.sub(r'(\.file\s+\d+\s+")/.*/', r"\1", compiled.asm["ptx"]))
        out.cpu().numpy()[::29].tofile(os.path.join(folder, name + ".out"))
        launches.write("%s %s %s %d %d %s\n" % (name, kernel, ",".join(map(str, grid)), compiled.metadata.num_warps,
                                                compiled.metadata.shared, arguments))

    f16, f32 = torch.float16, torch.float32
    rows, columns = 48, 500
    src, out = tensor(rows * columns, 1, f32), torch.zeros(rows * columns, device="cuda")
    done = softmax_rows[(rows,)](out, src, columns, BLOCK=512, num_warps=4)
    keep("softmax", "softmax_rows", (rows,), done, out,
         "out:f32:%d in:f32:%d:1 s32:%d" % (rows * columns, rows * columns, columns))

    rows, columns = 32, 1000
    src, w, b = tensor(rows * columns, 2, f32), tensor(columns, 3, f32), tensor(columns, 4, f32)
    out = torch.zeros(rows * columns, device="cuda")
    done = layer_norm[(rows,)](out, src, w, b, columns, 1e-5, BLOCK=1024, num_warps=8)
    keep("layernorm", "layer_norm", (rows,), done, out, "out:f32:%d in:f32:%d:2 in:f32:%d:3 in:f32:%d:4 s32:%d f32:1e-5"
         % (rows * columns, rows * columns, columns, columns, columns))

    m, n, k = 128, 192, 256
    for name, tiles, warps in (("matmul", (64, 64, 32), 4), ("matmul_small", (16, 32, 16), 2)):
        a, b, c = tensor(m * k, 5, f16), tensor(k * n, 6, f16), torch.zeros(m * n, device="cuda")
        grid = (m // tiles[0], n // tiles[1])
        done = product[grid](c, a, b, m, n, k, BM=tiles[0], BN=tiles[1], BK=tiles[2], num_warps=warps)
        keep(name, "product", grid, done, c,
             "out:f32:%d in:f16:%d:5 in:f16:%d:6 s32:%d s32:%d s32:%d" % (m * n, m * k, k * n, m, n, k))

    heads, length, d = 2, 128, 64
    count = heads * length * d
    q, k, v = tensor(count, 7, f16), tensor(count, 8, f16), tensor(count, 9, f16)
    for name, bm, bn, warps in (("attention", 64, 64, 4), ("attention_small", 16, 32, 2)):
        out = torch.zeros(count, device="cuda")
        grid = (length // bm, heads)
        done = attention[grid](out, q, k, v, 0.125 * 1.4426950408889634, length, D=d, BM=bm, BN=bn, num_warps=warps)
        keep(name, "attention", grid, done, out,
             "out:f32:%d in:f16:%d:7 in:f16:%d:8 in:f16:%d:9 f32:0.18033688011112042 s32:%d"
             % (count, count, count, count, length))
    launches.close()


main(sys.argv[1])
