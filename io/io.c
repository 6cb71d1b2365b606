#include "io.h"
extern int io_placeholder;
int io_placeholder;
