/* cgroup.h - the memory that the control groups of this process leave it (Linux; versions 1 and
 * 2). A process that takes more is killed, so a program that knows its need looks first. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_CGROUP_H
#define IO_CGROUP_H

#include <stddef.h>

/* Bytes that may be taken beyond those in use now: the least over all groups that the process
 * is in, outer ones included, of limit - usage, where cached pages of files do not count as
 * used and free swap that the group may use counts as room. SIZE_MAX where there is no limit,
 * or none is known. */
size_t io_cgroup_room(void);

#endif
