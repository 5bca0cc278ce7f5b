/// A chapter of the help of the terminal client.
package struct HelpSection: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let main = Self(rawValue: "main")
    package static let files = Self(rawValue: "files")
    package static let groups = Self(rawValue: "groups")
    package static let contacts = Self(rawValue: "contacts")
    package static let myAddress = Self(rawValue: "myAddress")
    package static let incognito = Self(rawValue: "incognito")
    package static let markdown = Self(rawValue: "markdown")
    package static let messages = Self(rawValue: "messages")
    package static let remote = Self(rawValue: "remote")
    package static let settings = Self(rawValue: "settings")
    package static let database = Self(rawValue: "database")

    package static let knownValues: Set<Self> = [
        .main, .files, .groups, .contacts, .myAddress, .incognito, .markdown, .messages, .remote, .settings, .database,
    ]
}
