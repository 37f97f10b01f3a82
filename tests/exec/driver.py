"""Loads PTX through libcuda.so.1 with nothing but ctypes, as language bindings do."""
import ctypes
import sys

PTX = b""".version 6.0
.target sm_50
.address_size 64
.visible .entry square(.param .u64 out, .param .u32 n)
{
    .reg .pred %p<2>; .reg .b32 %r<7>; .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra DONE;
    mul.lo.s32 %r6, %r5, %r5;
    mul.wide.u32 %rd3, %r5, 4;
    add.s64 %rd4, %rd1, %rd3;
    st.global.u32 [%rd4], %r6;
DONE:
    ret;
}
"""

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *args):
    result = getattr(cuda, name)(*args)
    if result != 0:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(result, ctypes.byref(text))
        sys.exit(f"{name}: {text.value.decode() if text.value else result}")


n = 500
device, context, module, kernel = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
memory = ctypes.c_uint64()
call("cuInit", 0)
call("cuDeviceGet", ctypes.byref(device), 0)
name = ctypes.create_string_buffer(64)
call("cuDeviceGetName", name, 64, device)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
call("cuCtxSetCurrent", context)
call("cuModuleLoadData", ctypes.byref(module), PTX)
call("cuModuleGetFunction", ctypes.byref(kernel), module, b"square")
call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(4 * n))
count = ctypes.c_uint32(n)
params = (ctypes.c_void_p * 2)(ctypes.addressof(memory), ctypes.addressof(count))
call("cuLaunchKernel", kernel, 2, 1, 1, 256, 1, 1, 0, None, params, None)
call("cuCtxSynchronize")
out = (ctypes.c_uint32 * n)()
call("cuMemcpyDtoH_v2", out, memory, ctypes.c_size_t(4 * n))
call("cuMemFree_v2", memory)
if list(out) != [i * i for i in range(n)]:
    sys.exit("wrong results")
print(f"python ok on {name.value.decode()}")
