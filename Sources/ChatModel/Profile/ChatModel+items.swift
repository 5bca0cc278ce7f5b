internal import ChatAPI

extension ChatModel {
    mutating func applyToChats(_ update: ModelUpdate) {
        if case .chats(let chats) = update { return setChats(chats) }
        guard hasLoadedChats else { return }
        switch update {
        case .newItem(let item): addChatItem(item.chatInfo, item.chatItem)
        case .changedItem(let item): upsertChatItem(item.chatInfo, item.chatItem)
        case .removeItem(let item): removeChatItem(item.chatInfo, item.chatItem)
        case .removeItems(let id, let itemIds): removeChatItems(id, itemIds)
        case .removeMemberItems(let group, let member, let by):
            changeChat(group.id) { chat in
                chat.chatItems = chat.chatItems.map { $0.makeModeratedItem(in: group, of: member, by: by) ?? $0 }
            }
            // The update does not say how many of the removed messages were reports, so the group is read again.
            requestReload(.wholeGroup(group))
        case .itemsRead(let id, let itemIds): markItemsRead(id, itemIds)
        case .chat(let chat): addChat(Chat(chat))
        case .chatInfo(let info):
            if index(of: info.id) == nil { addChat(Chat(chatInfo: info)) } else { updateChatInfo(info) }
        case .chatInfoIfListed(let info): updateChatInfo(info)
        case .replaceChat(let id, let info): replaceChat(id, info)
        case .removeChat(let id): removeChat(id)
        case .mergeChat(let id, let info):
            replaceChat(id, info)
            requestReload(info)
        case .groupScopeRead(let id, _): if let index = index(of: id) { requestReload(chats[index].chatInfo) }
        case .chatRead(let id):
            changeChat(id) { chat in
                let isMarked = chat.chatStats.unreadChat
                chat.chatStats = ChatStats.none.statsWithReports(reports: chat.chatStats.reportsCount)
                chat.chatStats.unreadChat = isMarked
                if chat.chatItems.last?.isRcvNew == true { chat.chatItems[0].meta.itemStatus = .rcvRead }
            }
        case .chatUnread(let id, let unread): changeChat(id) { $0.chatStats.unreadChat = unread }
        case .chatCleared(let info):
            updateChatInfo(info)
            changeChat(info.id) {
                $0.chatItems = []
                $0.chatStats = .none
            }
        case .chatPreview(let id, let items): changeChat(id) { $0.chatItems = items.suffix(1) }
        case .chatUnreadCounts(let id, let stats):
            changeChat(id) {
                $0.chatStats.unreadCount = stats.unreadCount
                $0.chatStats.unreadMentions = stats.unreadMentions
                $0.chatStats.reportsCount = stats.reportsCount
                $0.chatStats.minUnreadItemId = stats.minUnreadItemId
            }
        case .chatTags(let id, let tags): changeChat(id) { $0.chatInfo.chatTags = tags }
        default: break
        }
    }

    private mutating func changeChat(_ id: ChatId, _ body: (inout Chat) -> Void) {
        if let index = index(of: id) { changeChat(at: index, body) }
    }

    /// Replaces a contact request in the chat list by the contact that was made from the request. If the list contains
    /// the contact already, the preview of the contact does not change.
    private mutating func replaceChat(_ id: ChatId, _ info: ChatInfo) {
        guard id != info.id else { return updateChatInfo(info) }
        removeChat(id)
        applyToChats(.chatInfo(info))
    }

    /// Makes a new item the preview of its chat, and moves the chat up in the chat list. Counts the item if it is
    /// unread.
    private mutating func addChatItem(_ info: ChatInfo, _ item: ChatItem) {
        guard let index = index(of: info.id) else {
            // A message to the moderators does not count as an item of the group itself. So the group is added without
            // the message.
            guard info.groupChatScope == nil else { return addChat(Chat(chatInfo: info)) }
            return addChat(Chat(chatInfo: info, chatItems: [item], chatStats: ChatStats.none.statsAfterReceiving(item)))
        }
        changeChat(at: index) { chat in
            chat.chatInfo = info.infoWithoutScope
            guard info.groupChatScope == nil else { return }
            if let preview = chat.chatItems.last, preview.id == item.id {
                // The chat already has this item as its preview, and has counted it. So only the preview is replaced.
                chat.chatItems = [item]
                return
            }
            if let preview = chat.chatItems.last, case .group = info, ItemOrder.bySending.isBefore(item, preview) {
                // A member has forwarded this message late. The present preview is newer, so it stays.
            } else {
                chat.chatItems = [item]
            }
            chat.chatStats = chat.chatStats.statsAfterReceiving(item)
        }
        recountReports(info, item)
    }

