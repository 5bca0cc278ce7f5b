#ifndef SXGW_CJANSSON_SHIM_H
#define SXGW_CJANSSON_SHIM_H
#include <jansson.h>
#endif
