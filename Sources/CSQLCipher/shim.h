#ifndef SXGW_CSQLCIPHER_SHIM_H
#define SXGW_CSQLCIPHER_SHIM_H
// The key functions (sqlite3_key, sqlite3_rekey) are declared only with this macro.
#ifndef SQLITE_HAS_CODEC
#define SQLITE_HAS_CODEC 1
#endif
#include <sqlcipher/sqlite3.h>

// Configures the memory of the library. It must be called before any other function of the library; otherwise it returns
// SQLITE_MISUSE and has no effect. Swift cannot call functions with variable arguments.
// - Each page of a cache is allocated when it is needed. By default, a connection allocates 100 pages at once, which is
//   more than most connections use.
// - The library counts no memory. By default, each allocation and release takes one lock of the whole process.
static inline int sxgw_configure_memory(void) {
    int code = sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 0);
    return code == SQLITE_OK ? sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) : code;
}
#endif
