/// The one right to answer a suspended request. The first answer counts.
public struct HTTPResponder: Sendable {
    let exchange: HTTPExchange

    public func respond(_ response: HTTPResponse) {
        exchange.resume(with: response)
    }
}
