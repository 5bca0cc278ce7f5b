/// Whether a profile belongs to a person or to a bot.
package struct ChatPeerType: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let human = Self(rawValue: "human")
    package static let bot = Self(rawValue: "bot")

    package static let knownValues: Set<Self> = [.human, .bot]
}

/// The cases in which one side of a chat allows a feature: always, only if the other side allows it too, or never.
package struct FeatureAllowed: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let always = Self(rawValue: "always")
    package static let yes = Self(rawValue: "yes")
    package static let no = Self(rawValue: "no")

    package static let knownValues: Set<Self> = [.always, .yes, .no]
}
