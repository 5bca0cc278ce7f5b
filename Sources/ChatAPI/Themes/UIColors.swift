/// The colours of a theme, as `#aarrggbb`. A missing colour has the value of the scheme.
public struct UIColors: Codable, Hashable, Sendable {
    public var accent: String?
    public var accentVariant: String?
    public var secondary: String?
    public var secondaryVariant: String?
    public var background: String?
    public var menus: String?
    public var title: String?
    public var accentVariant2: String?
    public var sentMessage: String?
    public var sentReply: String?
    public var receivedMessage: String?
    public var receivedReply: String?

    public init(
        accent: String? = nil,
        accentVariant: String? = nil,
        secondary: String? = nil,
        secondaryVariant: String? = nil,
        background: String? = nil,
        menus: String? = nil,
        title: String? = nil,
        accentVariant2: String? = nil,
        sentMessage: String? = nil,
        sentReply: String? = nil,
        receivedMessage: String? = nil,
        receivedReply: String? = nil
    ) {
        self.accent = accent
        self.accentVariant = accentVariant
        self.secondary = secondary
        self.secondaryVariant = secondaryVariant
        self.background = background
        self.menus = menus
        self.title = title
        self.accentVariant2 = accentVariant2
        self.sentMessage = sentMessage
        self.sentReply = sentReply
        self.receivedMessage = receivedMessage
        self.receivedReply = receivedReply
    }
}
