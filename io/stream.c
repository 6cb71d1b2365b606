/* stream.c - part after part: opened, looked at, unpacked, and checked to be as long as it was. */
/* SPDX-License-Identifier: MIT */
#include "io/stream.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RAW = 128 << 10, LOOK = 16, GIVE = 1 << 20, PAGE = 4096, WINDOW_MOST = 128 << 20 };
enum { WINDOW = 64 << 10, LONG_LINES = 4096 }; /* a line without an end in a window is long */

bool io_stream_open(io_stream *s, io_input *begun, const char *const *names, size_t count,
                    const io_reading *how, io_error *error)
{
    *s = (io_stream){
        .names = names, .count = count, .how = how, .begun = begun, .fd = -1, .ahead = -1};
    s->next = begun != NULL ? begun->part_count : 0;
    s->raw_room = how->raw != 0 ? how->raw : RAW;
    s->raw = malloc(s->raw_room + IO_SLACK);
    s->begins = calloc(count + 1, sizeof *s->begins);
    if (s->raw == NULL || s->begins == NULL) {
        errno = ENOMEM;
        io_fail(error, "the input", "cannot be read");
        return false;
    }
    return true;
}

static void close_part(io_stream *s)
{
    if (s->fd > STDERR_FILENO) {
        close(s->fd);
    }
    s->fd = -1;
    io_unpacker_free(s->unpacker);
    s->unpacker = NULL;
    s->open = false;
}

void io_stream_close(io_stream *s)
{
    close_part(s);
    if (s->ahead > STDERR_FILENO) {
        close(s->ahead);
    }
    s->ahead = -1;
    free(s->raw);
    free(s->begins);
    free(s->long_lines);
    s->long_lines = NULL;
    s->raw = NULL;
    s->begins = NULL;
}

const char *io_stream_part(const io_stream *s, uint64_t at, uint64_t *begin)
{
    size_t part = s->parts > 0 ? s->parts - 1 : 0;
    while (part > 0 && s->begins[part] > at) {
        part--;
    }
    *begin = s->begins[part];
    return part < s->count ? s->names[part] : "-";
}

int io_stream_place(const io_stream *s, uint64_t back, uint64_t *at)
{
    uint64_t given = s->part_read - (s->raw_size - s->raw_at); /* of the file; the rest waits */
    *at = s->from + given - back;
    bool plain = s->open && s->unpacker == NULL && s->fd >= 0 && s->size >= 0;
    return plain && s->part_read >= s->raw_size - s->raw_at && back <= given ? s->fd : -1;
}

/* ---- lines ---- */

uint64_t io_stream_line(const io_stream *s, uint64_t at)
{
    for (size_t i = s->long_count; i > 0 && i + LONG_LINES > s->long_count; i--) {
        const io_long_line *known = &s->long_lines[(i - 1) % LONG_LINES];
        if (known->at == at) {
            return known->line;
        }
    }
    return 0;
}

static void note_long_line(io_stream *s)
{
    if (s->long_lines == NULL) {
        s->long_lines = calloc(LONG_LINES, sizeof *s->long_lines);
    }
    if (s->long_lines != NULL && io_stream_line(s, s->line_begin) == 0) {
        s->long_lines[s->long_count++ % LONG_LINES] = (io_long_line){s->line_begin, s->lines + 1};
    }
}

/* Counts the lines of bytes that stand at s->at. */
static void count_lines(io_stream *s, const unsigned char *p, size_t bytes)
{
    unsigned char end = (unsigned char)s->how->last;
    for (uint64_t at = s->at; bytes > 0;) {
        size_t step = WINDOW - (size_t)(at % WINDOW), count = 0;
        step = step < bytes ? step : bytes;
        for (size_t i = 0; i < step; i++) {
            count += p[i] == end;
        }
        if (count > 0) {
            const unsigned char *last = memrchr(p, end, step);
            s->line_begin = at + (uint64_t)(last - p) + 1;
        }
        s->lines += count;
        s->window_lines += count;
        p += step;
        at += step;
        bytes -= step;
        if (at % WINDOW == 0) {
            if (s->window_lines == 0) {
                note_long_line(s);
            }
            s->window_lines = 0;
        }
    }
}

/* ---- bytes of the file ---- */

