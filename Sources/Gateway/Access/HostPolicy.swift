/// The host names that this server answers for, and the origins from which browsers may call it.
///
/// Both checks stop pages of other sites: a page whose domain name was pointed at this server sends a foreign `Host`,
/// any other page sends a foreign `Origin`.
public struct HostPolicy: Sendable {
    private let hosts: Set<String>
    private let origins: Set<String>

    /// - Parameters:
    ///   - hosts: names without port, in addition to the loopback names and the bound address.
    ///   - origins: `scheme://host[:port]`.
    public init(bound: String, hosts: [String] = [], origins: [String] = []) {
        let loopback = ["localhost", "127.0.0.1", "::1"]
        self.hosts = Set((loopback + [bound] + hosts).map { HostPolicy.name($0.lowercased()) })
        self.origins = Set(origins.map { $0.lowercased() })
    }

    func check(_ request: HTTPRequest) -> ProblemDetails? {
        let named = request.headers.filter { $0.name == "host" }
        // By default, HAProxy's checks use HTTP/1.0 without a `Host`. Browsers never do.
        if named.isEmpty, request.isHTTP10, Self.probes.contains(request.path) { return nil }
        guard named.count == 1, let host = named.first?.value.trimmingSpaces.lowercased() else {
            return ProblemDetails(.malformedRequest, "The request must have exactly one Host header.")
        }
        guard let authority = Authority(host) else {
            return ProblemDetails(.malformedRequest, "Host must be a name or an address, optionally with a port.")
        }
        // Probes and load balancers use an address that may not be in the list. The probes' answers contain no secrets.
        guard hosts.contains(authority.host) || Self.probes.contains(request.path) else {
            return ProblemDetails(
                .wrongHost,
                "Start the server with --allow-host \(authority.host) to allow this name."
            )
        }
        guard let origin = request.header("origin")?.lowercased() else { return nil }
        let same = (request.isSecure ? "https://" : "http://") + host
        guard origin == same || origins.contains(origin) else {
            return ProblemDetails(
                .wrongOrigin,
                "Start the server with --allow-origin and this origin to allow its pages."
            )
        }
        return nil
    }

    /// Paths of the probes. The check comes before the route is found, so that other hosts learn no paths.
    private static let probes = Set(RouteTable.all.filter { $0.policy.callers == .probes }.map(\.template))

    /// The request's origin if the allowed origins contain it: the answer must then allow it to the browser.
    func crossOrigin(_ request: HTTPRequest) -> String? {
        guard let origin = request.header("origin"), origins.contains(origin.lowercased()) else { return nil }
        return origin
    }

    /// Whether a client can send this as its `Host`. An IPv6 address may be without brackets.
    public static func isHost(_ text: String) -> Bool { Authority(text) != nil || Authority("[\(text)]") != nil }

    /// Whether a browser can send this as its `Origin`: `scheme://host[:port]`, without a path, and without the default
    /// port of the scheme.
    public static func isOrigin(_ text: String) -> Bool {
        guard let separator = text.firstRange(of: "://"),
            let authority = Authority(String(text[separator.upperBound...]))
        else { return false }
        let scheme = text[..<separator.lowerBound].lowercased()
        guard !scheme.isEmpty,
            scheme.utf8.allSatisfy({ byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
            })
        else { return false }
        return authority.port.map { ["http": 80, "https": 443][scheme] != $0 } ?? (text.last != ":")
    }

    /// The host of an authority, without port and brackets.
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
