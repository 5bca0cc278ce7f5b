/// The host names that this server answers for, and the origins from which browsers may call it.
///
/// Both stop web pages of others: a page whose domain name was pointed at this server sends a foreign `Host`, any other page a foreign `Origin`.
public struct HostPolicy: Sendable {
    private let hosts: Set<String>
    private let origins: Set<String>

    /// - Parameters:
    ///   - hosts: names without port, besides the loopback names and the address bound to.
    ///   - origins: `scheme://host[:port]`.
    public init(bound: String, hosts: [String] = [], origins: [String] = []) {
        let loopback = ["localhost", "127.0.0.1", "::1"]
        self.hosts = Set((loopback + [bound] + hosts).map { HostPolicy.name($0.lowercased()) })
        self.origins = Set(origins.map { $0.lowercased() })
    }

    func check(_ request: HTTPRequest) -> ProblemDetails? {
        let named = request.headers.filter { $0.name == "host" }
        // HAProxy's checks are so, where nothing else is configured; browsers are not.
        if named.isEmpty, request.isHTTP10, Operations.probes.contains(request.path) { return nil }
        guard named.count == 1, let host = named.first?.value.trimmingSpaces.lowercased() else {
            return ProblemDetails(.malformedRequest, "One Host header is required.")
        }
        guard let authority = Authority(host) else { return ProblemDetails(.malformedRequest, "Host is a name or address, and perhaps a port.") }
        // Probes and load balancers know an address of their own. What they read is no secret.
        guard hosts.contains(authority.host) || Operations.probes.contains(request.path) else {
            return ProblemDetails(.wrongHost, "Start the server with --allow-host \(authority.host) to allow this name.")
        }
        guard let origin = request.header("origin")?.lowercased() else { return nil }
        let same = (request.isSecure ? "https://" : "http://") + host
        guard origin == same || origins.contains(origin) else {
            return ProblemDetails(.wrongOrigin, "Start the server with --allow-origin and this origin to allow its pages.")
        }
        return nil
    }

    /// An origin that is allowed and not the server's own: the answer must say so to the browser.
    func crossOrigin(_ request: HTTPRequest) -> String? {
        guard let origin = request.header("origin"), origins.contains(origin.lowercased()) else { return nil }
        return origin
    }

    /// Whether a client can send this as its `Host`. An address of IPv6 may be without brackets.
    public static func isHost(_ text: String) -> Bool { Authority(text) != nil || Authority("[\(text)]") != nil }

    /// Whether a browser can send this as its `Origin`: `scheme://host[:port]`, without a path, and without the port that belongs to the scheme.
    public static func isOrigin(_ text: String) -> Bool {
        guard let separator = text.firstRange(of: "://"), let authority = Authority(String(text[separator.upperBound...])) else { return false }
        let scheme = text[..<separator.lowerBound].lowercased()
        guard !scheme.isEmpty, scheme.utf8.allSatisfy({ byte in (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte) })
        else { return false }
        return authority.port.map { ["http": 80, "https": 443][scheme] != $0 } ?? (text.last != ":")
    }

    /// Without port and brackets.
    static func name(_ authority: String) -> String {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return authority }
            return String(authority[authority.index(after: authority.startIndex)..<end])
        }
        let colons = authority.utf8.count { $0 == UInt8(ascii: ":") }
        guard colons == 1, let colon = authority.firstIndex(of: ":") else { return authority }
        return String(authority[..<colon])
    }
}
