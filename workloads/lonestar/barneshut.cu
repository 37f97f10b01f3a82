/* barneshut - gravity of many bodies by a tree of cells: six kernels per step.
 *
 * Nodes 0 .. bodies - 1 are bodies, cells are taken from the top index down; the root is the last node.
 * A node has a mass and a place, a cell eight children. bh_box: bounds of all bodies, the last CTA joins the
 * parts. bh_build: a thread inserts a body, walking down from the root; the slot it changes is locked with
 * an atomic exchange. bh_sum: masses and centres of cells whose children are known, and their bodies counted;
 * the program this stands for waits for children inside one launch, here the host launches again until none is
 * left, so that no CTA waits for another. bh_sort: bodies in the order of the tree, from the root down, likewise.
 * bh_force: the 32 neighbours of a warp walk the tree together: node loads are the same for all lanes, and a
 * cell is opened if any lane is too near. bh_move: a step in time.
 *
 * Sums and products whose rounding decides where the walk goes are written out, so that a CPU can repeat
 * them. */

enum { THREADS = 256, MAX_DEPTH = 32, EMPTY = -1, LOCKED = -2, UNKNOWN = -1, DONE = -2 };

struct tree {
    float *mass, *x, *y, *z; /* by node */
    float *vx, *vy, *vz;     /* by body */
    float *ax, *ay, *az;
    int *child;         /* eight a node */
    int *count, *start; /* bodies of a cell; where they begin in `sorted` */
    int *sorted;
    float *bounds; /* parts of bh_box, six per CTA */
    int *state;    /* bottom cell, CTAs that are done, cells that wait */
    float *radius;
    int bodies, nodes; /* the root is node `nodes` - 1 */
};
enum { BOTTOM, FINISHED, WAITING };

