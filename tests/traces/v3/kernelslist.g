MemcpyHtoD,0x00007f0100000000,4096
kernel-1.traceg
