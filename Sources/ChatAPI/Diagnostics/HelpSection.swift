/// A chapter in the help of the terminal client.
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
