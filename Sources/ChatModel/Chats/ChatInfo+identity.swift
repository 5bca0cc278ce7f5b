package import ChatAPI

/// The id of a chat, unique within one profile: `@1` is a contact, `#5` a group, `*1` the user's notes, `<@2` a contact
/// request, and `:3` a pending connection.
package typealias ChatId = String

extension Contact {
    package var id: ChatId { "@\(contactId)" }
    /// Whether the contact is active: neither side has deleted it.
    package var isActive: Bool { contactStatus == .active }
}

extension GroupInfo {
    package var id: ChatId { "#\(groupId)" }
}

extension NoteFolder {
    package var id: ChatId { "*\(noteFolderId)" }
}

extension UserContactRequest {
    package var id: ChatId { "<@\(contactRequestId)" }
}

extension PendingContactConnection {
    package var id: ChatId { ":\(pccConnId)" }
}

extension Connection {
    /// The id of the chat that the chat list shows for this connection until the contact or group of the connection is
    /// known.
    package var id: ChatId { ":\(connId)" }
}

extension ChatRef {
    package var id: ChatId {
        switch chatType {
        case .group: "#\(chatId)"
        case .local: "*\(chatId)"
        case .contactRequest: "<@\(chatId)"
        case .contactConnection: ":\(chatId)"
        default: "@\(chatId)"
        }
    }
}

extension ChatInfo {
    package var id: ChatId {
        switch self {
        case .direct(let contact): contact.id
        case .group(let groupInfo, _): groupInfo.id
        case .local(let noteFolder): noteFolder.id
        case .contactRequest(let contactRequest): contactRequest.id
        case .contactConnection(let contactConnection): contactConnection.id
        case .invalidJSON, .unrecognized: ""
        }
    }

    package var chatType: ChatType {
        switch self {
        case .direct: .direct
        case .group: .group
        case .local: .local
        case .contactRequest: .contactRequest
        case .contactConnection: .contactConnection
        case .invalidJSON(let chatType, _): chatType
        case .unrecognized(let value): ChatType(rawValue: value["type"]?.stringValue ?? "")
        }
    }

    /// The type and number by which commands refer to the chat; nil for chats without a number.
    package var chatRef: ChatRef? {
        switch self {
        case .direct(let contact): ChatRef(chatType: .direct, chatId: contact.contactId)
        case .group(let groupInfo, let scope):
            ChatRef(chatType: .group, chatId: groupInfo.groupId, chatScope: scope?.scope)
        case .local(let noteFolder): ChatRef(chatType: .local, chatId: noteFolder.noteFolderId)
        case .contactRequest(let request): ChatRef(chatType: .contactRequest, chatId: request.contactRequestId)
        case .contactConnection(let connection): ChatRef(chatType: .contactConnection, chatId: connection.pccConnId)
        case .invalidJSON, .unrecognized: nil
        }
    }

    /// The conversation with moderators inside a group; nil for the group itself and for all other chats.
    package var groupChatScope: GroupChatScopeInfo? {
        if case .group(_, let scope) = self { scope } else { nil }
    }

    /// The info of the whole group if this info belongs to a conversation inside the group; otherwise this info
    /// unchanged.
    var infoWithoutScope: ChatInfo {
        if case .group(let groupInfo, .some) = self { .group(groupInfo: groupInfo, groupChatScope: nil) } else { self }
    }
}

extension GroupChatScopeInfo {
    package var scope: GroupChatScope {
        switch self {
        case .memberSupport(let member): .memberSupport(groupMemberId_: member?.groupMemberId)
        case .unrecognized(let value): .unrecognized(value)
        }
    }
}
