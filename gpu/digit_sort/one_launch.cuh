/* one_launch.cuh - radix sort on a GPU in one launch, of as many keys as all blocks together hold.
 *
 * Idea     Each block holds one stretch of the keys, one tile of gpu/digit_sort/tile.cuh. A pass:
 *          the blocks rank their keys by a digit, publish how many keys of each digit they have,
 *          wait for one another at a barrier, write their keys to where these go, wait again, and
 *          load what is now in their stretch. All keys are in the blocks before any is written, so
 *          a pass needs no second array; and the facts that all blocks publish of their keys before
 *          the first pass show which passes are not needed. The keys stay in the second-level
 *          cache, so that a pass takes about as long as its two barriers.
 *
 * Steps of a pass
 *   load, rank, start, place, write   as in gpu/digit_sort/pass.cuh, with the same check of ranks.
 *   count    publishes a row of 256 counts of 16 bits for each block.
 *   look     up to 16 warps add up all rows, and the rows of the blocks before, as they come: a
 *            mark on each count says of which pass it is.
 *   meet     is usw_grid_barrier, when all is written.
 *
 * Shape    a block of 512 or 1024 threads a multiprocessor, launched together; up to 226 KB of
 *          shared memory.
 *
 * Traffic  all of it in the L2 cache: a pass reads and writes the keys, and reads 512 bytes a block
 *          in each block. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_DIGIT_SORT_ONE_LAUNCH_CUH
#define USW_GPU_DIGIT_SORT_ONE_LAUNCH_CUH

#include "gpu/digit_sort/one_launch_tile.cuh"

/* ---- tuning ---- */

#ifdef USW_EMULATE
enum { USW_ONE_LAUNCH_BLOCKS = 16 };
#else
enum { USW_ONE_LAUNCH_BLOCKS = 144 };
#endif

/* ---- rows ---- */

#ifdef USW_EMULATE
__device__ __forceinline__ uint4 usw_load_relaxed(const uint4 *p)
{
    emulated_touch();
    return *p;
}
__device__ __forceinline__ void usw_store_relaxed(uint4 *p, uint4 v)
{
    *p = v;
}
#else
__device__ __forceinline__ uint4 usw_load_relaxed(const uint4 *p)
{
    uint4 v;
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p)
                 : "memory");
    return v;
}
__device__ __forceinline__ void usw_store_relaxed(uint4 *p, uint4 v)
{
    asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
}
#endif

/* ---- one block's work ---- */

template <typename K, unsigned value_bytes, typename Shape>
struct usw_one_launch_sort : usw_one_launch_tile<K, value_bytes, Shape> {
    using base = usw_one_launch_tile<K, value_bytes, Shape>;
    using base::a;
    using base::b;
    using base::begin;
    using base::count;
    using base::e;
    using base::found;
    using typename base::block;
    static constexpr unsigned readers = Shape::warps < 16 ? Shape::warps : 16;
    static constexpr unsigned reads = USW_ONE_LAUNCH_BLOCKS / readers; /* rows of each */
    static_assert(Shape::items % Shape::batch == 0, "radix_tile writes whole batches");
    /* Shared memory behind the tile's. */
    struct slots {
        unsigned sums[2 * readers][256];
        uint16_t row[256];
        typename base::facts_slots facts;
        unsigned warp_sums[8];
    };
    slots &shared;
    unsigned meetings, pass;

    static constexpr size_t shared_bytes()
    {
        return base::tile_bytes + sizeof(slots);
    }
    __device__ __forceinline__ static slots *slots_at(unsigned char *at)
    {
        return reinterpret_cast<slots *>(at + base::tile_bytes);
    }
    __device__ __forceinline__ usw_one_launch_sort(const usw_one_launch_args<K> &args,
                                                   unsigned char *at)
        : base(args, at, slots_at(at)->facts), shared(*slots_at(at)), meetings(0), pass(0)
    {
    }
    __device__ __forceinline__ void wait_for_all()
    {
        usw_grid_barrier(a.barrier, ++meetings, false);
    }
    /* The facts of all blocks' keys, after the first barrier. */
    __device__ __forceinline__ usw_one_launch_facts<K> hear_facts() const
    {
        if (threadIdx.x < 32) {
            usw_one_launch_facts<K> f = {0, static_cast<K>(~K(0)), 0};
            for (unsigned r = threadIdx.x; r < gridDim.x; r += 32) {
                const usw_one_launch_facts<K> other = a.facts[r];
                f.any |= other.any;
                f.all &= other.all;
                f.disorder |= other.disorder;
            }
            f = usw_warp_facts(f);
            if (threadIdx.x == 0) {
                found.of[0] = f;
            }
        }
        __syncthreads();
        return found.of[0];
    }
    /* ---- a pass ---- */

