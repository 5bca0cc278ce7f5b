#ifndef SXGW_CSQLCIPHER_SHIM_H
#define SXGW_CSQLCIPHER_SHIM_H
// The key functions (sqlite3_key, sqlite3_rekey) are declared only with this macro.
#ifndef SQLITE_HAS_CODEC
#define SQLITE_HAS_CODEC 1
#endif
#include <sqlcipher/sqlite3.h>

// Makes the library allocate each page of a cache when it is needed. It must be called before any other function of the
// library; otherwise it returns SQLITE_MISUSE and has no effect. Swift cannot call functions with variable arguments.
static inline int sxgw_allocate_single_pages(void) {
    return sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 0);
}
#endif
