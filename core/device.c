/* device.c - finds, loads and checks the GPU plugin, libupsweep_cuda.so.
 *
 * It is looked for beside the library (or, where that is linked statically, beside the program and
 * in the lib directory next to it), then along the loader's path; the environment variable
 * UPSWEEP_CUDA_PLUGIN=path names another. Once loaded it stays, since CUDA's runtime in it has
 * threads and handlers of its own; loading it again is counted by the loader, not by us. */
/* SPDX-License-Identifier: MIT */
#include "core/device.h"
#include "core/plugin.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef USW_LIBDIR
#define USW_LIBDIR "lib"
#endif

#define PLUGIN_NAME "libupsweep_cuda.so"
enum { PATH_BYTES = 1024, WHY_BYTES = 400 };

static const char no_driver[] = "no NVIDIA driver was found (libcuda.so.1 cannot be loaded)";

static bool has_driver(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (driver != NULL) {
        dlclose(driver);
    }
    return driver != NULL;
}

/* Whether the process uses CUDA already. */
static bool cuda_is_loaded(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver != NULL) {
        dlclose(driver);
    }
    return driver != NULL;
}

/* ---- where the plugin is ---- */

static const char here = 0; /* an address within the library */

/* path = the directory of `file`, then `then`; false if there is no such file to read. */
static bool beside(char path[PATH_BYTES], const char *file, const char *then)
{
    const char *slash = strrchr(file, '/');
    int length = slash == NULL ? -1
                               : snprintf(path, PATH_BYTES, "%.*s/%s" PLUGIN_NAME,
                                          (int)(slash - file), file, then);
    return length > 0 && length < PATH_BYTES && access(path, R_OK) == 0;
}

static void find_plugin(char path[PATH_BYTES])
{
    Dl_info info;
    char program[PATH_BYTES];
    const char *asked = getenv("UPSWEEP_CUDA_PLUGIN");
    if (asked != NULL && *asked != '\0') {
        snprintf(path, PATH_BYTES, "%s", asked);
        return;
    }
    if (dladdr(&here, &info) != 0 && info.dli_fname != NULL && beside(path, info.dli_fname, "")) {
        return;
    }
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length < 0 ? 0 : length] = '\0';
    if (!beside(path, program, "") && !beside(path, program, "../" USW_LIBDIR "/") &&
        !beside(path, program, "../lib/")) {
        snprintf(path, PATH_BYTES, "%s", PLUGIN_NAME); /* the loader's path */
    }
}

/* ---- loading ---- */

static const usw_gpu_plugin *refuse(char *why, size_t bytes, const char *path, const char *reason)
{
    snprintf(why, bytes, "the GPU plugin cannot be used: %.170s: %.190s", path, reason);
    return NULL;
}

/* The plugin, or NULL and why. loaded_only: not unless it has been loaded before. */
static const usw_gpu_plugin *load(char *why, size_t bytes, bool loaded_only)
{
    char path[PATH_BYTES];
    find_plugin(path);
    void *library =
        dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | (loaded_only ? RTLD_NOLOAD : 0));
    if (library == NULL) {
        const char *error = dlerror();
        if (strchr(path, '/') != NULL) {
            return refuse(why, bytes, path, error == NULL ? "cannot be loaded" : error);
        }
        snprintf(why, bytes, "%s%s",
                 has_driver() ? "an NVIDIA driver is here, but the GPU plugin " PLUGIN_NAME
                                " is not: it is built where nvcc is found"
                              : no_driver,
                 "");
        return NULL;
    }
    void *symbol = dlsym(library, USW_GPU_SYMBOL);
    dlclose(library); /* RTLD_NODELETE: it stays */
    if (symbol == NULL) {
        return refuse(why, bytes, path, "it has no symbol " USW_GPU_SYMBOL);
    }
    usw_gpu_plugin_fn function;
    memcpy(&function, &symbol, sizeof function);
    const usw_gpu_plugin *plugin = function();
    if (plugin == NULL || plugin->abi != USW_GPU_ABI || plugin->bytes != sizeof *plugin) {
        return refuse(why, bytes, path, "it belongs to another version of upsweep");
    }
    return plugin;
}

/* ---- a handle ---- */

/* usw_parallel as the plugin's way to copy from host to host. */
typedef struct move_job {
    unsigned char *to;
    const unsigned char *from;
    size_t bytes;
} move_job;
enum { MOVE_CHUNK = 1 << 20 };

