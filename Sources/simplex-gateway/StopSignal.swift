import Glibc

/// SIGTERM and SIGINT, as a thing to wait for.
enum StopSignal {
    private static func signals() -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        return signals
    }

    static func block() {
        var signals = signals()
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Returns when the program is asked to stop.
    static func wait() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let waiting = Unmanaged.passRetained(Waiting(continuation))
            var thread = pthread_t()
            let code = pthread_create(&thread, nil, { argument in
                var signals = StopSignal.signals()
                var number: Int32 = 0
                sigwait(&signals, &number)
                if let argument { Unmanaged<Waiting>.fromOpaque(argument).takeRetainedValue().continuation.resume() }
                return nil
            }, waiting.toOpaque())
            if code == 0 { pthread_detach(thread) } else { waiting.takeRetainedValue().continuation.resume() }
        }
    }

    private final class Waiting: Sendable {
        let continuation: CheckedContinuation<Void, Never>
        init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = continuation }
    }
}