/* What an earlier reader holds of the part, page by page given back; then the file. */
static bool read_file(io_stream *s, unsigned char *to, size_t room, size_t *got, io_error *error)
{
    *got = 0;
    if (s->begun != NULL && s->begun_at < s->memory_end) {
        size_t step = s->memory_end - s->begun_at;
        *got = step < room ? step : room;
        memcpy(to, s->begun->bytes + s->begun_at, *got);
        s->begun_at += *got;
        if (s->begun_at - s->given >= GIVE) {
            size_t end = s->begun_at / PAGE * PAGE;
            (void)madvise(s->begun->bytes + s->given, end - s->given, MADV_DONTNEED);
            s->given = end;
        }
        return true;
    }
    while (s->fd >= 0) {
        ssize_t n = read(s->fd, to, room);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            io_fail(error, io_input_name(s->name), "cannot be read");
            return false;
        }
        *got = (size_t)n;
        s->part_read += (size_t)n;
        break;
    }
    s->ended = *got == 0;
    if (s->ended && s->size >= 0 && s->part_read < (uint64_t)s->size) {
        return io_because(error, "%s: it has shrunk while it was read, from %lld bytes to %llu",
                          io_input_name(s->name), (long long)s->size,
                          (unsigned long long)s->part_read);
    }
    return true;
}

/* Moves what waits to the front and reads on, until something has come. */
static bool fill_raw(io_stream *s, io_error *error)
{
    memmove(s->raw, s->raw + s->raw_at, s->raw_size - s->raw_at);
    s->raw_size -= s->raw_at;
    s->raw_at = 0;
    size_t got = 0;
    if (s->ended || s->raw_size == s->raw_room) {
        return true;
    }
    bool ok = read_file(s, s->raw + s->raw_size, s->raw_room - s->raw_size, &got, error);
    s->raw_size += got;
    return ok;
}

/* ---- parts ---- */

