// use.cpp - the same from C++: the header is valid there, options and all.
#include <cstdio>
#include <upsweep.h>
#include <vector>

int main()
{
    std::vector<double> keys = {0.5, -1.5, 2.0};
    upsweep *u = nullptr;
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    options.flags = UPSWEEP_DESCENDING;
    if (upsweep_open(&u, nullptr, nullptr) != UPSWEEP_OK ||
        upsweep_sort(u, keys.data(), keys.size(), UPSWEEP_F64, &options) != UPSWEEP_OK) {
        return 1;
    }
    std::printf("%s: %g %g %g\n", upsweep_version(), keys[0], keys[1], keys[2]);
    upsweep_close(u);
    return keys[0] == 2.0 && keys[2] == -1.5 ? 0 : 1;
}
