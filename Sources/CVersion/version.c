#include "version.h"

// The program contains its version, so that the version is known at any place of installation.
#pragma clang diagnostic ignored "-Wc23-extensions"
static const char version[] = {
#embed "../../VERSION" suffix(, 0)
};

const char *sxgw_version(void) { return version; }
