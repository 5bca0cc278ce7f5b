public struct AppNotificationMode: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let off = Self(rawValue: "off")
    public static let periodic = Self(rawValue: "periodic")
    public static let instant = Self(rawValue: "instant")

    public static let known: Set<Self> = [.off, .periodic, .instant]
}

public struct AppPlatform: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let iOS = Self(rawValue: "iOS")
    public static let android = Self(rawValue: "android")
    public static let desktop = Self(rawValue: "desktop")

    public static let known: Set<Self> = [.iOS, .android, .desktop]
}

public struct BadgeStatus: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let active = Self(rawValue: "active")
    public static let expired = Self(rawValue: "expired")
    public static let expiredOld = Self(rawValue: "expiredOld")
    public static let failed = Self(rawValue: "failed")
    public static let unknownKey = Self(rawValue: "unknownKey")

    public static let known: Set<Self> = [.active, .expired, .expiredOld, .failed, .unknownKey]
}

public struct BadgeType: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let supporter = Self(rawValue: "supporter")
    public static let legend = Self(rawValue: "legend")
    public static let investor = Self(rawValue: "investor")

    public static let known: Set<Self> = [.supporter, .legend, .investor]
}

public struct Color: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let black = Self(rawValue: "black")
    public static let red = Self(rawValue: "red")
    public static let green = Self(rawValue: "green")
    public static let yellow = Self(rawValue: "yellow")
    public static let blue = Self(rawValue: "blue")
    public static let magenta = Self(rawValue: "magenta")
    public static let cyan = Self(rawValue: "cyan")
    public static let white = Self(rawValue: "white")

    public static let known: Set<Self> = [.black, .red, .green, .yellow, .blue, .magenta, .cyan, .white]
}

public struct HelpSection: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let main = Self(rawValue: "main")
    public static let files = Self(rawValue: "files")
    public static let groups = Self(rawValue: "groups")
    public static let contacts = Self(rawValue: "contacts")
    public static let myAddress = Self(rawValue: "myAddress")
    public static let incognito = Self(rawValue: "incognito")
    public static let markdown = Self(rawValue: "markdown")
    public static let messages = Self(rawValue: "messages")
    public static let remote = Self(rawValue: "remote")
    public static let settings = Self(rawValue: "settings")
    public static let database = Self(rawValue: "database")

    public static let known: Set<Self> = [
        .main, .files, .groups, .contacts, .myAddress, .incognito, .markdown, .messages, .remote, .settings, .database,
    ]
}

public struct PlanResolveMode: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let allGroups = Self(rawValue: "allGroups")
    public static let unknown = Self(rawValue: "unknown")
    public static let never = Self(rawValue: "never")

    public static let known: Set<Self> = [.allGroups, .unknown, .never]
}

public struct PushProvider: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let apns_dev = Self(rawValue: "apns_dev")
    public static let apns_prod = Self(rawValue: "apns_prod")
    public static let apns_test = Self(rawValue: "apns_test")
    public static let apns_null = Self(rawValue: "apns_null")

    public static let known: Set<Self> = [.apns_dev, .apns_prod, .apns_test, .apns_null]
}

public struct RelayTestStep: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let getLink = Self(rawValue: "getLink")
    public static let decodeLink = Self(rawValue: "decodeLink")
    public static let connect = Self(rawValue: "connect")
    public static let waitResponse = Self(rawValue: "waitResponse")
    public static let verify = Self(rawValue: "verify")

    public static let known: Set<Self> = [.getLink, .decodeLink, .connect, .waitResponse, .verify]
}

public struct ServerProtocol: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let smp = Self(rawValue: "smp")
    public static let xftp = Self(rawValue: "xftp")
    public static let ntf = Self(rawValue: "ntf")

    public static let known: Set<Self> = [.smp, .xftp, .ntf]
}
