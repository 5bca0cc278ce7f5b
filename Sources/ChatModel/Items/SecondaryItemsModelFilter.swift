package import ChatAPI

/// The filter of a second list of items in the open chat (simplex-chat `apps/ios/spec/state.md`, section 3): a
/// conversation with members in a group, or one kind of content.
package enum SecondaryItemsModelFilter: Hashable, Sendable {
    case groupChatScopeContext(groupScopeInfo: GroupChatScopeInfo)
    case msgContentTagContext(contentTag: MsgContentTag)

    func admits(_ info: ChatInfo, _ item: ChatItem) -> Bool {
        switch self {
        case .groupChatScopeContext(let scope): info.groupChatScope?.scope == scope.scope
        case .msgContentTagContext(let tag): info.groupChatScope == nil && item.contentTag == tag
        }
    }
}

extension SecondaryItemsModelFilter: Encodable {
    private enum CodingKeys: CodingKey { case type, groupScopeInfo, contentTag }

    /// Encodes `{"type":"groupChatScopeContext","groupScopeInfo":{…}}` or
    /// `{"type":"msgContentTagContext","contentTag":"report"}`.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .groupChatScopeContext(let scope):
            try members.encode("groupChatScopeContext", forKey: .type)
            try members.encode(scope, forKey: .groupScopeInfo)
        case .msgContentTagContext(let tag):
            try members.encode("msgContentTagContext", forKey: .type)
            try members.encode(tag, forKey: .contentTag)
        }
    }
}
