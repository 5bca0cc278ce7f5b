#ifndef SXGW_CRASH_MARKS_H
#define SXGW_CRASH_MARKS_H

// Installs handlers of crash signals. A crash of the process then writes one byte to each added file. SIGKILL, a loss of
// power, and a normal end of the process write nothing.
void sxgw_crash_marks_begin(void);

// Adds a file that is open with O_APPEND. Returns its number in the table of files; -1 when the table is full.
int sxgw_crash_mark_add(int descriptor);
// Removes a file from the table by its number.
void sxgw_crash_mark_remove(int place);

#endif
