/* one_launch.cu - host side of the radix sort in one launch (gpu/digit_sort/one_launch.cuh): up to
 * a few million keys, by one block a multiprocessor. */
/* SPDX-License-Identifier: MIT */
#include "gpu/digit_sort/one_launch_host.cuh"
#include "gpu/digit_sort/one_launch.cuh"

#include <type_traits>

/* ---- tuning ---- */

/* Shapes of a block, by the keys that it has to hold: `few` holds the fewest, `most` the most. */
template <typename K, unsigned value_bytes> struct one_launch_tuning {
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

/* ---- the whole ---- */

static unsigned blocks_limit(const usw_gpu *g)
{
#ifdef USW_EMULATE
    const unsigned most = g->sms < 2 ? 1 : 2 * g->sms;
#else
    const unsigned most = g->sms;
#endif
    return most < USW_ONE_LAUNCH_BLOCKS ? most : unsigned(USW_ONE_LAUNCH_BLOCKS);
}

template <typename shape, unsigned value_bytes, typename K>
static upsweep_status launch(usw_gpu *g, const usw_one_launch_args<K> &a, unsigned blocks)
{
    return USW_LAUNCH_COOPERATIVE(g, (usw_radix_one_launch<K, value_bytes, shape>), blocks,
                                  shape::threads,
                                  (usw_one_launch_sort<K, value_bytes, shape>::shared_bytes()), a);
}

template <typename K, unsigned value_bytes>
static upsweep_status sort_in_one_launch(usw_gpu *g, const usw_small_sort *s, bool stable,
                                         const unsigned *enabled)
{
    using tuning = one_launch_tuning<K, value_bytes>;
    usw_one_launch_args<K> a = {};
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
    a.facts = static_cast<usw_one_launch_facts<K> *>(usw_gpu_scratch(g, blocks * sizeof *a.facts));
    a.barrier = g->barrier;
    a.enabled = enabled;
    if (a.keys_out == nullptr || a.rows == nullptr || a.facts == nullptr) {
        return g->status;
    }
    return a.chunk <= tuning::few::tile ? launch<typename tuning::few, value_bytes>(g, a, blocks)
           : a.chunk <= tuning::some::tile
               ? launch<typename tuning::some, value_bytes>(g, a, blocks)
           : a.chunk <= tuning::more::tile
               ? launch<typename tuning::more, value_bytes>(g, a, blocks)
           : a.chunk <= tuning::many::tile
               ? launch<typename tuning::many, value_bytes>(g, a, blocks)
               : launch<typename tuning::most, value_bytes>(g, a, blocks);
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
        using shape = typename one_launch_tuning<K, bytes>::most;
        const bool fits = usw_one_launch_sort<K, bytes, shape>::shared_bytes() <= g->shared_bytes;
        return fits ? size_t(shape::tile) * blocks_limit(g) : 0;
    });
}

upsweep_status usw_gpu_one_launch_sort(usw_gpu *g, const usw_small_sort *s, bool stable,
                                       const unsigned *enabled)
{
    return by_types(s->width, s->value_bytes, [&](auto k, auto values) {
        return sort_in_one_launch<decltype(k), decltype(values)::value>(g, s, stable, enabled);
    });
}
