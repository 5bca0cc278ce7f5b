#ifndef SXGW_CRASH_MARKS_H
#define SXGW_CRASH_MARKS_H

// From now on, a crash of the process writes one byte to each file that has a place. SIGKILL, a loss of power, and a
// normal end of the process write nothing.
void sxgw_crash_marks_begin(void);

// Gives a place to a file that is open with O_APPEND. Returns the place; -1 when no place is free.
int sxgw_crash_mark_add(int descriptor);
// Makes a place free.
void sxgw_crash_mark_remove(int place);

#endif
