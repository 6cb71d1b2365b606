/* paths_cells.c - one vertex, distance, parent or path of an answer, as its format has it. */
/* SPDX-License-Identifier: MIT */
#include "io/names.h"
#include "app/paths/paths_verb.h"

#include <string.h>

void app_paths_put_vertex(app_paths *p, uint32_t v)
{
    size_t length;
    if (p->g.names == NULL) {
        io_put_count(p->printer, io_graph_id(&p->g, v));
        return;
    }
    const char *word = io_names_word(p->g.names, v, &length);
    if (p->format == PATHS_JSON) {
        io_put_json(p->printer, word, length);
    } else {
        io_put_cell(p->printer, word, length, p->format == PATHS_CSV ? ',' : ' ');
    }
}

void app_paths_put_distance(app_paths *p, size_t place)
{
    if (app_paths_reached(p, place)) {
        io_put_number(p->printer, p->type, app_paths_distance(p, place));
    } else {
        io_put_text(p->printer, p->format == PATHS_JSON ? "null" : "inf");
    }
}

void app_paths_put_parent(app_paths *p, size_t place)
{
    if (p->parent[place] != UPSWEEP_NO_VERTEX) {
        app_paths_put_vertex(p, p->parent[place]);
    } else if (p->format == PATHS_JSON) {
        io_put_text(p->printer, "null");
    }
}

/* A name within a cell that holds names parted by blanks: in quotes where the blanks would not part
 * them, and these written twice as all quotes of the cell are. */
static void put_inner(app_paths *p, const char *word, size_t length)
{
    bool quote = io_cell_quoted(word, length, ' ');
    io_put_text(p->printer, quote ? "\"\"" : "");
    for (size_t i = 0; i < length; i++) {
        bool is_quote = word[i] == '"';
        io_put_text(p->printer, is_quote ? "\"\"\"" : "");
        io_put(p->printer, word + i, 1);
    }
    io_put_text(p->printer, quote ? "\"\"" : "");
}

/* A path as one cell of a table. It is a line of such cells itself, parted by blanks. */
static void put_path_cell(app_paths *p, size_t length)
{
    bool quote = false;
    size_t size;
    for (size_t i = 0; i < length && p->g.names != NULL; i++) {
        const char *word = io_names_word(p->g.names, p->path[i], &size);
        quote |= io_cell_quoted(word, size, ' ') || memchr(word, ',', size) != NULL;
    }
    io_put_text(p->printer, quote ? "\"" : "");
    for (size_t i = 0; i < length; i++) {
        io_put_text(p->printer, i > 0 ? " " : "");
        if (quote) {
            const char *word = io_names_word(p->g.names, p->path[i], &size);
            put_inner(p, word, size);
        } else {
            app_paths_put_vertex(p, p->path[i]);
        }
    }
    io_put_text(p->printer, quote ? "\"" : "");
}

/* The vertices of the path to v, parted by `between`; nothing if there is none. */
void app_paths_put_path(app_paths *p, uint32_t v, const char *between)
{
    size_t length = p->g.vertices;
    if (!app_paths_reached(p, v) ||
        upsweep_path_of(p->parent, p->g.vertices, v, p->path, &length) != UPSWEEP_OK) {
        return;
    }
    if (p->format == PATHS_CSV) {
        put_path_cell(p, length);
        return;
    }
    for (size_t i = 0; i < length; i++) {
        io_put_text(p->printer, i > 0 ? between : "");
        app_paths_put_vertex(p, p->path[i]);
    }
}
