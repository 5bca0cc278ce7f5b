package import Descriptors
internal import SimpleXCrypto

/// A request as the client has sent it, copied from the HTTP library.
///
/// `path` keeps its percent-encoding. The router decodes each segment separately, so that an encoded slash never splits
/// a segment.
package struct HTTPRequest: Sendable {
    package var method: String
    package var path: String
    /// Decoded parameters of the query, in the order of the request.
    package var query: [(name: String, value: String)]
    /// Header fields in the order of the request, with names in lower case.
    package var headers: [(name: String, value: String)]
    /// The body; empty until the whole body was read.
    package var body: HTTPBody
    /// Whether the connection is encrypted.
    package var isSecure: Bool
    /// Whether a percent escape in the path or the query is malformed, or decodes to invalid text. Then `query` is
    /// incomplete.
    var hasMalformedTarget = false
    /// Whether the request uses HTTP/1.0, in which `Host` may be missing.
    var isHTTP10 = false
    /// The id of this request in logs and problem documents.
    package var id: String
    /// The address from which the connection came: a client or a proxy.
    package var address: SourceAddress?
    package let trace = RequestTrace()
    /// The connection of the request; nil for a request that came over no connection.
    var connection: ConnectionWatch.Entry?
    /// Whether the client cannot be reached any more. This includes a client that has ended its direction of the
    /// connection, although it could still read. Use this property only before the request is answered.
    var isAbandoned: Bool { connection?.hasEnded ?? false }

    package init(
        method: String,
        path: String,
        query: [(name: String, value: String)] = [],
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        isSecure: Bool = false,
        id: String = "",
        address: SourceAddress? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = HTTPBody(body)
        self.isSecure = isSecure
        self.id = id
        self.address = address
    }

    /// Resolves a target in absolute form. Such a target contains the host, and replaces `Host` (RFC 9112, section
    /// 3.2.2). So this function sets the path and `Host` to the parts of the target.
    mutating func resolveAbsoluteForm() {
        guard path.utf8.first != UInt8(ascii: "/"),
            let scheme = ["http://", "https://"].first(where: path.lowercased().hasPrefix)
        else { return }
        let named = path.dropFirst(scheme.count)
        let host = named.prefix { $0 != "/" }
        path = named.count == host.count ? "/" : String(named.dropFirst(host.count))
        for index in headers.indices where headers[index].name == "host" { headers[index].value = String(host) }
    }

    /// Returns the first value of a header field.
    /// - Parameter name: in lower case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }

    /// Returns the first value of a query parameter.
    package func parameter(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// Whether a comma-separated header field contains a token. Upper and lower case are equal.
    func header(_ name: String, contains token: String) -> Bool {
        for field in headers where field.name == name {
            for part in field.value.split(separator: ",") where part.trimmingSpaces.lowercased() == token {
                return true
            }
        }
        return false
    }

    /// Whether `Accept` explicitly contains a media type.
    /// - Parameter type: in lower case.
    func accepts(_ type: String) -> Bool {
        parseHeaderPreferences("accept").contains { $0.value == type && $0.isTaken }
    }

    /// Returns the values of a header field that lists preferences of the client, in lower case and without parameters.
    /// `isTaken` is false for a value that the client does not accept: the weight of such a value is zero (RFC 9110,
    /// section 12.4.2).
    func parseHeaderPreferences(_ name: String) -> [(value: String, isTaken: Bool)] {
        headers.filter { $0.name == name }.flatMap { $0.value.split(separator: ",") }.compactMap { part in
            let pieces = part.split(separator: ";").map { $0.trimmingSpaces.lowercased() }
            let weight = pieces.dropFirst().first { $0.hasPrefix("q=") }.map { String($0.dropFirst(2)) }
            return pieces.first.map { ($0, weight.map { (Double($0) ?? 0) > 0 } ?? true) }
        }
    }
}

extension StringProtocol {
    /// The text without spaces and tabs at its beginning and end.
    var trimmingSpaces: String {
        var view = Substring(self)
        while let first = view.first, first == " " || first == "\t" { view.removeFirst() }
        while let last = view.last, last == " " || last == "\t" { view.removeLast() }
        return String(view)
    }
}

enum PercentEncoding {
    /// Encodes every byte except letters, digits and `-._~:,` as `%XX`.
    static func encode(_ text: String) -> String { PercentCoding.escape(text, allowed: ":,") }

    /// Decodes `%XX`. Returns `nil` when an escape is malformed or decodes to NUL, or when the result is not UTF-8.
    static func decode(_ text: some StringProtocol) -> String? { decode(utf8: text.utf8) }

    static func decode(utf8 text: some Collection<UInt8>) -> String? {
        PercentCoding.decodeText(text).flatMap { $0.utf8.contains(0) ? nil : $0 }
    }
}
