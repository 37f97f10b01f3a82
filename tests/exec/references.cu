/* references.cu - texture references, as programs up to CUDA 11 use them: linear memory with and without a size,
 * pitched memory, an array with normalised coordinates, integers read as fractions, a reference of one file only and one
 * in a namespace. Compiled by nvcc 11 (scripts/make_fatbins.sh): 12 has no references any more. */
#include "check.h"

texture<float, 1, cudaReadModeElementType> features; /* kmeans */
texture<int2> nodes;                                 /* a breadth-first search */
texture<float, 2> plane;
texture<float, 2> image;
static texture<unsigned char, 1, cudaReadModeNormalizedFloat> bytes;
namespace cell {
texture<float> gradient;
}

__global__ void fetch(float *out, int width)
{
    int x = threadIdx.x, y = blockIdx.x, i = y * width + x;
    int2 node = tex1Dfetch(nodes, i);
    float sum = tex1Dfetch(features, i) + node.x - node.y;
    sum += tex2D(plane, x + 0.5f, y + 0.5f);
    sum += tex2D(image, (x + 0.5f) / width, (y + 0.5f) / gridDim.x);
    sum += 255 * tex1Dfetch(bytes, i);
    out[i] = sum + tex1Dfetch(cell::gradient, i);
}

enum { WIDTH = 32, HEIGHT = 8, ALL = WIDTH * HEIGHT };

int main()
{
    static float host[HEIGHT][WIDTH], back[HEIGHT][WIDTH];
    static int2 pair[ALL];
    static unsigned char small[ALL];
    float *line, *rows, *out;
    int2 *graph;
    unsigned char *tiny;
    size_t pitch, offset = 1;
    cudaArray_t array;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    for (int i = 0; i < ALL; i++) {
        host[i / WIDTH][i % WIDTH] = (float)(i % 7);
        pair[i] = make_int2(3 * i, i);
        small[i] = (unsigned char)(i % 251);
    }
    CUDA(cudaMalloc(&line, sizeof host));
    CUDA(cudaMalloc(&out, sizeof host));
    CUDA(cudaMalloc(&graph, sizeof pair));
    CUDA(cudaMalloc(&tiny, sizeof small));
    CUDA(cudaMallocPitch(&rows, &pitch, sizeof host[0], HEIGHT));
    CUDA(cudaMallocArray(&array, &desc, WIDTH, HEIGHT));
    CUDA(cudaMemcpy(line, host, sizeof host, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(graph, pair, sizeof pair, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(tiny, small, sizeof small, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy2D(rows, pitch, host, sizeof host[0], sizeof host[0], HEIGHT, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpyToArray(array, 0, 0, host, sizeof host, cudaMemcpyHostToDevice));

    features.filterMode = cudaFilterModePoint;
    features.normalized = false;
    features.channelDesc = desc;
    CUDA(cudaBindTexture(NULL, &features, line, &features.channelDesc, sizeof host)); /* the C form */
    CUDA(cudaBindTexture(&offset, nodes, graph)); /* no size: to the end of the memory */
    CHECK(offset == 0);
    CUDA(cudaBindTexture2D(0, plane, rows, desc, WIDTH, HEIGHT, pitch));
    image.normalized = true;
    image.addressMode[0] = image.addressMode[1] = cudaAddressModeClamp;
    CUDA(cudaBindTextureToArray(image, array));
    CUDA(cudaBindTexture(0, bytes, tiny, sizeof small));
    CUDA(cudaBindTexture(0, cell::gradient, line, sizeof host));
    fetch<<<HEIGHT, WIDTH>>>(out, WIDTH);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < ALL; i++) CHECK(back[i / WIDTH][i % WIDTH] == 4 * (float)(i % 7) + 2 * i + (float)(i % 251));

    CUDA(cudaUnbindTexture(features));
    for (int i = 0; i < ALL; i++) host[i / WIDTH][i % WIDTH] += 1;
    CUDA(cudaMemcpy(rows, host, WIDTH * sizeof(float), cudaMemcpyHostToDevice));
    CUDA(cudaBindTexture(0, features, rows, WIDTH * sizeof(float))); /* another memory under the same name */
    fetch<<<1, WIDTH>>>(out, WIDTH);
    CUDA(cudaMemcpy(back, out, sizeof back[0], cudaMemcpyDeviceToHost));
    for (int i = 0; i < WIDTH; i++) CHECK(back[0][i] > 2 * i);
    const textureReference *known;
    CUDA(cudaGetTextureReference(&known, &features));
    CHECK(known->channelDesc.x == 32);
    CUDA(cudaFreeArray(array));
    printf("references ok\n");
    return 0;
}
