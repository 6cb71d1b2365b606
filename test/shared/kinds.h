/* kinds.h - small files of every kind that io/file_kind.h knows, made by hand, so that tests need
 * no tools. All hold the numbers 3 1 2 in some way. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_KINDS_H
#define USW_TEST_SHARED_KINDS_H

#include <stddef.h>

typedef struct kind_file {
    const char *name;
    const char *word; /* a sentence that refuses it has this word; NULL: it is text or an array */
    int is_npy, is_packed;
    unsigned char bytes[512];
    size_t size;
} kind_file;

enum {
    KIND_TEXT,
    KIND_NPY,
    KIND_TEXT_GZ,
    KIND_TEXT_ZST,
    KIND_NPY_GZ,
    KIND_NPY_ZST,
    KIND_ZIP,
    KIND_EMPTY_ZIP,
    KIND_XZ,
    KIND_BZIP2,
    KIND_USG,
    KIND_ZIP_GZ,
    KIND_GZ_GZ,
    KIND_CUT_GZ,
    KINDS
};

/* Fills the table: KINDS files. */
void kinds_make(kind_file files[KINDS]);
/* Adds `from`, compressed, to f. */
void kinds_gzip(kind_file *f, const kind_file *from);
/* The .npy file of n i64 elements, row by row. shape: "(3,)". Returns its size. */
size_t kinds_npy(unsigned char *to, const char *descr, const char *shape, const void *elements,
                 size_t bytes);

#endif
