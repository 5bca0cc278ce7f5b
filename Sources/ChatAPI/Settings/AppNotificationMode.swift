/// The times at which the app requests messages: never by itself, periodically, or immediately.
package struct AppNotificationMode: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let off = Self(rawValue: "off")
    package static let periodic = Self(rawValue: "periodic")
    package static let instant = Self(rawValue: "instant")

    package static let knownValues: Set<Self> = [.off, .periodic, .instant]
}
