/* test_emulate.cpp - the emulator itself: kernels that are right come out right whatever the seed,
 * kernels that are wrong are caught. */
/* SPDX-License-Identifier: MIT */
#include "test/emulate/test_emulate.h"

/* ---- barriers: reversing a block through shared memory ---- */

template <bool barrier> __global__ void reverse(unsigned *x)
{
    USW_SHARED_ARRAY(unsigned, tile, [256]);
    tile[threadIdx.x] = x[threadIdx.x];
    if (barrier) {
        __syncthreads();
    }
    x[threadIdx.x] = tile[255 - threadIdx.x];
}

/* 255 if all is right, else something that tells which are wrong. */
template <bool barrier> static int reversed()
{
    device_array<unsigned> x(256);
    for (unsigned i = 0; i < 256; i++) {
        x[i] = i;
    }
    LAUNCH((reverse<barrier>), 1, 256, 0, nullptr, x.p);
    cudaDeviceSynchronize();
    unsigned wrong = 0, which = 0;
    for (unsigned i = 0; i < 256; i++) {
        wrong += x[i] != 255 - i;
        which = which * 31 + (x[i] != 255 - i);
    }
    return wrong == 0 ? 255 : static_cast<int>(which % 255);
}

static void test_missing_barrier(void **)
{
    std::vector<int> outcomes;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        assert_int_equal(child(seed, reversed<true>), 255);
        outcomes.push_back(child(seed, reversed<false>));
        assert_true(outcomes.back() < 255);
    }
    assert_true(std::count(outcomes.begin(), outcomes.end(), outcomes[0]) < 8);
}

__global__ void votes(int *out)
{
    int t = static_cast<int>(threadIdx.x);
    if (t >= 300) {
        return; // counts as arrived at every barrier
    }
    int any = __syncthreads_or(t == 299), all = __syncthreads_and(t >= 0);
    int count = __syncthreads_count(t % 3 == 0), none = __syncthreads_or(0);
    out[t] = any + 2 * all + 4 * (count == 100) + 8 * none;
}

static void test_votes(void **)
{
    device_array<int> out(300);
    LAUNCH(votes, 1, 512, 0, nullptr, out.p);
    cudaDeviceSynchronize();
    for (int i = 0; i < 300; i++) {
        assert_int_equal(out[i], 7);
    }
}

/* ---- warps ---- */

template <typename T> __global__ void warp_sums(const T *x, T *sums)
{
    T v = x[threadIdx.x], up = v, scan = v, zero = 0;
    unsigned lane = threadIdx.x % 32;
    for (int d = 16; d > 0; d /= 2) {
        v += __shfl_xor_sync(~0u, v, d);
        up += __shfl_down_sync(~0u, up, static_cast<unsigned>(d));
    }
    for (unsigned d = 1; d < 32; d *= 2) {
        T below = __shfl_up_sync(~0u, scan, d);
        scan += lane >= d ? below : zero;
    }
    up = __shfl_sync(~0u, up, 0);
    T last = __shfl_sync(~0u, scan, 31);
    // The same among the four lanes of a segment that are even.
    if (lane % 2 == 0) {
        T small = __shfl_sync(0x55555555u, x[threadIdx.x], 2, 8);
        last += small == x[threadIdx.x / 8 * 8 + 2] ? zero : T(1);
    }
    sums[threadIdx.x] = v == up && v == last ? v : T(-1);
}

template <typename T> static void sums_of(void)
{
    device_array<T> x(1024), sums(1024);
    for (unsigned i = 0; i < 1024; i++) {
        x[i] = static_cast<T>(i * 37 % 101);
    }
    LAUNCH(warp_sums<T>, 1, 1024, 0, nullptr, x.p, sums.p);
    cudaDeviceSynchronize();
    for (unsigned i = 0; i < 1024; i++) {
        T sum = 0;
        for (unsigned k = i / 32 * 32; k < i / 32 * 32 + 32; k++) {
            sum += x[k];
        }
        assert_true(sums[i] == sum);
    }
}

static void test_shuffles(void **)
{
    sums_of<int>();
    sums_of<unsigned>();
    sums_of<long long>();
    sums_of<unsigned long long>();
    sums_of<float>();
    sums_of<double>();
}

