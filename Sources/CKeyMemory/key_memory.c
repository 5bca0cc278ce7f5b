#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "key_memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef SQLITE_HAS_CODEC
#define SQLITE_HAS_CODEC 1
#endif
#include <sqlcipher/sqlite3.h>

// Address space of the area. Only its first part has memory.
#define RESERVED ((size_t)128 << 20)
// The number of bytes by which the area grows.
#define STEP ((size_t)64 << 10)

// Sizes of blocks with their headers.
static const uint32_t sizes[] = {32,  48,  64,   96,   128,  192,  256,  384,  512,
                                 768, 1024, 1536, 2048, 3072, 4608, 6144, 9216, 16384};
#define CLASSES (sizeof sizes / sizeof sizes[0])

// The header before each block. It has 8 bytes, because SQLite needs addresses that are multiples of 8.
typedef struct {
    uint32_t class;
    uint32_t is_used;
} header;

// A released block: the header, and the next released block of its size.
typedef struct free_block {
    header header;
    struct free_block *next;
} free_block;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// The area begins and ends with a page without access. `area_end` is set before `area`, and neither changes later.
static _Atomic(uint8_t *) area;
static uint8_t *area_end;
// The end of the allocated part, and of the part with memory.
static uint8_t *next, *grown;
static free_block *released[CLASSES];
static size_t used;
static int is_unlocked;

// Whether the thread makes or releases keys.
static _Thread_local int is_working;

static sqlite3_mem_methods usual;

static size_t page(void) { return (size_t)sysconf(_SC_PAGESIZE); }

static int contains(const void *address) {
    const uint8_t *start = atomic_load_explicit(&area, memory_order_acquire);
    return start != NULL && (const uint8_t *)address >= start && (const uint8_t *)address < area_end;
}

static int reserve(void) {
    uint8_t *made = mmap(NULL, RESERVED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) return 0;
    next = grown = made + page();
    area_end = made + RESERVED - page();
    area = made;
    return 1;
}

// Adds memory to the area. The caller holds the lock.
static int grow(void) {
    if ((size_t)(area_end - grown) < STEP) return 0;
    if (mprotect(grown, STEP, PROT_READ | PROT_WRITE) != 0) return 0;
    madvise(grown, STEP, MADV_DONTDUMP);
    if (mlock(grown, STEP) != 0) is_unlocked = 1;
    grown += STEP;
    return 1;
}

void *sxgw_key_memory_allocate(size_t size) {
    if (size > sizes[CLASSES - 1] - sizeof(header)) return NULL;
    uint32_t class = 0;
    while (sizes[class] < size + sizeof(header)) class++;
    header *block = NULL;
    pthread_mutex_lock(&lock);
    if (area != NULL || reserve()) {
        if (released[class] != NULL) {
            block = &released[class]->header;
            released[class] = released[class]->next;
            memset(block + 1, 0, sizeof(free_block) - sizeof(header));
        } else {
            while ((size_t)(grown - next) < sizes[class] && grow()) {}
            if ((size_t)(grown - next) >= sizes[class]) {
                block = (header *)next;
                next += sizes[class];
            }
        }
    }
    if (block != NULL) {
        *block = (header){class, 1};
        used += sizes[class];
    }
    pthread_mutex_unlock(&lock);
    return block == NULL ? NULL : block + 1;
}

// Returns the header of an allocated block. A block that was released, or overwritten from before its start, ends the
// process.
static header *header_of(void *address) {
    header *block = (header *)address - 1;
    if (block->is_used != 1 || block->class >= CLASSES) abort();
    return block;
}

// Locks the pages of a block. SQLCipher unlocks the pages of each key before it releases the key, and other keys can be
// in the same pages.
static void lock_pages(uint8_t *block, size_t size) {
    uint8_t *from = block - (uintptr_t)block % page();
    if (mlock(from, (size_t)(block - from) + size) == 0) return;
    pthread_mutex_lock(&lock);
    is_unlocked = 1;
    pthread_mutex_unlock(&lock);
}

void sxgw_key_memory_free(void *address) {
    header *block = header_of(address);
    uint32_t class = block->class;
    // Unlike a call of memset, the compiler may not remove this call.
    explicit_bzero(address, sizes[class] - sizeof(header));
    lock_pages((uint8_t *)block, sizes[class]);
    pthread_mutex_lock(&lock);
    block->is_used = 0;
    ((free_block *)block)->next = released[class];
    released[class] = (free_block *)block;
    used -= sizes[class];
    pthread_mutex_unlock(&lock);
}

int sxgw_key_memory_contains(const void *address) { return contains(address); }

static size_t capacity(void *address) { return sizes[header_of(address)->class] - sizeof(header); }

static void *allocate(int size) {
    if (is_working && size > 0) {
        void *block = sxgw_key_memory_allocate((size_t)size);
        if (block != NULL) return block;
    }
    return usual.xMalloc(size);
}

static void release(void *address) {
    if (contains(address)) sxgw_key_memory_free(address);
    else usual.xFree(address);
}

static void *resize(void *address, int size) {
    if (!contains(address)) return usual.xRealloc(address, size);
    if ((size_t)size <= capacity(address)) return address;
    void *larger = sxgw_key_memory_allocate((size_t)size);
    if (larger == NULL) larger = usual.xMalloc(size);
    if (larger == NULL) return NULL;
    memcpy(larger, address, capacity(address));
    sxgw_key_memory_free(address);
    return larger;
}

static int size_of(void *address) { return contains(address) ? (int)capacity(address) : usual.xSize(address); }

int sxgw_key_memory_install(void) {
    int code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual);
    if (code != SQLITE_OK) return code;
    sqlite3_mem_methods methods = usual;
    methods.xMalloc = allocate;
    methods.xFree = release;
    methods.xRealloc = resize;
    methods.xSize = size_of;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}

void sxgw_key_memory_begin(void) { is_working = 1; }

void sxgw_key_memory_end(void) { is_working = 0; }

sxgw_key_memory_figures sxgw_key_memory_now(void) {
    pthread_mutex_lock(&lock);
    size_t size = area == NULL ? 0 : (size_t)(grown - area) - page();
    sxgw_key_memory_figures figures = {used, size, is_unlocked ? 0 : size};
    pthread_mutex_unlock(&lock);
    return figures;
}
