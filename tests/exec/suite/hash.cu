/* hash.cu - checksums and ciphers: CRC-32 by table in constant memory and bit by bit, SHA-256 of short messages against
 * known values, and a search for a number whose hash begins with zeros, which the first to find it reports. */
#include <cstring>

#include "../check.h"

__constant__ unsigned table[256];
__constant__ unsigned rounds[64];

__host__ __device__ unsigned crc_bits(const unsigned char *p, int n)
{
    unsigned c = ~0u;
    for (int i = 0; i < n; i++) {
        c ^= p[i];
        for (int k = 0; k < 8; k++) c = c >> 1 ^ (0xedb88320u & (0 - (c & 1)));
    }
    return ~c;
}
__global__ void crc(const unsigned char *p, int each, unsigned *out)
{
    p += (size_t)each * (blockIdx.x * blockDim.x + threadIdx.x);
    unsigned c = ~0u;
    for (int i = 0; i < each; i++) c = table[(c ^ p[i]) & 255] ^ c >> 8;
    unsigned *to = out + 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    to[0] = ~c;
    to[1] = crc_bits(p, each);
}

__device__ unsigned turn(unsigned x, int n) { return __funnelshift_r(x, x, n); }
/* One block of 64 bytes, in words. */
__device__ void sha(const unsigned *message, unsigned *h)
{
    unsigned w[64], s[8];
    for (int i = 0; i < 16; i++) w[i] = message[i];
    for (int i = 16; i < 64; i++) {
        unsigned a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
    for (int i = 0; i < 8; i++) s[i] = h[i];
    for (int i = 0; i < 64; i++) {
        unsigned e = s[4], a = s[0];
        unsigned t = s[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + rounds[i] + w[i];
        unsigned u = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        for (int k = 7; k; k--) s[k] = s[k - 1];
        s[4] += t;
        s[0] = t + u;
    }
    for (int i = 0; i < 8; i++) h[i] += s[i];
}
__device__ void begin(unsigned *h)
{
    const unsigned first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int i = 0; i < 8; i++) h[i] = first[i];
}
__global__ void digest(const unsigned *message, unsigned *out)
{
    begin(out);
    sha(message, out);
}
__global__ void search(unsigned zeros, unsigned *best)
{
    unsigned message[16] = {blockIdx.x * blockDim.x + threadIdx.x, 0x80000000}, h[8];
    message[15] = 32;
    begin(h);
    sha(message, h);
    if (__clz((int)h[0]) >= (int)zeros) atomicMin(best, message[0]);
}

/* The first 32 bits of the fractional parts of cube roots of the first 64 primes, in whole numbers. */
static unsigned root_part(unsigned prime)
{
    unsigned __int128 r = 0, cube = (unsigned __int128)prime << 96;
    for (int bit = 36; bit >= 0; bit--) {
        unsigned __int128 t = r | (unsigned __int128)1 << bit;
        if (t * t * t <= cube) r = t;
    }
    return (unsigned)r;
}

int main()
{
    enum { THREADS = 256, EACH = 37 };
    static unsigned char text[THREADS * EACH];
    static unsigned sums[2 * THREADS], t[256], k[64];
    for (unsigned i = 0; i < 256; i++) {
        t[i] = i;
        for (int b = 0; b < 8; b++) t[i] = t[i] >> 1 ^ (0xedb88320u & (0 - (t[i] & 1)));
    }
    for (unsigned p = 2, n = 0; n < 64; p++) {
        bool prime = true;
        for (unsigned d = 2; d * d <= p; d++) prime &= p % d != 0;
        if (prime) k[n++] = root_part(p);
    }
    for (int i = 0; i < THREADS * EACH; i++) text[i] = (unsigned char)(i * 31 + i / 7);
    memcpy(text, "123456789", 9);
    CUDA(cudaMemcpyToSymbol(table, t, sizeof t));
    CUDA(cudaMemcpyToSymbol(rounds, k, sizeof k));
    unsigned char *dtext;
    unsigned *dsums, *dbest, message[16] = {0x61626380}, h[8], best = ~0u; /* "abc" */
    CUDA(cudaMalloc(&dtext, sizeof text));
    CUDA(cudaMalloc(&dsums, sizeof sums));
    CUDA(cudaMalloc(&dbest, 4));
    CUDA(cudaMemcpy(dtext, text, sizeof text, cudaMemcpyHostToDevice));
    CHECK(crc_bits(text, 9) == 0xcbf43926);
    crc<<<THREADS / 64, 64>>>(dtext, EACH, dsums);
    CUDA(cudaMemcpy(sums, dsums, sizeof sums, cudaMemcpyDeviceToHost));
    for (int i = 0; i < THREADS; i++) {
        unsigned want = crc_bits(text + i * EACH, EACH);
        CHECK(sums[2 * i] == want && sums[2 * i + 1] == want);
    }
    message[15] = 24;
    CUDA(cudaMemcpy(dtext, message, sizeof message, cudaMemcpyHostToDevice));
    digest<<<1, 1>>>((const unsigned *)dtext, dsums);
    CUDA(cudaMemcpy(h, dsums, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 0xba7816bf && h[3] == 0x5dae2223 && h[7] == 0xf20015ad);
    CUDA(cudaMemcpy(dbest, &best, 4, cudaMemcpyHostToDevice));
    search<<<16, 128>>>(7, dbest);
    CUDA(cudaMemcpy(&best, dbest, 4, cudaMemcpyDeviceToHost));
    CHECK(best < 2048);
    printf("hash ok\n");
    return 0;
}
