#include "embedded.h"

// The program contains its contracts, so that they are available at any place of installation. (SwiftPM's
// `.embedInCode` would turn the files into arrays of half a million elements.)
#pragma clang diagnostic ignored "-Wc23-extensions"
static const uint8_t openapi[] = {
#embed "../../openapi/openapi.json"
};
static const uint8_t asyncapi[] = {
#embed "../../openapi/asyncapi.json"
};

static const struct sxgw_file files[] = {
    {"openapi.json", openapi, sizeof openapi},
    {"asyncapi.json", asyncapi, sizeof asyncapi},
};

const struct sxgw_file *sxgw_contracts(size_t *count) {
    *count = sizeof files / sizeof *files;
    return files;
}
