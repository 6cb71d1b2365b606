/* source.c - files that records came from: which of them has the bytes of a slot, and whether they
 * are still the same when runs are read from there again. */
/* SPDX-License-Identifier: MIT */
#include "external/external.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- where records come from ---- */

static bool is_source(const usw_ext_source *s, const struct stat *status)
{
    return s->device == (uint64_t)status->st_dev && s->inode == (uint64_t)status->st_ino;
}

/* The number of a file among x->files, by a descriptor of our own; USW_EXT_NONE: it is none that
 * can be read again. */
static unsigned take_source(upsweep_external *x, int fd)
{
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        return USW_EXT_NONE;
    }
    unsigned i = 0;
    while (i < x->source_count && !is_source(&x->sources[i], &status)) {
        i++;
    }
    if (i == x->source_count) {
        int own = i < USW_EXT_SOURCES ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
        if (own < 0) {
            return USW_EXT_NONE;
        }
        x->files[USW_EXT_FOLDERS + i] = (usw_ext_file){NULL, own, -1, 0};
        x->sources[i] =
            (usw_ext_source){(uint64_t)status.st_dev, (uint64_t)status.st_ino, status.st_size,
                             status.st_mtim.tv_sec,   status.st_mtim.tv_nsec,  false};
        x->source_count++;
    }
    return USW_EXT_FOLDERS + i;
}

upsweep_status upsweep_external_source(upsweep_external *x, int fd, uint64_t at)
{
    if (x == NULL || x->sorted) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    x->source = take_source(x, fd);
    x->source_at = at;
    return UPSWEEP_OK;
}

void usw_ext_note_source(upsweep_external *x, usw_ext_slot *slot, size_t count)
{
    slot->span_count = slot->used == 0 ? 0 : slot->span_count;
    usw_ext_span *last = slot->span_count > 0 ? &slot->spans[slot->span_count - 1] : NULL;
    bool on =
        last != NULL && last->source == x->source &&
        (x->source == USW_EXT_NONE || last->from + (slot->used - last->begin) == x->source_at);
    if (count > 0 && !on && slot->span_count < USW_EXT_SPANS) {
        slot->spans[slot->span_count++] = (usw_ext_span){slot->used, x->source_at, x->source};
    } else if (count > 0 && !on) {
        last->source = USW_EXT_NONE;
    }
    x->source_at += count;
}

void usw_ext_move_spans(usw_ext_slot *to, const usw_ext_slot *slot, size_t from, size_t end)
{
    unsigned count = 0;
    for (unsigned i = 0; i < slot->span_count; i++) {
        usw_ext_span s = slot->spans[i];
        size_t until = i + 1 < slot->span_count ? slot->spans[i + 1].begin : end;
        if (until > from) {
            size_t skipped = s.begin < from ? from - s.begin : 0;
            to->spans[count++] =
                (usw_ext_span){s.begin + skipped - from, s.from + skipped, s.source};
        }
    }
    to->span_count = count;
}

/* ---- what is read again ---- */

/* The caller gave no name, but Linux knows the descriptor's. */
static upsweep_status fail_source(upsweep_external *x, unsigned file)
{
    char link[32], name[160] = "the input";
    snprintf(link, sizeof link, "/proc/self/fd/%d", x->files[file].fd);
    ssize_t bytes = readlink(link, name, sizeof name - 1);
    name[bytes > 0 ? (size_t)bytes : strlen(name)] = '\0';
    return usw_ext_fail(x, UPSWEEP_ERROR_FILE, "%s has changed while it was sorted", name);
}

upsweep_status usw_ext_fail_changed(upsweep_external *x, const usw_ext_run *run)
{
    return usw_ext_in_source(run)
               ? fail_source(x, run->file)
               : usw_ext_fail(x, UPSWEEP_ERROR_FILE,
                              "%s: a temporary file holds other bytes than were written to it",
                              x->files[run->file].directory);
}

/* Words from both ends change places; the last two may overlap. */
static void reverse_bytes(unsigned char *p, size_t bytes)
{
    unsigned char *q = p + bytes;
    for (; q - p >= 8; p += 8) {
        uint64_t a, b;
        q -= 8;
        memcpy(&a, p, 8);
        memcpy(&b, q, 8);
        a = __builtin_bswap64(a);
        b = __builtin_bswap64(b);
        memcpy(p, &b, 8);
        memcpy(q, &a, 8);
    }
    if (q - p >= 4) {
        uint32_t a, b;
        memcpy(&a, p, 4);
        memcpy(&b, q - 4, 4);
        a = __builtin_bswap32(a);
        b = __builtin_bswap32(b);
        memcpy(p, &b, 4);
        memcpy(q - 4, &a, 4);
        return;
    }
    for (; q - p >= 2; p++) {
        unsigned char a = *p;
        *p = *--q;
        *q = a;
    }
}

/* Records the other way round: all bytes, and then those of each. The end of the last line, which
 * is there, stays. */
void usw_ext_turn_round(const usw_ext_order *order, unsigned char *p, size_t bytes)
{
    size_t fixed = order->record_bytes;
    unsigned char *end = p + bytes;
    reverse_bytes(p, fixed != 0 ? bytes : bytes - 1);
    while (p < end) {
        usw_ext_record r = usw_ext_record_at(order, p, end);
        reverse_bytes(p, r.bytes);
        p += usw_ext_whole(order, r);
    }
}

upsweep_status usw_ext_take_source(upsweep_external *x, const usw_ext_run *run, unsigned char *p,
                                   size_t first, size_t end)
{
    const usw_ext_order *order = &x->order;
    uint64_t from = run->blocks[first].raw;
    uint64_t until = end < run->block_count ? run->blocks[end].raw : run->raw;
    if (run->falling) {
        USW_EXT_ROUTE("blocks of a falling run turned round");
        usw_ext_turn_round(order, p, (size_t)(until - from));
    }
    for (size_t i = first; i < end; i++) {
        const unsigned char *begin = p + (run->blocks[i].raw - from);
        bool more, apart = order->record_bytes != 0 || i == first || begin[-1] == order->end;
        usw_ext_record r = usw_ext_record_at(order, begin, p + (until - from));
        if (!apart || usw_ext_key(order, r, &more) != run->blocks[i].key) {
            return usw_ext_fail_changed(x, run);
        }
    }
    return UPSWEEP_OK;
}

upsweep_status usw_ext_check_sources(upsweep_external *x)
{
    for (unsigned i = 0; i < x->source_count && !usw_ext_failed(x); i++) {
        const usw_ext_source *s = &x->sources[i];
        struct stat now;
        if (!s->used) {
            continue;
        }
        bool known = fstat(x->files[USW_EXT_FOLDERS + i].fd, &now) == 0;
        bool later =
            known && (now.st_mtim.tv_sec != s->seconds || now.st_mtim.tv_nsec != s->nanoseconds);
        if (!known || now.st_size < s->bytes || (later && now.st_size == s->bytes)) {
            (void)fail_source(x, USW_EXT_FOLDERS + i);
        }
    }
    return usw_ext_failed(x) ? x->status : UPSWEEP_OK;
}
