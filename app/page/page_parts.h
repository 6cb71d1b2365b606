/* page_parts.h - files of site/ and the sources of the explained forms, within the program
 * (cmake/page_parts.cmake). All end with a 0 that their size does not count. */
/* SPDX-License-Identifier: MIT */
#ifndef APP_PAGE_PAGE_PARTS_H
#define APP_PAGE_PAGE_PARTS_H

#include <stddef.h>

extern const unsigned char page_part_html[], page_part_style[], page_part_script[],
    page_part_glossary[], page_part_wasm[], page_part_tasks[], page_part_lanes_h[],
    page_part_lanes_c[], page_part_lanes_py[];
extern const size_t page_part_html_size, page_part_style_size, page_part_script_size,
    page_part_glossary_size, page_part_tasks_size, page_part_lanes_h_size, page_part_lanes_c_size,
    page_part_lanes_py_size, page_part_wasm_size; /* of wasm 0: it was not built */

typedef struct page_source {
    const char *name; /* "sort_oddeven.c" */
    const unsigned char *text;
} page_source;
extern const page_source page_sources[];
extern const size_t page_source_count;

#endif
