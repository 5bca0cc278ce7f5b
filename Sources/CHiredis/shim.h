#ifndef SXGW_CHIREDIS_SHIM_H
#define SXGW_CHIREDIS_SHIM_H
#include <dlfcn.h>
#include <sys/time.h>
#include <hiredis/hiredis.h>

/* The functions of hiredis. They are looked up at the first use, so that a gateway without Redis does not need the
   library. */
struct sxgw_redis {
    __typeof__(redisConnectWithTimeout) *connect;
    __typeof__(redisConnectUnixWithTimeout) *connectUnix;
    __typeof__(redisSetTimeout) *setTimeout;
    __typeof__(redisAppendCommandArgv) *appendCommandArgv;
    __typeof__(redisBufferWrite) *bufferWrite;
    __typeof__(redisBufferRead) *bufferRead;
    __typeof__(redisReaderGetReply) *readerGetReply;
    __typeof__(freeReplyObject) *freeReply;
    __typeof__(redisFree) *free;
};

#define SXGW_TEXT(x) #x
#define SXGW_TEXT_OF(x) SXGW_TEXT(x)
/* The library of the same version as the header, since the library fills the structures of the header. */
#define SXGW_HIREDIS "libhiredis.so." SXGW_TEXT_OF(HIREDIS_SONAME)

static inline const char *sxgw_redis_library(void) { return SXGW_HIREDIS; }

/* Looks up the functions. Returns 0 when the library or one of the functions is missing. */
static inline int sxgw_redis_load(struct sxgw_redis *redis) {
    void *library = dlopen(SXGW_HIREDIS, RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
#define SXGW_REDIS(name, symbol) if (!(redis->name = (__typeof__(redis->name)) dlsym(library, #symbol))) return 0
    SXGW_REDIS(connect, redisConnectWithTimeout);
    SXGW_REDIS(connectUnix, redisConnectUnixWithTimeout);
    SXGW_REDIS(setTimeout, redisSetTimeout);
    SXGW_REDIS(appendCommandArgv, redisAppendCommandArgv);
    SXGW_REDIS(bufferWrite, redisBufferWrite);
    SXGW_REDIS(bufferRead, redisBufferRead);
    SXGW_REDIS(readerGetReply, redisReaderGetReply);
    SXGW_REDIS(freeReply, freeReplyObject);
    SXGW_REDIS(free, redisFree);
#undef SXGW_REDIS
    return 1;
}
#endif
