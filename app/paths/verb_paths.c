/* verb_paths.c - `upsweep paths`: shortest paths in a graph from a file. */
/* SPDX-License-Identifier: MIT */
#include "app/paths/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int take_source(void *context, const char *argument)
{
    app_paths_settings *s = context;
    s->source.word[s->source.count++] = argument;
    return APP_OK;
}

static int take_target(void *context, const char *argument)
{
    app_paths_settings *s = context;
    s->target.word[s->target.count++] = argument;
    return APP_OK;
}

#define AT(member) offsetof(app_paths_settings, member)
static const app_option options[] = {
    {'s', "source", "VERTEX", "from here; may be given several times", APP_CALL, 0, take_source},
    {'t', "target", "VERTEX", "to here, and stop; may be given several times", APP_CALL, 0,
     take_target},
    {0, "sources", "FILE", "from each of these: DIMACS .ss, or one vertex a line", APP_TEXT,
     AT(source_file), NULL},
    {0, "targets", "FILE", "to all of these: the same", APP_TEXT, AT(target_file), NULL},
    {0, "pairs", "FILE", "from one to the other: DIMACS .p2p, or two vertices a line", APP_TEXT,
     AT(pair_file), NULL},
    {0, "nearest", NULL, "one answer: the distance from the nearest of the sources", APP_FLAG,
     AT(nearest), NULL},
    {0, "cutoff", "DISTANCE", "what lies farther counts as not reached", APP_TEXT, AT(cutoff),
     NULL},
    {0, "parents", NULL, "print the vertex before each on its shortest path, too", APP_FLAG,
     AT(parents), NULL},
    {0, "path", NULL, "print the whole path to each target", APP_FLAG, AT(path), NULL},
    {0, "summary", NULL, "print how many are reached, the farthest, and the sum only", APP_FLAG,
     AT(summary), NULL},
    {0, "as", "csv|json|dimacs|npy", "what is printed; csv if not given", APP_TEXT, AT(format),
     NULL},
    {0, "format", "FORMAT", NULL, APP_TEXT, AT(format), NULL},
    {0, "negative", NULL, "weights may be negative; status 1 if a cycle of negative length is met",
     APP_FLAG, AT(input.negative), NULL},
    {0, "verify", NULL, "prove every answer by the arcs, without the library; status 1 if it fails",
     APP_FLAG, AT(verify), NULL},
    {0, "plot", "FILE", "draw the graph by its coordinates, coloured by distance: .svg or .png",
     APP_TEXT, AT(plot), NULL},
    {0, "unit", "UNIT", "plot: what a distance of 1 is: s, m, '0.1 s'", APP_TEXT, AT(unit), NULL},
    {0, "title", "TEXT", "plot: instead of the graph's name", APP_TEXT, AT(title), NULL},
    {0, "caption", "TEXT", "plot: small, in a corner: whose the data is", APP_TEXT, AT(caption),
     NULL},
    {0, "delta", "WIDTH", "width of a bucket of the queue, instead of the one chosen", APP_NUMBER,
     AT(delta), NULL},
    {'j', NULL, "N", "use at most N threads, as --threads", APP_COUNT, AT(common.threads), NULL},
    APP_GRAPH_OPTIONS(app_paths_settings),
    {0, NULL, NULL, NULL, APP_FLAG, 0, NULL},
};

const app_usage usage_paths = {
    "GRAPH", app_paths_about, APP_MACHINERY | APP_OUTPUT, options,
    "upsweep paths roads.gr --source 1 -o distances.csv\n"
    "upsweep paths roads.gr.gz -s 27660 -t 5875 --path\n"
    "upsweep paths roads.gr --sources depots.ss --targets shops.ss --as npy -o matrix.npy\n"
    "upsweep paths --names --columns 1,3 depends.tsv -s vim --cutoff 2\n"
    "upsweep paths --negative --names rates.csv -s EUR"};

