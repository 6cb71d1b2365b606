/* splitters.c - a tree that finds between which of some thousand strings a string lies, in about as
 * many steps as a search among integers.
 *
 * A node looks at seven bytes of the string: they are one integer, which is searched among those of
 * the node's splitters. If it is found there, the next node looks at the bytes behind. What all
 * splitters of a node share is compared before, so every node with entries parts its splitters and
 * there are fewer than two for each (Bingmann and Sanders, "Parallel string sample sort", 2013; the
 * nodes are theirs, but for any number of words). */
/* SPDX-License-Identifier: MIT */
#include "cpu/cpu.h"
#include "cpu/strings/splitters.h"

enum { WORD_BYTES = 7, MORE = WORD_BYTES + 1 };
#define NO_NODE UINT32_MAX

static inline uint64_t word_of(const usw_strings *strings, usw_string s, size_t depth)
{
    size_t rest = s.bytes - depth;
    uint64_t word = usw_load_word(s.at + depth, strings->end);
    return rest >= MORE ? (word & ~UINT64_C(0xff)) | MORE
                        : (rest == 0 ? 0 : (word & ~UINT64_C(0) << (64 - 8 * rest))) | rest;
}

/* Fills a node of the splitters [begin, end). Entries are made side by side, and what they lead to
 * is settled later: entries whose children are still to be made have the splitters' number there.
 */
static uint32_t new_node(usw_splitters *s, size_t known, uint32_t begin, uint32_t end)
{
    usw_split_node *node = &s->nodes[s->node_count];
    *node = (usw_split_node){.known = known, .depth = known, .begin = begin, .end = end};
    if (end - begin == 1) {
        return s->node_count++;
    }
    usw_string first = s->splitters[begin], last = s->splitters[end - 1];
    node->depth += usw_shared(first, last, known, SIZE_MAX);
    node->entry = s->entry_count;
    uint64_t before = 0;
    for (uint32_t i = begin; i < end; i++) {
        uint64_t word = word_of(s->strings, s->splitters[i], node->depth);
        if (i == begin || word != before) {
            s->words[s->entry_count] = word;
            s->begins[s->entry_count++] = i;
        }
        before = word;
    }
    node->entries = s->entry_count - node->entry;
    return s->node_count++;
}

static uint32_t entry_end(const usw_splitters *s, const usw_split_node *node, uint32_t entry)
{
    return entry + 1 == node->entry + node->entries ? node->end : s->begins[entry + 1];
}

static void build(usw_splitters *s, size_t count, size_t depth)
{
    s->count = (uint32_t)count;
    s->node_count = s->entry_count = 0;
    new_node(s, depth, 0, s->count);
    for (uint32_t n = 0; n < s->node_count; n++) { /* which grows on the way */
        const usw_split_node node = s->nodes[n];
        for (uint32_t e = node.entry; e < node.entry + node.entries; e++) {
            bool ends = (s->words[e] & 0xff) != MORE;
            uint32_t end = entry_end(s, &node, e);
            s->children[e] =
                ends ? NO_NODE : new_node(s, node.depth + WORD_BYTES, s->begins[e], end);
        }
    }
}

static void make_head(unsigned char *head, usw_string string, size_t depth)
{
    memset(head, 0, USW_HEAD);
    memcpy(head, string.at + depth, usw_min(string.bytes - depth, USW_HEAD));
}

/* Splitters whose heads are alike are found together in next_heads. */
static void make_run(usw_splitters *s, uint32_t begin, uint32_t end)
{
    size_t known = s->nodes[0].depth;
    size_t depth = known + usw_shared(s->splitters[begin], s->splitters[end - 1], known, SIZE_MAX);
    for (uint32_t i = begin; i < end; i++) {
        s->run_depths[i] = depth;
        s->run_ends[i] = end;
        if (end - begin > 1) {
            make_head(s->next_heads[i], s->splitters[i], depth);
        }
    }
}

static void make_heads(usw_splitters *s)
{
    size_t depth = s->nodes[0].depth;
    uint32_t begin = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        make_head(s->heads[i], s->splitters[i], depth);
        if (memcmp(s->heads[begin], s->heads[i], USW_HEAD) != 0) {
            make_run(s, begin, i);
            begin = i;
        }
    }
    make_run(s, begin, s->count);
}

