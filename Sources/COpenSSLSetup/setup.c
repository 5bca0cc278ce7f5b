#include "openssl_setup.h"

#include <openssl/crypto.h>

// By default, OpenSSL frees its tables when the process calls `exit`. Other threads may still use the tables then, and
// would crash. So this function prevents it. It runs before `main`, since the first call of OpenSSL decides.
__attribute__((constructor)) static void keep_tables_at_exit(void) { OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL); }
