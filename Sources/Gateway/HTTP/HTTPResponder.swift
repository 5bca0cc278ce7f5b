/// The one right to answer a suspended request. The first answer counts.
public struct HTTPResponder: Sendable {
    let exchange: HTTPExchange
    var change: (@Sendable (HTTPResponse) -> HTTPResponse)?

    public func respond(_ response: HTTPResponse) {
        exchange.resume(with: change?(response) ?? response)
    }
}
