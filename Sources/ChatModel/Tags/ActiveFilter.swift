package import ChatAPI

/// Kinds of chats for filters of the chat list (simplex-chat `apps/ios/spec/state.md`, section 4).
package enum PresetTag: String, Hashable, Sendable, CaseIterable, Codable, CodingKeyRepresentable {
    case favorites, contacts, groups, business, groupReports

    package func matches(_ chat: Chat) -> Bool {
        switch self {
        case .groupReports: return chat.chatStats.reportsCount > 0
        case .favorites: return chat.chatInfo.chatSettings?.favorite == true
        case .contacts:
            switch chat.chatInfo {
            case .direct(let contact):
                // A card is a contact whose profile contains an address to which the user has not connected yet. It
                // does not count as a contact.
                let isCard = contact.activeConn == nil && contact.profile.contactLink != nil && contact.isActive
                return !isCard && !contact.chatDeleted
            case .contactRequest, .contactConnection: return true
            case .group(let groupInfo, _): return groupInfo.businessChat?.chatType == .customer
            case .local, .invalidJSON, .unrecognized: return false
            }
        case .groups:
            guard case .group(let groupInfo, _) = chat.chatInfo else { return false }
            return groupInfo.businessChat == nil
        case .business:
            guard case .group(let groupInfo, _) = chat.chatInfo else { return false }
            return groupInfo.businessChat?.chatType == .business
        }
    }
}

/// The filter of the chat list: one kind of chats, one tag of the user, or unread chats.
package enum ActiveFilter: Hashable, Sendable {
    case presetTag(PresetTag)
    case userTag(ChatTag)
    case unread

    package func matches(_ chat: Chat) -> Bool {
        switch self {
        case .presetTag(let tag): tag.matches(chat)
        case .userTag(let tag): chat.chatInfo.chatTags?.contains(tag.chatTagId) ?? false
        case .unread: chat.isShownUnread
        }
    }
}

extension ActiveFilter: Encodable {
    private enum CodingKeys: CodingKey { case type, presetTag, chatTag }

    /// Encodes `{"type":"presetTag","presetTag":"groups"}`, `{"type":"userTag","chatTag":{…}}` or `{"type":"unread"}`.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .presetTag(let tag):
            try members.encode("presetTag", forKey: .type)
            try members.encode(tag, forKey: .presetTag)
        case .userTag(let tag):
            try members.encode("userTag", forKey: .type)
            try members.encode(tag, forKey: .chatTag)
        case .unread:
            try members.encode("unread", forKey: .type)
        }
    }
}
