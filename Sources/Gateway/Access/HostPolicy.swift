/// The host names for which this server answers, and the origins from which browsers may call it.
///
/// The checks of `Host` and `Origin` protect against web pages of other sites. An attacker can let the domain name of a
/// page lead to this server. For such a page, the browser sends that domain name as `Host`. For any other page of
/// another site, the browser sends the site as `Origin`.
package struct HostPolicy: Sendable {
    private let allowedHosts: Set<String>
    private let allowedOrigins: Set<String>
    /// Paths of the probes, such as health checks.
    private let probePaths: Set<String>

    /// - Parameters:
    ///   - bound: the address at which the server listens.
    ///   - hosts: additional names without port. The loopback names and `bound` are always allowed.
    ///   - origins: allowed origins, `scheme://host[:port]`.
    ///   - probePaths: paths of probes, which may have any `Host`. For other paths, `Host` is checked before the route
    ///     is found. So a request with a refused `Host` cannot find out which paths exist.
    package init(bound: String, hosts: [String] = [], origins: [String] = [], probePaths: Set<String>) {
        let loopback = ["localhost", "127.0.0.1", "::1"]
        self.allowedHosts = Set((loopback + [bound] + hosts).map { HostPolicy.hostName($0.lowercased()) })
        self.allowedOrigins = Set(origins.map { $0.lowercased() })
        self.probePaths = probePaths
    }

    func check(_ request: HTTPRequest) -> ProblemDetails? {
        let named = request.headers.filter { $0.name == "host" }
        // A probe over HTTP/1.0 needs no `Host`, because the probes of HAProxy have none by default. Such a request
        // comes from no web page: browsers always send a `Host`.
        if named.isEmpty, request.isHTTP10, probePaths.contains(request.path) { return nil }
        guard named.count == 1, let host = named.first?.value.trimmingSpaces.lowercased() else {
            return ProblemDetails(.malformedRequest, "The request must have exactly one Host header.")
        }
        guard let authority = HostAndPort(host) else {
            return ProblemDetails(.malformedRequest, "Host must be a name or an address, optionally with a port.")
        }
        // A probe may have any host, because load balancers may use an address that is not in the list. The answers to
        // probes contain no secrets.
        guard allowedHosts.contains(authority.host) || probePaths.contains(request.path) else {
            return ProblemDetails(
                .wrongHost,
                "Start the server with --allow-host \(authority.host) to allow this name."
            )
        }
        guard let origin = request.header("origin")?.lowercased() else { return nil }
        let same = (request.isSecure ? "https://" : "http://") + host
        guard origin == same || allowedOrigins.contains(origin) else {
            return ProblemDetails(
                .wrongOrigin,
                "Start the server with --allow-origin and this origin to allow its pages."
            )
        }
        return nil
    }

    /// Returns the request's origin if it is an allowed origin. The answer must then tell the browser that this origin
    /// is allowed.
    func allowedOrigin(_ request: HTTPRequest) -> String? {
        guard let origin = request.header("origin"), allowedOrigins.contains(origin.lowercased()) else { return nil }
        return origin
    }

    /// Whether a client can send a text as its `Host`. An IPv6 address may be without brackets.
    package static func isHost(_ text: String) -> Bool { HostAndPort(text) != nil || HostAndPort("[\(text)]") != nil }

    /// Whether a browser can send a text as its `Origin`: `scheme://host[:port]`, without a path, and without the
    /// default port of the scheme.
    package static func isOrigin(_ text: String) -> Bool {
        guard let separator = text.firstRange(of: "://"),
            let authority = HostAndPort(String(text[separator.upperBound...]))
        else { return false }
        let scheme = text[..<separator.lowerBound].lowercased()
        guard !scheme.isEmpty,
            scheme.utf8.allSatisfy({ byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
            })
        else { return false }
        return authority.port.map { ["http": 80, "https": 443][scheme] != $0 } ?? (text.last != ":")
    }

    /// Returns the host of an authority, without port and brackets.
    static func hostName(_ authority: String) -> String {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return authority }
            return String(authority[authority.index(after: authority.startIndex)..<end])
        }
        let colons = authority.utf8.count { $0 == UInt8(ascii: ":") }
        guard colons == 1, let colon = authority.firstIndex(of: ":") else { return authority }
        return String(authority[..<colon])
    }
}
