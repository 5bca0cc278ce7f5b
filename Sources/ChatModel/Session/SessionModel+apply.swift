internal import ChatAPI

extension SessionModel {
    /// Applies updates of the core to the open chat.
    /// - Returns: whether the session may have changed.
    @discardableResult
    package mutating func apply(_ updates: ModelUpdates) -> Bool {
        guard updates.userId == nil || updates.userId == userId else { return false }
        var changed = false
        for update in updates.updates where apply(update) { changed = true }
        return changed
    }

    private mutating func apply(_ update: ModelUpdate) -> Bool {
        switch update {
        case .newItem(let item):
            guard item.chatInfo.id == chatId else { return false }
            setChatInfo(item.chatInfo)
            let limit = itemLimit
            changeLists {
                $0.admits(item.chatInfo, item.chatItem)
            } change: {
                $0.addItem(item.chatItem, ItemOrder(item.chatInfo))
                $0.trimItems(to: limit)
            }
        case .changedItem(let item):
            guard item.chatInfo.id == chatId else { return false }
            changeAllLists { $0.updateItem(item.chatItem) }
        case .removeItem(let item):
            guard item.chatInfo.id == chatId else { return false }
            changeAllLists { $0.removeItems([item.chatItem.id]) }
        case .removeItems(let id, let itemIds):
            guard id == chatId else { return false }
            changeAllLists { $0.removeItems(itemIds) }
        case .removeMemberItems(let group, let member, let by):
            guard group.id == chatId else { return false }
            changeAllLists { $0.moderateItems(in: group, of: member, by: by) }
        case .itemsRead(let id, let itemIds):
            guard id == chatId else { return false }
            changeAllLists { $0.markItemsRead(itemIds) }
        case .chatRead(let id):
            guard id == chatId else { return false }
            changeLists {
                $0.groupScopeInfo == nil
            } change: {
                $0.markItemsRead(nil)
            }
        case .groupScopeRead(let id, let scope):
            guard id == chatId, secondaryIM?.groupScopeInfo?.scope == scope else { return false }
            changeItems(.secondary) { $0.markItemsRead(nil) }
        case .chatCleared(let info):
            guard info.id == chatId else { return false }
            setChatInfo(info)
            changeAllLists { $0.removeAll() }
        case .chatTags(let id, let tags):
            guard id == chatId else { return false }
            chatInfo?.chatTags = tags
        case .userTags, .removeUserTag: return applyToFilter(update)
        case .subscription(let status, let connections):
            guard let connection = chatAgentConnId, connections.contains(connection) else { return false }
            chatSubStatus = status
        case .chats(let chats):
            guard let chat = chats.first(where: { $0.chatInfo.id == chatId }) else { return false }
            setChatInfo(chat.chatInfo)
        default: return applyToChat(update)
        }
        return true
    }

    private mutating func applyToChat(_ update: ModelUpdate) -> Bool {
        switch update {
        case .chat(let chat):
            guard chat.chatInfo.id == chatId else { return false }
            setChatInfo(chat.chatInfo)
        case .chatInfo(let info), .chatInfoIfListed(let info):
            guard info.id == chatId else { return false }
            setChatInfo(info)
        case .replaceChat(let id, let info):
            guard id == chatId else { return applyToChat(.chatInfo(info)) }
            replaceOpenChat(by: info)
        case .removeChat(let id):
            guard id == chatId else { return false }
            closeChat()
            chatDeleted = true
        case .mergeChat(let id, let info):
            guard id == chatId, let reference = info.chatRef else { return applyToChat(.chatInfo(info)) }
            openChat(reference)
            setChatInfo(info)
            awaitsItems = true
        case .member(let group, let member):
            guard group.id == chatId else { return false }
            setChatInfo(.wholeGroup(group))
            upsertMember(member)
        case .members(let group, let members):
            guard group.id == chatId else { return false }
            setChatInfo(.wholeGroup(group))
            setMembers(members, of: group.groupId)
        case .memberSettings(let id, let memberId, let settings):
            guard id == chatId, let index = groupMembers.firstIndex(where: { $0.groupMemberId == memberId }) else {
                return false
            }
            groupMembers[index].memberSettings = settings
        case .relays(let group, let link, let relays):
            guard group.id == chatId else { return false }
            channelRelays.setChannel(groupId: group.groupId, groupLink: link, groupRelays: relays)
        case .relay(let group, let relay):
            guard group.id == chatId else { return false }
            channelRelays.updateRelay(relay, groupId: group.groupId)
        default: return false
        }
        return true
    }

    /// Updates the filter of the chat list after a change of the user's tags. Removes a deleted tag from the filter and
    /// from the open chat.
    /// - Returns: whether the filter or the open chat has changed.
    private mutating func applyToFilter(_ update: ModelUpdate) -> Bool {
        let before = (activeFilter, chatInfo)
        switch update {
        case .userTags(let tags):
            guard case .userTag(let tag) = activeFilter else { return false }
            activeFilter = tags.first { $0.chatTagId == tag.chatTagId }.map { .userTag($0) }
        case .removeUserTag(let tagId):
            if case .userTag(let tag) = activeFilter, tag.chatTagId == tagId { activeFilter = nil }
            if chatInfo?.chatTags?.contains(tagId) == true { chatInfo?.chatTags?.removeAll { $0 == tagId } }
        default: break
        }
        return before != (activeFilter, chatInfo)
    }

    /// Changes an open contact request to the contact that replaces the request.
    private mutating func replaceOpenChat(by info: ChatInfo) {
        chatId = info.id
        chatRef = info.chatRef
        setChatInfo(info)
    }

    /// Updates or adds a member, if the members of the group are loaded.
    private mutating func upsertMember(_ member: GroupMember) {
        guard membersLoaded else { return }
        if let index = groupMembers.firstIndex(where: { $0.groupMemberId == member.groupMemberId }) {
            groupMembers[index] = member
        } else {
            groupMembers.append(member)
        }
    }

    private mutating func changeAllLists(_ body: (inout ItemsModel) -> Void) {
        changeLists({ _ in true }, change: body)
    }

    private mutating func changeLists(_ admits: (ItemsModel) -> Bool, change body: (inout ItemsModel) -> Void) {
        if admits(im) { body(&im) }
        if let secondary = secondaryIM, admits(secondary) { changeItems(.secondary, body) }
    }
}
