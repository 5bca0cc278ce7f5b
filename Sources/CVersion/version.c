#include "version.h"

// The version is part of the executable, so that the program knows it wherever the program is installed.
#pragma clang diagnostic ignored "-Wc23-extensions"
static const char version[] = {
#embed "../../VERSION" suffix(, 0)
};

const char *sxgw_version(void) { return version; }
