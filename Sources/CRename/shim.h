#ifndef SXGW_CRENAME_SHIM_H
#define SXGW_CRENAME_SHIM_H
/* Of the C library since 2.28 (renameat2(2)), where Swift does not see it. */
extern int renameat2(int old_folder, const char *old_path, int new_folder, const char *new_path, unsigned int flags);
#define SXGW_RENAME_NOREPLACE 1u
#endif