static int check_format(const app_paths_settings *s, app_paths_format *format)
{
    static const char *const names[] = {"csv", "json", "dimacs", "npy"};
    *format = PATHS_CSV;
    if (s->format == NULL) {
        return APP_OK;
    }
    for (size_t i = 0; i < 4; i++) {
        if (strcmp(s->format, names[i]) == 0) {
            *format = (app_paths_format)i;
            return APP_OK;
        }
    }
    return app_fail("--as takes csv, json, dimacs or npy, not '%s'", s->format);
}

static int check_plot(const app_paths_settings *s)
{
    io_error error;
    double scale;
    const char *name;
    if (!io_canvas_can(s->plot, &error)) {
        return app_fail("%s", error.text);
    }
    if (s->pair_file != NULL) {
        return app_fail("--plot draws one answer, and --pairs has many");
    }
    return s->unit == NULL || app_plot_unit(s->unit, &scale, &name)
               ? APP_OK
               : app_fail("--unit takes a unit such as s, m or '0.1 s', not '%s'", s->unit);
}

static int check(const app_paths_settings *s, app_paths_format *format)
{
    bool sources = s->source.count > 0 || s->source_file != NULL;
    bool targets = s->target.count > 0 || s->target_file != NULL;
    if (s->common.operand_count > 1) {
        return app_fail("takes one graph, not %zu", s->common.operand_count);
    }
    if (!sources && s->pair_file == NULL) {
        return app_fail("say from where: --source VERTEX, --sources FILE or --pairs FILE");
    }
    if (s->pair_file != NULL && (sources || targets || s->nearest || s->summary)) {
        return app_fail("--pairs has sources and targets: no others can be given, nor --nearest or "
                        "--summary");
    }
    if (s->path && !targets && s->pair_file == NULL) {
        return app_fail("--path needs --target, --targets or --pairs");
    }
    if (s->summary && targets) {
        return app_fail("--summary is for all vertices, not for targets");
    }
    if (check_format(s, format) != APP_OK ||
        (s->input.negative && app_paths_check_negative(s) != APP_OK)) {
        return APP_ERROR;
    }
    if (*format == PATHS_NPY && (s->parents || s->path || s->summary)) {
        return app_fail("npy holds distances only: --parents, --path and --summary need csv, json "
                        "or dimacs");
    }
    if (s->plot != NULL && check_plot(s) != APP_OK) {
        return APP_ERROR;
    }
    if (*format == PATHS_DIMACS && s->summary) {
        return app_fail("--summary needs csv or json");
    }
    return isnan(s->delta) || s->delta < 0 ? app_fail("--delta is a width above 0") : APP_OK;
}

/* The vertices of the command line and then those of the file. *ids stays NULL if there are none.
 * */
static int take_vertices(app_paths *p, const app_words *words, const char *file, uint32_t **ids,
                         size_t *count)
{
    io_error error;
    uint32_t *more = NULL;
    size_t more_count = 0;
    if (file != NULL && !io_graph_read_vertices(&p->g, file, &more, &more_count, &error)) {
        return app_fail("%s", error.text);
    }
    if (words->count + more_count == 0) {
        return APP_OK;
    }
    *ids = malloc((words->count + more_count) * sizeof **ids);
    if (*ids == NULL) {
        free(more);
        return app_fail("no memory for %zu vertices", words->count + more_count);
    }
    if (more_count > 0) {
        memcpy(*ids + words->count, more, more_count * sizeof *more);
    }
    free(more);
    *count = words->count + more_count;
    for (size_t i = 0; i < words->count; i++) {
        if (!io_graph_vertex(&p->g, words->word[i], *ids + i, &error)) {
            return app_fail("%s: %s", p->file, error.text);
        }
    }
    return APP_OK;
}

