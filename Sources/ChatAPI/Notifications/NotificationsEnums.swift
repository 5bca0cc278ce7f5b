/// The way in which the app learns about new messages while it is not running.
package struct NotificationsMode: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let periodic = Self(rawValue: "PERIODIC")
    package static let instant = Self(rawValue: "INSTANT")

    package static let knownValues: Set<Self> = [.periodic, .instant]
}

/// Progress of the registration of a device token with the notification server.
package struct NtfTknStatus: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let new = Self(rawValue: "NEW")
    package static let registered = Self(rawValue: "REGISTERED")
    package static let invalid = Self(rawValue: "INVALID")
    package static let invalid_bad = Self(rawValue: "INVALID,BAD")
    package static let invalid_topic = Self(rawValue: "INVALID,TOPIC")
    package static let invalid_expired = Self(rawValue: "INVALID,EXPIRED")
    package static let invalid_unregistered = Self(rawValue: "INVALID,UNREGISTERED")
    package static let confirmed = Self(rawValue: "CONFIRMED")
    package static let active = Self(rawValue: "ACTIVE")
    package static let expired = Self(rawValue: "EXPIRED")

    package static let knownValues: Set<Self> = [
        .new, .registered, .invalid, .invalid_bad, .invalid_topic, .invalid_expired, .invalid_unregistered, .confirmed,
        .active,
        .expired,
    ]
}
