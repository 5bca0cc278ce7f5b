/// The colours of a theme, as `#aarrggbb`. A missing colour means the colour of the colour scheme.
package struct UIColors: Codable, Hashable, Sendable {
    package var accent: String?
    package var accentVariant: String?
    package var secondary: String?
    package var secondaryVariant: String?
    package var background: String?
    package var menus: String?
    package var title: String?
    package var accentVariant2: String?
    package var sentMessage: String?
    package var sentReply: String?
    package var receivedMessage: String?
    package var receivedReply: String?
}
