package import ChatAPI

/// The view of one client on a profile: its open chat with the loaded items (simplex-chat `apps/ios/spec/state.md`,
/// sections 2 and 3). It is a value. Updates of the core and loaded pages change it.
package struct SessionModel: Hashable, Sendable {
    package let userId: Int64
    /// The id of the open chat.
    package internal(set) var chatId: ChatId?
    /// The type and number by which commands refer to the open chat.
    package internal(set) var chatRef: ChatRef?
    package internal(set) var chatInfo: ChatInfo?
    /// The agent's id of the connection of the open chat; nil if the chat is not with a contact, or if the contact has
    /// no connection.
    package internal(set) var chatAgentConnId: String?
    /// The subscription status of the open chat's connection; nil while it is unknown.
    package internal(set) var chatSubStatus: SubscriptionStatus?
    /// The id of the item around which the client opened the chat; nil if the client named no item.
    package internal(set) var openAroundItemId: Int64?
    package internal(set) var im = ItemsModel()
    package internal(set) var secondaryIM: ItemsModel?
    package internal(set) var groupMembers: [GroupMember] = []
    package internal(set) var membersLoaded = false
    package internal(set) var channelRelays = ChannelRelaysModel()
    /// The filter of the chat list that the client has chosen.
    package var activeFilter: ActiveFilter?
    /// Whether the open chat was merged into another chat, whose items have to be read.
    package internal(set) var awaitsItems = false
    /// Whether the open chat was deleted, so that no chat is open.
    package internal(set) var chatDeleted = false

    package init(userId: Int64) {
        self.userId = userId
    }

    /// Maximal number of items in a list, if the client has not set a smaller number.
    package static let maxItems = 2000
    /// Maximal number of loaded items in a list. If a list becomes longer, the items far from the last loaded page are
    /// removed. The client can load them again.
    package private(set) var itemLimit = maxItems

    /// Number of items and members that the session has in memory.
    package var loadedItemAndMemberCount: Int {
        im.reversedChatItems.count + (secondaryIM?.reversedChatItems.count ?? 0) + groupMembers.count
    }

    /// The two lists of items in a session: all items of the open chat, and a second list with a filter.
    package enum ItemList: Hashable, Sendable { case primary, secondary }

    package func items(_ list: ItemList) -> ItemsModel? { list == .primary ? im : secondaryIM }

    mutating func changeItems(_ list: ItemList, _ body: (inout ItemsModel) -> Void) {
        switch list {
        case .primary: body(&im)
        case .secondary: if secondaryIM != nil, var items = secondaryIM { body(&items); secondaryIM = items }
        }
    }

    // MARK: Steps of loading

    /// Begins to open a chat. No part of the chat is loaded yet.
    /// - Parameter limit: maximal number of items in a list; nil for no change.
    package mutating func openChat(_ chat: ChatRef, around itemId: Int64? = nil, limit: Int? = nil) {
        let limit = limit ?? itemLimit
        closeChat()
        itemLimit = limit
        self.chatRef = chat
        chatId = chat.id
        openAroundItemId = itemId
        im.isLoading = true
        im.showLoadingProgress = chat.id
    }

    package mutating func closeChat() {
        let filter = activeFilter
        self = SessionModel(userId: userId)
        activeFilter = filter
    }

    /// Begins to open a second list of items in the open chat.
    package mutating func openSecondaryList(_ filter: SecondaryItemsModelFilter) {
        var items = ItemsModel(secondaryIMFilter: filter)
        items.isLoading = true
        items.showLoadingProgress = chatId
        secondaryIM = items
    }

    /// Returns the details of a conversation inside the open group; nil if the member of the conversation is not
    /// loaded, and for an unknown kind of conversation. Only loaded data is used, and the store is not read.
    package func findScopeInfo(_ scope: GroupChatScope) -> GroupChatScopeInfo? {
        switch scope {
        case .memberSupport(nil): .memberSupport(groupMember_: nil)
        case .memberSupport(let memberId?):
            groupMembers.first { $0.groupMemberId == memberId }.map { .memberSupport(groupMember_: $0) }
        case .unrecognized: nil
        }
    }

    package mutating func closeSecondaryList() { secondaryIM = nil }

    /// Marks a list as loading another page of items.
    /// - Parameter itemId: the id of the loaded item next to which the page begins.
    package mutating func beginLoading(_ list: ItemList, next itemId: Int64) {
        changeItems(list) { items in
            items.preloadState.preloading = true
            items.preloadState.prevItemsCount = items.reversedChatItems.count
            items.preloadState.prevFirstVisible = itemId
        }
    }

    /// Adds a loaded page of items to a list. The page is ignored if another chat was opened while the page was read.
    package mutating func addPage(
        _ list: ItemList,
        _ chat: AChat,
        page: ItemsModel.Page,
        count: Int,
        navigation: NavigationInfo?
    ) {
        guard chat.chatInfo.id == chatId else { return }
        if list == .primary {
            setChatInfo(chat.chatInfo)
            awaitsItems = false
        }
        let limit = itemLimit
        changeItems(list) { items in
            let order = ItemOrder(chat.chatInfo)
            let isCounted = page == .initial || navigation != nil
            items.addPage(
                page,
                chat.chatItems,
                count: count,
                order: order,
                stats: isCounted ? chat.chatStats : nil,
                navigation: navigation
            )
            items.trimItems(to: limit)
            items.endLoading()
        }
    }

    /// Marks a list as no longer loading, after a page of items could not be read.
    package mutating func recordLoadingFailure(_ list: ItemList) { changeItems(list) { $0.endLoading() } }

    package mutating func setMembers(_ members: [GroupMember], of groupId: Int64) {
        guard chatId == "#\(groupId)" else { return }
        groupMembers = members
        membersLoaded = true
    }

    /// A copy of the session without its items.
    package var sessionWithoutItems: SessionModel {
        var copy = self
        copy.im.removeLoadedItems()
        copy.changeItems(.secondary) { $0.removeLoadedItems() }
        return copy
    }

    mutating func setChatInfo(_ info: ChatInfo) {
        chatInfo = info.infoWithoutScope
        guard case .direct(let contact) = info, chatAgentConnId != contact.activeConn?.agentConnId else { return }
        chatAgentConnId = contact.activeConn?.agentConnId
        chatSubStatus = nil
    }

    /// Sets the subscription status of the open chat's connection to the status in `subscriptions`, if the session has
    /// no status yet.
    /// - Returns: whether the status was set.
    package mutating func setSubscriptionIfUnknown(_ subscriptions: Subscriptions) -> Bool {
        guard chatSubStatus == nil, let status = chatAgentConnId.flatMap({ subscriptions[$0] }) else { return false }
        chatSubStatus = status
        return true
    }
}

extension ItemsModel {
    mutating func endLoading() {
        isLoading = false
        showLoadingProgress = nil
        preloadState.preloading = false
    }
}
