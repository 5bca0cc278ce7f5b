#ifndef SXGW_CRASH_MARKS_H
#define SXGW_CRASH_MARKS_H

// From here on a crash of the process writes one byte to each file that has a place. Nothing else ends so: SIGKILL and a
// loss of power write nothing.
void sxgw_crash_marks_begin(void);

// Returns the place of a file; -1 where there is none left.
int sxgw_crash_mark_add(int descriptor);
void sxgw_crash_mark_remove(int place);

#endif
