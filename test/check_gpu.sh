#!/bin/sh
# check_gpu.sh BUILD_DIR - the tests of the GPU forms on this machine's GPU, with the plugin that nvcc
# built. Where there is no plugin or no GPU it says so and does nothing.
set -u
build=$(cd "$1" && pwd)
plugin=$build/libupsweep_cuda.so
if [ ! -e "$plugin" ]; then
    echo "check-gpu: skipped: the GPU plugin was not built: $(cat "$build/gpu.txt")"
    exit 0
fi
UPSWEEP_CUDA_PLUGIN=$plugin
export UPSWEEP_CUDA_PLUGIN
"$build/upsweep" info | grep -E '^GPU'
failed=0
for name in plugin test_gpu_handle test_gpu_graph test_gpu_forms test_gpu test_gpu_huge gpu_cli; do
    case $name in
    plugin) sh "$(dirname "$0")/plugin.sh" "$plugin" ;;
    gpu_cli) sh "$(dirname "$0")/gpu_cli.sh" "$build/upsweep" "$build/gpu_cli" ;;
    *) "$build/test/$name" >"$build/$name.log" 2>&1 ;;
    esac
    status=$?
    case $status in
    0) echo "check-gpu: $name: passed" ;;
    77)
        echo "check-gpu: skipped: $("$build/upsweep" info | sed -n 's/^GPUs *//p')"
        exit 0
        ;;
    *)
        echo "check-gpu: $name: FAILED"
        [ -e "$build/$name.log" ] && grep -E 'ERROR|FAILED' "$build/$name.log" | head -40
        failed=1
        ;;
    esac
done
exit $failed
