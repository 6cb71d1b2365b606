/* streams.h - queues of work, and how the emulator's files add to them. */
/* SPDX-License-Identifier: MIT */
#ifndef STREAMS_H
#define STREAMS_H

#include "test/emulate/cuda_emulated.h"

/* Notes an error as the last one of this system thread, and returns it. */
cudaError_t emulated_error(cudaError_t e);
/* Queues work on a stream, or records it where the stream is being captured. */
cudaError_t stream_add(cudaStream_t s, std::function<void()> work);
/* Refuses, and spoils the captures, when something forbidden is called during one. */
cudaError_t stream_no_capture();
/* Runs what is queued on s, or on all streams. */
void stream_drain(cudaStream_t s);
void stream_drain_all();
/* Held while any work runs or queues change. */
std::recursive_mutex &emulated_lock();

/* memory.cpp: ends the program where `kernel`, which has just run, wrote to a fence or guard. */
void check_memory(const char *kernel);
/* memory.cpp: what an address belongs to, and the bytes from there to the end of it. */
cudaMemoryType memory_type(const void *p, size_t *left);

#endif
