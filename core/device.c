/* device.c - finds out about GPUs. The GPU forms live in a plugin that is not part of this version;
 * what can be told is whether the machine has a driver for one. */
#include "device.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char no_driver[] = "no NVIDIA driver was found (libcuda.so.1 cannot be loaded)";
static const char no_plugin[] =
    "an NVIDIA driver is here, but this version of upsweep has no GPU forms yet";

static bool has_driver(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (driver != NULL) {
        dlclose(driver);
    }
    return driver != NULL;
}

const char *usw_device_refusal(const char *device)
{
    if (device == NULL || strcmp(device, "auto") == 0 || strcmp(device, "cpu") == 0) {
        return NULL;
    }
    if (strncmp(device, "cuda", 4) == 0 && (device[4] == '\0' || device[4] == ':')) {
        return has_driver() ? no_plugin : no_driver;
    }
    return "no such device: it is auto, cpu, cuda or cuda:N";
}

unsigned usw_describe_gpus(char *text, size_t bytes)
{
    snprintf(text, bytes, "%s", has_driver() ? no_plugin : no_driver);
    return 0;
}
