/* test_cli.c - the program, as a person meets it. The sessions are files test/golden/cli_*.session:
 *
 *     $ upsweep reduce --op max numbers.txt      a command, run by sh in an empty directory
 *     41                                         what it must print, stdout and stderr together
 *     [2]                                        its exit status, if it is not 0
 *
 * Lines with # are comments. With UPSWEEP_GOLDEN=write the files are written anew instead; read the
 * difference before you keep it. */
/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { TEXT_MAX = 1 << 18 };

static char program[4096], home[4096], golden[4096];

/* Runs a command; what it prints, and "[2]" for its status, go to text. */
static int run(const char *command, char *text)
{
    char line[8192];
    snprintf(line, sizeof line, "{ %s\n} 2>&1", command);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    size_t length = fread(text, 1, TEXT_MAX - 16, pipe);
    text[length] = '\0';
    int status = pclose(pipe);
    status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (length > 0 && text[length - 1] != '\n') {
        strcpy(text + length++, "\n");
    }
    if (status != 0) {
        snprintf(text + length, 16, "[%d]\n", status);
    }
    return status;
}

static char *slurp(const char *name)
{
    FILE *f = fopen(name, "r");
    if (f == NULL) {
        return NULL;
    }
    char *text = malloc(TEXT_MAX);
    assert_non_null(text);
    text[fread(text, 1, TEXT_MAX - 1, f)] = '\0';
    fclose(f);
    return text;
}

static void in_new_directory(void)
{
    char name[] = "/tmp/upsweep-cli-XXXXXX";
    assert_non_null(mkdtemp(name));
    assert_int_equal(chdir(name), 0);
}

static void leave_directory(void)
{
    char name[4096], command[4200];
    assert_non_null(getcwd(name, sizeof name));
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(strncmp(name, "/tmp/upsweep-cli-", 17), 0);
    snprintf(command, sizeof command, "rm -rf '%s'", name);
    assert_int_equal(system(command), 0);
}

/* Runs the commands of a session and compares; returns how many differ. `again` gets the session as
 * it ran. */
static int play(const char *name, char *session, FILE *again)
{
    int wrong = 0;
    static char got[TEXT_MAX];
    char *line = session;
    while (*line != '\0') {
        char *end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        fprintf(again, "%s\n", line);
        char *next = end + 1;
        if (strncmp(line, "$ ", 2) == 0) {
            char *want = next;
            while (*next != '\0' && strncmp(next, "$ ", 2) != 0 && *next != '#') {
                next = strchr(next, '\n') + 1;
            }
            run(line + 2, got);
            fputs(got, again);
            if (strlen(got) != (size_t)(next - want) || strncmp(got, want, strlen(got)) != 0) {
                printf("%s: %s\nshould print:\n%.*sprinted:\n%s", name, line, (int)(next - want),
                       want, got);
                wrong++;
            }
        }
        line = next;
    }
    return wrong;
}

static void sessions(void **state)
{
    (void)state;
    DIR *directory = opendir(golden);
    assert_non_null(directory);
    int wrong = 0, played = 0;
    const struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        const char *end = strrchr(entry->d_name, '.');
        if (strncmp(entry->d_name, "cli_", 4) != 0 || end == NULL || strcmp(end, ".session") != 0) {
            continue;
        }
        char path[5000], *again_text = NULL;
        size_t again_size;
        snprintf(path, sizeof path, "%s/%s", golden, entry->d_name);
        char *session = slurp(path);
        assert_non_null(session);
        FILE *again = open_memstream(&again_text, &again_size);
        assert_non_null(again);
        in_new_directory();
        int differ = play(entry->d_name, session, again);
        leave_directory();
        fclose(again);
        if (differ > 0 && getenv("UPSWEEP_GOLDEN") != NULL) {
            FILE *f = fopen(path, "w");
            assert_non_null(f);
            fputs(again_text, f);
            assert_int_equal(fclose(f), 0);
        }
        wrong += differ;
        played++;
        free(session);
        free(again_text);
    }
    closedir(directory);
    assert_true(played > 0);
    assert_int_equal(wrong, 0);
}

/* A JSON checker: returns behind the value at p, or NULL. */
static const char *json_value(const char *p);

static const char *json_space(const char *p)
{
    return p + strspn(p, " \n");
}

