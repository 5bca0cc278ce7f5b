/// The one right to answer a suspended request. The first answer counts.
public struct HTTPResponder: Sendable {
    let exchange: HTTPExchange
    var change: (@Sendable (HTTPResponse) -> HTTPResponse)?

    public func respond(_ response: HTTPResponse) {
        exchange.resume(with: change?(response) ?? response)
    }

    func map(_ next: @escaping @Sendable (HTTPResponse) -> HTTPResponse) -> HTTPResponder {
        let before = change
        return HTTPResponder(exchange: exchange) { response in
            let changed = next(response)
            return before?(changed) ?? changed
        }
    }
}

extension HTTPReply {
    /// The same with its response changed before it is sent.
    func map(_ change: @escaping @Sendable (HTTPResponse) -> HTTPResponse) -> HTTPReply {
        switch self {
        case .now(let response): .now(change(response))
        case .later(let work): .later { change(await work()) }
        case .deferred(let register): .deferred { responder in register(responder.map(change)) }
        }
    }
}