static int open_file(const char *name)
{
    int fd;
    do {
        fd = open(name, O_RDONLY | O_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

bool io_stream_ahead(io_stream *s, io_error *error)
{
    const char *name = s->names[s->next];
    s->ahead = strcmp(name, "-") == 0 ? STDIN_FILENO : open_file(name);
    if (s->ahead < 0) {
        io_fail(error, io_input_name(name), "cannot be read");
    }
    return s->ahead >= 0;
}

/* The size of a regular file from where it stands. */
static void set_size(io_stream *s)
{
    struct stat status;
    off_t from = s->fd >= 0 ? lseek(s->fd, 0, SEEK_CUR) : -1;
    bool regular = s->fd >= 0 && fstat(s->fd, &status) == 0 && S_ISREG(status.st_mode);
    s->size = regular && from >= 0 && status.st_size >= from ? status.st_size - from : -1;
    s->from = s->size >= 0 ? (uint64_t)from : 0;
    s->part_read = 0;
    s->counts = s->how->last >= 0 && (s->size < 0 || s->fd == STDIN_FILENO);
    s->lines = 0;
    s->line_begin = s->at;
#ifdef POSIX_FADV_SEQUENTIAL
    if (regular) {
        (void)posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
#endif
}

/* Whether a kind can be read on as bytes, and beside the parts before it. */
static bool is_taken(io_stream *s, io_file_kind kind, io_error *error)
{
    bool array = kind == IO_KIND_NPY && !s->how->as_is;
    s->kind = s->how->as_is ? IO_KIND_PLAIN : kind;
    if (s->kind != IO_KIND_PLAIN && (s->how->takes >> kind & 1) == 0) {
        return io_file_kind_refuse(io_input_name(s->name), kind, s->how->otherwise, error);
    }
    s->arrays = s->parts > 1 ? s->arrays : array;
    if (array != s->arrays) {
        uint64_t begin;
        const char *first = io_input_name(io_stream_part(s, 0, &begin));
        const char *name = io_input_name(s->name);
        return io_because(error,
                          "%.1000s is a .npy array and %.1000s is none: they are not taken "
                          "together",
                          array ? name : first, array ? first : name);
    }
    return true;
}

static bool is_same_file(const char *name, const char *other)
{
    struct stat a, b;
    return other != NULL && strcmp(name, "-") != 0 && strcmp(other, "-") != 0 &&
           stat(name, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

static bool look_at_part(io_stream *s, io_error *error)
{
    while (s->raw_size - s->raw_at < LOOK && !s->ended) {
        if (!fill_raw(s, error)) {
            return false;
        }
    }
    io_file_kind kind = s->how->as_is
                            ? IO_KIND_PLAIN
                            : io_file_kind_of(s->raw + s->raw_at, s->raw_size - s->raw_at);
    if (kind == IO_KIND_GZIP || kind == IO_KIND_ZSTD) {
        if (is_same_file(s->name, s->how->plain_output)) {
            return io_because(error,
                              "%s: is compressed, and the output would not be: give -o another "
                              "name",
                              s->how->plain_output);
        }
        size_t most = s->how->window != 0 ? s->how->window : WINDOW_MOST;
        s->unpacker = io_unpacker_new(kind, io_input_name(s->name), most, error);
        s->looked = false;
        return s->unpacker != NULL;
    }
    s->looked = true;
    return is_taken(s, kind, error);
}

/* The next part: what begun has read whole, then its last part, which it gave up in the middle of,
 * then files. */
static bool open_part(io_stream *s, bool *none, io_error *error)
{
    io_input *b = s->begun;
    *none = false;
    s->raw_at = s->raw_size = 0;
    s->ended = s->any = false;
    if (b != NULL && s->parts < b->part_count) {
        const io_part *part = &b->parts[s->parts];
        bool cut = b->full && s->parts + 1 == b->part_count;
        s->name = part->name;
        s->begun_at = part->begin;
        s->memory_end = cut ? b->size : part->end;
        s->fd = cut ? b->left : -1;
        b->left = cut ? -1 : b->left;
        set_size(s);
        s->looked = !cut;
        s->begins[s->parts++] = s->at;
        s->open = true;
        return cut ? look_at_part(s, error) : is_taken(s, part->kind, error);
    }
    *none = s->next == s->count;
    if (*none) {
        return true;
    }
    s->name = s->names[s->next];
    s->memory_end = s->begun_at;
    if (s->ahead < 0 && !io_stream_ahead(s, error)) {
        return false;
    }
    s->next++;
    s->fd = s->ahead;
    s->ahead = -1;
    set_size(s);
    s->begins[s->parts++] = s->at;
    s->open = true;
    return look_at_part(s, error);
}

/* ---- reading ---- */

static bool read_plain(io_stream *s, unsigned char *to, size_t room, size_t *got, io_error *error)
{
    size_t waits = s->raw_size - s->raw_at;
    if (waits == 0) {
        return s->ended || read_file(s, to, room, got, error);
    }
    *got = waits < room ? waits : room;
    memcpy(to, s->raw + s->raw_at, *got);
    s->raw_at += *got;
    return true;
}

/* Goes on until a byte has come, or the end; of the first bytes, until they can be looked at. */
static bool read_packed(io_stream *s, unsigned char *to, size_t room, size_t *got, io_error *error)
{
    size_t least = s->looked || room < LOOK ? 1 : LOOK;
    bool done = false;
    while (*got < least && !done) {
        if (s->raw_at == s->raw_size && !fill_raw(s, error)) {
            return false;
        }
        size_t taken = s->raw_size - s->raw_at, more = 0;
        if (!io_unpacker_step(s->unpacker, s->raw + s->raw_at, &taken, s->ended, to + *got,
                              room - *got, &more, &done, error)) {
            return false;
        }
        s->raw_at += taken;
        *got += more;
    }
    if (!s->looked) {
        io_file_kind kind = io_file_kind_of(to, *got);
        s->looked = true;
        if (kind == IO_KIND_GZIP || kind == IO_KIND_ZSTD) {
            return io_because(error, "%s: is compressed twice: unpack it once",
                              io_input_name(s->name));
        }
        return is_taken(s, kind, error);
    }
    return true;
}

bool io_stream_read(io_stream *s, unsigned char *to, size_t room, size_t *got, io_error *error)
{
    for (;;) {
        bool none = false;
        *got = 0;
        if (!s->open && (!open_part(s, &none, error) || none)) {
            return none;
        }
        bool ok = s->unpacker != NULL ? read_packed(s, to, room, got, error)
                                      : read_plain(s, to, room, got, error);
        if (!ok) {
            return false;
        }
        if (*got > 0) {
            s->any = true;
            s->last = to[*got - 1];
            if (s->counts) {
                count_lines(s, to, *got);
            }
            s->at += *got;
            return true;
        }
        bool lacks = s->how->last >= 0 && s->any && s->kind == IO_KIND_PLAIN &&
                     s->last != (unsigned char)s->how->last;
        close_part(s);
        if (lacks) {
            *to = (unsigned char)s->how->last;
            *got = 1;
            s->at++;
            return true;
        }
    }
}
