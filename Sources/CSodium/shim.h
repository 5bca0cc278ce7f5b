#ifndef SXGW_CSODIUM_SHIM_H
#define SXGW_CSODIUM_SHIM_H
#include <sodium.h>
#endif
