/* tagged_value.cuh - a node: a value that one block publishes to others, with its state. A node is
 * 16 bytes, written and read whole, so that value and state need no fence between them. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_CARRY_TAGGED_VALUE_CUH
#define USW_GPU_CARRY_TAGGED_VALUE_CUH

#include "gpu/gpu.cuh"

struct alignas(16) usw_node {
    uint64_t value, state;
};

__device__ __forceinline__ void usw_node_publish(usw_node *p, uint64_t value, uint64_t state)
{
#ifdef USW_EMULATE
    p->value = value;
    usw_store_release(&p->state, state);
#else
    asm volatile("{\n"
                 ".reg .b128 node;\n"
                 "mov.b128 node, {%1, %2};\n"
                 "st.relaxed.gpu.global.b128 [%0], node;\n"
                 "}"
                 :
                 : "l"(p), "l"(value), "l"(state)
                 : "memory");
#endif
}

__device__ __forceinline__ usw_node usw_tagged_look_back(const usw_node *p)
{
    usw_node n;
#ifdef USW_EMULATE
    n.state = usw_load_acquire(&p->state);
    n.value = p->value;
#else
    asm volatile("{\n"
                 ".reg .b128 node;\n"
                 "ld.relaxed.gpu.global.b128 node, [%2];\n"
                 "mov.b128 {%0, %1}, node;\n"
                 "}"
                 : "=l"(n.value), "=l"(n.state)
                 : "l"(p)
                 : "memory");
#endif
    return n;
}

#endif
