#include "app.h"
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        printf("upsweep %s\n", upsweep_version());
        return 0;
    }
    return 2;
}
