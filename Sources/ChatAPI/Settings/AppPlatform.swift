/// The operating system of an app.
package struct AppPlatform: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let iOS = Self(rawValue: "iOS")
    package static let android = Self(rawValue: "android")
    package static let desktop = Self(rawValue: "desktop")

    package static let knownValues: Set<Self> = [.iOS, .android, .desktop]
}