__global__ void matches(const unsigned *x, unsigned *same, unsigned *least, int *agree)
{
    unsigned t = threadIdx.x, v = x[t];
    same[t] = __match_any_sync(~0u, v);
    least[t] = __reduce_min_sync(same[t], t) | __reduce_add_sync(~0u, 1) << 16;
    int all = 7;
    __match_all_sync(same[t], v, &all);
    agree[t] = all + 2 * __any_sync(~0u, t % 32 == 5) + 4 * __all_sync(~0u, t % 32 != 5) +
               8 * (__popc(__ballot_sync(~0u, t % 2 == 0)));
    __syncwarp(same[t]);
}

static void test_matches(void **)
{
    device_array<unsigned> x(96), same(96), least(96);
    device_array<int> agree(96);
    for (unsigned i = 0; i < 96; i++) {
        x[i] = i * i % 7;
    }
    LAUNCH(matches, 1, 80, 0, nullptr, x.p, same.p, least.p,
           agree.p); // the last warp is half a warp
    cudaDeviceSynchronize();
    for (unsigned i = 0; i < 80; i++) {
        unsigned expected = 0, end = std::min(i / 32 * 32 + 32, 80u), base = i / 32 * 32;
        for (unsigned k = base; k < end; k++) {
            expected |= x[k] == x[i] ? 1u << k % 32 : 0;
        }
        assert_int_equal(same[i], expected);
        assert_int_equal(least[i], (base + static_cast<unsigned>(__builtin_ctz(expected))) |
                                       (end - base) << 16);
        assert_int_equal(agree[i], 1 + 2 + 8 * (end - base) / 2);
    }
}

/* ---- blocks that wait for one another ---- */

/* Inclusive scan with decoupled look-back; state[tile] = flag << 32 | sum, flag 1 own, 2 prefix. */
__global__ void look_back(const unsigned *x, unsigned *out, unsigned n, unsigned *tiles,
                          unsigned long long *state)
{
    USW_SHARED(unsigned, tile);
    USW_SHARED(unsigned, before);
    USW_DYNAMIC_SHARED(unsigned, sums);
    if (threadIdx.x == 0) {
        tile = atomicAdd(tiles, 1u);
    }
    __syncthreads();
    unsigned i = tile * blockDim.x + threadIdx.x;
    sums[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        unsigned v = threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
        __syncthreads();
        sums[threadIdx.x] += v;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        unsigned own = sums[blockDim.x - 1], sum = 0;
        atomicExch(&state[tile], (tile == 0 ? 2ull : 1ull) << 32 | own);
        for (unsigned t = tile; t-- > 0;) {
            unsigned long long s;
            while ((s = __ldcg(&state[t])) >> 32 == 0) {
                usw_yield();
            }
            sum += static_cast<unsigned>(s);
            if (s >> 32 == 2) {
                break;
            }
        }
        atomicExch(&state[tile], 2ull << 32 | (own + sum));
        before = sum;
    }
    __syncthreads();
    if (i < n) {
        out[i] = before + sums[threadIdx.x];
    }
}

static int scanned()
{
    enum { n = 10007, block = 128, blocks = (n + block - 1) / block };
    device_array<unsigned> x(n), out(n), tiles(1);
    device_array<unsigned long long> state(blocks);
    for (unsigned i = 0; i < n; i++) {
        x[i] = i * 2654435761u >> 20;
    }
    LAUNCH(look_back, blocks, block, block * sizeof(unsigned), nullptr, x.p, out.p, n, tiles.p,
           state.p);
    cudaDeviceSynchronize();
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++) {
        sum += x[i];
        if (out[i] != sum) {
            return 1;
        }
    }
    return 0;
}

static void test_look_back(void **)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        assert_int_equal(child(seed, scanned), 0);
    }
}

__global__ void grid_rounds(unsigned *x, unsigned *arrived, unsigned rounds)
{
    for (unsigned r = 0; r < rounds; r++) {
        unsigned next = x[(blockIdx.x + 1) % gridDim.x];
        for (unsigned half = 0; half < 2; half++) { // read by all, written by all
            __syncthreads();
            if (threadIdx.x == 0) {
                __threadfence();
                atomicAdd(arrived, 1u);
                while (__ldcg(arrived) < gridDim.x * (2 * r + half + 1)) {
                    usw_yield();
                }
            }
            __syncthreads();
            if (half == 0 && threadIdx.x == 0) {
                x[blockIdx.x] = next;
            }
        }
    }
}

