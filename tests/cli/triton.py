#!/usr/bin/env python3
"""triton.py WARPLINE KERNELS - kernels that Triton compiled give here what they gave on an H200.

KERNELS is tests/kernels/triton: PTX and results, made by tests/gpu/triton_kernels.py. Each kernel goes through
`warpline run` and, by this same program under `warpline exec`, through the driver API as Triton itself would load it.
Products of matrices add in an order of their own and ex2.approx has an error, so results are compared with the bounds
below and not bit for bit.
"""
import ctypes
import os
import struct
import subprocess
import sys
import tempfile

STEP = 29  # every so many results were kept
BOUND = {"softmax": 1e-8, "layernorm": 2e-6, "matmul": 2e-5, "matmul_small": 2e-5, "attention": 1e-5,
         "attention_small": 1e-5}


def values(count, seed):
    """As in triton_kernels.py."""
    out = []
    for i in range(seed, seed + count):
        word = i * 2654435761
        word = ((word ^ (word >> 13)) * 2246822519) & 0xFFFFFFFF
        out.append(((word >> 20) - 2048) / 2048)
    return out


def packed(word):
    """The bytes of an input of launches.txt, in:KIND:COUNT:SEED."""
    _, kind, count, seed = word.split(":")
    return struct.pack("<%d%s" % (int(count), {"f16": "e", "f32": "f"}[kind]), *values(int(count), int(seed)))


def by_run(warpline, path, kernel, grid, threads, shared, words, results):
    """Results of warpline run, the text of an error instead where there is one."""
    options = []
    with tempfile.TemporaryDirectory() as folder:
        for place, word in enumerate(words):
            if word.startswith("out:"):
                word = "buf:%d" % (4 * results)
            elif word.startswith("in:"):
                file = os.path.join(folder, "in%d" % place)
                with open(file, "wb") as f:
                    f.write(packed(word))
                word = "buf:%d:file:%s" % (os.path.getsize(file), file)
            options += ["--arg", word]
        done = subprocess.run([warpline, "run", path, "--gpu", "h200", "--kernel", kernel, "--grid", grid, "--block",
                               str(threads), "--shared", shared, "--dump", "0:f32:%d" % results, "-q"] + options
                              + ["--arg", "u64:0", "--arg", "u64:0"], capture_output=True, text=True)
    if done.returncode:
        return "exit %d: %s" % (done.returncode, done.stderr.strip())
    return [float(x) for row in done.stdout.splitlines()[1:] for x in row.split(":")[1].split()]


class Driver:
    """As little of the driver API as a kernel needs."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self("cuInit", 0)
        self("cuDeviceGet", ctypes.byref(device), 0)
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self("cuCtxSetCurrent", context)

    def __call__(self, name, *args):
        result = getattr(self.cuda, name)(*args)
        if result != 0:
            raise RuntimeError("%s: error %d" % (name, result))

    def memory(self, data):
        at = ctypes.c_uint64()
        self("cuMemAlloc_v2", ctypes.byref(at), ctypes.c_size_t(len(data)))
        self("cuMemcpyHtoD_v2", at, data, ctypes.c_size_t(len(data)))
        return at

    def results(self, path, kernel, grid, threads, shared, words, results):
        module, function, keep = ctypes.c_void_p(), ctypes.c_void_p(), []
        with open(path, "rb") as f:
            self("cuModuleLoadData", ctypes.byref(module), f.read())
        self("cuModuleGetFunction", ctypes.byref(function), module, kernel.encode())
        self("cuFuncSetAttribute", function, 8, int(shared))  # 8: most dynamic shared memory
        for word in words:
            kind, value = word.split(":", 1)
            if kind == "out":
                keep.append(self.memory(bytes(4 * results)))
            elif kind == "in":
                keep.append(self.memory(packed(word)))
            else:
                keep.append(ctypes.c_int32(int(value)) if kind == "s32" else ctypes.c_float(float(value)))
        keep += [ctypes.c_uint64(0), ctypes.c_uint64(0)]
        params = (ctypes.c_void_p * len(keep))(*[ctypes.addressof(k) for k in keep])
        x, y = (grid.split(",") + ["1"])[:2]
        self("cuLaunchKernel", function, int(x), int(y), 1, threads, 1, 1, int(shared), None, params, None)
        out = (ctypes.c_float * results)()
        self("cuMemcpyDtoH_v2", out, keep[0], ctypes.c_size_t(4 * results))
        self("cuModuleUnload", module)
        return list(out)


def compare(how, name, numbers, kernels):
    """None, or what is wrong with the numbers."""
    if isinstance(numbers, str):
        return "%s, %s: %s" % (name, how, numbers)
    with open(os.path.join(kernels, name + ".out"), "rb") as f:
        wanted = [x[0] for x in struct.iter_unpack("<f", f.read())]
    here = numbers[::STEP]
    if len(here) != len(wanted):
        return "%s, %s: %d results" % (name, how, len(numbers))
    apart = max(abs(a - b) for a, b in zip(here, wanted))
    equal = sum(struct.pack("<f", a) == struct.pack("<f", b) for a, b in zip(here, wanted))
    print("%-16s %-6s %d of %d results equal in all bits, the others at most %.2g apart"
          % (name, how, equal, len(wanted), apart))
    return None if apart <= BOUND[name] else "%s, %s: %.3g apart" % (name, how, apart)


def main(warpline, kernels):
    """WARPLINE is a program, or the word "driver" inside `warpline exec`."""
    driver = Driver() if warpline == "driver" else None
    bad = []
    with open(os.path.join(kernels, "launches.txt")) as launches:
        for line in launches:
            name, kernel, grid, warps, shared, *words = line.split()
            results = int(words[0].split(":")[2])
            what = [os.path.join(kernels, name + ".ptx"), kernel, grid, 32 * int(warps), shared, words, results]
            numbers = driver.results(*what) if driver else by_run(warpline, *what)
            bad.append(compare("driver" if driver else "run", name, numbers, kernels))
    if not driver and os.environ.get("WL_SLOW") != "1":  # no sanitizer can be loaded into a plain python3
        done = subprocess.run([warpline, "exec", "-q", "--functional", "--gpu", "h200", "--", sys.executable, __file__,
                               "driver", kernels])
        bad.append("through the driver API: exit %d" % done.returncode if done.returncode else None)
    for b in filter(None, bad):
        print(b, file=sys.stderr)
    return any(bad)


sys.exit(main(sys.argv[1], sys.argv[2]))
