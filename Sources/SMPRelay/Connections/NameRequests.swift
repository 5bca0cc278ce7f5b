import SMP
import Synchronization

/// The requests to the operator's name resolver that are not answered yet. Their number is limited.
final class NameRequests: Sendable {
    private struct State {
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var startedCount: UInt64 = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let resolver: ResolveName
    private let maxRequests: Int
    /// Maximal number of unanswered requests of one session, so that one client cannot use up the limit of all
    /// sessions.
    let maxRequestsPerSession: Int

    init(_ resolver: @escaping ResolveName, limit: Int) {
        self.resolver = resolver
        self.maxRequests = limit
        maxRequestsPerSession = max(limit / 2, 1)
    }

    /// Asks the resolver for the record of a name, and passes the result to the session. The closure `message` makes
    /// the SMP message from the result.
    /// - Returns: false, without a request, if too many requests have no answer yet.
    func startRequest(
        _ name: NameDomain,
        for session: ConnectionHandle,
        corrID: [UInt8],
        _ message: @escaping @Sendable (Result<[UInt8], SMPNameError>) -> BrokerMessage
    ) -> Bool {
        state.withLock { state in
            guard !state.isClosed, state.tasks.count < maxRequests else { return false }
            state.startedCount += 1
            let number = state.startedCount
            state.tasks[number] = Task { [self] in
                let result: Result<[UInt8], SMPNameError>
                do throws(SMPNameError) { result = .success(try await resolver(name)) } catch {
                    result = .failure(error)
                }
                let message = message(result)
                finishRequest(number) { session.passNameAnswer(message, corrID: corrID) }
            }
            return true
        }
    }

    /// Removes a request and passes its answer to the session, under one lock. So ``cancelAllAndWait()`` cannot return
    /// before the answer was passed. The event loops may end after that function returns.
    private func finishRequest(_ number: UInt64, _ pass: () -> Void) {
        state.withLock { state in
            state.tasks[number] = nil
            pass()
        }
    }

    /// Cancels all requests, and waits until they have ended.
    func cancelAllAndWait() async {
        let tasks = state.withLock { state in
            state.isClosed = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
