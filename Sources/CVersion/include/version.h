#ifndef SXGW_VERSION_H
#define SXGW_VERSION_H

/// Returns the contents of the file VERSION at the time of the build: the number and a line feed.
const char *sxgw_version(void);

#endif
