/* routes.cpp - counts the launches of every kernel, and how often each line of a table of choices
 * was taken, for the test `routes` (core/routes.h). At the end it writes, to files of its own in
 * the directory that UPSWEEP_ROUTES names, which binary each kernel stands in, where there, and how
 * often it was queued; and every line with its counts, 0 too. */
/* SPDX-License-Identifier: MIT */
#include "test/emulate/cuda_emulated.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <string>
#include <unistd.h>

namespace
{
struct launches {
    std::mutex lock;
    std::map<std::pair<const void *, unsigned>, unsigned long> count;  // kernel, type
    std::map<std::pair<std::string, unsigned>, unsigned long> choices; // line of a table, type
    ~launches();
};
launches all;

launches::~launches()
{
    const char *place = getenv("UPSWEEP_ROUTES");
    if (place == nullptr || place[0] == '\0' || place[0] == '-' || count.empty()) {
        return;
    }
    static unsigned number; // a plugin may be loaded again
    std::string name = std::string(place) + "/" + program_invocation_short_name + "." +
                       std::to_string(getpid()) + "." + std::to_string(number++);
    FILE *to = fopen((name + ".part").c_str(), "w");
    if (to == nullptr) {
        return;
    }
    for (const auto &kernel : count) {
        Dl_info found = {};
        if (dladdr(kernel.first.first, &found) != 0) {
            fprintf(to, "%s\t%zx\t%u\t%lu\n", found.dli_fname,
                    static_cast<size_t>(static_cast<const char *>(kernel.first.first) -
                                        static_cast<const char *>(found.dli_fbase)),
                    kernel.first.second, kernel.second);
        }
    }
    if (fclose(to) == 0) {
        rename((name + ".part").c_str(), (name + ".kernels").c_str());
    }
    to = fopen((name + ".part").c_str(), "w");
    if (to == nullptr) {
        return;
    }
    for (const auto &line : choices) {
        fprintf(to, "%s\t%u\t%lu\n", line.first.first.c_str(), line.first.second, line.second);
    }
    if (fclose(to) == 0) {
        rename((name + ".part").c_str(), (name + ".choices").c_str());
    }
}
} // namespace

// The library's checked build tells for which type it works (test/routes/routes.c); others do not.
static unsigned type_now()
{
    static const auto type = reinterpret_cast<unsigned (*)()>(dlsym(RTLD_DEFAULT, "usw_call_type"));
    return type == nullptr ? 0 : type();
}

void emulated_count(emulated_function kernel)
{
    const unsigned type = type_now();
    std::lock_guard<std::mutex> hold(all.lock);
    all.count[{reinterpret_cast<const void *>(kernel), type}]++;
}

void emulated_choice(const char *what, const char *because, unsigned widths, bool taken)
{
    const unsigned type = type_now();
    const std::string line = std::string(what) + "\t" + because + "\t" + std::to_string(widths);
    std::lock_guard<std::mutex> hold(all.lock);
    all.choices[{line, taken ? type : 0}] += taken ? 1 : 0;
}
