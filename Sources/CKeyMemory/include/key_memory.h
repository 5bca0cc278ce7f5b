#ifndef SXGW_KEY_MEMORY_H
#define SXGW_KEY_MEMORY_H

#include <stddef.h>

// Memory for the keys of databases: one area of the address space with locked pages, between pages without access.
// SQLCipher locks each key by itself, wherever the key lies on the heap, and does not unlock all of them. Each locked
// page splits a mapping of the process, and the number of mappings is limited.

// Makes SQLCipher allocate from the area between sxgw_key_memory_begin and sxgw_key_memory_end. It must be called
// before any other function of the library. Returns a result code of SQLite; after an error the library allocates as usual.
int sxgw_key_memory_install(void);

// Begins work of this thread in which the library makes or releases keys. Calls cannot be nested.
void sxgw_key_memory_begin(void);
// Ends the work.
void sxgw_key_memory_end(void);

typedef struct {
    // Bytes of the area that are allocated.
    size_t used;
    // Bytes of the area that can be allocated without more memory of the system.
    size_t size;
    // Bytes of locked pages; 0 after the system has refused to lock a page.
    size_t locked;
} sxgw_key_memory_figures;

sxgw_key_memory_figures sxgw_key_memory_now(void);

// The functions below are for tests.

// Allocates zeros from the area; NULL if the area is full, or `size` is greater than a block.
void *sxgw_key_memory_allocate(size_t size);
// Overwrites and releases a block, and locks its pages again, which the library may have unlocked.
void sxgw_key_memory_free(void *block);
// Returns 1 if the address is in the area.
int sxgw_key_memory_contains(const void *address);

#endif
