/* verb_learn.c - `upsweep learn`: lists the tasks, prints one, or checks the reader's solution. */
/* SPDX-License-Identifier: MIT */
#include "app/app.h"
#include "app/learn/learn.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT = 8192 };

typedef struct settings {
    app_common common;
    size_t hints;
    bool skeleton, python;
} settings;

static const app_option options[] = {
    {0, "hint", "N", "print the first N hints, too", APP_COUNT, offsetof(settings, hints), NULL},
    {0, "skeleton", NULL, "print only the file to begin with", APP_FLAG,
     offsetof(settings, skeleton), NULL},
    {0, "python", NULL, "print task, hints and skeleton in Python, not in C", APP_FLAG,
     offsetof(settings, python), NULL},
    {0, NULL, NULL, NULL, APP_FLAG, 0, NULL},
};

const app_usage usage_learn = {
    "[TASK [FILE.c | FILE.py]]",
    "Tasks to learn parallel algorithms by. Without a task, lists them in the order in which they\n"
    "rest on each other; with one, prints it; with a file, checks that solution: a C file is\n"
    "compiled with your compiler (CC, else cc) against a small header of lanes and rounds, one\n"
    "whose name ends with .py is run by your Python (PYTHON, else python3), with the module\n"
    "upsweep.lanes, which the program brings along. It is run on small and random inputs, and its\n"
    "outcome, rounds and work are compared with the claim. If something is wrong, the first wrong\n"
    "round is shown, and the exit status is 1.\n"
    "\n"
    "A solution runs in a child with limits of time and memory, but it is your program: it can do\n"
    "what you can.",
    0, options,
    "upsweep learn\n"
    "upsweep learn reduce/eight\n"
    "upsweep learn reduce/eight --skeleton > my.c\n"
    "upsweep learn reduce/eight my.c\n"
    "upsweep learn reduce/eight --hint 1\n"
    "upsweep learn reduce/eight --python --skeleton > my.py\n"
    "upsweep learn reduce/eight my.py"};

static int list(void)
{
    const learn_task *t;
    char title[TEXT];
    for (size_t k = 0; (t = learn_task_at(k)) != NULL; k++) {
        learn_text(t->name, LEARN_TITLE, LEARN_C, title, sizeof title);
        printf("%2zu  %-18s %s", k + 1, t->name, title);
    }
    puts("\nupsweep learn TASK prints one; it also says how to have a solution checked.");
    return app_finish_stdout();
}

/* The parts of a task that are the same for all tasks of a language. */
typedef struct wording {
    const char *calls, *option, *ending;
    int width; /* of the longest command */
} wording;

static const wording wordings[] = {
    [LEARN_C] = {"get(a, i), set(a, i, v), LANES(t, n)", "", "c", 49},
    [LEARN_PYTHON] = {"a[i], Round and lanes", " --python", "py", 58},
};

static void print_skeleton(const char *name, learn_language language)
{
    char text[TEXT];
    if (!learn_text(name, LEARN_SKELETON, language, text, sizeof text)) {
        text[0] = '\0';
    }
    if (language == LEARN_PYTHON) {
        printf(
            "\"\"\"%s: see `upsweep learn %s --python`. Elements are whole numbers.\n"
            "%s: see `upsweep learn map/double --python`.\"\"\"\n"
            "from upsweep.lanes import Round, compare_exchange, lanes, log2_up, new_array, scan\n"
            "\n\ndef solve(a):\n%s",
            name, name, wordings[language].calls, text);
        return;
    }
    printf("/* %s: see `upsweep learn %s`. Numbers are uint32_t.\n"
           " * get(a, i), set(a, i, v), LANES(t, n): see `upsweep learn map/double`. */\n"
           "#include \"lanes.h\"\n\nvoid solve(array *a)\n{\n%s}\n",
           name, name, text);
}

