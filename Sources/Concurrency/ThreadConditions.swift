internal import Clocks
import Glibc

/// A lock of POSIX, with which threads can wait for a ``ThreadCondition``.
package final class ThreadLock: @unchecked Sendable {
    // The class is `@unchecked Sendable`: the functions of POSIX may be called by any thread.
    fileprivate let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    package init() { pthread_mutex_init(mutex, nil) }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    package func withLock<T>(_ body: () -> T) -> T {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}

/// A condition of POSIX. Threads wait for it only while they hold the lock, which is released during the wait.
package final class ThreadCondition: @unchecked Sendable {
    // The class is `@unchecked Sendable`: the functions of POSIX may be called by any thread.
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init() {
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // With this clock, setting the system's time does not change how long a thread waits.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
    }

    package func wakeOne() { pthread_cond_signal(condition) }

    package func wakeAll() { pthread_cond_broadcast(condition) }

    /// Waits for a signal, at most until the deadline if there is one. A thread may also wake without a signal.
    /// - Returns: whether the deadline has passed.
    package func waitForSignal(_ lock: ThreadLock, until deadline: ContinuousClock.Instant?) -> Bool {
        guard let deadline else {
            pthread_cond_wait(condition, lock.mutex)
            return false
        }
        var end = makeTimespec(after: deadline - .now)
        return pthread_cond_timedwait(condition, lock.mutex, &end) == ETIMEDOUT
    }
}

/// Returns the time of the monotonic clock that is `duration` later than now.
private func makeTimespec(after duration: Duration) -> timespec {
    let now = Int(MonotonicClock.nanoseconds()), nanosecondsPerSecond = 1_000_000_000
    let (seconds, attoseconds) = max(duration, .zero).components
    let nanoseconds = now % nanosecondsPerSecond + Int(attoseconds) / 1_000_000_000
    return timespec(
        tv_sec: now / nanosecondsPerSecond + Int(seconds) + nanoseconds / nanosecondsPerSecond,
        tv_nsec: nanoseconds % nanosecondsPerSecond
    )
}
