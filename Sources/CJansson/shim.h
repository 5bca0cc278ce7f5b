#ifndef SXGW_CJANSSON_SHIM_H
#define SXGW_CJANSSON_SHIM_H
#include <jansson.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static inline void sxgw_wiping_free(void *memory) {
    if (!memory) return;
    explicit_bzero(memory, malloc_usable_size(memory));
    free(memory);
}

/* What jansson has read may be a secret, also in the buffers that it reads into. */
static inline void sxgw_json_wipes_memory(void) { json_set_alloc_funcs(malloc, sxgw_wiping_free); }
#endif
