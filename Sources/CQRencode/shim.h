#ifndef SXGW_CQRENCODE_SHIM_H
#define SXGW_CQRENCODE_SHIM_H
#include <qrencode.h>
#endif
