package import JSON

/// Commands for invitations, contacts and contact requests (Chat API, section 2.4). The parser does not check links:
/// the core decides whether they are valid.
package enum ContactCommand: Hashable, Sendable {
    case addContact(userId: Int64, incognito: Bool)
    case connect(userId: Int64, incognito: Bool, connLink: CreatedConnLink)
    case connectPlan(userId: Int64, connLink: String, resolveMode: PlanResolveMode, linkOwnerSig: LinkOwnerSig?)
    case prepareContact(
        userId: Int64,
        connLink: CreatedConnLink,
        verifiedDomain: String?,
        contactShortLinkData: ContactShortLinkData
    )
    case connectPreparedContact(contactId: Int64, incognito: Bool, msg: MsgContent?)
    case connectContactViaAddress(userId: Int64, incognito: Bool, contactId: Int64)
    case acceptContact(incognito: Bool, contactReqId: Int64)
    case rejectContact(contactReqId: Int64)
    case deleteChat(chat: ChatRef, mode: ChatDeleteMode)
    case clearChat(chat: ChatRef)
    case listContacts(userId: Int64)
    case setContactPrefs(contactId: Int64, preferences: Preferences)
    case setContactAlias(contactId: Int64, localAlias: String)
    case setConnectionAlias(connId: Int64, localAlias: String)
    case setContactCustomData(contactId: Int64, customData: JSONObject?)
    case contactInfo(contactId: Int64)
    case setConnectionIncognito(connId: Int64, incognito: Bool)
    case changeConnectionUser(connId: Int64, userId: Int64)
    case changePreparedContactUser(contactId: Int64, newUserId: Int64)
    case enableContact(contactId: Int64)
    case setContactMergeEnabled(enable: Bool)
}

extension ContactCommand: CommandCategory {
    var commandText: CommandText {
        switch self {
        case .addContact(let userId, let incognito): "/_connect \(userId) incognito=\(incognito)"
        case .connect(let userId, let incognito, let connLink): "/_connect \(userId) incognito=\(incognito) \(connLink)"
        case .connectPlan(let userId, let connLink, let resolveMode, let linkOwnerSig):
            "/_connect plan \(userId) \(connLink)\(" resolve=\(resolveMode.rawValue)", if: resolveMode != .unknown)\(" sig=", json: linkOwnerSig)"
        case .prepareContact(let userId, let connLink, let verifiedDomain, let contactShortLinkData):
            "/_prepare contact \(userId) \(connLink)\(" domain=", verifiedDomain) \(json: contactShortLinkData)"
        case .connectPreparedContact(let contactId, let incognito, let msg):
            "/_connect contact @\(contactId) incognito=\(incognito)\(" ", msg)"
        case .connectContactViaAddress(let userId, let incognito, let contactId):
            "/_connect contact \(userId) incognito=\(incognito) \(contactId)"
        case .acceptContact(let incognito, let contactReqId): "/_accept incognito=\(incognito) \(contactReqId)"
        case .rejectContact(let contactReqId): "/_reject \(contactReqId)"
        case .deleteChat(let chat, let mode): "/_delete \(chat) \(mode)"
        case .clearChat(let chat): "/_clear chat \(chat)"
        case .listContacts(let userId): "/_contacts \(userId)"
        case .setContactPrefs(let contactId, let preferences): "/_set prefs @\(contactId) \(json: preferences)"
        case .setContactAlias(let contactId, let localAlias): "/_set alias @\(contactId)\(" ", localAlias)"
        case .setConnectionAlias(let connId, let localAlias): "/_set alias :\(connId)\(" ", localAlias)"
        case .setContactCustomData(let contactId, let customData): "/_set custom @\(contactId)\(" ", json: customData)"
        case .contactInfo(let contactId): "/_info @\(contactId)"
        case .setConnectionIncognito(let connId, let incognito): "/_set incognito :\(connId) \(incognito)"
        case .changeConnectionUser(let connId, let userId): "/_set conn user :\(connId) \(userId)"
        case .changePreparedContactUser(let contactId, let newUserId): "/_set contact user @\(contactId) \(newUserId)"
        case .enableContact(let contactId): "/_enable @\(contactId)"
        case .setContactMergeEnabled(let enable): "/contact_merge \(enable)"
        }
    }

