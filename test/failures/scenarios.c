/* scenarios.c - what is run: every verb of the program with its main options, and every call of the
 * library on the CPU, with threads, and on the emulated GPU. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/calls.h"
#include "test/failures/library_jobs.h"
#include "test/failures/run.h"

#include <stdio.h>

#define P(name, words, input, output, status)                                                      \
    {                                                                                              \
        name, words, input, output, status, false, NULL                                            \
    }

const scenario program_scenarios[] = {
    P("sort", "sort words", NULL, NULL, 0),
    P("sort standard input", "sort", "words", NULL, 0),
    P("sort a pipe", "sort -o new - lines", "|words", "new", 0),
    P("sort a long pipe", "sort -t, -k3g", "|big", NULL, 0),
    P("sort an array from a pipe", "sort --type u32", "|keys.u32", NULL, 0),
    P("sort in place", "sort -o words words", NULL, "words", 0),
    P("sort to a new file", "sort -o new words lines", NULL, "new", 0),
    P("sort over an old file", "sort -o kept words", NULL, "kept", 0),
    P("sort -n", "sort -n -o kept numbers", NULL, "kept", 0),
    P("sort -g", "sort -t, -k3,3g words", NULL, NULL, 0),
    P("sort by keys", "sort -t, -k2,2nr -k1,1f -o kept words lines", NULL, "kept", 0),
    P("sort -u", "sort -u -t, -k1.1,1.1 words", NULL, NULL, 0),
    P("sort -s -f -d", "sort -s -f -d -b words", NULL, NULL, 0),
    P("sort -z", "sort -z words", NULL, NULL, 0),
    P("sort -m", "sort -m -o new sorted sorted2", NULL, "new", 0),
    P("sort -m of a pipe, few at once", "sort -m --batch-size 2 -o new sorted - sorted2", "|sorted",
      "new", 0),
    P("sort -c, sorted", "sort -c sorted", NULL, NULL, 0),
    P("sort -c, unsorted", "sort -c unsorted", NULL, NULL, 1),
    P("sort -C", "sort -C words", NULL, NULL, 1),
    P("sort by threads", "sort --threads 2 -o kept big", NULL, "kept", 0),
    P("sort -n by threads", "sort --threads 2 -t, -k2,2n -u -o kept big", NULL, "kept", 0),
    P("sort --stats", "sort --stats -o kept words", NULL, "kept", 0),
    P("sort an array", "sort --type u32 keys.u32 -o new", NULL, "new", 0),
    P("sort an array in place", "sort --type i64 many.i64 --threads 2 -o many.i64", NULL,
      "many.i64", 0),
    P("sort .npy", "sort keys.npy -o keys.npy", NULL, "keys.npy", 0),
    P("sort -u an array", "sort -u --type u32 keys.u32", NULL, NULL, 0),
    P("sort -c an array", "sort -c --type u32 ascending.u32", NULL, NULL, 0),
    P("sort an array on a GPU", "sort --device cuda --type u32 keys.u32 -o new", NULL, "new", 0),
    P("gen", "gen uniform 5000 --type f32 -o kept", NULL, "kept", 0),
    P("gen as text", "gen zipf 500 --text", NULL, NULL, 0),
    P("gen as .npy", "gen normal 500 --type f64 --as npy -o new", NULL, "new", 0),
    P("check", "check --type u32 ascending.u32", NULL, NULL, 0),
    P("check two", "check --type u32 keys.u32 ascending.u32 --json", NULL, NULL, 0),
    P("reduce", "reduce", "|numbers", NULL, 0),
    P("reduce --json", "reduce --op minmax --json --type u32 keys.u32", NULL, NULL, 0),
    P("reduce on a GPU", "reduce --device cuda --type u32 keys.u32", NULL, NULL, 0),
    P("scan", "scan numbers", NULL, NULL, 0),
    P("scan to a file", "scan -x --op max --type u32 keys.u32 -o kept", NULL, "kept", 0),
    P("scan .npy on a GPU", "scan --device cuda keys.npy -o new", NULL, "new", 0),
    P("split", "split --bit 0 numbers", NULL, NULL, 0),
    P("split to a file", "split --less-than 0.5 keys.npy -o new", NULL, "new", 0),
    P("histogram", "histogram --bins 10 numbers", NULL, NULL, 0),
    P("histogram by edges", "histogram --edges edges --csv numbers", NULL, NULL, 0),
    P("select --median", "select --median numbers", NULL, NULL, 0),
    P("select --top", "select --top 10 --type u32 keys.u32 -o kept", NULL, "kept", 0),
    P("select --unique", "select --unique --count numbers", NULL, NULL, 0),
    P("paths in .gr", "paths g.gr -s 1 -o new", NULL, "new", 0),
    P("paths in .gr.gz", "paths g.gr.gz -s 1 --parents", NULL, NULL, 0),
    P("paths in .mtx", "paths g.mtx -s 1 -o kept", NULL, "kept", 0),
    P("paths in .mtx.gz", "paths g.mtx.gz -s 2 --format json", NULL, NULL, 0),
    P("paths in .wel", "paths g.wel -s 1 -t 5 --path", NULL, NULL, 0),
    P("paths in .wsg", "paths g.wsg -s 0 --summary", NULL, NULL, 0),
    P("paths in .usg", "paths g.usg -s 1 --verify -o new", NULL, "new", 0),
    P("paths in .csv", "paths g.csv -s 1", NULL, NULL, 0),
    P("paths in .tsv", "paths g.tsv -s 1 --format dimacs", NULL, NULL, 0),
    P("paths --names", "paths --names names.csv -s rome -o new", NULL, "new", 0),
    P("paths --negative", "paths --negative --names negative.csv -s a", NULL, NULL, 0),
    P("paths --pairs", "paths g.gr --pairs pairs -j 2", NULL, NULL, 0),
    P("paths, a matrix", "paths g.gr --sources sources --targets sources --format npy -o new", NULL,
      "new", 0),
    P("paths --plot .svg", "paths g.usg -s 1 --summary --plot new.svg", NULL, "new.svg", 0),
    P("paths on a GPU", "paths g.gr -s 1 --device cuda", NULL, NULL, 0),
    P("graph info", "graph info g.gr", NULL, NULL, 0),
    P("graph info --json", "graph info g.usg --json", NULL, NULL, 0),
    P("graph convert to .usg", "graph convert g.gr --coordinates g.co --to usg -o kept", NULL,
      "kept", 0),
    P("graph convert to .gr", "graph convert g.csv --to gr -o new", NULL, "new", 0),
    P("graph convert to .mtx", "graph convert g.wel --to mtx -o new", NULL, "new", 0),
    P("graph generate", "graph generate kronecker 5 --to wsg -o new", NULL, "new", 0),
    P("trace", "trace sort/bitonic 3 1 2 5 4", NULL, NULL, 0),
    P("trace --format jsonl", "trace scan/sweep --format jsonl 3 1 2 5 4 -o new", NULL, "new", 0),
    P("trace a pipe", "trace sort/hybrid -", "|numbers", NULL, 0),
    P("trace --watch=plain", "trace sort/oddeven 3 1 2 5 --watch=plain", NULL, NULL, 0),
    P("explain", "explain sort/radix", NULL, NULL, 0),
    P("list", "list", NULL, NULL, 0),
    P("list --json", "list sort --json", NULL, NULL, 0),
    P("list --markdown", "list --markdown", NULL, NULL, 0),
    P("tune --show", "tune --show --json", NULL, NULL, 0),
    P("version --json", "version --json", NULL, NULL, 0),
    P("help", "help sort", NULL, NULL, 0),
    P("a wrong verb", "srot", NULL, NULL, 2),
    {NULL, NULL, NULL, NULL, 0, false, NULL}};

/* Three runs a call of the table: small ones on the CPU and on the GPU, a long one by two threads,
 * of f64 where the call takes them. */
