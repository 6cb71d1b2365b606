/* splitters.h - strings that part a range into buckets, and the tree by which a string finds its
 * bucket. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_STRINGS_SPLITTERS_H
#define USW_CPU_STRINGS_SPLITTERS_H

#include "cpu/strings/strings.h"

/* Bytes of a splitter's head, which are behind what all splitters share; strings whose heads are
 * searched side by side. */
enum { USW_HEAD = 64, USW_HEADS_AT_ONCE = 8 };
#define USW_NO_BUCKET (UINT32_C(1) << 31) /* or more: a splitter is added */

/* All splitters from `begin` to `end` share `depth` bytes; a string that comes to the node shares
 * `known` of them. Its next bytes are searched in `words`, those of the splitters without
 * repetition: entry e stands for the splitters from begins[e] to begins[e + 1]. */
typedef struct usw_split_node {
    size_t known, depth;
    uint32_t begin, end;
    uint32_t entry, entries; /* in words, children and begins; 0 entries: one splitter */
} usw_split_node;

/* Buckets are numbered 0 .. 2 count: bucket 2 i has what lies between splitters i - 1 and i, bucket
 * 2 i + 1 what equals splitter i. */
typedef struct usw_splitters {
    const usw_strings *strings;
    uint32_t count;
    usw_string *splitters; /* [count], in rising order, no two alike */
    usw_split_node *nodes; /* [2 count]; nodes[0] is the root */
    uint64_t *words;       /* [2 count]: 7 bytes, and how many the string still has, 8: more */
    uint32_t *children;    /* [2 count]: a node; USW_NO_NODE: the splitter ends here */
    uint32_t *begins;      /* [2 count]: splitters */
    uint32_t node_count, entry_count;
    unsigned char (*heads)[USW_HEAD]; /* [count]: of each splitter, with 0 behind its end */
    /* Splitters with the same head are a run, from its first one to run_ends of that; they share
     * run_depths bytes, and next_heads are behind those. */
    unsigned char (*next_heads)[USW_HEAD]; /* [count] */
    size_t *run_depths;                    /* [count] */
    uint32_t *run_ends;                    /* [count] */
} usw_splitters;

/* find: for USW_HEADS_AT_ONCE strings, which begin behind what all splitters share, the bucket of
 * each; where heads do not decide, USW_NO_BUCKET and the first splitter whose head is the string's.
 * find_next: of n heads in order, how many are less than the string; *same: the next one is alike.
 * NULL: not to be had. */
typedef struct usw_heads_steps {
    void (*find)(const usw_splitters *s, const usw_string *strings, uint32_t *buckets);
    uint32_t (*find_next)(const usw_splitters *s, unsigned char (*heads)[USW_HEAD], uint32_t n,
                          usw_string string, bool *same);
} usw_heads_steps;
USW_DECLARE_PER_ISA(usw_heads_steps, usw_heads_steps);

enum { USW_SPLITTERS_MOST = 4095 };

/* Memory for up to `most` splitters, and the tree in such a piece. */
#define USW_SPLITTER_MEMORY(most)                                                                  \
    struct {                                                                                       \
        unsigned char heads[most][USW_HEAD], next_heads[most][USW_HEAD];                           \
        size_t run_depths[most];                                                                   \
        uint32_t run_ends[most];                                                                   \
        usw_string splitters[most];                                                                \
        usw_split_node nodes[2 * (most)];                                                          \
        uint64_t words[2 * (most)];                                                                \
        uint32_t children[2 * (most)], begins[2 * (most)];                                         \
    }
/* Chooses up to `most` splitters for the items [begin, begin + n) of `from`, whose strings share
 * `depth` bytes, and makes their tree. `each` strings are looked at for a splitter; sample has room
 * for most * each words, at most USW_LEAF_MOST; the leaf is one that is not in use. */
void usw_sample_splitters(usw_splitters *s, size_t most, size_t each, const usw_string_leaf *leaf,
                          const usw_string_items *from, size_t begin, size_t n, size_t depth,
                          uint64_t *sample);
/* The buckets of n <= USW_HEADS_AT_ONCE strings, which share the splitters' first `depth` bytes.
 * buckets[USW_HEADS_AT_ONCE - 1] is a guess before, where all may be; 0: none. */
void usw_find_string_buckets(const usw_splitters *s, usw_isa isa, const usw_string *strings,
                             size_t n, uint32_t *buckets);
/* How many bytes the strings of bucket 2 i share, being between two splitters; `depth` at least. */
size_t usw_bucket_depth(const usw_splitters *s, uint32_t i, size_t depth);

#endif
