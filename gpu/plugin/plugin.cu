/* plugin.cu - the one symbol that libupsweep_cuda.so exports: the table of its functions and forms.
 * A form that a line of algos.def or steps.def claims and that is missing is a link error. */
/* SPDX-License-Identifier: MIT */
#include "gpu/gpu.cuh"

extern "C" {
#define DECLARE_yes(stem, type) extern const type usw_##stem##_cuda;
#define DECLARE_no(stem, type)
#define ALGO(stem, operation, cpu, cuda, taken) DECLARE_##cuda(stem, usw_gpu_##operation##_form)
#include "algo/algos.def"
#undef ALGO
#define STEP(name, kind, cuda) DECLARE_##cuda(name, usw_gpu_##kind##_step)
#include "gpu/plugin/steps.def"
#undef STEP
}

namespace
{

#define NAMED_yes(stem) {#stem, &usw_##stem##_cuda},
#define NAMED_no(stem)
const usw_gpu_named forms[] = {
#define ALGO(stem, operation, cpu, cuda, taken) NAMED_##cuda(stem)
#include "algo/algos.def"
#undef ALGO
#define STEP(name, kind, cuda) NAMED_##cuda(name)
#include "gpu/plugin/steps.def"
#undef STEP
    {nullptr, nullptr}};

const char *error_of(const usw_gpu *g)
{
    return g->error;
}

bool capturing(const usw_gpu *g)
{
    return g->capturing;
}

size_t peak_of(const usw_gpu *g)
{
    return g->scratch_peak;
}

const usw_gpu_said *sorted_by(const usw_gpu *g)
{
    return g->sorted_by;
}

int device_of(const usw_gpu *g)
{
    return g->device;
}

#ifdef USW_EMULATE
#define BUILT_FOR "CUDA emulated on the CPU, for tests"
#else
#define TEXT_OF(...) #__VA_ARGS__
#define TEXT(...) TEXT_OF(__VA_ARGS__)
#define BUILT_FOR                                                                                  \
    "CUDA " TEXT(__CUDACC_VER_MAJOR__) "." TEXT(__CUDACC_VER_MINOR__) " for " TEXT(USW_GPU_TARGETS)
#endif

/* In the order of the struct. */
const usw_gpu_plugin plugin = {USW_GPU_ABI,        sizeof(usw_gpu_plugin),
                               BUILT_FOR,          forms,
                               usw_gpu_devices,    usw_gpu_open,
                               usw_gpu_close,      error_of,
                               usw_gpu_set_stream, usw_gpu_place_of,
                               usw_gpu_set_move,   usw_gpu_begin,
                               usw_gpu_end,        capturing,
                               usw_gpu_scratch,    peak_of,
                               sorted_by,          usw_gpu_reserve,
                               usw_gpu_trim,       usw_gpu_upload,
                               usw_gpu_download,   usw_gpu_fetch,
                               usw_gpu_copy,       usw_gpu_fill,
                               usw_gpu_keep,       usw_gpu_drop,
                               device_of,          usw_gpu_wait};

} // namespace

extern "C" __attribute__((visibility("default"))) const usw_gpu_plugin *upsweep_cuda_plugin(void);
extern "C" const usw_gpu_plugin *upsweep_cuda_plugin(void)
{
    return &plugin;
}
