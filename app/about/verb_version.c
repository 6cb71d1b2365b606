/* verb_version.c - `upsweep version` and `upsweep --version`. */
/* SPDX-License-Identifier: MIT */
#include "app/app.h"

const app_usage usage_version = {"", "Prints the version of the program and of the library in it.",
                                 APP_JSON, NULL, "upsweep version --json"};

int verb_version(int argc, char **argv)
{
    app_common settings = {0};
    int status = app_parse(&usage_version, argc, argv, &settings);
    if (status >= 0) {
        return status;
    }
    if (settings.json) {
        printf("{\"version\": \"%s\"}\n", upsweep_version());
    } else {
        printf("upsweep %s\n", upsweep_version());
    }
    return app_finish_stdout();
}
