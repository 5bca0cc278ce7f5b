#ifndef SXGW_CONTRACT_H
#define SXGW_CONTRACT_H

#include <stddef.h>
#include <stdint.h>

/// Returns the contents of openapi/openapi.yaml at the time of the build.
const uint8_t *sxgw_contract(void);
/// Returns the size of ``sxgw_contract`` in bytes.
size_t sxgw_contract_size(void);
/// Returns the contents of openapi/asyncapi.yaml at the time of the build.
const uint8_t *sxgw_streams(void);
/// Returns the size of ``sxgw_streams`` in bytes.
size_t sxgw_streams_size(void);

#endif
