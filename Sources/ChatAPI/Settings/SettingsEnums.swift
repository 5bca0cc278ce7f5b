/// The hosts of a server that may be used: onion hosts or public hosts.
public struct HostMode: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let onionViaSocks = Self(rawValue: "onionViaSocks")
    public static let onion = Self(rawValue: "onion")
    public static let `public` = Self(rawValue: "public")

    public static let known: Set<Self> = [.onionViaSocks, .onion, .public]
}

/// Whether sessions through a SOCKS proxy are isolated from each other by random credentials.
public struct NetworkProxyAuth: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let username = Self(rawValue: "username")
    public static let isolate = Self(rawValue: "isolate")

    public static let known: Set<Self> = [.username, .isolate]
}

/// Whether a message is sent to its server directly when no proxy can be used.
public struct SMPProxyFallback: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let allow = Self(rawValue: "allow")
    public static let allowProtected = Self(rawValue: "allowProtected")
    public static let prohibit = Self(rawValue: "prohibit")

    public static let known: Set<Self> = [.allow, .allowProtected, .prohibit]
}

/// The cases in which messages are sent through a proxy instead of directly to the server of the recipient.
public struct SMPProxyMode: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let always = Self(rawValue: "always")
    public static let unknown = Self(rawValue: "unknown")
    public static let unprotected = Self(rawValue: "unprotected")
    public static let never = Self(rawValue: "never")

    public static let known: Set<Self> = [.always, .unknown, .unprotected, .never]
}

/// The SMP servers that are used at port 443.
public struct SMPWebPortServers: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let all = Self(rawValue: "all")
    public static let preset = Self(rawValue: "preset")
    public static let off = Self(rawValue: "off")

    public static let known: Set<Self> = [.all, .preset, .off]
}

/// The hosts for which a SOCKS proxy is used: all hosts, or onion hosts only.
public struct SocksMode: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let always = Self(rawValue: "always")
    public static let onion = Self(rawValue: "onion")

    public static let known: Set<Self> = [.always, .onion]
}

/// The scope of a session with a server: a user, a server, or a single entity.
public struct TransportSessionMode: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let user = Self(rawValue: "user")
    public static let session = Self(rawValue: "session")
    public static let server = Self(rawValue: "server")
    public static let entity = Self(rawValue: "entity")

    public static let known: Set<Self> = [.user, .session, .server, .entity]
}

/// The type of the device's network.
public struct UserNetworkType: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let none = Self(rawValue: "none")
    public static let cellular = Self(rawValue: "cellular")
    public static let wifi = Self(rawValue: "wifi")
    public static let ethernet = Self(rawValue: "ethernet")
    public static let other = Self(rawValue: "other")

    public static let known: Set<Self> = [.none, .cellular, .wifi, .ethernet, .other]
}
