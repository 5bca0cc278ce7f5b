#include "crash_marks.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

enum { places = 64 };

// Each element is a file descriptor plus one, or 0 if the element is free.
static _Atomic int files[places];
static atomic_flag has_crashed = ATOMIC_FLAG_INIT;
static const int crashes[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
static struct sigaction before[sizeof crashes / sizeof *crashes];

// The handler of crash signals. It calls only functions that a signal handler may call.
static void write_marks(int number) {
    // Several threads may crash at the same time. Only the first one writes the marks.
    if (!atomic_flag_test_and_set(&has_crashed)) {
        for (int place = 0; place < places; place++) {
            int file = atomic_load(&files[place]);
            // If the descriptor was closed meanwhile, it may now belong to another file. The check of O_APPEND excludes
            // nearly all other files.
            if (file > 0 && fcntl(file - 1, F_GETFL) & O_APPEND && write(file - 1, "x", 1) < 0) continue;
        }
    }
    // Restores the former handler, so that the process ends as it would have ended without this handler.
    for (size_t index = 0; index < sizeof crashes / sizeof *crashes; index++) {
        if (crashes[index] == number) sigaction(number, &before[index], NULL);
    }
    raise(number);
}

void sxgw_crash_marks_begin(void) {
    struct sigaction action = {.sa_handler = write_marks, .sa_flags = SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    for (size_t index = 0; index < sizeof crashes / sizeof *crashes; index++) {
        sigaction(crashes[index], &action, &before[index]);
    }
}

int sxgw_crash_mark_add(int descriptor) {
    for (int place = 0; place < places; place++) {
        int nothing = 0;
        if (atomic_compare_exchange_strong(&files[place], &nothing, descriptor + 1)) return place;
    }
    return -1;
}

void sxgw_crash_mark_remove(int place) { atomic_store(&files[place], 0); }
