#include "version.h"

// Part of the program, so that it knows its version wherever it is installed.
#pragma clang diagnostic ignored "-Wc23-extensions"
static const char version[] = {
#embed "../../VERSION" suffix(, 0)
};

const char *sxgw_version(void) { return version; }
