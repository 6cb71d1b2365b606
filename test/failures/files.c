/* files.c - the input files of the scenarios, small ones and two of some hundred kilobytes, so that
 * threads take part. */
/* SPDX-License-Identifier: MIT */
#include "test/failures/run.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t random_word(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static int write_text(const char *name, const char *text)
{
    FILE *f = fopen(name, "wb");
    return f == NULL || fputs(text, f) < 0 || fclose(f) != 0;
}

/* Lines of a word, a number and a float, parted by commas. */
static int write_lines(const char *name, int lines, uint64_t seed)
{
    FILE *f = fopen(name, "wb");
    for (int i = 0; f != NULL && i < lines; i++) {
        uint32_t a = random_word(&seed), b = random_word(&seed);
        fprintf(f, "%c%c%.*s,%d,%.3g\n", 'a' + (int)(a % 26), 'A' + (int)(b % 26),
                (int)(a / 26 % 13), "abcdefghijklm", (int)(b % 2000) - 1000, (double)a / 7);
    }
    return f == NULL || fclose(f) != 0;
}

static int write_numbers(const char *name, int count)
{
    uint64_t seed = 3;
    FILE *f = fopen(name, "wb");
    for (int i = 0; f != NULL && i < count; i++) {
        fprintf(f, "%u\n", (unsigned)(random_word(&seed) % 500));
    }
    return f == NULL || fclose(f) != 0;
}

static int run(const char *program, const char *words)
{
    char command[600];
    snprintf(command, sizeof command, "'%s' %s", program, words);
    int status = system(command);
    if (status != 0) {
        fprintf(stderr, "%s failed\n", command);
    }
    return status != 0;
}

int make_files(const char *program)
{
    static const char *const made[] = {"gen uniform 1000 --type u32 -o keys.u32",
                                       "gen uniform 300 --type f64 --as npy -o keys.npy",
                                       "gen uniform 200000 --type i64 -o many.i64",
                                       "sort words -o sorted",
                                       "sort lines -o sorted2",
                                       "sort --type u32 keys.u32 -o ascending.u32",
                                       "graph generate grid 6 -o g.gr --places g.co",
                                       "graph convert g.gr --coordinates g.co -o g.usg",
                                       "graph convert g.gr -o g.mtx",
                                       "graph convert g.gr -o g.wel",
                                       "graph convert g.gr -o g.wsg",
                                       "graph convert g.gr -o g.csv",
                                       "graph convert g.gr -o g.tsv"};
    int failed =
        write_lines("words", 60, 1) || write_lines("lines", 40, 2) ||
        write_lines("big", 20000, 3) || write_numbers("numbers", 80) ||
        write_text("edges", "0\n100\n200\n499\n") || write_text("kept", "the old file\n") ||
        write_text("names.csv", "rome,oslo,3\noslo,bonn,4\nbonn,rome,1\n") ||
        write_text("negative.csv", "a,b,3\nb,c,-2\nc,d,4\n") || write_text("pairs", "1 5\n2 9\n") ||
        write_text("sources", "1\n4\n") || write_text("empty", "");
    for (size_t i = 0; i < sizeof made / sizeof *made && !failed; i++) {
        failed = run(program, made[i]);
    }
    return failed || system("gzip -k g.gr g.mtx && cat words > unsorted") != 0;
}
