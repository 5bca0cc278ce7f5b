/// Text forms of commands that have the same first words, but belong to different categories. The type of the chat in
/// the command distinguishes them.
enum SharedForms {
    static let all: [CommandForm<ChatCommand>] = [
        CommandForm("/_info") { scanner throws(CommandParseError) in
            if scanner.isChatNext(.direct) {
                return .contacts(.contactInfo(contactId: try scanner.scanChatID(.direct)))
            }
            let groupId = try scanner.scanChatID(.group)
            if scanner.isAtEnd { return .groups(.groupInfo(groupId: groupId)) }
            return .groups(.groupMemberInfo(groupId: groupId, groupMemberId: try scanner.scanNumber()))
        },
        CommandForm("/_enable") { scanner throws(CommandParseError) in
            if scanner.isChatNext(.direct) {
                return .contacts(.enableContact(contactId: try scanner.scanChatID(.direct)))
            }
            return .groups(
                .enableGroupMember(groupId: try scanner.scanChatID(.group), groupMemberId: try scanner.scanNumber())
            )
        },
        CommandForm("/_set alias") { scanner throws(CommandParseError) in
            let chat = try scanner.scanChat([.direct, .group, .contactConnection])
            let alias = try scanner.scanRemainderIfAny() ?? ""
            switch chat.chatType {
            case .direct: return .contacts(.setContactAlias(contactId: chat.chatId, localAlias: alias))
            case .group: return .groups(.setGroupAlias(groupId: chat.chatId, localAlias: alias))
            default: return .contacts(.setConnectionAlias(connId: chat.chatId, localAlias: alias))
            }
        },
        CommandForm("/_set custom") { scanner throws(CommandParseError) in
            if scanner.isChatNext(.direct) {
                return .contacts(
                    .setContactCustomData(
                        contactId: try scanner.scanChatID(.direct),
                        customData: try scanner.scanJSONIfAny()
                    )
                )
            }
            return .groups(
                .setGroupCustomData(groupId: try scanner.scanChatID(.group), customData: try scanner.scanJSONIfAny())
            )
        },
    ]
}

extension CommandScanner {
    /// Returns whether the next argument is a chat of this kind.
    func isChatNext(_ kind: ChatType) -> Bool { remainingText.hasPrefix(" \(kind.sign)") }
}