static int take_all_vertices(app_paths *p)
{
    const app_paths_settings *s = p->settings;
    io_error error;
    if (s->pair_file != NULL) {
        p->pairs = true;
        bool ok = io_graph_read_pairs(&p->g, s->pair_file, &p->sources, &p->targets,
                                      &p->source_count, &error);
        p->target_count = p->source_count;
        return ok ? APP_OK : app_fail("%s", error.text);
    }
    int status = take_vertices(p, &s->source, s->source_file, &p->sources, &p->source_count);
    return status == APP_OK
               ? take_vertices(p, &s->target, s->target_file, &p->targets, &p->target_count)
               : status;
}

static int prepare(app_paths *p)
{
    const app_paths_settings *s = p->settings;
    if (s->plot != NULL && p->source_count > 1 && !s->nearest) {
        return app_fail("--plot draws one answer, not those of %zu sources; --nearest makes one",
                        p->source_count);
    }
    if (s->plot != NULL && p->g.x == NULL) {
        return app_fail("--plot needs to know where the vertices lie: --coordinates FILE");
    }
    if (p->format == PATHS_NPY && p->g.ids != NULL && p->target_count == 0) {
        return app_fail("%s: its ids are far apart, and npy has no place for them: give --targets, "
                        "another --format, or --ids all",
                        p->file);
    }
    p->info = (upsweep_graph_info)UPSWEEP_GRAPH_INFO_INIT;
    (void)upsweep_graph_describe(p->graph, &p->info);
    p->type = p->info.distance_type;
    if (s->cutoff != NULL) {
        double value = 0;
        bool good = io_number_scan(s->cutoff, p->type, &p->cutoff);
        value = good ? io_number_value(p->type, &p->cutoff) : value;
        if (!good || !(value >= 0)) {
            return app_fail("--cutoff takes a distance of type %s, not '%s'",
                            upsweep_type_name(p->type), s->cutoff);
        }
    }
    size_t n = p->g.vertices;
    bool parents = s->parents || s->path || s->verify || s->plot != NULL;
    p->distance = p->distance_room = malloc(n * upsweep_type_bytes(p->type) + 1);
    p->parent = p->parent_room = parents ? malloc(n * sizeof *p->parent + 1) : NULL;
    p->path = s->path || s->plot != NULL ? malloc(n * sizeof *p->path + 1) : NULL;
    bool ok = p->distance != NULL && (!parents || p->parent != NULL);
    return ok && (p->path != NULL || !(s->path || s->plot != NULL))
               ? APP_OK
               : app_fail("no memory for the distances of %zu vertices", n);
}

static int run(app_paths *p)
{
    const app_common *common = &p->settings->common;
    const char *file = common->operand_count > 0 ? common->operands[0] : "-";
    int status = app_read_graph(common, &p->settings->input, file, &p->g);
    if (status == APP_OK) {
        status = take_all_vertices(p);
    }
    if (status == APP_OK) {
        status = app_open(common, &p->u);
    }
    if (status == APP_OK) {
        status = app_make_graph(p->u, &p->g, p->file, &p->graph);
    }
    if (status == APP_OK) {
        status = prepare(p);
    }
    return status == APP_OK ? app_paths_answer(p) : status;
}

int verb_paths(int argc, char **argv)
{
    app_paths_settings s = {.delta = 0};
    app_paths p = {.settings = &s};
    s.source.word = calloc((size_t)argc, sizeof *s.source.word);
    s.target.word = calloc((size_t)argc, sizeof *s.target.word);
    if (s.source.word == NULL || s.target.word == NULL) {
        free(s.source.word);
        free(s.target.word);
        return app_fail("no memory");
    }
    int status = app_parse(&usage_paths, argc, argv, &s.common);
    if (status < 0) {
        status = check(&s, &p.format);
        p.file = app_input_name(&s.common);
        status = status == APP_OK ? run(&p) : status;
    }
    upsweep_graph_free(p.graph);
    upsweep_close(p.u);
    io_graph_free(&p.g);
    free(p.sources);
    free(p.targets);
    free(p.distance_room);
    free(p.parent_room);
    free(p.path);
    free(s.source.word);
    free(s.target.word);
    return status;
}
