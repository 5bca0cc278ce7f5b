import JSON

/// Commands for settings of the app, of chats and of the network (Chat API, section 2.10). A time to live is in
/// seconds; 0 means unlimited.
package enum SettingsCommand: Hashable, Sendable {
    case saveSettings(settings: AppSettings)
    case getSettings(settings: AppSettings?)
    case setChatSettings(chat: ChatRef, chatSettings: ChatSettings)
    case setChatItemTTL(userId: Int64, seconds: Int64)
    case getChatItemTTL(userId: Int64)
    case setChatTTL(userId: Int64, chat: ChatRef, seconds: Int64?)
    case setNetworkConfig(networkConfig: NetworkConfig)
    case getNetworkConfig
    case setNetworkInfo(networkInfo: UserNetworkInfo)
    case reconnectAllServers
    case reconnectServer(userId: Int64, smpServer: String)
    /// Makes a profile a client service, or makes it a usual profile again. The command is refused if the profile has
    /// another name than `contactName`. If `contactName` is nil, any profile is accepted, and the text of the command
    /// has no name.
    case setClientService(userId: Int64, contactName: String?, enable: Bool)
}

extension SettingsCommand: CommandCategory {
    var commandText: CommandText {
        switch self {
        case .saveSettings(let settings): "/_save app settings \(json: settings)"
        case .getSettings(let settings): "/_get app settings\(" ", json: settings)"
        case .setChatSettings(let chat, let chatSettings): "/_settings \(chat) \(json: chatSettings)"
        case .setChatItemTTL(let userId, let seconds): "/_ttl \(userId) \(seconds)"
        case .getChatItemTTL(let userId): "/_ttl \(userId)"
        case .setChatTTL(let userId, let chat, let seconds): "/_ttl \(userId) \(chat) \(seconds, or: "default")"
        case .setNetworkConfig(let networkConfig): "/_network \(json: networkConfig)"
        case .getNetworkConfig: "/network"
        case .setNetworkInfo(let networkInfo): "/_network info \(json: networkInfo)"
        case .reconnectAllServers: "/reconnect"
        case .reconnectServer(let userId, let smpServer): "/reconnect \(userId) \(smpServer)"
        case .setClientService(let userId, let contactName, let enable):
            "/set client service \(userId):\(contactName.map(formatName) ?? "") \(enable)"
        }
    }

    static let forms: [CommandForm<Self>] = [
        CommandForm("/_save app settings") { scanner throws(CommandParseError) in
            .saveSettings(settings: try scanner.scanJSON())
        },
        CommandForm("/_get app settings") { scanner throws(CommandParseError) in
            // JSON that is not an object contains no settings, so it counts as missing.
            let defaults = try scanner.scanJSONIfAny(JSONValue.self)
            guard let defaults, defaults.objectValue != nil else { return .getSettings(settings: nil) }
            guard let settings = try? JSONDecoder().decode(AppSettings.self, from: defaults) else { throw .malformed }
            return .getSettings(settings: settings)
        },
        CommandForm("/_settings") { scanner throws(CommandParseError) in
            .setChatSettings(chat: try scanner.scanChat(), chatSettings: try scanner.scanJSON())
        },
        CommandForm("/_ttl") { scanner throws(CommandParseError) in
            let userId: Int64 = try scanner.scanNumber()
            if scanner.isAtEnd { return .getChatItemTTL(userId: userId) }
            if scanner.isNumberNext { return .setChatItemTTL(userId: userId, seconds: try scanner.scanNumber()) }
            let chat = try scanner.scanChat()
            return .setChatTTL(
                userId: userId,
                chat: chat,
                seconds: scanner.skipPrefix(" default") ? nil : try scanner.scanNumber()
            )
        },
        CommandForm("/_network") { scanner throws(CommandParseError) in
            .setNetworkConfig(networkConfig: try scanner.scanJSON())
        },
        CommandForm("/network", is: .getNetworkConfig),
        CommandForm("/_network info") { scanner throws(CommandParseError) in
            .setNetworkInfo(networkInfo: try scanner.scanJSON())
        },
        CommandForm("/reconnect") { scanner throws(CommandParseError) in
            if scanner.isAtEnd { return .reconnectAllServers }
            return .reconnectServer(userId: try scanner.scanNumber(), smpServer: try scanner.scanWord())
        },
        CommandForm("/set client service") { scanner throws(CommandParseError) in
            guard scanner.skipPrefix(" ") else { throw .malformed }
            let userId = scanner.remainingText.prefix(while: \.isASCIIDigit)
            scanner.skipCharacters(userId.count)
            guard scanner.skipPrefix(":") else { throw .malformed }
            return .setClientService(
                userId: try CommandScanner.parseNumber(userId),
                contactName: try scanner.scanDisplayName(),
                enable: try scanner.scanOnOff()
            )
        },
    ]
}

extension SettingsCommand {
    package var name: CommandName {
        switch self {
        case .saveSettings: .saveSettings
        case .getSettings: .getSettings
        case .setChatSettings: .setChatSettings
        case .setChatItemTTL: .setChatItemTTL
        case .getChatItemTTL: .getChatItemTTL
        case .setChatTTL: .setChatTTL
        case .setNetworkConfig: .setNetworkConfig
        case .getNetworkConfig: .getNetworkConfig
        case .setNetworkInfo: .setNetworkInfo
        case .reconnectAllServers: .reconnectAllServers
        case .reconnectServer: .reconnectServer
        case .setClientService: .setClientService
        }
    }
}
