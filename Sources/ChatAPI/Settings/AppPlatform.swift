/// The operating system of an app.
public struct AppPlatform: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let iOS = Self(rawValue: "iOS")
    public static let android = Self(rawValue: "android")
    public static let desktop = Self(rawValue: "desktop")

    public static let known: Set<Self> = [.iOS, .android, .desktop]
}
