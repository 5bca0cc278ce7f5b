#ifndef SXGW_WEBCLIENT_H
#define SXGW_WEBCLIENT_H

#include "embedded.h"

/// Returns the files of the web client, and sets `count` to their number.
const struct sxgw_file *sxgw_web_client(size_t *count);

#endif
