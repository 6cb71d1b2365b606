// use.cpp - the same from C++: the headers are valid there, options and all.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <upsweep_typed.h>
#include <vector>

int main()
{
    std::vector<double> keys = {0.5, -1.5, 2.0};
    upsweep *u = nullptr;
    double sum = 0;
    uint32_t order[3];
    upsweep_report report = UPSWEEP_REPORT_INIT;
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    options.flags = UPSWEEP_DESCENDING;
    if (upsweep_open(&u, nullptr, nullptr) != UPSWEEP_OK ||
        upsweep_argsort(u, keys.data(), keys.size(), order) != UPSWEEP_OK ||
        upsweep_sum(u, keys.data(), keys.size(), &sum) != UPSWEEP_OK ||
        upsweep_sort(u, keys.data(), keys.size(), UPSWEEP_F64, &options) != UPSWEEP_OK ||
        upsweep_last_report(u, &report) != UPSWEEP_OK) {
        return 1;
    }
    std::printf("%s: %g %g %g, because %s\n", upsweep_version(), keys[0], keys[1], keys[2],
                report.reason);
    bool right = keys[0] == 2.0 && keys[2] == -1.5 && order[0] == 1 && sum == 1.0;
    right = right && upsweep_sort(u, keys.data(), keys.size()) == UPSWEEP_OK && keys[0] == -1.5;
    upsweep_close(u);
    return right ? 0 : 1;
}
