/* Odd-even transposition sort (to be written).
 */
#include "core/explain.h"

const usw_row usw_sort_oddeven_row = {.info = {.name = "sort/oddeven", .operation = "sort"}};