/* A number that looks random, of i. */
static uint64_t mix(uint64_t i)
{
    i = (i ^ i >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    i = (i ^ i >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return i ^ i >> 32;
}

void usw_sample_splitters(usw_splitters *s, size_t most, size_t each, const usw_string_leaf *leaf,
                          const usw_string_items *from, size_t begin, size_t n, size_t depth,
                          uint64_t *sample)
{
    usw_string_sort plain = *leaf->sort; /* but of the sample, and keeping all */
    plain.values = NULL;
    usw_string_leaf l = *leaf;
    l.sort = &plain;
    l.dropped = NULL;
    unsigned bytes = plain.item_bytes;
    size_t count = most * each, part = n / count;
    for (size_t i = 0; i < count; i++) { /* one of each of `count` equal parts */
        size_t at = begin + i * part + (size_t)(mix(i + begin) % part);
        usw_set_item(sample, bytes, i, usw_item(from->items, bytes, at));
    }
    usw_string_items items = {sample, NULL};
    usw_sort_string_leaf(&l, &items, &items, 0, count, depth);
    s->strings = &leaf->sort->strings;
    size_t chosen = 0;
    for (size_t i = each / 2; i < count; i += each) {
        size_t at = plain.descending ? count - 1 - i : i;
        usw_string string = usw_string_of(s->strings, usw_item(sample, bytes, at));
        if (chosen == 0 || usw_compare_strings(s->splitters[chosen - 1], string, depth) != 0) {
            s->splitters[chosen++] = string;
        }
    }
    build(s, chosen, depth);
    make_heads(s);
}

/* How many of n words, in rising order, are less than x. Written so that compilers take no branch,
 * which would be foreseen half of the time. */
static inline uint32_t count_less(const uint64_t *words, uint32_t n, uint64_t x)
{
    uint32_t at = 0;
    while (n > 1) {
        uint32_t half = n / 2;
        at += half & (0u - (uint32_t)(words[at + half - 1] < x));
        n -= half;
    }
    return at + (n == 1 && words[at] < x);
}

static uint32_t find_bucket(const usw_splitters *s, usw_string string)
{
    const usw_split_node *node = s->nodes;
    for (;;) {
        usw_string first = s->splitters[node->begin];
        if (node->entries == 0) {
            int order = usw_compare_strings(string, first, node->known);
            return 2 * node->begin + (order == 0 ? 1 : order > 0 ? 2 : 0);
        }
        if (node->depth > node->known) {
            size_t most = node->depth - node->known;
            size_t shared = usw_shared(string, first, node->known, most), at = node->known + shared;
            if (shared < most) {
                bool less = at == string.bytes || string.at[at] < first.at[at];
                return 2 * (less ? node->begin : node->end);
            }
        }
        uint64_t word = word_of(s->strings, string, node->depth);
        const uint64_t *words = s->words + node->entry;
        uint32_t e = count_less(words, node->entries, word);
        if (e == node->entries) {
            return 2 * node->end;
        }
        uint32_t begin = s->begins[node->entry + e];
        if (words[e] != word) {
            return 2 * begin;
        }
        uint32_t child = s->children[node->entry + e];
        if (child == NO_NODE) {
            return 2 * begin + 1;
        }
        node = &s->nodes[child];
    }
}

/* The string without what all splitters share; false if it does not share it. */
static bool cut_shared(const usw_splitters *s, usw_string string, usw_string *behind)
{
    size_t known = s->nodes[0].known, depth = s->nodes[0].depth, most = depth - known;
    *behind = (usw_string){string.at, 0};
    if (string.bytes < depth ||
        (most > 0 && usw_shared(string, s->splitters[0], known, most) < most)) {
        return false;
    }
    *behind = (usw_string){string.at + depth, string.bytes - depth};
    return true;
}

/* Whether no byte of the head is behind the string's end. */
static bool has_head(const usw_splitters *s, usw_string string)
{
    return string.bytes - s->nodes[0].depth >= USW_HEAD;
}

/* The bucket of a string whose head, all of it, is that of splitter b and of no splitter before. */
static uint32_t find_behind_head(const usw_splitters *s, const usw_heads_steps *steps,
                                 usw_string string, uint32_t b)
{
    USW_ROUTE_OF("buckets of strings by what follows their heads", USW_NO_TYPES);
    uint32_t end = s->run_ends[b];
    size_t known = s->nodes[0].depth + USW_HEAD, depth = s->run_depths[b], most = depth - known;
    if (end - b == 1) {
        int order = usw_compare_strings(string, s->splitters[b], known);
        return 2 * b + (order == 0 ? 1 : order > 0 ? 2 : 0);
    }
    size_t shared = usw_shared(string, s->splitters[b], known, most), at = known + shared;
    if (shared < most) {
        bool less = at == string.bytes || string.at[at] < s->splitters[b].at[at];
        return 2 * (less ? b : end);
    }
    bool same;
    usw_string behind = {string.at + depth, string.bytes - depth};
    uint32_t next = steps->find_next(s, s->next_heads + b, end - b, behind, &same);
    return same ? find_bucket(s, string) : 2 * (b + next);
}

void usw_find_string_buckets(const usw_splitters *s, usw_isa isa, const usw_string *strings,
                             size_t n, uint32_t *buckets)
{
    const usw_heads_steps *steps = USW_PICK(isa, usw_heads_steps);
    usw_string behind[USW_HEADS_AT_ONCE];
    bool decided[USW_HEADS_AT_ONCE] = {false};
    if (steps->find != NULL && n == USW_HEADS_AT_ONCE) {
        USW_ROUTE_OF("buckets of strings by the splitters' heads", USW_NO_TYPES);
        for (size_t i = 0; i < USW_HEADS_AT_ONCE; i++) {
            decided[i] = cut_shared(s, strings[i], &behind[i]);
        }
        steps->find(s, behind, buckets);
    }
    for (size_t i = 0; i < n; i++) {
        if (decided[i] && buckets[i] < USW_NO_BUCKET) {
            continue;
        }
        uint32_t b = decided[i] ? buckets[i] - USW_NO_BUCKET : 0;
        if (decided[i] && has_head(s, s->splitters[b]) && has_head(s, strings[i])) {
            buckets[i] = find_behind_head(s, steps, strings[i], b);
        } else {
            USW_ROUTE_OF("a string's bucket by the tree of splitters", USW_NO_TYPES);
            buckets[i] = find_bucket(s, strings[i]);
        }
    }
}

size_t usw_bucket_depth(const usw_splitters *s, uint32_t i, size_t depth)
{
    if (i == 0 || i == s->count) {
        return depth;
    }
    return depth + usw_shared(s->splitters[i - 1], s->splitters[i], depth, SIZE_MAX);
}
