/// The part of a message that a notification shows.
public struct NotificationPreviewMode: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let hidden = Self(rawValue: "hidden")
    public static let contact = Self(rawValue: "contact")
    public static let message = Self(rawValue: "message")

    public static let known: Set<Self> = [.hidden, .contact, .message]
}

/// The way in which the app learns about new messages while it is not running.
public struct NotificationsMode: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let periodic = Self(rawValue: "PERIODIC")
    public static let instant = Self(rawValue: "INSTANT")

    public static let known: Set<Self> = [.periodic, .instant]
}

/// Progress of the registration of a device token with the notification server.
public struct NtfTknStatus: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let new = Self(rawValue: "NEW")
    public static let registered = Self(rawValue: "REGISTERED")
    public static let invalid = Self(rawValue: "INVALID")
    public static let invalid_bad = Self(rawValue: "INVALID,BAD")
    public static let invalid_topic = Self(rawValue: "INVALID,TOPIC")
    public static let invalid_expired = Self(rawValue: "INVALID,EXPIRED")
    public static let invalid_unregistered = Self(rawValue: "INVALID,UNREGISTERED")
    public static let confirmed = Self(rawValue: "CONFIRMED")
    public static let active = Self(rawValue: "ACTIVE")
    public static let expired = Self(rawValue: "EXPIRED")

    public static let known: Set<Self> = [
        .new, .registered, .invalid, .invalid_bad, .invalid_topic, .invalid_expired, .invalid_unregistered, .confirmed,
        .active,
        .expired,
    ]
}
