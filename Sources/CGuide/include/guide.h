#ifndef SXGW_GUIDE_H
#define SXGW_GUIDE_H

#include <stddef.h>
#include <stdint.h>

/// A page or a picture of the documentation at the time of the build.
typedef struct {
    const char *name;
    const uint8_t *bytes;
    size_t size;
} sxgw_guide_file;

/// Returns all files, in the order of their names.
const sxgw_guide_file *sxgw_guide_files(void);
/// Returns the number of files.
size_t sxgw_guide_file_count(void);

#endif
