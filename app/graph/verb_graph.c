/* verb_graph.c - `upsweep graph`: tells what a graph is, converts it, or makes one. */
/* SPDX-License-Identifier: MIT */
#include "app/arrays/arrays.h"
#include "app/graph/graph_verb.h"

#include <string.h>

static const app_option options[] = {
    APP_GRAPH_OPTIONS(app_graph_settings),
    {0, "as", "gr|mtx|el|wel|sg|wsg|csv|tsv|usg",
     "what is written; without it the end of the output's name tells", APP_TEXT,
     offsetof(app_graph_settings, to), NULL},
    {0, "to", "FORMAT", NULL, APP_TEXT, offsetof(app_graph_settings, to), NULL},
    {0, "write-coordinates", "FILE", "write the coordinates to FILE, as .co", APP_TEXT,
     offsetof(app_graph_settings, places_out), NULL},
    {0, "places", "FILE", NULL, APP_TEXT, offsetof(app_graph_settings, places_out), NULL},
    {0, "degree", "N", "generate: arcs a vertex, before both ways are counted; 16 if not given",
     APP_COUNT, offsetof(app_graph_settings, degree), NULL},
    {0, "weights", "LO..HI", "generate: whole weights between these; 1..255 if not given", APP_TEXT,
     offsetof(app_graph_settings, weights), NULL},
    {0, "seed", "N", "generate: another seed gives another graph; 0 if not given", APP_COUNT,
     offsetof(app_graph_settings, seed), NULL},
    {'j', NULL, "N", "use at most N threads, as --threads", APP_COUNT,
     offsetof(app_graph_settings, common.threads), NULL},
    {0, NULL, NULL, NULL, APP_FLAG, 0, NULL},
};

const app_usage usage_graph = {
    "info FILE | convert FILE | generate KIND SIZE", app_graph_about,
    APP_DEVICE | APP_OUTPUT | APP_JSON, options,
    "upsweep graph info roads.gr.gz\n"
    "upsweep graph convert roads.gr --coordinates roads.co -o roads.usg\n"
    "upsweep graph generate grid 1000 -o grid.gr --write-coordinates grid.co\n"
    "upsweep graph generate kronecker 20 -o kron20.wsg"};

static int convert(const app_graph_settings *s, const char *file)
{
    io_graph_format format;
    io_graph g = {.base = 0};
    int status = app_graph_output_format(s, &format);
    if (status == APP_OK) {
        status = app_read_graph(&s->common, &s->input, file, &g);
    }
    if (status == APP_OK) {
        status = app_check_input(&s->common, &g.source, 1);
    }
    if (status == APP_OK) {
        status = app_write_graph(s, &g, format);
    }
    io_graph_free(&g);
    return status;
}

static void print_info(const io_graph *g, const upsweep_graph_info *info)
{
    const char *type = g->weight == NULL ? "none" : upsweep_type_name(g->weight_type);
    printf("format          %s\nvertices        %zu, ", io_graph_format_name(g->format),
           info->vertices);
    if (g->ids != NULL && info->vertices > 0) {
        printf("those that arcs name, from %llu to %llu", (unsigned long long)g->ids[0],
               (unsigned long long)g->ids[info->vertices - 1]);
    } else {
        printf("from %u", g->base);
    }
    printf("\narcs            %zu%s\n", info->arcs,
           g->undirected || g->symmetric ? ", both ways counted" : "");
    if (g->form.is_table) {
        printf("table           ");
        app_print_form(stdout, g);
    }
    printf("weights         %s", type);
    if (g->weight != NULL && info->arcs > 0) {
        printf(", mean %.6g, greatest %.9g", info->weight_mean, info->weight_max);
    }
    printf("\narcs a vertex   %.3g, at most %zu\n",
           info->vertices == 0 ? 0 : (double)info->arcs / (double)info->vertices, info->degree_max);
    printf("coordinates     %s\nnames           %s\nin memory       %.1f MB\n",
           g->x != NULL ? "yes" : "no", g->names != NULL ? "yes" : "no",
           1e-6 * (double)info->bytes);
}

