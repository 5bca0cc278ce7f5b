#ifndef SXGW_WEBCLIENT_H
#define SXGW_WEBCLIENT_H

#include <stddef.h>
#include <stdint.h>

/// A file of the web client, as it was when the program was built.
typedef struct {
    const char *name;
    const uint8_t *bytes;
    size_t size;
} sxgw_web_file;

/// All of them, in the order of their names.
const sxgw_web_file *sxgw_web_files(void);
size_t sxgw_web_file_count(void);

#endif
