internal import Concurrency

/// The right to answer a suspended request. Only the first answer is sent.
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
    /// The reply, made as a ``PoolRequest``. So it is refused soon when too many stores use their databases.
    var asPoolRequest: HTTPReply {
        guard case .later(let work) = self else { return self }
        return .later { await PoolRequest.runAsRequest { await work() } }
    }

    /// The reply, made when a store's share of the processor allows it.
    func limitedToShare(_ share: ProcessorShare?) -> HTTPReply {
        guard let share, case .later(let work) = self else { return self }
        return .later { await share.runCall { await work() } }
    }

    /// Returns the reply with a change that is applied to its response before sending.
    func map(_ change: @escaping @Sendable (HTTPResponse) -> HTTPResponse) -> HTTPReply {
        switch self {
        case .now(let response): .now(change(response))
        case .later(let work): .later { change(await work()) }
        case .deferred(let register): .deferred { responder in register(responder.map(change)) }
        }
    }
}