static void test_cooperative(void **)
{
    device_array<unsigned> x(16), arrived(1);
    for (unsigned i = 0; i < 16; i++) {
        x[i] = i;
    }
    emulated_launch(
        16, 256, 0, nullptr, [=, x = x.p, a = arrived.p] { grid_rounds(x, a, 5); }, "rounds", true);
    cudaDeviceSynchronize();
    for (unsigned i = 0; i < 16; i++) {
        assert_int_equal(x[i], (i + 5) % 16);
    }
    emulated_launch(
        33, 1024, 0, nullptr, [] {}, "large", true);
    assert_int_equal(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
    emulated_launch(
        1, 1025, 0, nullptr, [] {}, "large", false);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidConfiguration);
    emulated_launch(
        0, 32, 0, nullptr, [] {}, "empty", false);
    assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidConfiguration);
    emulated_launch(
        1, 32, 228 * 1024, nullptr, [] {}, "shared", false);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

/* Blocks in clusters of 4 pass numbers round, in static and in dynamic shared memory, and add to
 * the first one's. */
static void cluster_rounds(unsigned *x)
{
    USW_DYNAMIC_SHARED(unsigned, mine);
    USW_SHARED_ARRAY(unsigned, sums, [2]);
    const unsigned rank = blockIdx.x % 4, t = threadIdx.x;
    if (t < 2) {
        sums[t] = 0;
    }
    mine[t] = blockIdx.x * 100 + t;
    emulated_cluster_barrier();
    auto *next = static_cast<unsigned *>(emulated_cluster_shared(mine, (rank + 1) % 4));
    auto *first = static_cast<unsigned *>(emulated_cluster_shared(&sums[1], 0));
    atomicAdd(first, next[t]);
    emulated_cluster_barrier();
    if (t == 0) {
        x[blockIdx.x] = next[5];
    }
    if (rank == 0 && t == 0) {
        x[16 + blockIdx.x / 4] = sums[1];
    }
    emulated_cluster_barrier();
}

static void test_clusters(void **)
{
    device_array<unsigned> x(20);
    emulated_launch(
        12, 64, 256, nullptr, [x = x.p] { cluster_rounds(x); }, "clusters", false, 4);
    cudaDeviceSynchronize();
    for (unsigned b = 0; b < 12; b++) {
        assert_int_equal(x[b], (b / 4 * 4 + (b + 1) % 4) * 100 + 5);
    }
    for (unsigned c = 0; c < 3;
         c++) { /* 64 times the blocks' numbers, and 4 times those below 64 */
        assert_int_equal(x[16 + c], 6400 * (16 * c + 6) + 4 * 2016);
    }
    for (unsigned cluster : {8u, 16u}) {
        emulated_launch(
            12, 64, 0, nullptr, [] {}, "uneven", false, cluster);
        assert_int_equal(cudaGetLastError(), cudaErrorInvalidConfiguration);
    }
}

static void test_intrinsics(void **)
{
    assert_int_equal(__brev(1), 0x80000000u);
    assert_int_equal(__byte_perm(0x33221100, 0x77665544, 0x7531), 0x77553311);
    assert_int_equal(__funnelshift_r(0x11223344, 0x55667788, 8), 0x88112233);
    assert_int_equal(__funnelshift_l(0x11223344, 0x55667788, 8), 0x66778811);
    assert_int_equal(__funnelshift_rc(1, 2, 32), 2);
    assert_int_equal(__clz(0) + __clzll(1) + __ffs(0) + __ffsll(8) + __popcll(~0ull),
                     32 + 63 + 4 + 64);
    assert_true(__umul64hi(1ull << 63, 6) == 3 && __umulhi(1u << 31, 6) == 3);
    assert_int_equal(__float_as_uint(1.0f), 0x3f800000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intrinsics),  cmocka_unit_test(test_missing_barrier),
        cmocka_unit_test(test_votes),       cmocka_unit_test(test_shuffles),
        cmocka_unit_test(test_matches),     cmocka_unit_test(test_look_back),
        cmocka_unit_test(test_cooperative), cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_caught),      cmocka_unit_test(test_guards),
        cmocka_unit_test(test_memory),      cmocka_unit_test(test_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