static const char *json_text(const char *p)
{
    for (p++; *p != '"'; p++) {
        if ((unsigned char)*p < 0x20 || (*p == '\\' && strchr("\"\\nu", *++p) == NULL)) {
            return NULL;
        }
    }
    return p + 1;
}

static const char *json_group(const char *p, char close)
{
    p = json_space(p + 1);
    while (*p != close) {
        if (close == '}') {
            p = *p == '"' ? json_text(p) : NULL;
            p = p != NULL ? json_space(p) : NULL;
            if (p == NULL || *p++ != ':') {
                return NULL;
            }
        }
        p = json_value(json_space(p));
        if (p == NULL) {
            return NULL;
        }
        p = json_space(p);
        if (*p == ',') {
            p = json_space(p + 1);
            if (*p == close) {
                return NULL;
            }
        } else if (*p != close) {
            return NULL;
        }
    }
    return p + 1;
}

static const char *json_value(const char *p)
{
    static const char *const words[] = {"true", "false", "null"};
    if (*p == '{' || *p == '[') {
        return json_group(p, *p == '{' ? '}' : ']');
    }
    if (*p == '"') {
        return json_text(p);
    }
    for (int i = 0; i < 3; i++) {
        if (strncmp(p, words[i], strlen(words[i])) == 0) {
            return p + strlen(words[i]);
        }
    }
    size_t digits = strspn(p, "+-.0123456789eE");
    return digits > 0 ? p + digits : NULL;
}

static void json_is_json(void **state)
{
    (void)state;
    const char *const commands[] = {
        "upsweep list --json",
        "upsweep list sort --json",
        "upsweep info --json",
        "upsweep version --json",
        "printf '1 2 3' | upsweep reduce --json",
        "printf '1e999 nan' | upsweep reduce --op minmax --json",
        "printf '3 1' | upsweep check --json; true",
        "printf '1 2 2 9' | upsweep histogram --json",
        "printf '0 nan 1' | upsweep histogram --range 0 1 --json",
        "printf '1 2 2 nan' | upsweep select -u -c --json",
        "printf '1 2 3 4' >n; upsweep split --bit 0 --json -o o n",
    };
    in_new_directory();
    static char text[TEXT_MAX];
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        run(commands[i], text);
        const char *end = json_value(text);
        if (end == NULL || *json_space(end) != '\0') {
            fail_msg("%s is no JSON: %s", commands[i], text);
        }
    }
    leave_directory();
}

/* Every verb that the program knows has both helps, on stdout, and says what is wrong with its
 * words. */
static void every_verb_helps(void **state)
{
    (void)state;
    static char help[TEXT_MAX], text[TEXT_MAX];
    char command[256], verb[32];
    in_new_directory();
    assert_int_equal(run("upsweep --help", help), 0);
    int verbs = 0;
    for (const char *line = strstr(help, "\n  ") + 1; sscanf(line, "  %31s", verb) == 1;
         line = strchr(line, '\n') + 1) {
        if (strcmp(verb, "sort") != 0) { /* whose -h orders sizes */
            snprintf(command, sizeof command, "upsweep %s -h 2>/dev/null", verb);
            assert_int_equal(run(command, text), 0);
            assert_non_null(strstr(text, "Usage: upsweep "));
        }
        snprintf(command, sizeof command, "upsweep %s --help 2>/dev/null", verb);
        assert_int_equal(run(command, text), 0);
        assert_non_null(strstr(text, "Exit status: "));
        snprintf(command, sizeof command, "upsweep %s --no-such-option </dev/null", verb);
        assert_int_equal(run(command, text), 2);
        bool tool = strcmp(verb, "sort") == 0;
        assert_non_null(strstr(text, tool ? "unrecognized option '--no-such-option'"
                                          : "there is no option --no-such-option"));
        assert_ptr_equal(strchr(text, '\n') + 1, strstr(text, "[2]"));
        verbs++;
        if (line[strcspn(line, "\n") + 1] != ' ') {
            break;
        }
    }
    assert_true(verbs >= 10);
    leave_directory();
}

