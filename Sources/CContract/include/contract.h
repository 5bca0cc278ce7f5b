#ifndef SXGW_CONTRACT_H
#define SXGW_CONTRACT_H

#include <stddef.h>
#include <stdint.h>

/// openapi/openapi.yaml as it was when the program was built.
const uint8_t *sxgw_contract(void);
/// Its size in bytes.
size_t sxgw_contract_size(void);
/// openapi/asyncapi.yaml likewise.
const uint8_t *sxgw_streams(void);
/// Its size in bytes.
size_t sxgw_streams_size(void);

#endif
