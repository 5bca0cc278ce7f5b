#ifndef SXGW_CSECCOMP_SHIM_H
#define SXGW_CSECCOMP_SHIM_H
#include <seccomp.h>
#endif
