import Glibc
import Synchronization

/// The signals SIGTERM and SIGINT, for which the program waits, and SIGHUP, for which it calls a handler.
enum StopSignal {
    private struct State {
        var isReceived = false
        var isExpected = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var onHangup: (@Sendable () -> Void)?
        var keepsHangup = false
        var isHangupKept = false
    }
    private static let state = Mutex(State())

    private static func signals() -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGHUP)
        return signals
    }

    /// Blocks the signals, which then go to ``forward()``. Must be called before any other thread starts, so that all
    /// threads inherit the mask.
    static func block() {
        var signals = signals()
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        signal(SIGPIPE, SIG_IGN)
        // Exceeding the file size limit becomes an error of the write, like a full disk, instead of ending the program.
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Receives signals and never returns. After ``expect()``, the first SIGTERM or SIGINT wakes the callers of
    /// ``wait()``. A second one, or one before ``expect()``, ends the program at once. SIGHUP calls its handler, or is
    /// kept after ``keepHangup()``; otherwise it acts like the other signals.
    static func forward() -> Never {
        while true {
            var signals = signals()
            var number: Int32 = 0
            guard sigwait(&signals, &number) == 0 else { continue }
            if number == SIGHUP, let act = state.withLock({ $0.onHangup }) {
                act()
                continue
            }
            if number == SIGHUP,
                state.withLock({ state in
                    if state.keepsHangup { state.isHangupKept = true }
                    return state.keepsHangup
                })
            {
                continue
            }
            let (isSecond, waiting) = state.withLock { state in
                defer {
                    state.isReceived = true
                    state.waiting = []
                }
                return (state.isReceived || !state.isExpected, state.waiting)
            }
            // Nothing waits for signals: the program is still starting, or runs another command. Other threads are
            // running, and `exit` would destroy objects that they use.
            if isSecond { _exit(128 + number) }
            for waiting in waiting { waiting.resume() }
        }
    }

    /// Keeps a signal for ``wait()`` from here on. Must be called before the program reports that it has started.
    static func expect() { state.withLock { $0.isExpected = true } }

    /// Makes SIGHUP no longer end the program, and keeps the signal for a later handler.
    static func keepHangup() { state.withLock { $0.keepsHangup = true } }

    /// Calls the handler at each SIGHUP, and for a SIGHUP that was kept; SIGHUP no longer ends the program. The
    /// handler must not block for long.
    static func onHangup(_ handler: @escaping @Sendable () -> Void) {
        let isKept = state.withLock { state in
            state.onHangup = handler
            defer { state.isHangupKept = false }
            return state.isHangupKept
        }
        if isKept { handler() }
    }

    /// Waits until the program is asked to stop; returns at once if it was asked since ``expect()``.
    static func wait() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isReceived = state.withLock { state in
                if !state.isReceived { state.waiting.append(continuation) }
                return state.isReceived
            }
            if isReceived { continuation.resume() }
        }
    }
}
