internal import SimpleXCrypto

/// The address and login of a Redis server: `redis://[[user]:password@]host[:port][/database]` or
/// `unix://[[user]:password@]/path/of/socket`.
struct RedisURL: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    enum Endpoint: Sendable, Hashable {
        case host(String, port: Int32)
        case socket(String)
    }

    var endpoint: Endpoint
    var user: String?
    var password: String?
    var database: Int?

    /// The address without user and password.
    var description: String { "\(endpoint)" }
    var customMirror: Mirror { Mirror(self, children: ["place": endpoint]) }

    /// Parses a Redis URL; nil for a text in another form.
    init?(_ text: String) {
        let (scheme, rest): (String, Substring)
        if text.hasPrefix("redis://") {
            (scheme, rest) = ("redis", text.dropFirst("redis://".count))
        } else if text.hasPrefix("unix://") {
            (scheme, rest) = ("unix", text.dropFirst("unix://".count))
        } else {
            return nil
        }
        var place = rest
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let user = PercentCoding.decodeText(parts[0].utf8),
                let password = PercentCoding.decodeText(parts[1].utf8),
                !password.isEmpty
            else { return nil }
            (self.user, self.password) = (user.isEmpty ? nil : user, password)
            place = rest[rest.index(after: at)...]
        }
        guard scheme == "redis" else {
            guard place.hasPrefix("/"), place.count > 1, !place.contains("\0") else { return nil }
            self.endpoint = .socket(String(place))
            return
        }
        if let slash = place.firstIndex(of: "/") {
            let name = place[place.index(after: slash)...]
            if !name.isEmpty {
                guard let number = Int(name), (0...65_535).contains(number) else { return nil }
                database = number
            }
            place = place[..<slash]
        }
        var (host, port): (Substring, Int32) = (place, 6379)
        if place.hasPrefix("[") {
            guard let end = place.firstIndex(of: "]") else { return nil }
            host = place[place.index(after: place.startIndex)..<end]
            let tail = place[place.index(after: end)...]
            if !tail.isEmpty {
                guard tail.hasPrefix(":"), let number = Int32(tail.dropFirst()) else { return nil }
                port = number
            }
        } else if let colon = place.firstIndex(of: ":") {
            guard let number = Int32(place[place.index(after: colon)...]) else { return nil }
            (host, port) = (place[..<colon], number)
        }
        guard !host.isEmpty, (1...65_535).contains(port), !host.contains(where: { $0 == "\0" || $0.isWhitespace })
        else { return nil }
        self.endpoint = .host(String(host), port: port)
    }
}
