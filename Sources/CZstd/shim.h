#ifndef SXGW_CZSTD_SHIM_H
#define SXGW_CZSTD_SHIM_H
#include <zstd.h>
#include <zstd_errors.h>
#endif
