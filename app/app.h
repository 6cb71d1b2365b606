/* app.h - what the verbs of the program share. */
#ifndef APP_H
#define APP_H
#include "upsweep.h"
#endif