    /// Requests that the counts of a group are read again after a report to the moderators. A report is an item in the
    /// conversation of its sender with the moderators, but the group counts it.
    private mutating func recountReports(_ info: ChatInfo, _ item: ChatItem) {
        if info.groupChatScope != nil, case .report = item.msgContent { requestReload(info) }
    }

    private mutating func upsertChatItem(_ info: ChatInfo, _ item: ChatItem) {
        recountReports(info, item)
        guard let index = index(of: info.id) else {
            guard info.groupChatScope == nil else { return }
            // The chat list does not contain the chat. So the chat is added, and its counts are read from the core.
            addChat(Chat(chatInfo: info, chatItems: [item]))
            return requestReload(info)
        }
        guard info.groupChatScope == nil else { return }
        changeChat(at: index) { chat in
            guard let preview = chat.chatItems.last, preview.id == item.id else { return }
            chat.chatItems = [item]
        }
        if item.meta.itemDeleted != nil, case .report = item.msgContent { pendingReloads.insert(.chats) }
    }

    private mutating func removeChatItem(_ info: ChatInfo, _ item: ChatItem) {
        recountReports(info, item)
        guard info.groupChatScope == nil, let index = index(of: info.id) else { return }
        if chats[index].chatItems.last?.id == item.id || chats[index].chatStats.minUnreadItemId == item.id {
            requestReload(info)
        }
        changeChat(at: index) { chat in
            if chat.chatItems.last?.id == item.id { chat.chatItems = [] }
            if item.isActiveReport { chat.chatStats.reportsCount = max(0, chat.chatStats.reportsCount - 1) }
            guard item.isRcvNew else { return }
            chat.chatStats.unreadCount = max(0, chat.chatStats.unreadCount - 1)
            if item.meta.userMention { chat.chatStats.unreadMentions = max(0, chat.chatStats.unreadMentions - 1) }
        }
    }

    private mutating func removeChatItems(_ id: ChatId, _ itemIds: [Int64]) {
        guard let index = index(of: id) else { return }
        changeChat(at: index) { chat in
            if let last = chat.chatItems.last, itemIds.contains(last.id) { chat.chatItems = [] }
        }
        // The update does not say how many of the removed items were unread, so the chat is read again.
        requestReload(chats[index].chatInfo)
    }

    /// Marks the preview of a chat as read if it is one of the items that the user has read. Requests that the chat is
    /// loaded again, because the update contains neither the new unread count nor the first unread item.
    private mutating func markItemsRead(_ id: ChatId, _ itemIds: [Int64]) {
        guard let index = index(of: id) else { return }
        changeChat(at: index) { chat in
            guard let preview = chat.chatItems.last, itemIds.contains(preview.id), preview.isRcvNew else { return }
            chat.chatItems[0].meta.itemStatus = .rcvRead
        }
        requestReload(chats[index].chatInfo)
    }

    private mutating func requestReload(_ info: ChatInfo) {
        if let reference = info.infoWithoutScope.chatRef { pendingReloads.insert(.chat(reference)) }
    }
}

extension ChatStats {
    /// Returns the unread counts of a chat after one more item has arrived.
    func statsAfterReceiving(_ item: ChatItem) -> ChatStats {
        var stats = self
        if item.isRcvNew {
            stats.unreadCount += 1
            if item.meta.userMention { stats.unreadMentions += 1 }
            if stats.unreadCount == 1 { stats.minUnreadItemId = item.id }
        }
        if item.isActiveReport { stats.reportsCount += 1 }
        return stats
    }

    func statsWithReports(reports: Int) -> ChatStats {
        var stats = self
        stats.reportsCount = reports
        return stats
    }
}