    __device__ __forceinline__ uint4 *rows() const
    {
        return a.rows + (pass & 1) * 32 * gridDim.x;
    }
    /* The bit above each count of 15 bits, which says whether a row is of this pass or of the pass
     * that used the row before. The first pass needs no mark, since a barrier comes before its rows
     * are read. */
    __device__ __forceinline__ unsigned mark() const
    {
        return ((pass + 1) / 2 & 1) * 0x8000;
    }
    /* Publishes this block's counts, which `start` finds, in its row. Digit d is count d % 32 * 8 +
     * d / 32 there, so that the eight counts of a lane are of digits 32 apart. */
    __device__ __forceinline__ void count_and_publish()
    {
        const unsigned padding = Shape::tile - count;
        b.start([&](unsigned d, unsigned c) {
            shared.row[d % 32 * 8 + d / 32] =
                static_cast<uint16_t>((c - (d == e.mask ? padding : 0)) | mark());
        });
        if (threadIdx.x < 32) {
            const unsigned at = blockIdx.x * 32 + threadIdx.x;
            usw_store_relaxed(rows() + at,
                              reinterpret_cast<const uint4 *>(shared.row)[threadIdx.x]);
            if (pass == 0) {
                a.rows[32 * gridDim.x + at] = make_uint4(0, 0, 0, 0);
            }
        }
    }
    /* Adds up a warp's share of the rows. */
    __device__ __forceinline__ void add_rows()
    {
        const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        if (warp >= readers) {
            return;
        }
        uint4 row[reads];
        unsigned total[8] = {}, before[8] = {};
        const uint4 *from = rows() + warp * 32 + lane;
        const unsigned mine = mark() | mark() << 16;
        auto awaited = [&](const uint4 &v) {
            return (((v.x ^ mine) | (v.y ^ mine) | (v.z ^ mine) | (v.w ^ mine)) & 0x80008000) != 0;
        };
#pragma unroll
        for (unsigned i = 0; i < reads; i++) {
            row[i] = make_uint4(mine, mine, mine, mine);
            if (warp + i * readers < gridDim.x) {
                row[i] = usw_load_relaxed(from + i * readers * 32);
            }
        }
        for (bool late = true; late;) {
            usw_yield();
            late = false;
#pragma unroll
            for (unsigned i = 0; i < reads; i++) {
                if (awaited(row[i])) {
                    row[i] = usw_load_relaxed(from + i * readers * 32);
                    late = true;
                }
            }
        }
#pragma unroll
        for (unsigned i = 0; i < reads; i++) {
            const bool earlier = warp + i * readers < blockIdx.x;
            const unsigned word[4] = {row[i].x, row[i].y, row[i].z, row[i].w};
#pragma unroll
            for (unsigned j = 0; j < 8; j++) {
                const unsigned c = word[j / 2] >> j % 2 * 16 & 0x7fff;
                total[j] += c;
                before[j] += earlier ? c : 0;
            }
        }
#pragma unroll
        for (unsigned j = 0; j < 8; j++) {
            shared.sums[2 * warp][j * 32 + lane] = total[j];
            shared.sums[2 * warp + 1][j * 32 + lane] = before[j];
        }
    }
    /* Finds where this block's keys of each digit go. Returns whether all keys have the same
     * digit. */
    __device__ __forceinline__ bool look()
    {
        const unsigned d = threadIdx.x, lane = d % 32;
        unsigned total = 0, before = 0, sum = 0;
        add_rows();
        __syncthreads();
        if (d < 256) {
#pragma unroll
            for (unsigned w = 0; w < readers; w++) {
                total += shared.sums[2 * w][d];
                before += shared.sums[2 * w + 1][d];
            }
            sum = total;
            for (unsigned by = 1; by < 32; by *= 2) {
                const unsigned other = __shfl_up_sync(~0u, sum, by);
                sum += lane >= by ? other : 0;
            }
            if (lane == 31) {
                shared.warp_sums[d / 32] = sum;
            }
        }
        const bool single = __syncthreads_or(d < 256 && total == a.n);
        if (d < 256) {
#pragma unroll
            for (unsigned w = 0; w < 7; w++) {
                sum += w < d / 32 ? shared.warp_sums[w] : 0;
            }
            b.target[d] = sum - total + before - b.digit_start[d];
        }
        __syncthreads();
        return single;
    }
    __device__ __forceinline__ void run()
    {
        for (bool kept = false;; pass++) {
            unsigned ranks[block::ranks] = {}, from = 0, end = 0;
            if (kept) {
                const unsigned at = block::my_place();
#pragma unroll
                for (unsigned i = 0; i < Shape::items; i++) {
                    this->take(i, at + 32 * i);
                }
            } else {
                b.template fetch_two_arrays<false>(e, begin, count);
            }
            b.prepare(e, count);
            b.keep();
            if (pass == 0) {
                const usw_one_launch_facts<K> f = this->look_at_keys();
                if (threadIdx.x == 0) {
                    a.facts[blockIdx.x] = f;
                }
            }
            b.rank(e, ranks);
            __syncthreads();
            count_and_publish();
            b.place(e, ranks);
            if (pass == 0) {
                wait_for_all();
                const unsigned order = this->conclude(hear_facts());
                if (order != USW_ORDER_SORT) {
                    this->write_in_order(order == USW_ORDER_REVERSE);
                    return;
                }
            }
            kept = look();
            e.last = !this->next_digit(e.shift + 8, from, end);
            if (!kept || e.last) {
                e.keys_out = e.last && a.drop_keys ? nullptr : a.keys_out;
                this->write();
                if (e.last) {
                    return;
                }
                wait_for_all();
                kept = false;
                e.keys_in = a.keys_out;
                e.values_in = e.values_out;
            }
            e.first = false;
            this->set_digit(from, end);
        }
    }
};

template <typename K, unsigned value_bytes, typename Shape>
__global__ void __launch_bounds__(Shape::threads, 1)
    usw_radix_one_launch(const usw_one_launch_args<K> a)
{
    USW_DYNAMIC_SHARED(unsigned char, shared);
    if (a.enabled != nullptr && *a.enabled == 0) {
        return;
    }
    usw_one_launch_sort<K, value_bytes, Shape> m(a, shared);
    m.run();
    if (threadIdx.x == 0 && atomicAdd(&a.barrier[1], 1u) == gridDim.x - 1) {
        a.barrier[0] = 0; /* all blocks have left the last barrier */
        a.barrier[1] = 0;
    }
}

#endif
