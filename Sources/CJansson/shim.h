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

/* Makes jansson overwrite memory before it is freed, since the JSON text and jansson's buffers may contain secrets. */
static inline void sxgw_json_wipes_memory(void) { json_set_alloc_funcs(malloc, sxgw_wiping_free); }
#endif
