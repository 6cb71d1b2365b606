/* pthread.h - what core/frame.h names; nothing here has threads. */
/* SPDX-License-Identifier: MIT */
typedef int pthread_mutex_t;