    static let forms: [CommandForm<Self>] = [
        CommandForm("/_connect") { scanner throws(CommandParseError) in
            let userId: Int64 = try scanner.scanNumber()
            // The original parses an invalid option as a link, and then rejects the link.
            let isOption =
                scanner.remainingText.hasPrefix(" incognito=on") || scanner.remainingText.hasPrefix(" incognito=off")
            let incognito = isOption ? try scanner.scanFlag("incognito") ?? false : false
            if scanner.isAtEnd { return .addContact(userId: userId, incognito: incognito) }
            return .connect(userId: userId, incognito: incognito, connLink: try scanner.scanCreatedConnLink())
        },
        CommandForm("/_connect plan") { scanner throws(CommandParseError) in
            .connectPlan(
                userId: try scanner.scanNumber(),
                connLink: try scanner.scanWord(),
                resolveMode: try scanner.scanResolveMode(),
                linkOwnerSig: try scanner.scanJSONIfAny(after: " sig=")
            )
        },
        CommandForm("/_prepare contact") { scanner throws(CommandParseError) in
            .prepareContact(
                userId: try scanner.scanNumber(),
                connLink: try scanner.scanCreatedConnLink(),
                verifiedDomain: try scanner.scanOption("domain"),
                contactShortLinkData: try scanner.scanJSON()
            )
        },
        CommandForm("/_connect contact") { scanner throws(CommandParseError) in
            guard scanner.isNumberNext else {
                return .connectPreparedContact(
                    contactId: try scanner.scanChatID(.direct),
                    incognito: try scanner.scanFlag("incognito") ?? false,
                    msg: try scanner.scanMsgContentIfAny()
                )
            }
            return .connectContactViaAddress(
                userId: try scanner.scanNumber(),
                incognito: try scanner.scanFlag("incognito") ?? false,
                contactId: try scanner.scanNumber()
            )
        },
        CommandForm("/_accept") { scanner throws(CommandParseError) in
            .acceptContact(
                incognito: try scanner.scanFlag("incognito") ?? false,
                contactReqId: try scanner.scanNumber()
            )
        },
        CommandForm("/_reject") { scanner throws(CommandParseError) in
            .rejectContact(contactReqId: try scanner.scanNumber())
        },
        CommandForm("/_delete") { scanner throws(CommandParseError) in
            .deleteChat(chat: try scanner.scanChat(), mode: try scanner.scanChatDeleteMode())
        },
        CommandForm("/_clear chat") { scanner throws(CommandParseError) in .clearChat(chat: try scanner.scanChat()) },
        CommandForm("/_contacts") { scanner throws(CommandParseError) in .listContacts(userId: try scanner.scanNumber())
        },
        CommandForm("/_set prefs") { scanner throws(CommandParseError) in
            .setContactPrefs(contactId: try scanner.scanChatID(.direct), preferences: try scanner.scanJSON())
        },
        CommandForm("/_set incognito") { scanner throws(CommandParseError) in
            .setConnectionIncognito(
                connId: try scanner.scanChatID(.contactConnection),
                incognito: try scanner.scanOnOff()
            )
        },
        CommandForm("/_set conn user") { scanner throws(CommandParseError) in
            .changeConnectionUser(connId: try scanner.scanChatID(.contactConnection), userId: try scanner.scanNumber())
        },
        CommandForm("/_set contact user") { scanner throws(CommandParseError) in
            .changePreparedContactUser(contactId: try scanner.scanChatID(.direct), newUserId: try scanner.scanNumber())
        },
        CommandForm("/contact_merge") { scanner throws(CommandParseError) in
            .setContactMergeEnabled(enable: try scanner.scanOnOff())
        },
    ]
}

extension ContactCommand {
    package var name: CommandName {
        switch self {
        case .addContact: .addContact
        case .connect: .connect
        case .connectPlan: .connectPlan
        case .prepareContact: .prepareContact
        case .connectPreparedContact: .connectPreparedContact
        case .connectContactViaAddress: .connectContactViaAddress
        case .acceptContact: .acceptContact
        case .rejectContact: .rejectContact
        case .deleteChat: .deleteChat
        case .clearChat: .clearChat
        case .listContacts: .listContacts
        case .setContactPrefs: .setContactPrefs
        case .setContactAlias: .setContactAlias
        case .setConnectionAlias: .setConnectionAlias
        case .setContactCustomData: .setContactCustomData
        case .contactInfo: .contactInfo
        case .setConnectionIncognito: .setConnectionIncognito
        case .changeConnectionUser: .changeConnectionUser
        case .changePreparedContactUser: .changePreparedContactUser
        case .enableContact: .enableContact
        case .setContactMergeEnabled: .setContactMergeEnabled
        }
    }
}
