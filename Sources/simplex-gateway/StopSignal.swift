import Glibc
import Synchronization

/// Handles signals: the program waits for SIGTERM and SIGINT, and calls a handler at SIGHUP.
enum StopSignal {
    private struct State {
        var isReceived = false
        var isExpected = false
        var waiters: [CheckedContinuation<Void, Never>] = []
        var onHangup: (@Sendable () -> Void)?
        var shouldKeepHangup = false
        var isHangupKept = false
    }
    private static let state = Mutex(State())

    private static func makeSignalSet() -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGHUP)
        return signals
    }

    /// Blocks the signals, so that only ``receiveSignalsForever()`` receives them. It must be called before any other
    /// thread starts, because all threads inherit the block.
    static func blockSignals() {
        var signals = makeSignalSet()
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        signal(SIGPIPE, SIG_IGN)
        // If a file exceeds the file size limit, the write fails as on a full disk, because SIGXFSZ is ignored.
        // Otherwise the signal would end the program.
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Receives signals and never returns. After ``expectStop()``, the first SIGTERM or SIGINT wakes the callers of
    /// ``waitForStop()``. A second signal, or a signal before ``expectStop()``, ends the program immediately. SIGHUP
    /// calls its handler. Without a handler, SIGHUP is stored if ``keepHangupUntilHandled()`` was called. Otherwise it
    /// acts like SIGTERM.
    static func receiveSignalsForever() -> Never {
        while true {
            var signals = makeSignalSet()
            var number: Int32 = 0
            guard sigwait(&signals, &number) == 0 else { continue }
            if number == SIGHUP, let act = state.withLock({ $0.onHangup }) {
                act()
                continue
            }
            if number == SIGHUP,
                state.withLock({ state in
                    if state.shouldKeepHangup { state.isHangupKept = true }
                    return state.shouldKeepHangup
                })
            {
                continue
            }
            let (isSecond, waiting) = state.withLock { state in
                defer {
                    state.isReceived = true
                    state.waiters = []
                }
                return (state.isReceived || !state.isExpected, state.waiters)
            }
            // A second signal ends the program immediately. The first signal does too, if ``expectStop()`` was not
            // called. `_exit` is used because other threads are running, and `exit` would destroy objects that they
            // use.
            if isSecond { _exit(128 + number) }
            for waiting in waiting { waiting.resume() }
        }
    }

    /// Makes the first SIGTERM or SIGINT wake ``waitForStop()`` from now on. It must be called before the program
    /// reports that it has started.
    static func expectStop() { state.withLock { $0.isExpected = true } }

    /// Makes the program store a SIGHUP until a handler is set. Without this call, SIGHUP would end the program.
    static func keepHangupUntilHandled() { state.withLock { $0.shouldKeepHangup = true } }

    /// Sets the handler that is called at each SIGHUP, and calls it now if a SIGHUP was stored. SIGHUP then no longer
    /// ends the program. The handler must not block for a long time.
    static func onHangup(_ handler: @escaping @Sendable () -> Void) {
        let isKept = state.withLock { state in
            state.onHangup = handler
            defer { state.isHangupKept = false }
            return state.isHangupKept
        }
        if isKept { handler() }
    }

    /// Waits until a signal asks the program to stop. Returns immediately if a signal has arrived since
    /// ``expectStop()``.
    static func waitForStop() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isReceived = state.withLock { state in
                if !state.isReceived { state.waiters.append(continuation) }
                return state.isReceived
            }
            if isReceived { continuation.resume() }
        }
    }
}
