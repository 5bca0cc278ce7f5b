/// The times at which the app requests messages: never by itself, periodically, or immediately.
public struct AppNotificationMode: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let off = Self(rawValue: "off")
    public static let periodic = Self(rawValue: "periodic")
    public static let instant = Self(rawValue: "instant")

    public static let known: Set<Self> = [.off, .periodic, .instant]
}
