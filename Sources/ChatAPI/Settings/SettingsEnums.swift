public struct HostMode: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let onionViaSocks = Self(rawValue: "onionViaSocks")
    public static let onion = Self(rawValue: "onion")
    public static let `public` = Self(rawValue: "public")
}

public struct NetworkProxyAuth: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let username = Self(rawValue: "username")
    public static let isolate = Self(rawValue: "isolate")
}

public struct SMPProxyFallback: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let allow = Self(rawValue: "allow")
    public static let allowProtected = Self(rawValue: "allowProtected")
    public static let prohibit = Self(rawValue: "prohibit")
}

public struct SMPProxyMode: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let always = Self(rawValue: "always")
    public static let unknown = Self(rawValue: "unknown")
    public static let unprotected = Self(rawValue: "unprotected")
    public static let never = Self(rawValue: "never")
}

public struct SMPWebPortServers: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let all = Self(rawValue: "all")
    public static let preset = Self(rawValue: "preset")
    public static let off = Self(rawValue: "off")
}

public struct SocksMode: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let always = Self(rawValue: "always")
    public static let onion = Self(rawValue: "onion")
}

public struct TransportSessionMode: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let user = Self(rawValue: "user")
    public static let session = Self(rawValue: "session")
    public static let server = Self(rawValue: "server")
    public static let entity = Self(rawValue: "entity")
}

public struct UserNetworkType: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let none = Self(rawValue: "none")
    public static let cellular = Self(rawValue: "cellular")
    public static let wifi = Self(rawValue: "wifi")
    public static let ethernet = Self(rawValue: "ethernet")
    public static let other = Self(rawValue: "other")
}
