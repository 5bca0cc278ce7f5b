/// The kind of entity to which a connection belongs: a contact, a member, or a link of the user (an address or a group
/// link). A connection whose peer is not known yet counts as a connection of a contact.
package struct ConnType: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let contact = Self(rawValue: "contact")
    package static let member = Self(rawValue: "member")
    package static let user_contact = Self(rawValue: "user_contact")

    package static let knownValues: Set<Self> = [.contact, .member, .user_contact]
}

/// Whether a link is a one-time invitation or a contact address.
package struct ConnectionMode: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let inv = Self(rawValue: "inv")
    package static let con = Self(rawValue: "con")

    package static let knownValues: Set<Self> = [.inv, .con]
}

/// Whether a contact is active, or the peer or the user has deleted it.
package struct ContactStatus: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let active = Self(rawValue: "active")
    package static let deleted = Self(rawValue: "deleted")
    package static let deletedByUser = Self(rawValue: "deletedByUser")

    package static let knownValues: Set<Self> = [.active, .deleted, .deletedByUser]
}

/// The state of the subscription to a queue, as the queue's server reports it.
package struct QSubThread: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let noSub = Self(rawValue: "noSub")
    package static let subPending = Self(rawValue: "subPending")
    package static let subThread = Self(rawValue: "subThread")
    package static let prohibitSub = Self(rawValue: "prohibitSub")

    package static let knownValues: Set<Self> = [.noSub, .subPending, .subThread, .prohibitSub]
}

/// The messages of a chat that cause notifications: all messages, only mentions, or no messages.
package struct MsgFilter: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let none = Self(rawValue: "none")
    package static let all = Self(rawValue: "all")
    package static let mentions = Self(rawValue: "mentions")

    package static let knownValues: Set<Self> = [.none, .all, .mentions]
}
