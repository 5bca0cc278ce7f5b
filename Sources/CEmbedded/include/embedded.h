#ifndef SXGW_EMBEDDED_H
#define SXGW_EMBEDDED_H

#include <stddef.h>
#include <stdint.h>

/// A file at the time of the build.
struct sxgw_file {
    const char *name;
    const uint8_t *bytes;
    /// Size of `bytes`.
    size_t size;
};

/// Returns the contracts as JSON, and sets `count` to their number.
const struct sxgw_file *sxgw_contracts(size_t *count);
/// Returns the pages and pictures of the documentation and the changelog, and sets `count` to their number.
const struct sxgw_file *sxgw_guide(size_t *count);

#endif
