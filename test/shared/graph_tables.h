/* graph_tables.h - small tables of arcs and what must be read of them, for tests. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_GRAPH_TABLES_H
#define USW_TEST_SHARED_GRAPH_TABLES_H

#include "test/shared/graph_store.h"

#include "io/names.h"
#include "io/numbers.h"

/* "tail head weight;..." with the vertices as the file calls them, and the type of the weights. */
static inline void put_vertex(const io_graph *g, uint32_t v, char *text)
{
    if (g->names != NULL) {
        strcat(text, io_names_word(g->names, v, NULL));
    } else {
        sprintf(text + strlen(text), "%llu", (unsigned long long)io_graph_id(g, v));
    }
}

static inline void print_arcs(const io_graph *g, char text[1000])
{
    text[0] = '\0';
    for (size_t i = 0; i < g->arcs; i++) {
        put_vertex(g, g->tail[i], text);
        strcat(text, " ");
        put_vertex(g, g->head[i], text);
        if (g->weight != NULL) {
            char number[IO_NUMBER_MAX];
            io_number_print(number, g->weight_type,
                            (const char *)g->weight + i * upsweep_type_bytes(g->weight_type));
            strcat(strcat(text, " "), number);
        }
        strcat(text, ";");
    }
    strcat(text, g->weight == NULL ? " none" : " ");
    strcat(text, g->weight == NULL ? "" : upsweep_type_name(g->weight_type));
}

typedef struct table {
    const char *file, *text;
    io_graph_options options;
    const char *wanted; /* the arcs and their type, or the sentence */
} table;

static inline void check_tables(const table *tables, size_t count)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        const table *t = &tables[i];
        store_text(t->file, t->text);
        for (unsigned threads = 1; threads <= 2; threads++) {
            io_graph g;
            io_error error = {0};
            char got[1000];
            io_graph_options options = t->options;
            options.threads = threads;
            if (io_graph_read(&g, t->file, &options, &error)) {
                print_arcs(&g, got);
            } else {
                snprintf(got, sizeof got, "%.999s", error.text);
            }
            if (strcmp(got, t->wanted) != 0) {
                print_message("[%s] should be\n%s\nwas\n%s\n", t->text, t->wanted, got);
                wrong++;
            }
            io_graph_free(&g);
        }
    }
    assert_int_equal(wrong, 0);
}

#define CHECK(name)                                                                                \
    static void check_##name(void **state)                                                         \
    {                                                                                              \
        (void)state;                                                                               \
        check_tables(name, sizeof name / sizeof *name);                                            \
    }

#endif
