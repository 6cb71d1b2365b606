/* device.h - devices other than the CPU: loading the GPU plugin (device.c is the only file
 * that loads code at run time) and opening a handle's side of it. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_DEVICE_H
#define USW_DEVICE_H

#include "core/frame.h"

/* Opens what `device` names for u: fills u->device, u->plugin, u->gpu and u->device_name. On
 * failure *why is a static or thread-local sentence. */
upsweep_status usw_device_open(upsweep *u, const char *device, const char **why);
void usw_device_close(upsweep *u);
/* For a handle on "auto": opens the first GPU, at most once; false if there is none. */
bool usw_device_open_late(upsweep *u);
/* Loads the plugin for a handle on "auto" if the process has begun to use CUDA meanwhile. */
void usw_device_notice(upsweep *u);

/* Writes which GPUs there are, or why none can be used; returns how many can be used. about gets
 * the plugin's path, size and targets, or why there is none. */
unsigned usw_describe_gpus(char *text, size_t bytes, char *about, size_t about_bytes);

#endif
