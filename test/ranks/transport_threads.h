/* transport_threads.h - every rank a thread of this process: the transport of tests, of the thread
 * sanitizer, and of simulations of more ranks than there are machines. */
/* SPDX-License-Identifier: MIT */
#ifndef TEST_RANKS_TRANSPORT_THREADS_H
#define TEST_RANKS_TRANSPORT_THREADS_H

#include "ranks/transport.h"

typedef void (*rank_body)(usw_transport *t, void *context);

/* Runs body on `size` ranks, and returns when all are done. */
void run_ranks(int size, rank_body body, void *context);

#endif
