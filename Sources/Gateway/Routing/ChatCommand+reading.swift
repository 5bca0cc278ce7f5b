internal import ChatAPI
internal import ChatCore

extension ChatCommand {
    /// Whether the command only returns data of the databases. Such a command changes nothing, waits for no relay, and
    /// may have a large answer.
    var isReadOnly: Bool { Scopes.requiredScopes(for: self) == .read && !name.asksRelay }
}

extension CommandName {
    /// Whether the command only reads or tests something, although its parameters need the body of a `POST`. Its answer
    /// is not stored, because a repetition does no harm.
    var isSafePost: Bool {
        switch self {
        case .connectPlan, .planForwardChatItems, .shareChatMsgContent, .shareMyAddress, .standaloneFileInfo,
            .checkToken, .getNtfConns, .validateServers, .testProtoServer, .testChatRelay, .testStorageEncryption:
            true
        default: false
        }
    }

    /// Whether the command reads data from a relay, and so waits for the relay.
    var asksRelay: Bool {
        switch self {
        case .contactQueueInfo, .groupMemberQueueInfo, .getUpdatedGroupLinkData: true
        default: false
        }
    }
}
