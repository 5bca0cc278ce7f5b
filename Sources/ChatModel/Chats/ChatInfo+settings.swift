package import ChatAPI

extension ChatInfo {
    package var displayName: String {
        switch self {
        case .direct(let contact):
            Self.aliasOrName(contact.profile.displayName, alias: contact.profile.localAlias ?? "")
        case .group(let groupInfo, _): Self.aliasOrName(groupInfo.groupProfile.displayName, alias: groupInfo.localAlias)
        case .local: "Private notes"
        case .contactRequest(let request): request.profile.displayName
        case .contactConnection(let connection): connection.localAlias
        case .invalidJSON, .unrecognized: ""
        }
    }

    private static func aliasOrName(_ name: String, alias: String) -> String { alias.isEmpty ? name : alias }

    package var chatSettings: ChatSettings? {
        switch self {
        case .direct(let contact): contact.chatSettings
        case .group(let groupInfo, _): groupInfo.chatSettings
        case .local(let noteFolder): ChatSettings(enableNtfs: .all, sendRcpts: nil, favorite: noteFolder.favorite)
        case .contactRequest, .contactConnection, .invalidJSON, .unrecognized: nil
        }
    }

    /// The ids of the tags that the user has put on the chat; nil for chats that cannot have tags.
    package var chatTags: [Int64]? {
        get {
            switch self {
            case .direct(let contact): contact.chatTags
            case .group(let groupInfo, _): groupInfo.chatTags
            case .local, .contactRequest, .contactConnection, .invalidJSON, .unrecognized: nil
            }
        }
        set {
            switch self {
            case .direct(var contact):
                contact.chatTags = newValue ?? []
                self = .direct(contact: contact)
            case .group(var groupInfo, let scope):
                groupInfo.chatTags = newValue ?? []
                self = .group(groupInfo: groupInfo, groupChatScope: scope)
            case .local, .contactRequest, .contactConnection, .invalidJSON, .unrecognized: break
            }
        }
    }

    /// The time of the last activity in the chat. The chat list is sorted by this time.
    package var chatTs: UTCTime {
        switch self {
        case .direct(let contact): contact.chatTs ?? contact.updatedAt
        case .group(let groupInfo, _): groupInfo.chatTs ?? groupInfo.updatedAt
        case .local(let noteFolder): noteFolder.chatTs
        case .contactRequest(let request): request.updatedAt
        case .contactConnection(let connection): connection.updatedAt
        case .invalidJSON, .unrecognized: ""
        }
    }

    var createdAt: UTCTime {
        switch self {
        case .direct(let contact): contact.createdAt
        case .group(let groupInfo, _): groupInfo.createdAt
        case .local(let noteFolder): noteFolder.createdAt
        case .contactRequest(let request): request.createdAt
        case .contactConnection(let connection): connection.createdAt
        case .invalidJSON, .unrecognized: ""
        }
    }
}

extension UTCTime {
    /// Returns whether the first time is earlier than the second time. The times are compared as text, and may have
    /// different numbers of digits. The final `Z` is not compared, because `Z` would sort after the point of a
    /// fraction.
    static func isEarlier(_ first: UTCTime, _ second: UTCTime) -> Bool {
        first.utf8.dropLast().lexicographicallyPrecedes(second.utf8.dropLast())
    }

    /// The time without fractions of a second.
    var wholeSecond: UTCTime { firstIndex(of: ".").map { self[..<$0] + "Z" } ?? self }
}
