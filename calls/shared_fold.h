/* shared_fold.h - whether threads share a fold or a scan: to wake them may take as long as what
 * they save, and where other programs use the cores those of a scan wait for the one that has no
 * processor. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CALLS_SHARED_FOLD_H
#define USW_CALLS_SHARED_FOLD_H

#include "core/frame.h"
#include "core/order.h"

enum {
    USW_ALONE_ELEMENTS = 64 * USW_TILE, /* of one task of a fold */
    USW_ALONE_BYTES = 64 * 1024,        /* of a scan that one thread makes */
    USW_SURE_FOLD_BYTES = 16 * 1024 * 1024
};

typedef struct usw_shared_fold {
    usw_shared_work kind;
    size_t bytes; /* 0: it is not timed */
    uint64_t began;
} usw_shared_fold;

/* Of a size at which threads may pay it is shared if that was faster of late, unless the handle was
 * tuned. kind: of the least size, USW_SHARED_FOLDS or USW_SHARED_SCANS. */
static inline usw_shared_fold usw_begin_fold(upsweep *u, usw_shared_work kind, size_t n,
                                             size_t bytes)
{
    usw_shared_fold f = {kind, bytes, 0};
    const bool brief = kind == USW_SHARED_FOLDS ? n <= USW_ALONE_ELEMENTS : bytes < USW_ALONE_BYTES;
    if (u->threads == 1 || !u->shares_early || brief || bytes >= USW_SURE_FOLD_BYTES) {
        f.bytes = 0;
        return f;
    }
    f.kind += (bytes >= USW_SURE_FOLD_BYTES / 16) + (bytes >= USW_SURE_FOLD_BYTES / 4);
    const bool share = usw_may_share(u, f.kind, 1);
    USW_ROUTE_IF(share, "a short fold that threads share", USW_NO_TYPES);
    USW_ROUTE_IF(!share, "a short fold that threads might share", USW_NO_TYPES);
    u->threads = share ? u->threads : 1;
    f.began = usw_now_ns();
    return f;
}

static inline void usw_end_fold(upsweep *u, const usw_shared_fold *f)
{
    if (f->bytes != 0) {
        usw_note_time(u, f->kind, 1, u->threads > 1, (usw_now_ns() - f->began) / (f->bytes >> 10));
    }
}

#endif