extern "C" __global__ void bh_box(tree t)
{
    __shared__ float low[3][THREADS], high[3][THREADS];
    __shared__ bool last;
    const float *axis[3] = {t.x, t.y, t.z};
    int id = threadIdx.x, root = t.nodes - 1;
    for (int a = 0; a < 3; a++) {
        float l = axis[a][0], h = l;
        for (int i = blockIdx.x * THREADS + id; i < t.bodies; i += THREADS * gridDim.x) {
            l = fminf(l, axis[a][i]);
            h = fmaxf(h, axis[a][i]);
        }
        low[a][id] = l;
        high[a][id] = h;
    }
    for (int reach = THREADS / 2; reach; reach /= 2) {
        __syncthreads();
        if (id < reach)
            for (int a = 0; a < 3; a++) {
                low[a][id] = fminf(low[a][id], low[a][id + reach]);
                high[a][id] = fmaxf(high[a][id], high[a][id + reach]);
            }
    }
    if (id == 0) {
        for (int a = 0; a < 3; a++) {
            t.bounds[blockIdx.x * 6 + a] = low[a][0];
            t.bounds[blockIdx.x * 6 + 3 + a] = high[a][0];
        }
        __threadfence();
        last = atomicAdd(&t.state[FINISHED], 1) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (!last || id) return;
    float l[3], h[3], r = 0;
    const volatile float *bounds = t.bounds;
    for (int a = 0; a < 3; a++) {
        l[a] = bounds[a];
        h[a] = bounds[3 + a];
        for (unsigned b = 1; b < gridDim.x; b++) {
            l[a] = fminf(l[a], bounds[b * 6 + a]);
            h[a] = fmaxf(h[a], bounds[b * 6 + 3 + a]);
        }
        r = fmaxf(r, __fsub_rn(h[a], l[a]));
    }
    t.x[root] = __fmul_rn(__fadd_rn(l[0], h[0]), 0.5f);
    t.y[root] = __fmul_rn(__fadd_rn(l[1], h[1]), 0.5f);
    t.z[root] = __fmul_rn(__fadd_rn(l[2], h[2]), 0.5f);
    t.mass[root] = UNKNOWN;
    t.start[root] = 0;
    for (int k = 0; k < 8; k++) t.child[root * 8 + k] = EMPTY;
    t.radius[0] = __fmul_rn(r, 0.5f);
    t.state[BOTTOM] = root;
    t.state[FINISHED] = 0;
}

/* Other CTAs make cells while this one reads: volatile, past the L1. */
static __device__ int octant(const tree &t, int cell, float x, float y, float z)
{
    const volatile float *cx = t.x, *cy = t.y, *cz = t.z;
    return (cx[cell] < x) | (cy[cell] < y) << 1 | (cz[cell] < z) << 2;
}

/* A new cell in octant j of cell n, whose half side is r: the middle of that octant. */
static __device__ int new_cell(const tree &t, int n, int j, float r)
{
    int cell = atomicSub(&t.state[BOTTOM], 1) - 1;
    if (cell < t.bodies) __trap(); /* the host made room for fewer cells than needed */
    volatile float *x = t.x, *y = t.y, *z = t.z;
    float half = __fmul_rn(r, 0.5f);
    x[cell] = __fadd_rn(x[n], j & 1 ? half : -half);
    y[cell] = __fadd_rn(y[n], j & 2 ? half : -half);
    z[cell] = __fadd_rn(z[n], j & 4 ? half : -half);
    t.mass[cell] = UNKNOWN;
    t.start[cell] = UNKNOWN;
    for (int k = 0; k < 8; k++) t.child[cell * 8 + k] = EMPTY;
    return cell;
}

extern "C" __global__ void bh_build(tree t)
{
    volatile int *child = t.child;
    int root = t.nodes - 1, step = blockDim.x * gridDim.x, n = root, j = 0;
    float radius = t.radius[0], r = radius, x = 0, y = 0, z = 0;
    bool fresh = true;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < t.bodies;) {
        if (fresh) {
            fresh = false;
            x = t.x[i], y = t.y[i], z = t.z[i];
            n = root;
            r = radius;
            j = octant(t, n, x, y, z);
        }
        int at = child[n * 8 + j];
        while (at >= t.bodies) { /* down to a leaf */
            n = at;
            r = __fmul_rn(r, 0.5f);
            j = octant(t, n, x, y, z);
            at = child[n * 8 + j];
        }
        if (at == LOCKED) continue;
        int slot = n * 8 + j;
        if (atomicCAS(&t.child[slot], at, at == EMPTY ? i : LOCKED) != at) continue;
        if (at != EMPTY) { /* another body is there: cells until the two part */
            int first = EMPTY;
            do {
                int cell = new_cell(t, n, j, r);
                if (first == EMPTY) first = cell;
                else child[n * 8 + j] = cell;
                child[cell * 8 + octant(t, cell, t.x[at], t.y[at], t.z[at])] = at;
                n = cell;
                r = __fmul_rn(r, 0.5f);
                j = octant(t, n, x, y, z);
            } while (child[n * 8 + j] != EMPTY);
            child[n * 8 + j] = i;
            __threadfence();
            child[slot] = first; /* unlocks */
        }
        i += step;
        fresh = true;
    }
}

extern "C" __global__ void bh_sum(tree t)
{
    volatile float *mass = t.mass;
    int k = t.state[BOTTOM] + blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= t.nodes || mass[k] >= 0) return;
    float m = 0, sx = 0, sy = 0, sz = 0;
    int bodies = 0, kept = 0;
    for (int j = 0; j < 8; j++) {
        int c = t.child[k * 8 + j];
        if (c >= t.bodies && mass[c] < 0) { /* not yet known */
            t.state[WAITING] = 1;
            return;
        }
    }
    __threadfence(); /* what the children's masses promise is read after them */
    for (int j = 0; j < 8; j++) {
        int c = t.child[k * 8 + j];
        if (c == EMPTY) continue;
        t.child[k * 8 + j] = EMPTY;
        t.child[k * 8 + kept++] = c; /* children without gaps, in order */
        float w = mass[c];
        bodies += c < t.bodies ? 1 : t.count[c];
        m = __fadd_rn(m, w);
        sx = fmaf(t.x[c], w, sx);
        sy = fmaf(t.y[c], w, sy);
        sz = fmaf(t.z[c], w, sz);
    }
    t.count[k] = bodies;
    t.x[k] = __fdiv_rn(sx, m);
    t.y[k] = __fdiv_rn(sy, m);
    t.z[k] = __fdiv_rn(sz, m);
    __threadfence();
    mass[k] = m;
}

