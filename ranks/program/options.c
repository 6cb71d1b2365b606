/* options.c - the words after `upsweep-mpi`. */
/* SPDX-License-Identifier: MIT */
#include "ranks/program/program.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>

static const char help[] =
    "upsweep-mpi - sort files by the processes of an MPI job\n"
    "\n"
    "Usage: mpirun -n P upsweep-mpi sort [OPTION]... FILE... -o OUTPUT\n"
    "\n"
    "Sorts all FILEs together: lines of text, by their bytes as `LC_ALL=C sort` does; .npy arrays "
    "of\n"
    "one axis; with --type raw elements; with --record records. Every process reads a part, and "
    "writes\n"
    "a part, so the files must lie where all can open them, and each needs memory for about three\n"
    "times its part. The output is the same for any number of processes. It may be one of the "
    "inputs,\n"
    "and appears whole or not at all: if a process ends before all is written, the old file "
    "stays.\n"
    "\n"
    "Options:\n"
    "  -o, --output FILE  where to\n"
    "  -r, --reverse      in descending order\n"
    "  -t, --type TYPE    raw elements: u8 u16 u32 u64 i8 ... f16 bf16 f32 f64\n"
    "  --record BYTES     records of so many bytes\n"
    "  --key OFFSET:TYPE or OFFSET,BYTES\n"
    "                     of records: a number, or text, at OFFSET (from 0); up to 16 keys, the "
    "first\n"
    "                     the most important; an r at the end: in descending order. Else all "
    "bytes\n"
    "  --from text        take .npy as text, too\n"
    "  --version, --help\n";

static bool says_it;

/* Says what is wrong; the status to end with. */
static int refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int refuse(const char *format, ...)
{
    if (says_it) {
        va_list list;
        va_start(list, format);
        fputs("upsweep-mpi: ", stderr);
        vfprintf(stderr, format, list);
        fputs("\n", stderr);
        va_end(list);
    }
    return 2;
}

/* "10:u32", "0,10", each with r for descending. */
static int read_field(options *o, const char *text)
{
    char *end, word[16] = "";
    upsweep_field f = {0};
    f.offset = strtoull(text, &end, 10);
    if (end == text || (*end != ':' && *end != ',') || o->field_count == FIELDS_MOST) {
        return refuse("--key %s: OFFSET:TYPE or OFFSET,BYTES is wanted, at most %d times", text,
                      FIELDS_MOST);
    }
    const char *rest = end + 1;
    size_t length = strlen(rest);
    if (length > 0 && rest[length - 1] == 'r') {
        f.flags = UPSWEEP_DESCENDING;
        length--;
    }
    if (length == 0 || length >= sizeof word) {
        return refuse("--key %s: nothing, or too much, stands behind the offset", text);
    }
    snprintf(word, sizeof word, "%.*s", (int)length, rest);
    if (*end == ':') {
        f.type = upsweep_type_from_name(word);
    } else {
        f.bytes = strtoull(word, &end, 10);
        f.bytes = *end == '\0' ? f.bytes : 0;
    }
    if (f.type == 0 && f.bytes == 0) {
        return refuse("--key %s: '%s' is neither a type nor a count of bytes", text, word);
    }
    o->fields[o->field_count++] = f;
    return -1;
}

static int read_one(options *o, int letter)
{
    char *end;
    switch (letter) {
    case 'o': o->output = optarg; return -1;
    case 'r': o->flags |= UPSWEEP_DESCENDING; return -1;
    case 't':
        o->type = upsweep_type_from_name(optarg);
        return o->type != 0 ? -1 : refuse("--type %s: there is no such type", optarg);
    case 'R':
        o->record_bytes = strtoull(optarg, &end, 10);
        return *end == '\0' && o->record_bytes > 0 && o->record_bytes < SIZE_MAX / 2
                   ? -1
                   : refuse("--record %s: a count of bytes is wanted", optarg);
    case 'K': return read_field(o, optarg);
    case 'f':
        o->as_text = strcmp(optarg, "text") == 0;
        return o->as_text ? -1 : refuse("--from %s: only text can be asked for", optarg);
    case 'v':
        if (says_it) {
            printf("upsweep-mpi %s, for %s\n", upsweep_version(), upsweep_mpi_built_with());
        }
        return 0;
    case 'h':
        if (says_it) {
            fputs(help, stdout);
        }
        return 0;
    default: return refuse("'%s' is no option; see upsweep-mpi --help", "what was given");
    }
}

static int check(options *o, int argc, char **argv)
{
    if (optind >= argc || strcmp(argv[optind], "sort") != 0) {
        return refuse("the verb 'sort' is wanted; see upsweep-mpi --help");
    }
    o->inputs = (const char *const *)argv + optind + 1;
    o->input_count = (size_t)(argc - optind - 1);
    if (o->input_count == 0) {
        return refuse("no FILE is given: several processes cannot share standard input");
    }
    if (o->output == NULL || strcmp(o->output, "-") == 0) {
        return refuse("-o OUTPUT is wanted: several processes cannot share standard output");
    }
    if ((o->type != 0) + (o->record_bytes != 0) + o->as_text > 1) {
        return refuse("--type, --record and --from text say what a file is: one of them");
    }
    if (o->field_count > 0 && o->record_bytes == 0) {
        return refuse("--key is for records: --record says how long they are");
    }
    if (o->field_count == 0 && o->record_bytes > 0) {
        o->fields[o->field_count++] = (upsweep_field){.bytes = o->record_bytes};
    }
    for (size_t i = 0; i < o->field_count; i++) {
        const upsweep_field *f = &o->fields[i];
        size_t bytes = f->bytes > 0 ? f->bytes : upsweep_type_bytes(f->type);
        if (f->offset > o->record_bytes || bytes > o->record_bytes - f->offset) {
            return refuse("key %zu ends behind the record of %zu bytes", i + 1, o->record_bytes);
        }
    }
    return -1;
}

int read_options(options *o, int argc, char **argv, bool says)
{
    static const struct option words[] = {{"output", required_argument, NULL, 'o'},
                                          {"reverse", no_argument, NULL, 'r'},
                                          {"type", required_argument, NULL, 't'},
                                          {"record", required_argument, NULL, 'R'},
                                          {"key", required_argument, NULL, 'K'},
                                          {"from", required_argument, NULL, 'f'},
                                          {"version", no_argument, NULL, 'v'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    says_it = says;
    opterr = 0;
    for (int letter; (letter = getopt_long(argc, argv, "o:rt:", words, NULL)) != -1;) {
        if (letter == '?') {
            return refuse("'%s' is no option, or lacks its value; see upsweep-mpi --help",
                          argv[optind - 1]);
        }
        int status = read_one(o, letter);
        if (status >= 0) {
            return status;
        }
    }
    return check(o, argc, argv);
}
