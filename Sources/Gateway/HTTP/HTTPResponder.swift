internal import Concurrency

/// Answers a suspended request. Only the first answer is sent.
package struct HTTPResponder: Sendable {
    private let send: @Sendable (HTTPResponse) -> Void

    init(exchange: HTTPExchange) { send = { exchange.resume(with: $0) } }

    init(_ send: @escaping @Sendable (HTTPResponse) -> Void) { self.send = send }

    package func respond(_ response: HTTPResponse) { send(response) }

    func map(_ next: @escaping @Sendable (HTTPResponse) -> HTTPResponse) -> HTTPResponder {
        HTTPResponder { [send] response in send(next(response)) }
    }
}

extension HTTPReply {
    /// The reply, whose work runs as a ``PoolRequest``. When too many stores use their databases, the first use of a
    /// database waits only for a short time, and then the request is refused.
    var asPoolRequest: HTTPReply {
        guard case .later(let work) = self else { return self }
        return .later { await PoolRequest.runAsRequest { await work() } }
    }

    /// Returns the reply. The work of the reply begins when the store's share of the processor allows it.
    func limitedToShare(_ share: ProcessorShare?) -> HTTPReply {
        guard let share, case .later(let work) = self else { return self }
        return .later { await share.runCall { await work() } }
    }

    /// Returns a reply that changes its response before the response is sent.
    func map(_ change: @escaping @Sendable (HTTPResponse) -> HTTPResponse) -> HTTPReply {
        switch self {
        case .now(let response): .now(change(response))
        case .later(let work): .later { change(await work()) }
        case .deferred(let register): .deferred { responder in register(responder.map(change)) }
        }
    }
}