static scenario call_scenario(const call *c, size_t kind)
{
    static char words[80];
    const char *const devices[] = {"cpu", "cuda", "cpu"};
    unsigned variant = kind == 2 ? c->variants - 1 : 0;
    size_t n = kind == 2 ? 40000 : 300;
    upsweep_type type = kind == 2 ? UPSWEEP_F64 : UPSWEEP_U32;
    job j;
    for (int i = 0; i < UPSWEEP_F64 && !job_start(&j, c, variant, n, type, INPUT_UNIFORM, 1); i++) {
        type = (upsweep_type)(i + 1); /* the first that the call takes */
    }
    job_free(&j);
    snprintf(words, sizeof words, "%u %zu %s", variant, n, upsweep_type_name(type));
    return (scenario){c->name, words, NULL, NULL, 0, true, devices[kind]};
}

const scenario *library_scenario(size_t i)
{
    static scenario s;
    size_t calls = 0, jobs = 0;
    while (call_at(calls) != NULL) {
        calls++;
    }
    while (library_jobs[jobs].name != NULL) {
        jobs++;
    }
    if (i < 3 * calls) {
        s = call_scenario(call_at(i / 3), i % 3);
        return &s;
    }
    size_t at = (i - 3 * calls) / 2;
    bool gpu = (i - 3 * calls) % 2 != 0;
    if (at >= jobs) {
        return NULL;
    }
    s = (scenario){library_jobs[at].name,
                   "",
                   NULL,
                   NULL,
                   0,
                   true,
                   gpu || library_jobs[at].gpu_only ? "cuda" : "cpu"};
    return &s;
}
