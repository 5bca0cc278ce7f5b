/// Commands for the colours of profiles and chats (Chat API, section 2.13). If a command contains no colours, the
/// colours are removed.
package enum ThemeCommand: Hashable, Sendable {
    case setUserUIThemes(userId: Int64, themes: UIThemeEntityOverrides?)
    case setChatUIThemes(chat: ChatRef, themes: UIThemeEntityOverrides?)
}

extension ThemeCommand: CommandCategory {
    var commandText: CommandText {
        switch self {
        case .setUserUIThemes(let userId, let themes): "/_set theme user \(userId)\(" ", json: themes)"
        case .setChatUIThemes(let chat, let themes): "/_set theme \(chat)\(" ", json: themes)"
        }
    }

    static let forms: [CommandForm<Self>] = [
        CommandForm("/_set theme user") { scanner throws(CommandParseError) in
            .setUserUIThemes(userId: try scanner.scanNumber(), themes: try scanner.scanJSONIfAny())
        },
        CommandForm("/_set theme") { scanner throws(CommandParseError) in
            .setChatUIThemes(chat: try scanner.scanChat(), themes: try scanner.scanJSONIfAny())
        },
    ]
}

extension ThemeCommand {
    package var name: CommandName {
        switch self {
        case .setUserUIThemes: .setUserUIThemes
        case .setChatUIThemes: .setChatUIThemes
        }
    }
}
