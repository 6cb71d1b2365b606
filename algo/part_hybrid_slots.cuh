/* part_hybrid_slots.cuh - the hybrid sort's way with keys that a large sample finds evenly spread:
 * they are not counted before they are scattered.
 *
 * Each bucket of the first scatter has a region of tmp, a little larger than the mean. Each bucket
 * of the second has a slot in the array that is to be sorted. It holds of each key only the 16 bits
 * that are undecided, so that all slots fit in, at the array's end. The sort of the buckets reads a
 * slot and writes whole keys to their place; that place may hold slots of buckets before, so it
 * waits until they are read. Where a region or a slot is too small, or a key has other leading bits
 * than the sample, the keys go back into the array, and the radix sort takes them. */
#ifndef USW_PART_HYBRID_SLOTS_CUH
#define USW_PART_HYBRID_SLOTS_CUH

#include "part_hybrid_count.cuh"

/* What is known before the keys are. */
struct hybrid_slots {
    unsigned long long room; /* keys of a region; 0: there are no slots */
    unsigned cap, bytes;     /* keys and bytes of a slot */
    unsigned char *at;       /* the first one */
    unsigned *sizes;         /* how many keys each slot has been given */
    unsigned *loaded;        /* whether it has been read */
    unsigned alike_most;     /* leading bits that may be the same in all keys */
    unsigned *seen;          /* of the sample, the keys of each region, 256 at most, and bucket */
    unsigned *lost;          /* some key has found no place; or has other leading bits */
};

enum { HYBRID_SLOT_BITS = 16 }; /* of a key, in a slot */

__device__ __forceinline__ unsigned char *hybrid_slot(const hybrid_slots &s, unsigned b)
{
    return s.at + static_cast<unsigned long long>(b) * s.bytes;
}

/* c keys for slot b: how many were there before. Where they do not fit, they may be written to the
 * first slots, and the sort is lost. */
__device__ __forceinline__ unsigned char *hybrid_take_slot(const hybrid_slots &s, unsigned b,
                                                           unsigned c, unsigned &before)
{
    before = atomicAdd(&s.sizes[b], c);
    if (before + c <= s.cap) {
        return hybrid_slot(s, b);
    }
    *s.lost = 1;
    before = 0;
    return s.at;
}

/* Whether a bit above the buckets' differs from the sample's. */
__device__ __forceinline__ bool hybrid_is_stray(const hybrid_plan *plan, uint32_t differ)
{
    const unsigned top = plan->shift + plan->bits;
    return top < 32 && differ >> top != 0;
}

/* The bits that all keys of bucket b have, but for those in the slot. */
__device__ __forceinline__ uint32_t hybrid_slot_base(const hybrid_plan *plan, unsigned b)
{
    const unsigned top = plan->shift + plan->bits;
    const uint32_t above = top < 32 ? static_cast<uint32_t>(plan->all) >> top << top : 0;
    return (above | b << plan->shift) >> HYBRID_SLOT_BITS << HYBRID_SLOT_BITS;
}

/* Bucket b's slot has been read. One thread calls, after a barrier. */
__device__ __forceinline__ void hybrid_slot_loaded(const hybrid_slots &slots, unsigned b)
{
    usw_store_release(&slots.loaded[b], 1u);
}

/* Waits until the slots before b's in which [begin, end) lies have been read. All threads call it,
 * before a barrier. */
__device__ __forceinline__ void hybrid_await_slots(const hybrid_slots &slots, unsigned b,
                                                   const void *begin, const void *end)
{
    const unsigned char *from = static_cast<const unsigned char *>(begin);
    const unsigned char *to = static_cast<const unsigned char *>(end);
    if (to > slots.at && to > from) {
        const unsigned first =
            from > slots.at ? static_cast<unsigned>((from - slots.at) / slots.bytes) : 0;
        const unsigned last = static_cast<unsigned>((to - 1 - slots.at) / slots.bytes);
        const unsigned g = first + threadIdx.x;
        if (g <= last && g < b) {
            while (usw_load_acquire(&slots.loaded[g]) == 0) {
                usw_yield();
            }
        }
    }
}

#endif
