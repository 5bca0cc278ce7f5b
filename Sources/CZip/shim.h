#ifndef SXGW_CZIP_SHIM_H
#define SXGW_CZIP_SHIM_H
#include <zip.h>

// Macros with casts, which are not imported.
static inline zip_flags_t sxgw_zip_encoding_utf8(void) { return ZIP_FL_ENC_UTF_8; }
static inline int sxgw_zip_store(void) { return ZIP_CM_STORE; }
static inline int sxgw_zip_deflate(void) { return ZIP_CM_DEFLATE; }

// Of the C library, which declares it for GNU programs only.
extern int syncfs(int descriptor);
#endif
