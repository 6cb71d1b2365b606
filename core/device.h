/* device.h - devices other than the CPU (device.c is the one room that loads code at run time). */
#ifndef USW_DEVICE_H
#define USW_DEVICE_H

#include <stddef.h>

/* NULL if a handle can be opened on `device` (NULL, "auto", "cpu"), else a sentence on why not. */
const char *usw_device_refusal(const char *device);
/* Writes which GPUs there are, or why none can be used; returns how many can be used. */
unsigned usw_describe_gpus(char *text, size_t bytes);

#endif
