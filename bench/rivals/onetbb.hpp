// onetbb.hpp - how many threads oneTBB may use, for the rivals that run on it.
// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <tbb/global_control.h>

static std::unique_ptr<tbb::global_control> limit;

static int open_tbb(unsigned threads)
{
    limit.reset();
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  threads);
    return 0;
}
