#ifndef SXGW_CSQLCIPHER_SHIM_H
#define SXGW_CSQLCIPHER_SHIM_H
// The key functions (sqlite3_key, sqlite3_rekey) are declared only with this macro.
#ifndef SQLITE_HAS_CODEC
#define SQLITE_HAS_CODEC 1
#endif
#include <sqlcipher/sqlite3.h>
#endif
