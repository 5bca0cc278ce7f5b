#ifndef SXGW_CZIP_SHIM_H
#define SXGW_CZIP_SHIM_H
#include <zip.h>

// Functions for macros that Swift does not import, since they contain casts.
static inline zip_flags_t sxgw_zip_encoding_utf8(void) { return ZIP_FL_ENC_UTF_8; }
static inline int sxgw_zip_store(void) { return ZIP_CM_STORE; }
static inline int sxgw_zip_deflate(void) { return ZIP_CM_DEFLATE; }

// A function of the C library, which is declared only for GNU programs.
extern int syncfs(int descriptor);
#endif