static void move_task(void *context, size_t i, unsigned lane)
{
    const move_job *j = context;
    size_t at = i * MOVE_CHUNK;
    (void)lane;
    memcpy(j->to + at, j->from + at, usw_min(MOVE_CHUNK, j->bytes - at));
}

static void move_by_threads(void *context, void *to, const void *from, size_t bytes)
{
    move_job j = {to, from, bytes};
    usw_parallel(context, usw_div_up(bytes, MOVE_CHUNK), move_task, &j);
}

/* number -1: a plan. */
static upsweep_status open_gpu(upsweep *u, int number, char *why, size_t bytes)
{
    if (u->plugin == NULL) {
        u->plugin = load(why, bytes, false);
    }
    if (u->plugin == NULL) {
        return UPSWEEP_ERROR_DEVICE;
    }
    upsweep_status status = u->plugin->open(&u->gpu, number, u->scratch_limit, why, bytes);
    if (status == UPSWEEP_OK) {
        u->plugin->set_move(u->gpu, move_by_threads, u);
        if (number < 0) {
            snprintf(u->device_name, sizeof u->device_name, "cuda:plan");
        } else {
            snprintf(u->device_name, sizeof u->device_name, "cuda:%d", number);
        }
    }
    return status;
}

/* "cuda", "cuda:N", "cuda:plan": the number, -1 for a plan, or -2. */
static int number_of(const char *device)
{
    if (strcmp(device, "cuda") == 0) {
        return 0;
    }
    if (strcmp(device, "cuda:plan") == 0) {
        return -1;
    }
    if (strncmp(device, "cuda:", 5) != 0 || device[5] < '0' || device[5] > '9') {
        return -2;
    }
    char *end;
    long number = strtol(device + 5, &end, 10);
    return *end != '\0' || number > INT_MAX ? -2 : (int)number;
}

upsweep_status usw_device_open(upsweep *u, const char *device, const char **why)
{
    static _Thread_local char text[WHY_BYTES];
    if (device == NULL || strcmp(device, "auto") == 0) {
        u->device = USW_AUTO;
        usw_device_notice(u);
        return UPSWEEP_OK;
    }
    if (strcmp(device, "cpu") == 0) {
        u->device = USW_CPU;
        /* Only so that a pointer to device memory can be told from others. */
        u->plugin = cuda_is_loaded() ? load(text, sizeof text, true) : NULL;
        return UPSWEEP_OK;
    }
    int number = number_of(device);
    if (number < -1) {
        *why = "no such device: it is auto, cpu, cuda, cuda:N or cuda:plan";
        return UPSWEEP_ERROR_DEVICE;
    }
    u->device = USW_CUDA;
    *why = text;
    return open_gpu(u, number, text, sizeof text);
}

void usw_device_close(upsweep *u)
{
    if (u->gpu != NULL) {
        u->plugin->close(u->gpu);
    }
}

void usw_device_notice(upsweep *u)
{
    char why[WHY_BYTES];
    if (u->plugin == NULL && !u->gpu_refused && cuda_is_loaded()) {
        u->plugin = load(why, sizeof why, false);
        u->gpu_refused = u->plugin == NULL;
    }
}

bool usw_device_open_late(upsweep *u)
{
    char why[WHY_BYTES];
    if (u->gpu == NULL && !u->gpu_refused) {
        u->gpu_refused = open_gpu(u, 0, why, sizeof why) != UPSWEEP_OK;
    }
    return u->gpu != NULL;
}

unsigned usw_describe_gpus(char *text, size_t bytes, char *about, size_t about_bytes)
{
    char why[WHY_BYTES], path[PATH_BYTES];
    const usw_gpu_plugin *plugin = load(why, sizeof why, false);
    if (plugin == NULL) {
        snprintf(text, bytes, "%s", has_driver() ? why : no_driver);
        snprintf(about, about_bytes, "%s", has_driver() ? "none" : why);
        if (strcmp(why, no_driver) == 0) {
            snprintf(about, about_bytes, "none: %s was not built or is not installed", PLUGIN_NAME);
        }
        return 0;
    }
    find_plugin(path);
    struct stat s;
    if (stat(path, &s) == 0) {
        snprintf(about, about_bytes, "%s, %.300s, %.1f MB", plugin->name, path,
                 (double)s.st_size / 1e6);
    } else {
        snprintf(about, about_bytes, "%s, %.300s", plugin->name, path);
    }
    return plugin->devices(text, bytes);
}
