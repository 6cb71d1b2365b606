/* rows.c - see rows.h. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/rows.h"

#include <string.h>

#include "test/shared/handles.h"

bool row_call_runs(const call *c, const char *operation)
{
    static const char *const table[][2] = {
        {"sort", "upsweep_sort"},           {"sort", "upsweep_sort by bits"},
        {"sort", "upsweep_sort_pairs"},     {"sort", "upsweep_argsort"},
        {"reduce", "upsweep_reduce"},       {"reduce", "upsweep_minmax"},
        {"scan", "upsweep_scan"},           {"scan", "upsweep_scan in place"},
        {"scan", "upsweep_scan_segmented"}, {"split", "upsweep_split"},
        {"split", "upsweep_compact"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(operation, table[i][0]) == 0 && strcmp(c->name, table[i][1]) == 0) {
            return true;
        }
    }
    return false;
}

size_t row_tests(struct CMUnitTest *tests, size_t most, bool on_gpu, CMUnitTestFunction test)
{
    size_t count = 0;
    for (size_t i = 0; usw_entry_at(i) != NULL && count < most; i++) {
        const usw_entry *e = usw_entry_at(i);
        /* Those of paths take graphs, not arrays: test_paths.c. */
        bool has = on_gpu ? e->has_cuda : e->has_cpu;
        if (has && strcmp(e->row->info.operation, "path") != 0 && test_in_share(i)) {
            tests[count++] =
                (struct CMUnitTest){e->row->info.name, test, NULL, NULL, (void *)(uintptr_t)e};
        }
    }
    return count;
}
