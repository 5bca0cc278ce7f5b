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
}
