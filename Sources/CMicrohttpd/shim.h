#ifndef SXGW_CMICROHTTPD_SHIM_H
#define SXGW_CMICROHTTPD_SHIM_H
#include <microhttpd.h>
#endif
