/* paths_about.c - the help of `upsweep paths`, as long as it is. */
/* SPDX-License-Identifier: MIT */
#include "app/paths/paths_verb.h"

const char app_paths_about[] =
    "Finds the shortest paths in a graph: from one vertex to all others, to given targets, or\n"
    "within a cutoff; with several sources one answer for each, or with --nearest one for all.\n"
    "The graph is loaded once.\n"
    "\n"
    "Vertices are called what the file calls them: DIMACS and Matrix Market count from 1, the\n"
    "other formats from 0, and tables may have --names; in files of vertices, names that have\n"
    "blanks are in quotes. Of several shortest paths the one is taken whose vertices before the\n"
    "last have the least numbers, whatever the threads.\n"
    "\n"
    "csv has a line `vertex,distance` for every vertex or target, `inf` where there is no path,\n"
    "with `source` before if there are several; the path is one cell, with blanks between its\n"
    "vertices, and names that have blanks in quotes. json has null for inf. dimacs has lines\n"
    "`s SOURCE`, then `d VERTEX DISTANCE [PARENT]` for what is reached, and `r VERTEX...` for "
    "paths.\n"
    "npy has the distances only, one row an answer, in the type of the weights (u32 if there are\n"
    "none), and the greatest number of the type, or inf, where there is no path.\n"
    "\n"
    "With --negative the weights of a text may be below 0, and Bellman and Ford's method takes "
    "the\n"
    "place of the others, which is slower. Where a cycle of negative length can be reached there\n"
    "are no shortest paths: the cycle is named, nothing is written, and the exit status is 1.\n"
    "\n" APP_GRAPH_FORMATS_HELP;
