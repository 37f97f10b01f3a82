/* chain.cu - lists in managed memory: the host links them, kernels walk and reverse them, the host walks again; a
 * heap of such nodes from cudaMallocManaged one by one, and a class whose new is managed. */
#include "../check.h"

struct managed {
    void *operator new(size_t n)
    {
        void *p;
        CUDA(cudaMallocManaged(&p, n));
        return p;
    }
    void operator delete(void *p) { CUDA(cudaFree(p)); }
};
struct node : managed {
    node *next;
    int value;
};
struct list : managed {
    node *first;
    int length;
    void push(int v)
    {
        node *n = new node;
        n->value = v;
        n->next = first;
        first = n;
        length++;
    }
};
__managed__ long long total;

__global__ void sum(const list *const *l, int lists)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lists) return;
    long long s = 0;
    for (const node *n = l[i]->first; n; n = n->next) s += n->value;
    atomicAdd((unsigned long long *)&total, (unsigned long long)s);
}
__global__ void reverse(list **l, int lists)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lists) return;
    node *done = nullptr;
    for (node *n = l[i]->first, *next; n; n = next) {
        next = n->next;
        n->next = done;
        n->value *= 2;
        done = n;
    }
    l[i]->first = done;
}

int main()
{
    enum { LISTS = 70 };
    list **l;
    long long want = 0;
    CUDA(cudaMallocManaged(&l, LISTS * sizeof *l));
    for (int i = 0; i < LISTS; i++) {
        l[i] = new list;
        l[i]->first = nullptr;
        l[i]->length = 0;
        for (int k = 0; k <= i % 13; k++) l[i]->push(100 * i + k), want += 100 * i + k;
    }
    total = 0;
    sum<<<2, 64>>>(l, LISTS);
    CUDA(cudaDeviceSynchronize());
    CHECK(total == want);
    reverse<<<2, 64>>>(l, LISTS);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < LISTS; i++) {
        int k = 0;
        for (node *n = l[i]->first, *next; n; n = next, k++) {
            next = n->next;
            CHECK(n->value == 2 * (100 * i + k));
            delete n;
        }
        CHECK(k == l[i]->length);
        delete l[i];
    }
    CUDA(cudaFree(l));
    printf("chain ok\n");
    return 0;
}
