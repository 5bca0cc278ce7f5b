/// Commands for push notifications (Chat API, section 2.9).
package enum NotificationCommand: Hashable, Sendable {
    case getNtfToken
    case registerToken(token: DeviceToken, notificationMode: NotificationsMode)
    case verifyToken(token: DeviceToken, nonce: String, code: String)
    case checkToken(token: DeviceToken)
    case deleteToken(token: DeviceToken)
    case getNtfConns(nonce: String, encNtfInfo: String)
    case getConnNtfMessages(connMsgReqs: [ConnMsgReq])
}

extension NotificationCommand: CommandCategory {
    var commandText: CommandText {
        switch self {
        case .getNtfToken: "/_ntf get"
        case .registerToken(let token, let notificationMode): "/_ntf register \(token) \(notificationMode)"
        case .verifyToken(let token, let nonce, let code): "/_ntf verify \(token) \(nonce) \(code)"
        case .checkToken(let token): "/_ntf check \(token)"
        case .deleteToken(let token): "/_ntf delete \(token)"
        case .getNtfConns(let nonce, let encNtfInfo): "/_ntf conns \(nonce) \(encNtfInfo)"
        case .getConnNtfMessages(let connMsgReqs): "/_ntf conn messages \(connMsgReqs)"
        }
    }

    static let forms: [CommandForm<Self>] = [
        CommandForm("/_ntf get", is: .getNtfToken),
        CommandForm("/_ntf register") { scanner throws(CommandParseError) in
            .registerToken(
                token: try scanner.scanDeviceToken(),
                notificationMode: try scanner.scanOneOf([.periodic, .instant])
            )
        },
        CommandForm("/_ntf verify") { scanner throws(CommandParseError) in
            .verifyToken(
                token: try scanner.scanDeviceToken(),
                nonce: try scanner.scanWord(),
                code: try scanner.scanWord()
            )
        },
        CommandForm("/_ntf check") { scanner throws(CommandParseError) in
            .checkToken(token: try scanner.scanDeviceToken())
        },
        CommandForm("/_ntf delete") { scanner throws(CommandParseError) in
            .deleteToken(token: try scanner.scanDeviceToken())
        },
        CommandForm("/_ntf conns") { scanner throws(CommandParseError) in
            .getNtfConns(nonce: try scanner.scanWord(), encNtfInfo: try scanner.scanWord())
        },
        CommandForm("/_ntf conn messages") { scanner throws(CommandParseError) in
            .getConnNtfMessages(connMsgReqs: try scanner.scanConnMsgReqs())
        },
    ]
}

extension NotificationCommand {
    package var name: CommandName {
        switch self {
        case .getNtfToken: .getNtfToken
        case .registerToken: .registerToken
        case .verifyToken: .verifyToken
        case .checkToken: .checkToken
        case .deleteToken: .deleteToken
        case .getNtfConns: .getNtfConns
        case .getConnNtfMessages: .getConnNtfMessages
        }
    }
}
