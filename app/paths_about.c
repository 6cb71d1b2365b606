/* paths_about.c - the help of `upsweep paths`, as long as it is. */
#include "paths_verb.h"

const char app_paths_about[] =
    "Finds the shortest paths in a graph: from one vertex to all others, to given targets, or\n"
    "within a cutoff; with several sources one answer for each, or with --nearest one for all.\n"
    "The graph is loaded once.\n"
    "\n"
    "Vertices are called what the file calls them: DIMACS and Matrix Market count from 1, the "
    "other\n"
    "formats from 0, and tables may have --names. Of several shortest paths the one is taken "
    "whose\n"
    "vertices before the last have the least numbers, whatever the threads.\n"
    "\n"
    "csv has a line `vertex,distance` for every vertex or target, `inf` where there is no path,\n"
    "with `source` before if there are several. json has null for inf. dimacs has lines\n"
    "`s SOURCE`, then `d VERTEX DISTANCE [PARENT]` for what is reached, and `r VERTEX...` for "
    "paths.\n"
    "npy has the distances only, one row an answer, in the type of the weights (u32 if there are\n"
    "none), and the greatest number of the type, or inf, where there is no path.\n"
    "\n" APP_GRAPH_FORMATS_HELP;
