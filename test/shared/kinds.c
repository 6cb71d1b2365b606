/* kinds.c - makes the files of kinds.h: gzip and zstd of blocks that are stored as they are. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/kinds.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void put(kind_file *f, const void *bytes, size_t size)
{
    memcpy(f->bytes + f->size, bytes, size);
    f->size += size;
}

static void put_number(kind_file *f, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        f->bytes[f->size++] = (unsigned char)(value >> 8 * i);
    }
}

static uint32_t crc(const unsigned char *p, size_t size)
{
    uint32_t sum = 0xffffffff;
    for (size_t i = 0; i < size; i++) {
        sum ^= p[i];
        for (int k = 0; k < 8; k++) {
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
        }
    }
    return ~sum;
}

void kinds_gzip(kind_file *f, const kind_file *from)
{
    put(f, "\x1f\x8b\x08\0\0\0\0\0\0\xff\x01", 11);
    put_number(f, (uint32_t)from->size, 2);
    put_number(f, ~(uint32_t)from->size, 2);
    put(f, from->bytes, from->size);
    put_number(f, crc(from->bytes, from->size), 4);
    put_number(f, (uint32_t)from->size, 4);
}

/* A frame that is skipped, then one of one block. */
static void put_zstd(kind_file *f, const kind_file *from)
{
    put(f, "\x51\x2a\x4d\x18\x02\0\0\0hi", 10);
    put(f, "\x28\xb5\x2f\xfd\xa0", 5);
    put_number(f, (uint32_t)from->size, 4);
    put_number(f, (uint32_t)from->size << 3 | 1, 3);
    put(f, from->bytes, from->size);
}

size_t kinds_npy(unsigned char *to, const char *descr, const char *shape, const void *elements,
                 size_t bytes)
{
    char text[119];
    snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr,
             shape);
    memset(to, ' ', 128);
    memcpy(to, "\x93NUMPY\1\0\x76\0", 10);
    memcpy(to + 10, text, strlen(text));
    to[127] = '\n';
    memcpy(to + 128, elements, bytes);
    return 128 + bytes;
}

void kinds_make(kind_file files[KINDS])
{
    static const kind_file names[KINDS] = {
        [KIND_TEXT] = {.name = "text"},
        [KIND_NPY] = {.name = "npy", .is_npy = 1},
        [KIND_TEXT_GZ] = {.name = "text.gz", .is_packed = 1},
        [KIND_TEXT_ZST] = {.name = "text.zst", .is_packed = 1},
        [KIND_NPY_GZ] = {.name = "npy.gz", .is_npy = 1, .is_packed = 1},
        [KIND_NPY_ZST] = {.name = "npy.zst", .is_npy = 1, .is_packed = 1},
        [KIND_ZIP] = {.name = "zip", .word = "zip archive (.npz)"},
        [KIND_EMPTY_ZIP] = {.name = "empty.zip", .word = "zip archive (.npz)"},
        [KIND_XZ] = {.name = "xz", .word = "compressed by xz"},
        [KIND_BZIP2] = {.name = "bzip2", .word = "compressed by bzip2"},
        [KIND_USG] = {.name = "usg", .word = "graph file (.usg)"},
        [KIND_ZIP_GZ] = {.name = "zip.gz", .word = "zip archive (.npz)", .is_packed = 1},
        [KIND_GZ_GZ] = {.name = "gz.gz", .word = "compressed twice", .is_packed = 1},
        [KIND_CUT_GZ] = {.name = "cut.gz", .word = "ends early", .is_packed = 1},
    };
    static const int64_t numbers[] = {3, 1, 2};
    memcpy(files, names, sizeof names);
    put(&files[KIND_TEXT], "3\n1\n2\n", 6);
    kind_file *npy = &files[KIND_NPY];
    npy->size = kinds_npy(npy->bytes, "<i8", "(3,)", numbers, sizeof numbers);
    kinds_gzip(&files[KIND_TEXT_GZ], &files[KIND_TEXT]);
    put_zstd(&files[KIND_TEXT_ZST], &files[KIND_TEXT]);
    kinds_gzip(&files[KIND_NPY_GZ], npy);
    put_zstd(&files[KIND_NPY_ZST], npy);
    put(&files[KIND_ZIP], "PK\3\4\nbehind\na\n", 14);
    put(&files[KIND_EMPTY_ZIP], "PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);
    put(&files[KIND_XZ],
        "\xfd"
        "7zXZ\0\0\4\nb\na\n",
        13);
    put(&files[KIND_BZIP2], "BZh91AY&SY\nb\na\n", 15);
    put(&files[KIND_USG], "\x89USG\r\n\x1a\n3\n1\n", 12);
    kinds_gzip(&files[KIND_ZIP_GZ], &files[KIND_ZIP]);
    kinds_gzip(&files[KIND_GZ_GZ], &files[KIND_TEXT_GZ]);
    put(&files[KIND_CUT_GZ], files[KIND_TEXT_GZ].bytes, files[KIND_TEXT_GZ].size - 9);
}