static void manual(void **state)
{
    (void)state;
    static char text[TEXT_MAX];
    in_new_directory();
    assert_int_equal(run("upsweep --dump man", text), 0);
    assert_int_equal(strncmp(text, ".TH UPSWEEP 1", 13), 0);
    static const char *const parts[] = {"upsweep\\-sort\\fR(1)", "UPSWEEP_ISA", "UPSWEEP_TUNING",
                                        "UPSWEEP_CUDA_PLUGIN",   "TMPDIR",      ".SH FILES",
                                        ".SH EXAMPLES",          ".SH SEE ALSO"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        assert_non_null(strstr(text, parts[i]));
    }
    assert_int_equal(run("upsweep --dump man sort", text), 0);
    assert_int_equal(strncmp(text, ".TH UPSWEEP\\-SORT 1", 19), 0);
    static const char *const of_sort[] = {"\\fB\\-\\-type\\fR \\fITYPE\\fR", ".SH EXAMPLES",
                                          "LC_COLLATE", ".SH SEE ALSO",
                                          "\\fB\\-h\\fR, \\fB\\-\\-human\\-numeric\\-sort"};
    for (size_t i = 0; i < sizeof of_sort / sizeof *of_sort; i++) {
        assert_non_null(strstr(text, of_sort[i]));
    }
    /* groff, where it is installed, has nothing to say of any page. */
    assert_int_equal(run("for v in '' $(upsweep --dump bash | sed -n 's/^    \\([a-z]*\\))$/\\1/p' "
                         "| grep -v help); "
                         "do upsweep --dump man $v >page; if command -v groff >/dev/null; then "
                         "groff -man -ww -z "
                         "page; fi; done 2>&1",
                         text),
                     0);
    assert_string_equal(text, "");
    leave_directory();
}

static void completions(void **state)
{
    (void)state;
    static char text[TEXT_MAX];
    in_new_directory();
    /* A shell that is installed must be able to read its completions. */
    const char *const shells[][2] = {{"bash", "bash -n"}, {"zsh", "zsh -n"}, {"fish", "fish -n"}};
    for (int i = 0; i < 3; i++) {
        char command[256];
        snprintf(command, sizeof command,
                 "upsweep --dump %s >c && if command -v %s >/dev/null; then %s c; fi", shells[i][0],
                 shells[i][0], shells[i][1]);
        assert_int_equal(run(command, text), 0);
        assert_string_equal(text, "");
    }
    assert_int_equal(
        run("upsweep --dump bash >c; bash -c '. ./c; COMP_WORDS=(upsweep reduce --type "
            "f); COMP_CWORD=3; _upsweep; echo ${COMPREPLY[@]}'",
            text),
        0);
    assert_string_equal(text, "f16 f32 f64\n");
    /* Words before the place, the place's own, what is offered. */
    static const char *const offers[][2] = {
        {"reduce --op m", "min max minmax"},
        {"graph ", "info convert generate grid uniform kronecker"},
        {"list s", "sort scan split"},
        {"view --style n", "network"},
        {"view --pattern o", "organ-pipe"},
        {"compare --pattern z", "zipf"},
        {"paths --as ", "csv json dimacs npy"},
        {"trace --as h", "html"},
        {"sort --sort v", "version"},
        {"sort --h", "--human-numeric-sort --help"},
        {"histogram --as ", "text csv json"},
        {"help so", "sort"},
    };
    for (size_t i = 0; i < sizeof offers / sizeof *offers; i++) {
        char command[300];
        bool empty = offers[i][0][strlen(offers[i][0]) - 1] == ' ';
        snprintf(
            command, sizeof command,
            "bash -c '. ./c; set -- upsweep %s%s; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); "
            "_upsweep; echo ${COMPREPLY[@]}'",
            offers[i][0], empty ? "\"\"" : "");
        assert_int_equal(run(command, text), 0);
        text[strcspn(text, "\n")] = '\0';
        assert_string_equal(text, offers[i][1]);
    }
    leave_directory();
}

int main(void)
{
    const char *path = getenv("UPSWEEP_PROGRAM"), *source = getenv("UPSWEEP_SOURCE");
    if (path == NULL || source == NULL || realpath(path, program) == NULL ||
        realpath(source, home) == NULL) {
        fprintf(stderr, "UPSWEEP_PROGRAM must name the program, UPSWEEP_SOURCE the source tree\n");
        return 1;
    }
    snprintf(golden, sizeof golden, "%.4000s/test/golden", home);
    char paths[9000];
    *strrchr(program, '/') = '\0';
    snprintf(paths, sizeof paths, "%s:%s", program, getenv("PATH"));
    setenv("PATH", paths, 1);
    setenv("LC_ALL", "C", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions),         cmocka_unit_test(json_is_json),
        cmocka_unit_test(every_verb_helps), cmocka_unit_test(manual),
        cmocka_unit_test(completions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
