import Glibc
import Synchronization

/// SIGTERM and SIGINT, as a thing to wait for.
enum StopSignal {
    private struct State {
        var isReceived = false
        var isExpected = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private static let state = Mutex(State())

    private static func signals() -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        return signals
    }

    /// To be called before any other thread starts, so that all inherit it: the signals then go to ``forward()``.
    static func block() {
        var signals = signals()
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        signal(SIGPIPE, SIG_IGN)
        // A file that may not grow is an error of the write, as a full disk is, and not the end.
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Takes signals for ever; who waits is told of the first one. A second one ends the program at once.
    static func forward() -> Never {
        while true {
            var signals = signals()
            var number: Int32 = 0
            guard sigwait(&signals, &number) == 0 else { continue }
            let (isSecond, waiting) = state.withLock { state in
                defer {
                    state.isReceived = true
                    state.waiting = []
                }
                return (state.isReceived || !state.isExpected, state.waiting)
            }
            // Nobody will wait (yet): the program is still starting, or a command that does not serve. Other threads are at work, and what
            // `exit` takes down may be in their hands.
            if isSecond { _exit(128 + number) }
            for waiting in waiting { waiting.resume() }
        }
    }

    /// From here on a signal is kept for ``wait()``. To be called before anybody is told that the program has started.
    static func expect() { state.withLock { $0.isExpected = true } }

    /// Returns when the program is asked to stop, or has been since ``expect()``.
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