/* What the reader may do now; the task has so many hints. */
static void print_next_steps(const char *name, const settings *s, size_t hints)
{
    const wording *w = &wordings[s->python ? LEARN_PYTHON : LEARN_C];
    static const char step[] = "  %-*s  %s\n";
    char command[160], does[80];
    putchar('\n');
    snprintf(command, sizeof command, "upsweep learn %s --skeleton%s > my.%s", name, w->option,
             w->ending);
    printf(step, w->width, command, "writes it to a file");
    snprintf(command, sizeof command, "upsweep learn %s my.%s", name, w->ending);
    printf(step, w->width, command, "checks your solution");
    if (s->hints < hints) {
        snprintf(command, sizeof command, "upsweep learn %s --hint %zu%s", name, s->hints + 1,
                 w->option);
        snprintf(does, sizeof does, "gives %s hint (there %s %zu)", s->hints == 0 ? "a" : "another",
                 hints == 1 ? "is" : "are", hints);
        printf(step, w->width, command, does);
    }
    if (!s->python) {
        snprintf(command, sizeof command, "upsweep learn %s --python", name);
        printf(step, w->width, command, "tells the task in Python");
    }
}

static int print_task(const learn_task *t, const settings *s)
{
    const learn_language language = s->python ? LEARN_PYTHON : LEARN_C;
    char text[TEXT];
    if (s->skeleton) {
        print_skeleton(t->name, language);
        return app_finish_stdout();
    }
    learn_text(t->name, LEARN_TITLE, language, text, sizeof text);
    printf("%s: %s\n", t->name, text);
    learn_text(t->name, LEARN_TEXT, language, text, sizeof text);
    printf(
        "%s\nWork: every %s and every compare_exchange counts 1; reads and idle lanes are free.\n",
        text, s->python ? "write" : "set");
    if (t != learn_task_at(0) && t != learn_task_at(1)) {
        printf("%s: see upsweep learn map/double%s\n", wordings[language].calls,
               wordings[language].option);
    }
    putchar('\n');
    size_t hints = 0;
    while (hints < LEARN_SKELETON - 1 &&
           learn_text(t->name, (int)hints + 1, language, text, sizeof text)) {
        hints++;
        if (hints <= s->hints) {
            printf("Hint %zu: %s", hints, text);
        }
    }
    puts(s->hints > 0 ? "" : "What to begin with:\n");
    if (s->hints == 0) {
        print_skeleton(t->name, language);
    }
    print_next_steps(t->name, s, hints);
    return app_finish_stdout();
}

static int check(const learn_task *t, const char *file)
{
    learn_case *cases = calloc(LEARN_CASES, sizeof *cases);
    learn_told theirs = {0}, ours = {0};
    size_t count = 0;
    if (cases == NULL) {
        return app_fail("out of memory");
    }
    while (count < LEARN_CASES && t->make(count, &cases[count])) {
        count++;
    }
    int status = learn_run_file(file, cases, count, &theirs);
    if (status == APP_OK) {
        status = learn_run_ours(t->solution, cases, count, &ours);
    }
    if (status == APP_OK) {
        status = learn_judge(t, cases, count, &theirs, &ours);
    }
    if (status == APP_OK) {
        size_t k = 0;
        while (learn_task_at(k) != t) {
            k++;
        }
        const learn_task *next = learn_task_at(k + 1);
        if (next != NULL) {
            printf("Next: upsweep learn %s%s\n", next->name,
                   wordings[learn_language_of(file)].option);
        } else {
            puts("That was the last task.");
        }
    }
    free(theirs.text);
    free(ours.text);
    free(cases);
    int written = app_finish_stdout();
    return written == APP_OK ? status : written;
}

int verb_learn(int argc, char **argv)
{
    settings s = {0};
    int status = app_parse(&usage_learn, argc, argv, &s.common);
    if (status >= 0) {
        return status;
    }
    if (s.common.operand_count == 0) {
        return list();
    }
    if (s.common.operand_count > 2) {
        return app_fail("takes a task and one file; see `upsweep learn --help`");
    }
    const learn_task *t = learn_task_find(s.common.operands[0]);
    if (t == NULL) {
        return app_fail("there is no task '%s'; `upsweep learn` lists them", s.common.operands[0]);
    }
    return s.common.operand_count == 1 ? print_task(t, &s) : check(t, s.common.operands[1]);
}
