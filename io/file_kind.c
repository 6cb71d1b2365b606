/* file_kind.c - the marks of the kinds, and the sentence on a kind that is not taken. */
/* SPDX-License-Identifier: MIT */
#include "io/file_kind.h"

static const struct {
    io_file_kind kind;
    unsigned char bytes[8];
    size_t count;
} marks[] = {
    {IO_KIND_NPY, IO_NPY_MARK, 6},
    {IO_KIND_USG, IO_USG_MARK, 8},
    {IO_KIND_ZIP, {'P', 'K', 3, 4}, 4},
    {IO_KIND_ZIP, {'P', 'K', 5, 6}, 4}, /* without members */
    {IO_KIND_GZIP, {0x1f, 0x8b, 8}, 3}, /* RFC 1952 knows one method, 8 */
    {IO_KIND_ZSTD, {0x28, 0xb5, 0x2f, 0xfd}, 4},
    {IO_KIND_XZ, {0xfd, '7', 'z', 'X', 'Z', 0}, 6},
};

/* zstd's tools put frames that are skipped before or between the others: 50 to 5f 2a 4d 18. */
static bool is_skippable(const unsigned char *p, size_t size)
{
    static const unsigned char tail[3] = {0x2a, 0x4d, 0x18};
    return size >= 4 && (p[0] & 0xf0) == 0x50 && memcmp(p + 1, tail, sizeof tail) == 0;
}

/* BZh, the size of blocks, and the first digits of pi, or those of its root for nothing at all. */
static bool is_bzip2(const unsigned char *p, size_t size)
{
    static const unsigned char block[6] = {0x31, 0x41, 0x59, 0x26, 0x53, 0x59},
                               end[6] = {0x17, 0x72, 0x45, 0x38, 0x50, 0x90};
    return size >= 10 && memcmp(p, "BZh", 3) == 0 && p[3] >= '1' && p[3] <= '9' &&
           (memcmp(p + 4, block, 6) == 0 || memcmp(p + 4, end, 6) == 0);
}

io_file_kind io_file_kind_of(const void *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (size >= marks[i].count && memcmp(bytes, marks[i].bytes, marks[i].count) == 0) {
            return marks[i].kind;
        }
    }
    return is_skippable(bytes, size) ? IO_KIND_ZSTD
           : is_bzip2(bytes, size)   ? IO_KIND_BZIP2
                                     : IO_KIND_PLAIN;
}

const char *io_file_kind_name(io_file_kind kind)
{
    static const char *const names[] = {
        [IO_KIND_PLAIN] = "plain bytes",         [IO_KIND_NPY] = "a .npy array",
        [IO_KIND_ZIP] = "a zip archive (.npz)",  [IO_KIND_GZIP] = "compressed by gzip",
        [IO_KIND_ZSTD] = "compressed by zstd",   [IO_KIND_XZ] = "compressed by xz",
        [IO_KIND_BZIP2] = "compressed by bzip2", [IO_KIND_USG] = "a graph file (.usg)"};
    return names[kind];
}

bool io_file_kind_refuse(const char *name, io_file_kind kind, const char *otherwise,
                         io_error *error)
{
    static const char *const cures[] = {
        [IO_KIND_PLAIN] = "",
        [IO_KIND_NPY] = "",
        [IO_KIND_ZIP] = ": take an array out of it first, as in `unzip -p FILE.npz NAME.npy`",
        [IO_KIND_GZIP] = ": unpack it first",
        [IO_KIND_ZSTD] = ": unpack it first",
        [IO_KIND_XZ] = ": unpack it first",
        [IO_KIND_BZIP2] = ": unpack it first",
        [IO_KIND_USG] = ", which `upsweep paths` and `upsweep graph` read"};
    return io_because(error, "%s: is %s%s%s%s", name, io_file_kind_name(kind), cures[kind],
                      otherwise != NULL ? "; " : "", otherwise != NULL ? otherwise : "");
}
