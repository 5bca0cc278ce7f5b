package import ChatAPI

/// The tags of a profile, the number of chats of each kind, and the number of unread chats with each tag (simplex-chat
/// `apps/ios/spec/state.md`, section 4). Each change of a chat adjusts the counts, so the cost of a change does not
/// depend on the number of chats.
package struct ChatTagsModel: Hashable, Sendable {
    /// The tags of the user, in the user's order.
    package internal(set) var userTags: [ChatTag] = []
    /// Number of chats of each kind. Kinds without chats are missing.
    package private(set) var presetTags: [PresetTag: Int] = [:]
    /// Number of unread chats with each tag of the user. Tags without unread chats are missing.
    package private(set) var unreadTags: [Int64: Int] = [:]

    package init() {}

    mutating func addChat(_ chat: Chat) { addToCounts(chat, 1) }

    mutating func removeChat(_ chat: Chat) { addToCounts(chat, -1) }

    mutating func removeAllChats() {
        presetTags = [:]
        unreadTags = [:]
    }

    private mutating func addToCounts(_ chat: Chat, _ change: Int) {
        for tag in PresetTag.allCases where tag.matches(chat) {
            let count = (presetTags[tag] ?? 0) + change
            presetTags[tag] = count > 0 ? count : nil
        }
        guard chat.isShownUnread else { return }
        for tag in chat.chatInfo.chatTags ?? [] {
            let count = (unreadTags[tag] ?? 0) + change
            unreadTags[tag] = count > 0 ? count : nil
        }
    }
}

extension ChatTagsModel: Encodable {
    private enum CodingKeys: CodingKey { case userTags, presetTags, unreadTags }

    /// Encodes the counts of chats as JSON objects: `{"groups":2}` for kinds of chats, and `{"7":1}` for ids of tags.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(userTags, forKey: .userTags)
        try members.encode(
            Dictionary(uniqueKeysWithValues: presetTags.map { ($0.key.rawValue, $0.value) }),
            forKey: .presetTags
        )
        try members.encode(
            Dictionary(uniqueKeysWithValues: unreadTags.map { ("\($0.key)", $0.value) }),
            forKey: .unreadTags
        )
    }
}
