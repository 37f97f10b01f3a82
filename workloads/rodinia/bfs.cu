/* bfs - breadth-first search by levels, a thread per node, two kernels a level.
 *
 * bfs_expand: the nodes of the frontier visit their edges; which lanes are in the frontier, how
 * many edges each has and where they lead are all irregular. bfs_commit: the nodes found become
 * the next frontier. Flags are bytes. Several lanes may write one node's cost, all the same value. */

struct node {
    int start, count; /* its edges */
};

extern "C" __global__ void bfs_expand(const node *nodes, const int *edges, bool *frontier, bool *found,
                                      const bool *visited, int *cost, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n || !frontier[me]) return;
    frontier[me] = false;
    for (int e = nodes[me].start; e < nodes[me].start + nodes[me].count; e++) {
        int other = edges[e];
        if (visited[other]) continue;
        cost[other] = cost[me] + 1;
        found[other] = true;
    }
}

extern "C" __global__ void bfs_commit(bool *frontier, bool *found, bool *visited, bool *more, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n || !found[me]) return;
    frontier[me] = true;
    visited[me] = true;
    *more = true;
    found[me] = false;
}
