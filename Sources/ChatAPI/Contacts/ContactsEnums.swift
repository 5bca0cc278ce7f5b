/// Whether a profile belongs to a person or to a bot.
public struct ChatPeerType: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let human = Self(rawValue: "human")
    public static let bot = Self(rawValue: "bot")

    public static let known: Set<Self> = [.human, .bot]
}

/// The kind of entity to which a connection belongs.
public struct ConnType: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let contact = Self(rawValue: "contact")
    public static let member = Self(rawValue: "member")
    public static let user_contact = Self(rawValue: "user_contact")

    public static let known: Set<Self> = [.contact, .member, .user_contact]
}

/// Whether a link is a one-time invitation or a contact address.
public struct ConnectionMode: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let inv = Self(rawValue: "inv")
    public static let con = Self(rawValue: "con")

    public static let known: Set<Self> = [.inv, .con]
}

/// Whether a contact is active, or was deleted by the peer or the user.
public struct ContactStatus: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let active = Self(rawValue: "active")
    public static let deleted = Self(rawValue: "deleted")
    public static let deletedByUser = Self(rawValue: "deletedByUser")

    public static let known: Set<Self> = [.active, .deleted, .deletedByUser]
}

/// The cases in which one side allows a feature: always, only if the other side allows it too, or never.
public struct FeatureAllowed: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let always = Self(rawValue: "always")
    public static let yes = Self(rawValue: "yes")
    public static let no = Self(rawValue: "no")

    public static let known: Set<Self> = [.always, .yes, .no]
}

/// Whether a queue has a subscriber, in the report of its server.
public struct QSubThread: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let noSub = Self(rawValue: "noSub")
    public static let subPending = Self(rawValue: "subPending")
    public static let subThread = Self(rawValue: "subThread")
    public static let prohibitSub = Self(rawValue: "prohibitSub")

    public static let known: Set<Self> = [.noSub, .subPending, .subThread, .prohibitSub]
}
