#include "contract.h"

// The program contains its contract, so that the contract is available at any place of installation. (SwiftPM's
// `.embedInCode` would make half a million array elements of the file.)
#pragma clang diagnostic ignored "-Wc23-extensions"
static const uint8_t contract[] = {
#embed "../../openapi/openapi.yaml"
};

const uint8_t *sxgw_contract(void) { return contract; }
size_t sxgw_contract_size(void) { return sizeof contract; }

static const uint8_t streams[] = {
#embed "../../openapi/asyncapi.yaml"
};

const uint8_t *sxgw_streams(void) { return streams; }
size_t sxgw_streams_size(void) { return sizeof streams; }
