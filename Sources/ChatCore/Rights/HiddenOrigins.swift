internal import ChatAPI

extension ChatResponse {
    /// The answer without data of chats to which the sender of the command has no right: the items from which others
    /// were forwarded, and the names of their chats.
    func limited(to rights: CommandRights) -> ChatResponse {
        guard let chats = rights.chats else { return self }
        switch self {
        case .apiChat(let user, var chat, let navigation):
            chat.chatItems = chat.chatItems.map { $0.limited(to: chats) }
            return .apiChat(user: user, chat: chat, navInfo: navigation)
        case .chatItemInfo(let user, let item, var info):
            if let origin = info.forwardedFromChatItem, !chats.contains(where: { $0.isOf(origin.chatInfo) }) { info.forwardedFromChatItem = nil }
            return .chatItemInfo(user: user, chatItem: item.limited(to: chats), chatItemInfo: info)
        case .newChatItems(let user, let items): return .newChatItems(user: user, chatItems: items.map { $0.limited(to: chats) })
        case .chatItemUpdated(let user, let item): return .chatItemUpdated(user: user, chatItem: item.limited(to: chats))
        case .chatItemNotChanged(let user, let item): return .chatItemNotChanged(user: user, chatItem: item.limited(to: chats))
        case .fileTransferStatusXFTP(let user, let item): return .fileTransferStatusXFTP(user: user, chatItem: item.limited(to: chats))
        case .chatItemReaction(let user, let added, var reaction):
            reaction.chatReaction.chatItem = reaction.chatReaction.chatItem.limited(to: chats)
            return .chatItemReaction(user: user, added: added, reaction: reaction)
        case .chatItemsDeleted(let user, let deletions, let byUser, let timed):
            let limited = deletions.map {
                ChatItemDeletion(deletedChatItem: $0.deletedChatItem.limited(to: chats), toChatItem: $0.toChatItem?.limited(to: chats))
            }
            return .chatItemsDeleted(user: user, chatItemDeletions: limited, byUser: byUser, timed: timed)
        default: return self
        }
    }
}

extension AChatItem {
    fileprivate func limited(to chats: Set<CommandRights.Chat>) -> AChatItem {
        AChatItem(chatInfo: chatInfo, chatItem: chatItem.limited(to: chats))
    }
}

extension ChatItem {
    fileprivate func limited(to chats: Set<CommandRights.Chat>) -> ChatItem {
        let isOwn: Bool
        switch meta.itemForwarded {
        case nil, .unknown: return self
        case .contact(_, _, let contactId, _): isOwn = contactId.map { chats.contains(.contact($0)) } ?? false
        case .group(_, _, let groupId, _): isOwn = groupId.map { chats.contains(.group($0)) } ?? false
        case .unrecognized: isOwn = false
        }
        guard !isOwn else { return self }
        var item = self
        item.meta.itemForwarded = .unknown
        return item
    }
}

extension CommandRights.Chat {
    fileprivate func isOf(_ info: ChatInfo) -> Bool {
        switch (self, info) {
        case (.contact(let id), .direct(let contact)): contact.contactId == id
        case (.group(let id), .group(let group, _)): group.groupId == id
        case (.notes(let id), .local(let folder)): folder.noteFolderId == id
        default: false
        }
    }
}
