/* part_hybrid_crowd.cuh - ranks of keys of whose digits many are the same, as the hybrid sort's
 * scatters take them: in any order. */
#ifndef USW_PART_HYBRID_CROWD_CUH
#define USW_PART_HYBRID_CROWD_CUH

#include "part_hybrid_count.cuh"
#include "part_rank.cuh"

/* What atomicAdd(counter of a digit, 1) returns, for U keys of each lane, of which the bits of here
 * say which there are, and of whose digits two are common: these are counted by votes and added at
 * once. d: 4 times the digit, so are one and two. There is no branch: where nothing is to be added,
 * it is 0 to a counter of the lane's. All of the warp call. */
template <int U>
__device__ __forceinline__ void hybrid_rank_common(unsigned *cnt, const unsigned (&d)[U],
                                                   unsigned here, unsigned one, unsigned two,
                                                   unsigned (&r)[U])
{
    const unsigned lane = threadIdx.x % 32, below = (1u << lane) - 1;
    unsigned ones = 0, twos = 0;
#pragma unroll
    for (int i = 0; i < U; i++) {
        const bool other = d[i] != one && d[i] != two && (here >> i & 1) != 0;
        r[i] = atomicAdd(hybrid_byte<unsigned>(cnt, other ? d[i] : lane * 4), other ? 1 : 0);
    }
#pragma unroll
    for (int i = 0; i < U; i++) {
        const bool is = (here >> i & 1) != 0;
        const unsigned at_one = __ballot_sync(~0u, is && d[i] == one);
        const unsigned at_two = __ballot_sync(~0u, is && d[i] == two);
        const unsigned by_one = ones + __popc(at_one & below);
        const unsigned by_two = twos + __popc(at_two & below);
        r[i] = d[i] == one ? by_one : d[i] == two ? by_two : r[i];
        ones += __popc(at_one);
        twos += __popc(at_two);
    }
    unsigned base = 0;
    if (lane < 2 && (ones | twos) != 0) {
        base =
            atomicAdd(hybrid_byte<unsigned>(cnt, lane == 0 ? one : two), lane == 0 ? ones : twos);
    }
    const unsigned base_one = __shfl_sync(~0u, base, 0), base_two = __shfl_sync(~0u, base, 1);
#pragma unroll
    for (int i = 0; i < U; i++) {
        r[i] += d[i] == one ? base_one : d[i] == two ? base_two : 0;
    }
}

/* Whether the keys of a warp are for that: of one each, many digits are the same. */
__device__ __forceinline__ bool hybrid_commons(unsigned d, unsigned &one, unsigned &two)
{
    commonest_digits(d / 4, one, two);
    one *= 4;
    two *= 4;
    return __popc(__ballot_sync(~0u, d == one)) >= 6;
}

#endif