extern "C" __global__ void bh_sort(tree t)
{
    volatile int *start = t.start;
    int k = t.nodes - 1 - (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k < t.state[BOTTOM] || start[k] == DONE) return;
    int at = start[k];
    if (at == UNKNOWN) {
        t.state[WAITING] = 1;
        return;
    }
    for (int j = 0; j < 8; j++) {
        int c = t.child[k * 8 + j];
        if (c == EMPTY) break;
        if (c >= t.bodies) {
            start[c] = at;
            at += t.count[c];
        } else t.sorted[at++] = c;
    }
    start[k] = DONE;
}

extern "C" __global__ void bh_force(tree t, float opening, float soft)
{
    __shared__ volatile int node[THREADS / 32][MAX_DEPTH], next[THREADS / 32][MAX_DEPTH];
    __shared__ float reach[MAX_DEPTH]; /* squared distance from which a cell of this depth counts as a point */
    int w = threadIdx.x / 32, lane = threadIdx.x % 32, k = blockIdx.x * THREADS + threadIdx.x;
    if (threadIdx.x == 0) {
        float side = __fmul_rn(2.0f, t.radius[0]), d2 = __fmul_rn(__fmul_rn(side, side), opening);
        for (int d = 0; d < MAX_DEPTH; d++, d2 = __fmul_rn(d2, 0.25f)) reach[d] = d2;
    }
    __syncthreads();
    bool real = k < t.bodies;
    int i = t.sorted[real ? k : t.bodies - 1], depth = 0;
    float x = t.x[i], y = t.y[i], z = t.z[i], ax = 0, ay = 0, az = 0;
    if (lane == 0) node[w][0] = t.nodes - 1, next[w][0] = 0;
    __syncwarp();
    while (depth >= 0) {
        int j = next[w][depth], c = j < 8 ? t.child[node[w][depth] * 8 + j] : EMPTY;
        __syncwarp();
        if (c == EMPTY) { /* all children of this cell are done */
            depth--;
            continue;
        }
        if (lane == 0) next[w][depth] = j + 1;
        float dx = __fsub_rn(t.x[c], x), dy = __fsub_rn(t.y[c], y), dz = __fsub_rn(t.z[c], z);
        float d2 = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, soft)));
        if (c < t.bodies || __all_sync(0xffffffffu, d2 >= reach[depth])) {
            float inverse = rsqrtf(d2), pull = t.mass[c] * inverse * inverse * inverse;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        } else {
            depth++;
            if (lane == 0) node[w][depth] = c, next[w][depth] = 0;
        }
        __syncwarp();
    }
    if (!real) return;
    t.ax[i] = ax;
    t.ay[i] = ay;
    t.az[i] = az;
}

extern "C" __global__ void bh_move(tree t, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= t.bodies) return;
    t.vx[i] = fmaf(t.ax[i], dt, t.vx[i]);
    t.vy[i] = fmaf(t.ay[i], dt, t.vy[i]);
    t.vz[i] = fmaf(t.az[i], dt, t.vz[i]);
    t.x[i] = fmaf(t.vx[i], dt, t.x[i]);
    t.y[i] = fmaf(t.vy[i], dt, t.y[i]);
    t.z[i] = fmaf(t.vz[i], dt, t.z[i]);
}
