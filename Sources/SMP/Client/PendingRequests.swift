import NIOCore

/// The requests of a session that are not answered yet, by their correlation ids. Only the session's event loop uses
/// this value.
struct PendingRequests {
    typealias Answer = Result<BrokerMessage, SMPClientError>

    /// Requests that are sent together. The caller waits for all their answers.
    final class RequestGroup {
        fileprivate var answers: [Answer?]
        fileprivate var remainingCount: Int
        fileprivate var continuation: CheckedContinuation<[Answer], Never>?
        var timeout: Scheduled<Void>?

        fileprivate init(count: Int, continuation: CheckedContinuation<[Answer], Never>?) {
            answers = Array(repeating: nil, count: count)
            remainingCount = count
            self.continuation = continuation
        }

        fileprivate func setAnswer(_ answer: Answer, at index: Int) {
            guard answers[index] == nil else { return }
            answers[index] = answer
            remainingCount -= 1
            guard remainingCount == 0 else { return }
            timeout?.cancel()
            continuation?.resume(returning: answers.map { $0 ?? .failure(.closed) })
            continuation = nil
        }
    }

    /// One request that is not answered yet.
    struct Request {
        fileprivate let group: RequestGroup
        fileprivate let index: Int
        let entityID: [UInt8]
        /// Whether a message in the relay's answer is also passed on as an event of the queue.
        let deliversMessages: Bool

        func passAnswer(_ answer: Answer) { group.setAnswer(answer, at: index) }

        /// Converts the relay's answer into the result of this request. An error, an unparsable answer, or an answer
        /// with another entity id becomes a failure. Some kinds of answers may have any entity id. The caller checks
        /// that the kind of the answer suits the command.
        /// - Parameters:
        ///   - entityID: the entity id in the answer.
        ///   - message: nil for a message that could not be parsed.
        func makeAnswer(_ entityID: [UInt8], _ message: BrokerMessage?) -> Answer {
            guard let message else { return .failure(.response("unparsable answer")) }
            switch message {
            case .err(let error): return .failure(.smp(error))
            case .ids, .pong, .pkey, .rres, .soks, .lnk, .rname: break
            default:
                guard entityID == self.entityID else { return .failure(.unexpected(message.tag)) }
            }
            return .success(message)
        }
    }

    private var requests: [[UInt8]: Request] = [:]

    /// Stores `requests` until their answers come. `continuation` is resumed with all answers, in the order of the
    /// requests.
    mutating func addRequests(
        _ requests: [PreparedRequest],
        _ continuation: CheckedContinuation<[Answer], Never>?
    ) -> RequestGroup {
        let group = RequestGroup(count: requests.count, continuation: continuation)
        for (index, request) in requests.enumerated() {
            self.requests[request.corrID] = Request(
                group: group,
                index: index,
                entityID: request.entityID,
                deliversMessages: request.deliversMessages
            )
        }
        return group
    }

    func containsRequest(_ corrID: [UInt8]) -> Bool { requests[corrID] != nil }

    /// Removes the request with this correlation id, and returns the request.
    mutating func removeRequest(_ corrID: [UInt8]) -> Request? { requests.removeValue(forKey: corrID) }

    mutating func takeAllRequests() -> [Request] {
        defer { requests = [:] }
        return Array(requests.values)
    }
}

extension BrokerMessage {
    /// Whether this message delivers a message to the owner of a queue (MSG), or a notification to a notification
    /// server (NMSG). Such a message can also be the answer to a command.
    var isMessageDelivery: Bool {
        switch self {
        case .msg, .nmsg: true
        default: false
        }
    }
}
