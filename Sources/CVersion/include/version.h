#ifndef SXGW_VERSION_H
#define SXGW_VERSION_H

/// The file VERSION as it was when the program was built: the number and a line feed.
const char *sxgw_version(void);

#endif
