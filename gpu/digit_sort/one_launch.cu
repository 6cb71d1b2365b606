/* one_launch.cu - host side of the radix sort in one launch (gpu/digit_sort/one_launch.cuh): up to
 * a few million keys, by one block a multiprocessor. */
#include "gpu/digit_sort/one_launch_host.cuh"
#include "gpu/digit_sort/one_launch.cuh"

#include <type_traits>

/* ---- tuning ---- */

/* Shapes of a block, by the keys that it has to hold: `few` holds the fewest, `most` the most. */
template <typename K, unsigned value_bytes> struct held_tuning {
#ifdef USW_EMULATE
    using few = usw_pass_shape<2, 1, 256>;
    using some = few;
    using more = few;
    using many = few;
    using most = few;
#else
    static constexpr unsigned bytes = sizeof(K) + value_bytes;
    using few = usw_pass_shape<4, 1, 512>;
    using some = usw_pass_shape<8, 1, 512>;
    using more = usw_pass_shape<16, 1, 512>;
    using twelve = usw_pass_shape<12, 1, 1024>;
    using sixteen =
        usw_pass_shape<(value_bytes == 0 ? 32 : 16), 1, (value_bytes == 0 ? 512 : 1024)>;
    using many =
        std::conditional_t<(bytes > 12), more, std::conditional_t<(bytes > 8), twelve, sixteen>>;
    using most = std::conditional_t<(bytes > 4), many, usw_pass_shape<24, 1, 1024>>;
#endif
};

/* pays_from: from so many keys on the one launch is faster than the sort by samples
 * (gpu/short_sort/short_sort.cu). pays_to: up to so many it is faster than buckets
 * (algo/sort_hybrid.cu). A pass takes 5 us and more, so keys of few digits have the lower limit. */
#ifdef USW_EMULATE
static size_t pays_from(const usw_small_sort *)
{
    return 1500;
}
static size_t pays_to(unsigned, unsigned)
{
    return SIZE_MAX;
}
#else
static size_t pays_from(const usw_small_sort *s)
{
    return s->width == 1 ? 40000 : s->width == 2 ? 200000 : (1 << 18) + 1;
}
static size_t pays_to(unsigned width, unsigned value_bytes)
{
    return width == 3 && value_bytes == 0 ? 1100000 : SIZE_MAX;
}
#endif

/* ---- the whole ---- */

static unsigned blocks_limit(const usw_gpu *g)
{
#ifdef USW_EMULATE
    const unsigned most = 2 * g->sms;
#else
    const unsigned most = g->sms;
#endif
    return most < USW_MEET_BLOCKS ? most : unsigned(USW_MEET_BLOCKS);
}

template <typename shape, unsigned value_bytes, typename K>
static upsweep_status meet(usw_gpu *g, const usw_meet_args<K> &a, unsigned blocks)
{
    return USW_LAUNCH_COOPERATIVE(g, (usw_radix_meet<K, value_bytes, shape>), blocks,
                                  shape::threads,
                                  (usw_radix_meeting<K, value_bytes, shape>::shared_bytes()), a);
}

template <typename K, unsigned value_bytes>
static upsweep_status sort_meeting(usw_gpu *g, const usw_small_sort *s, bool stable,
                                   const unsigned *go)
{
    using tuning = held_tuning<K, value_bytes>;
    usw_meet_args<K> a = {};
    unsigned blocks = blocks_limit(g);
    a.n = static_cast<unsigned>(s->n);
    a.chunk = ((a.n + blocks - 1) / blocks + 31) / 32 * 32;
    blocks = (a.n + a.chunk - 1) / a.chunk;
    a.keys_in = static_cast<const K *>(s->keys);
    a.keys_out = static_cast<K *>(s->out_keys != nullptr ? s->out_keys
                                                         : usw_gpu_scratch(g, a.n * sizeof(K)));
    a.values_in = s->values;
    a.values_out = s->out_values;
    a.map = usw_gpu_keymap_of<K>(s->map);
    a.bit_begin = s->bit_begin;
    a.bit_end = s->bit_end;
    a.stable = stable;
    a.drop_keys = s->out_keys == nullptr;
    a.rows = static_cast<uint4 *>(usw_gpu_scratch(g, size_t(blocks) * 64 * sizeof(uint4)));
    a.facts = static_cast<usw_meet_facts<K> *>(usw_gpu_scratch(g, blocks * sizeof *a.facts));
    a.barrier = g->barrier;
    a.go = go;
    if (a.keys_out == nullptr || a.rows == nullptr || a.facts == nullptr) {
        return g->status;
    }
    return a.chunk <= tuning::few::tile    ? meet<typename tuning::few, value_bytes>(g, a, blocks)
           : a.chunk <= tuning::some::tile ? meet<typename tuning::some, value_bytes>(g, a, blocks)
           : a.chunk <= tuning::more::tile ? meet<typename tuning::more, value_bytes>(g, a, blocks)
           : a.chunk <= tuning::many::tile ? meet<typename tuning::many, value_bytes>(g, a, blocks)
                                           : meet<typename tuning::most, value_bytes>(g, a, blocks);
}

/* Calls f(K(), values) with the key type and the number of bytes of a value. */
template <typename F> static auto by_types(unsigned width, unsigned value_bytes, F f)
{
    using none = std::integral_constant<unsigned, 0>;
    using four = std::integral_constant<unsigned, 4>;
    using eight = std::integral_constant<unsigned, 8>;
    auto of_key = [&](auto k) {
        return value_bytes == 0 ? f(k, none()) : value_bytes == 4 ? f(k, four()) : f(k, eight());
    };
    return width == 1 ? of_key(uint16_t()) : width == 2 ? of_key(uint32_t()) : of_key(uint64_t());
}

size_t usw_gpu_one_launch_fits(const usw_gpu *g, unsigned width, unsigned value_bytes)
{
    if (g->device < 0 || width == 0 || (value_bytes != 0 && value_bytes != 4 && value_bytes != 8)) {
        return 0; /* a plan must count the scratch of the other sorts, which need more */
    }
    return by_types(width, value_bytes, [&](auto k, auto values) -> size_t {
        using K = decltype(k);
        constexpr unsigned bytes = decltype(values)::value;
        using shape = typename held_tuning<K, bytes>::most;
        const bool fits = usw_radix_meeting<K, bytes, shape>::shared_bytes() <= g->shared_bytes;
        return fits ? size_t(shape::tile) * blocks_limit(g) : 0;
    });
}

/* Up to so many keys the one launch fits the device and is faster than buckets. */
static size_t pays_most(const usw_gpu *g, unsigned width, unsigned value_bytes)
{
    const size_t most = usw_gpu_one_launch_fits(g, width, value_bytes),
                 pays = pays_to(width, value_bytes);
    return most < pays ? most : pays;
}
bool usw_gpu_one_launch_pays(const usw_gpu *g, const usw_small_sort *s)
{
    return s->n >= pays_from(s) && s->n <= pays_most(g, s->width, s->value_bytes);
}
size_t usw_gpu_one_launch_max(const usw_gpu *g, unsigned width, unsigned value_bytes)
{
    const size_t small = usw_gpu_small_max(g, width, value_bytes != 0);
    const size_t held = pays_most(g, width, value_bytes);
    return small > held ? small : held;
}

upsweep_status usw_gpu_one_launch_sort(usw_gpu *g, const usw_small_sort *s, bool stable,
                                       const unsigned *go)
{
    return by_types(s->width, s->value_bytes, [&](auto k, auto values) {
        return sort_meeting<decltype(k), decltype(values)::value>(g, s, stable, go);
    });
}
