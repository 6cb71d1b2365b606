/* sort_kinds.c - which comparison and which 64-bit key a kind of keys has, and the copies that they
 * need of texts. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_kinds.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/sort/sort_text.h"

unsigned char *sort_room_take(sort_room *room, size_t bytes)
{
    room->large = NULL;
    if (bytes + IO_SLACK <= sizeof room->small) {
        return room->small;
    }
    room->large = malloc(bytes + IO_SLACK);
    if (room->large == NULL) {
        app_fail("out of memory: a line of %zu bytes cannot be compared", bytes);
        _exit(APP_ERROR);
    }
    return room->large;
}

void sort_room_give(sort_room *room)
{
    free(room->large);
}

sort_text sort_transform(const sort_order *order, const sort_key *key, sort_text text, bool copy,
                         sort_room *room)
{
    room->large = NULL;
    if (!key->fold && key->ignore == NULL && !copy) {
        return text;
    }
    size_t bytes = (size_t)(text.end - text.p), n = 0;
    unsigned char *to = sort_room_take(room, bytes + 1);
    if (!key->fold && key->ignore == NULL) {
        memcpy(to, text.p, bytes);
        n = bytes;
    } else {
        for (size_t i = 0; i < bytes; i++) {
            unsigned char c = text.p[i];
            to[n] = key->fold ? order->locale->upper[c] : c;
            n += key->ignore == NULL || !key->ignore[c];
        }
    }
    to[n] = '\0';
    return (sort_text){to, to + n};
}

static bool is_digit(unsigned char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* Groups may be parted anywhere before the decimal point, as the comparison of GNU sort has it. */
sort_text sort_number_text(const sort_order *order, const sort_key *key, sort_text text,
                           sort_room *room)
{
    const sort_locale *l = order->locale;
    room->large = NULL;
    if (key->kind != SORT_PLAIN || l->plain) {
        return text;
    }
    const unsigned char *p = text.p;
    while (p < text.end && l->blank[*p]) {
        p++;
    }
    const unsigned char *end = p + (p < text.end && *p == '-');
    while (end < text.end && (is_digit(*end) || *end == l->separator)) {
        end++;
    }
    const unsigned char *point = end;
    if (end < text.end && *end == l->decimal) {
        for (end++; end < text.end && is_digit(*end); end++) {
        }
    }
    unsigned char *to = sort_room_take(room, (size_t)(end - p)), *q = to;
    for (; p < end; p++) {
        *q = p == point ? '.' : *p;
        q += p >= point || *p != l->separator;
    }
    memset(q, 0, IO_SLACK);
    return (sort_text){to, q};
}

static int compare_numbers(const sort_order *order, const sort_key *key, sort_text a, sort_text b)
{
    sort_room x, y;
    a = sort_number_text(order, key, a, &x);
    b = sort_number_text(order, key, b, &y);
    int difference = io_plain_compare(a.p, a.end, b.p, b.end, order->end == '\0');
    sort_room_give(&x);
    sort_room_give(&y);
    return difference;
}

/* In upper case more letters are units. */
static int compare_sizes(const sort_order *order, const sort_key *key, sort_text a, sort_text b)
{
    sort_room x, y;
    a = sort_transform(order, key, a, false, &x);
    b = sort_transform(order, key, b, false, &y);
    int difference = sort_human_compare(order, a, b);
    sort_room_give(&x);
    sort_room_give(&y);
    return difference;
}

static int compare_texts(const sort_order *order, const sort_key *key, sort_text a, sort_text b)
{
    bool collate = key->kind == SORT_COLLATE;
    bool copy = collate || (key->kind == SORT_RANDOM && order->locale->collate);
    size_t bytes = (size_t)(a.end - a.p);
    if (bytes == (size_t)(b.end - b.p) && memcmp(a.p, b.p, bytes) == 0) {
        return 0;
    }
    sort_room x, y;
    a = sort_transform(order, key, a, copy, &x);
    b = sort_transform(order, key, b, copy, &y);
    int difference = collate                     ? sort_collate_compare(order->locale, a, b)
                     : key->kind == SORT_VERSION ? sort_version_compare(a, b)
                                                 : sort_random_compare(order, a, b);
    sort_room_give(&x);
    sort_room_give(&y);
    return difference;
}

int sort_kind_compare(const sort_order *order, const sort_key *key, sort_text a, sort_text b)
{
    switch (key->kind) {
    case SORT_PLAIN: return compare_numbers(order, key, a, b);
    case SORT_GENERAL: return io_general_compare(a.p, a.end, b.p, b.end);
    case SORT_HUMAN: return compare_sizes(order, key, a, b);
    case SORT_MONTH:
        return sort_month_number(order->locale, a, NULL) -
               sort_month_number(order->locale, b, NULL);
    default: return compare_texts(order, key, a, b);
    }
}

/* Seven bytes, and in the last one how many there were, as sort_text_keys.c has them. */
static uint64_t pack(const unsigned char *bytes, size_t count)
{
    uint64_t word = count > 7 ? 0xff : count;
    for (size_t i = 0; i < count && i < 7; i++) {
        word |= (uint64_t)bytes[i] << (56 - 8 * i);
    }
    return word;
}

uint64_t sort_kind_key(const sort_job *job, sort_stage stage, sort_text text, unsigned *bits)
{
    const sort_order *order = job->order;
    const sort_key *key = &order->keys[stage.key];
    unsigned char eight[8];
    bool exact = true;
    sort_room room;
    room.large = NULL; /* and its bytes as they are: to clear them costs more than a key */
    uint64_t made = 0;
    switch (key->kind) {
    case SORT_HUMAN:
        text = sort_transform(order, key, text, false, &room);
        made = sort_human_key(order, text, &exact);
        break;
    case SORT_MONTH: made = (uint64_t)sort_month_number(order->locale, text, NULL); break;
    case SORT_VERSION:
        text = sort_transform(order, key, text, false, &room);
        made = pack(eight, sort_version_bytes(text, stage.depth, eight, 8));
        break;
    case SORT_COLLATE:
        if (job->weights != NULL) {
            text = sort_transform(order, key, text, false, &room);
            made = pack(eight, sort_weights_bytes(job->weights, text, stage.depth, eight, 8));
        }
        break;
    default:
        text = sort_transform(order, key, text, order->locale->collate, &room);
        made = sort_random_key(order, text);
        break;
    }
    sort_room_give(&room);
    *bits |= exact ? IO_NUMBER_ODD : IO_NUMBER_ODD | IO_NUMBER_CUT;
    return made;
}

sort_step sort_kind_step(const sort_order *order, sort_stage stage, uint64_t key, unsigned bits,
                         sort_stage *next)
{
    enum { DEEP = 256 };
    sort_kind kind = order->keys[stage.key].kind;
    bool more = (key & 0xff) == 0xff && (kind == SORT_VERSION || kind == SORT_COLLATE);
    *next = (sort_stage){stage.key + 1, 0};
    if (more && stage.depth <= DEEP) {
        *next = (sort_stage){stage.key, stage.depth + 7};
        return SORT_KEYS;
    }
    /* What is behind a random key, or the first level of a locale, only comparing tells. */
    if (more || kind == SORT_COLLATE || kind == SORT_RANDOM || (bits & IO_NUMBER_CUT)) {
        *next = (sort_stage){stage.key, 0};
        return SORT_COMPARE;
    }
    return next->key < order->count ? SORT_KEYS : SORT_DONE;
}
