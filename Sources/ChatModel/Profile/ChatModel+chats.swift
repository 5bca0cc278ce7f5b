package import ChatAPI

extension ChatModel {
    package func getChat(_ id: ChatId) -> Chat? { chats.first { $0.id == id } }

    /// Adds a chat to the list, at its position by last activity.
    package mutating func addChat(_ chat: Chat) {
        guard !chat.id.isEmpty else { return }
        if let index = index(of: chat.id) { return changeChat(at: index) { $0 = chat } }
        addToTotals(chat, 1)
        chats.insert(chat, at: sortedIndex(of: chat))
        recordMove(chat.id)
    }

    /// Updates the data of a chat in the list. The preview and the counts do not change.
    package mutating func updateChatInfo(_ info: ChatInfo) {
        guard let index = index(of: info.id) else { return }
        let info = info.infoWithoutScope
        guard chats[index].chatInfo != info else { return }
        changeChat(at: index) { $0.chatInfo = info }
    }

    package mutating func removeChat(_ id: ChatId) {
        guard let index = index(of: id) else { return }
        addToTotals(chats[index], -1)
        chats.remove(at: index)
        if drafts.removeValue(forKey: id) != nil, draftChatId == id { draftChatId = nil }
        callInvitations[id] = nil
        activeCalls[id] = nil
        recordMove(id)
    }

    /// Removes a tag from all chats.
    mutating func removeTag(_ tagId: Int64) {
        for index in chats.indices where chats[index].chatInfo.chatTags?.contains(tagId) == true {
            changeChat(at: index) { $0.chatInfo.chatTags?.removeAll { $0 == tagId } }
        }
    }

    mutating func setChats(_ list: [AChat]) {
        let before = Dictionary(chats.map { ($0.id, $0) }) { first, _ in first }
        var ids: Set<ChatId> = []
        chats = list.map { Chat($0) }.filter { !$0.id.isEmpty && ids.insert($0.id).inserted }
        hasLoadedChats = true
        tags.removeAllChats()
        notifyingUnreadCount = 0
        for chat in chats {
            tags.addChat(chat)
            notifyingUnreadCount += chat.notifyingUnreadCount
            if before[chat.id] != chat { pendingChanges.chatIds.insert(chat.id) }
        }
        recountOwnUnreadMessages()
        for id in before.keys where !ids.contains(id) { pendingChanges.chatIds.insert(id) }
        pendingChanges.hasOrderChanged = true
        pendingChanges.hasGeneralStateChanged = true
    }

    func index(of id: ChatId) -> Int? { chats.firstIndex { $0.id == id } }

    /// Changes a chat in the list, and updates the totals over all chats. All changes of chats must use this function.
    mutating func changeChat(at index: Int, _ body: (inout Chat) -> Void) {
        let before = chats[index]
        body(&chats[index])
        let chat = chats[index]
        guard chat != before else { return }
        pendingChanges.chatIds.insert(chat.id)
        let countsBefore = (tags, notifyingUnreadCount)
        tags.removeChat(before)
        tags.addChat(chat)
        notifyingUnreadCount += chat.notifyingUnreadCount - before.notifyingUnreadCount
        if countsBefore != (tags, notifyingUnreadCount) { pendingChanges.hasGeneralStateChanged = true }
        recountOwnUnreadMessages()
        if chat.chatInfo.chatTs != before.chatInfo.chatTs { repositionChat(index) }
    }

    private mutating func repositionChat(_ index: Int) {
        let chat = chats.remove(at: index)
        let place = sortedIndex(of: chat)
        chats.insert(chat, at: place)
        if place != index { pendingChanges.hasOrderChanged = true }
    }

    /// Returns the index for a chat by its last activity: after all chats with a later activity, before all chats with
    /// an earlier activity. Usually the index is 0.
    private func sortedIndex(of chat: Chat) -> Int {
        let ts = chat.chatInfo.chatTs
        return chats.firstIndex { !UTCTime.isEarlier(ts, $0.chatInfo.chatTs) } ?? chats.count
    }

    private mutating func addToTotals(_ chat: Chat, _ sign: Int) {
        if sign > 0 { tags.addChat(chat) } else { tags.removeChat(chat) }
        notifyingUnreadCount += sign * chat.notifyingUnreadCount
        recountOwnUnreadMessages()
    }

    private mutating func recordMove(_ id: ChatId) {
        pendingChanges.chatIds.insert(id)
        pendingChanges.hasOrderChanged = true
        pendingChanges.hasGeneralStateChanged = true
    }
}
