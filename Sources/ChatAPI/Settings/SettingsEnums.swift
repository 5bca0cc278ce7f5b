/// The preferred hosts of a server: its onion hosts or its public hosts. With `onionViaSocks`, onion hosts are
/// preferred if there is a SOCKS proxy.
package struct HostMode: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let onionViaSocks = Self(rawValue: "onionViaSocks")
    package static let onion = Self(rawValue: "onion")
    package static let `public` = Self(rawValue: "public")

    package static let knownValues: Set<Self> = [.onionViaSocks, .onion, .public]
}

/// Whether sessions through a SOCKS proxy are isolated from each other by random credentials.
package struct NetworkProxyAuth: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let username = Self(rawValue: "username")
    package static let isolate = Self(rawValue: "isolate")

    package static let knownValues: Set<Self> = [.username, .isolate]
}

/// Whether a message is sent to its server directly when no proxy can be used.
package struct SMPProxyFallback: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let allow = Self(rawValue: "allow")
    package static let allowProtected = Self(rawValue: "allowProtected")
    package static let prohibit = Self(rawValue: "prohibit")

    package static let knownValues: Set<Self> = [.allow, .allowProtected, .prohibit]
}

/// The cases in which messages are sent through a proxy instead of directly to the server of the recipient.
package struct SMPProxyMode: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let always = Self(rawValue: "always")
    package static let unknown = Self(rawValue: "unknown")
    package static let unprotected = Self(rawValue: "unprotected")
    package static let never = Self(rawValue: "never")

    package static let knownValues: Set<Self> = [.always, .unknown, .unprotected, .never]
}

/// The SMP servers that are used at port 443: all servers, preset servers, or no servers.
package struct SMPWebPortServers: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let all = Self(rawValue: "all")
    package static let preset = Self(rawValue: "preset")
    package static let off = Self(rawValue: "off")

    package static let knownValues: Set<Self> = [.all, .preset, .off]
}

/// The hosts for which a SOCKS proxy is used: all hosts, or onion hosts only.
package struct SocksMode: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let always = Self(rawValue: "always")
    package static let onion = Self(rawValue: "onion")

    package static let knownValues: Set<Self> = [.always, .onion]
}

/// The scope of one transport session with a server: a user, a session of the app, a server, or a single connection
/// (`entity`).
package struct TransportSessionMode: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let user = Self(rawValue: "user")
    package static let session = Self(rawValue: "session")
    package static let server = Self(rawValue: "server")
    package static let entity = Self(rawValue: "entity")

    package static let knownValues: Set<Self> = [.user, .session, .server, .entity]
}

/// The type of the device's network.
package struct UserNetworkType: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let none = Self(rawValue: "none")
    package static let cellular = Self(rawValue: "cellular")
    package static let wifi = Self(rawValue: "wifi")
    package static let ethernet = Self(rawValue: "ethernet")
    package static let other = Self(rawValue: "other")

    package static let knownValues: Set<Self> = [.none, .cellular, .wifi, .ethernet, .other]
}

/// The part of a message that a notification shows.
package struct NotificationPreviewMode: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let hidden = Self(rawValue: "hidden")
    package static let contact = Self(rawValue: "contact")
    package static let message = Self(rawValue: "message")

    package static let knownValues: Set<Self> = [.hidden, .contact, .message]
}
