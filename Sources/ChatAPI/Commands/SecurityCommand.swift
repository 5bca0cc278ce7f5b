/// Commands for security codes, for moves of a connection to another queue, and for repairs of ratchets. These commands
/// concern contacts and members (Chat API, section 2.17).
package enum SecurityCommand: Hashable, Sendable {
    case getContactCode(contactId: Int64)
    case getGroupMemberCode(groupId: Int64, groupMemberId: Int64)
    case verifyContact(contactId: Int64, connectionCode: String?)
    case verifyGroupMember(groupId: Int64, groupMemberId: Int64, connectionCode: String?)
    case switchContact(contactId: Int64)
    case switchGroupMember(groupId: Int64, groupMemberId: Int64)
    case abortSwitchContact(contactId: Int64)
    case abortSwitchGroupMember(groupId: Int64, groupMemberId: Int64)
    case syncContactRatchet(contactId: Int64, force: Bool)
    case syncGroupMemberRatchet(groupId: Int64, groupMemberId: Int64, force: Bool)
}

extension SecurityCommand: CommandCategory {
    var commandText: CommandText {
        switch self {
        case .getContactCode(let contactId): "/_get code @\(contactId)"
        case .getGroupMemberCode(let groupId, let groupMemberId): "/_get code #\(groupId) \(groupMemberId)"
        case .verifyContact(let contactId, let connectionCode): "/_verify code @\(contactId)\(" ", connectionCode)"
        case .verifyGroupMember(let groupId, let groupMemberId, let connectionCode):
            "/_verify code #\(groupId) \(groupMemberId)\(" ", connectionCode)"
        case .switchContact(let contactId): "/_switch @\(contactId)"
        case .switchGroupMember(let groupId, let groupMemberId): "/_switch #\(groupId) \(groupMemberId)"
        case .abortSwitchContact(let contactId): "/_abort switch @\(contactId)"
        case .abortSwitchGroupMember(let groupId, let groupMemberId): "/_abort switch #\(groupId) \(groupMemberId)"
        case .syncContactRatchet(let contactId, let force): "/_sync @\(contactId)\(" force=on", if: force)"
        case .syncGroupMemberRatchet(let groupId, let groupMemberId, let force):
            "/_sync #\(groupId) \(groupMemberId)\(" force=on", if: force)"
        }
    }

    static let forms: [CommandForm<Self>] = [
        CommandForm("/_get code") { scanner throws(CommandParseError) in
            if scanner.remainingText.hasPrefix(" @") {
                return .getContactCode(contactId: try scanner.scanChatID(.direct))
            }
            return .getGroupMemberCode(groupId: try scanner.scanChatID(.group), groupMemberId: try scanner.scanNumber())
        },
        CommandForm("/_verify code") { scanner throws(CommandParseError) in
            if scanner.remainingText.hasPrefix(" @") {
                return .verifyContact(
                    contactId: try scanner.scanChatID(.direct),
                    connectionCode: try scanner.scanConnectionCodeIfAny()
                )
            }
            return .verifyGroupMember(
                groupId: try scanner.scanChatID(.group),
                groupMemberId: try scanner.scanNumber(),
                connectionCode: try scanner.scanConnectionCodeIfAny()
            )
        },
        CommandForm("/_switch") { scanner throws(CommandParseError) in
            if scanner.remainingText.hasPrefix(" @") {
                return .switchContact(contactId: try scanner.scanChatID(.direct))
            }
            return .switchGroupMember(groupId: try scanner.scanChatID(.group), groupMemberId: try scanner.scanNumber())
        },
        CommandForm("/_abort switch") { scanner throws(CommandParseError) in
            if scanner.remainingText.hasPrefix(" @") {
                return .abortSwitchContact(contactId: try scanner.scanChatID(.direct))
            }
            return .abortSwitchGroupMember(
                groupId: try scanner.scanChatID(.group),
                groupMemberId: try scanner.scanNumber()
            )
        },
        CommandForm("/_sync") { scanner throws(CommandParseError) in
            if scanner.remainingText.hasPrefix(" @") {
                return .syncContactRatchet(
                    contactId: try scanner.scanChatID(.direct),
                    force: try scanner.scanFlag("force") ?? false
                )
            }
            return .syncGroupMemberRatchet(
                groupId: try scanner.scanChatID(.group),
                groupMemberId: try scanner.scanNumber(),
                force: try scanner.scanFlag("force") ?? false
            )
        },
    ]
}

extension SecurityCommand {
    package var name: CommandName {
        switch self {
        case .getContactCode: .getContactCode
        case .getGroupMemberCode: .getGroupMemberCode
        case .verifyContact: .verifyContact
        case .verifyGroupMember: .verifyGroupMember
        case .switchContact: .switchContact
        case .switchGroupMember: .switchGroupMember
        case .abortSwitchContact: .abortSwitchContact
        case .abortSwitchGroupMember: .abortSwitchGroupMember
        case .syncContactRatchet: .syncContactRatchet
        case .syncGroupMemberRatchet: .syncGroupMemberRatchet
        }
    }
}