static void print_form_json(const io_graph *g)
{
    const io_table_form *form = &g->form;
    if (!form->is_table) {
        return;
    }
    fputs("\"table\": {\"separator\": ", stdout);
    app_print_json_text(stdout, app_separator_name(g));
    printf(", \"header_line\": %zu, \"columns\": %zu, \"tail\": %u, \"head\": %u, ",
           form->header_line, form->cells, form->column[0] + 1, form->column[1] + 1);
    if (g->weight != NULL) {
        printf("\"weight\": %u, ", form->column[2] + 1);
    }
    printf("\"rows\": %zu, \"lines_skipped\": %zu}, ", form->rows, form->skipped);
}

static void print_info_json(const io_graph *g, const upsweep_graph_info *info)
{
    unsigned long long first = g->ids != NULL ? g->ids[0] : g->base;
    printf("{\"format\": \"%s\", \"vertices\": %zu, \"first\": %llu, \"ids\": \"%s\", "
           "\"arcs\": %zu, \"both_ways\": %s, ",
           io_graph_format_name(g->format), info->vertices, first, g->ids != NULL ? "used" : "all",
           info->arcs, g->undirected || g->symmetric ? "true" : "false");
    print_form_json(g);
    if (g->weight == NULL) {
        printf("\"weights\": null, ");
    } else {
        printf("\"weights\": {\"type\": \"%s\", \"mean\": %.17g, \"greatest\": %.17g}, ",
               upsweep_type_name(g->weight_type), info->weight_mean, info->weight_max);
    }
    printf("\"degree_max\": %zu, \"coordinates\": %s, \"names\": %s, \"bytes\": %zu}\n",
           info->degree_max, g->x != NULL ? "true" : "false", g->names != NULL ? "true" : "false",
           info->bytes);
}

static int info(const app_graph_settings *s, const char *file)
{
    io_graph g = {.base = 0};
    upsweep *u = NULL;
    upsweep_graph *graph = NULL;
    int status = app_read_graph(&s->common, &s->input, file, &g);
    if (status == APP_OK) {
        status = app_open(&s->common, &u);
    }
    if (status == APP_OK) {
        status = app_make_graph(u, &g, file, &graph);
    }
    if (status == APP_OK) {
        upsweep_graph_info about = UPSWEEP_GRAPH_INFO_INIT;
        upsweep_graph_describe(graph, &about);
        (s->common.json ? print_info_json : print_info)(&g, &about);
        status = app_finish_stdout();
    }
    upsweep_graph_free(graph);
    upsweep_close(u);
    io_graph_free(&g);
    return status;
}

int verb_graph(int argc, char **argv)
{
    app_graph_settings s = {.degree = 16};
    int status = app_parse(&usage_graph, argc, argv, &s.common);
    if (status >= 0) {
        return status;
    }
    char **word = s.common.operands;
    size_t count = s.common.operand_count;
    if (count == 0) {
        return app_fail("takes info, convert or generate; see `upsweep graph -h`");
    }
    if (strcmp(word[0], "generate") == 0) {
        return count == 3 ? app_graph_generate(&s, word[1], word[2])
                          : app_fail("generate takes grid, uniform or kronecker, and a size");
    }
    bool is_info = strcmp(word[0], "info") == 0;
    if (!is_info && strcmp(word[0], "convert") != 0) {
        static const char *const names[] = {"info", "convert", "generate"};
        const char *near = app_near(word[0], names, 3, sizeof *names);
        return near != NULL ? app_fail("there is no '%s'; did you mean %s?", word[0], near)
                            : app_fail("takes info, convert or generate, not '%s'", word[0]);
    }
    if (count > 2) {
        return app_fail("%s takes one file", word[0]);
    }
    const char *file = count == 2 ? word[1] : "-";
    return is_info ? info(&s, file) : convert(&s, file);
}
