/* sort_records.h - the stable sort of records by their normalised keys, for use inside public
 * calls. */
#ifndef USW_CPU_MERGING_SORT_RECORDS_H
#define USW_CPU_MERGING_SORT_RECORDS_H

#include "cpu/cpu.h"
#include "core/record_keys.h"

/* n >= 1 and keys->key_bytes >= 1. form sorts the packed keys with their positions; NULL, for keys
 * up to USW_CHUNK_BYTES only: the pair sort takes them. Where there is no scratch the sort fails
 * with UPSWEEP_ERROR_MEMORY and the records are as they were. */
upsweep_status usw_sort_records(upsweep *u, void *records, size_t n, const usw_record_keys *keys,
                                const usw_sort_form *form);

#endif
