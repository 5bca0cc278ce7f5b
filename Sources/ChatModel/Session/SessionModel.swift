public import ChatAPI

/// One client's view of a profile: its open chat with the loaded items (state management, sections 2 and 3). A value:
/// it changes by `apply` and by the steps of loading.
public struct SessionModel: Hashable, Sendable {
    public let userId: Int64
    /// The open chat.
    public internal(set) var chatId: ChatId?
    /// The reference of the open chat in commands.
    public internal(set) var chat: ChatRef?
    public internal(set) var chatInfo: ChatInfo?
    /// The agent's connection of the open chat, and whether it is subscribed.
    public internal(set) var chatAgentConnId: String?
    public internal(set) var chatSubStatus: SubscriptionStatus?
    /// The item at which the chat was opened.
    public internal(set) var openAroundItemId: Int64?
    public internal(set) var im = ItemsModel()
    public internal(set) var secondaryIM: ItemsModel?
    public internal(set) var groupMembers: [GroupMember] = []
    public internal(set) var membersLoaded = false
    public internal(set) var channelRelays = ChannelRelaysModel()
    /// The filter of the chat list in this client.
    public var activeFilter: ActiveFilter?
    /// Whether the open chat was replaced by another one, whose items have to be read.
    public internal(set) var awaitsItems = false
    /// Whether the open chat was deleted; no chat is open now.
    public internal(set) var chatDeleted = false

    public init(userId: Int64) {
        self.userId = userId
    }

    /// Maximal number of items in a list, unless the client wants fewer.
    public static let maxItems = 2000
    /// Maximal number of items in a list. Beyond it, those far from the last loaded page are dropped and can be loaded
    /// again.
    public private(set) var itemLimit = maxItems

    /// Number of items and members that are kept.
    public var size: Int {
        im.reversedChatItems.count + (secondaryIM?.reversedChatItems.count ?? 0) + groupMembers.count
    }

    /// One of the two lists of items.
    public enum List: Hashable, Sendable { case primary, secondary }

    public func items(_ list: List) -> ItemsModel? { list == .primary ? im : secondaryIM }

    mutating func change(_ list: List, _ body: (inout ItemsModel) -> Void) {
        switch list {
        case .primary: body(&im)
        case .secondary: if secondaryIM != nil, var items = secondaryIM { body(&items); secondaryIM = items }
        }
    }

    // MARK: Steps of loading

    /// Starts opening a chat: nothing of it is loaded yet.
    /// - Parameter limit: how many items a list keeps; nil for as many as before.
    public mutating func openChat(_ chat: ChatRef, around itemId: Int64? = nil, limit: Int? = nil) {
        let limit = limit ?? itemLimit
        closeChat()
        itemLimit = limit
        self.chat = chat
        chatId = chat.id
        openAroundItemId = itemId
        im.isLoading = true
        im.showLoadingProgress = chat.id
    }

    public mutating func closeChat() {
        let filter = activeFilter
        self = SessionModel(userId: userId)
        activeFilter = filter
    }

    /// Starts opening a second list of items of the open chat.
    public mutating func openSecondary(_ filter: SecondaryItemsModelFilter) {
        var items = ItemsModel(secondaryIMFilter: filter)
        items.isLoading = true
        items.showLoadingProgress = chatId
        secondaryIM = items
    }

    /// The details of a scope of the open chat, if they are known without reading: a member is known if members were
    /// loaded.
    public func scopeInfo(_ scope: GroupChatScope) -> GroupChatScopeInfo? {
        switch scope {
        case .memberSupport(nil): .memberSupport(groupMember_: nil)
        case .memberSupport(let memberId?):
            groupMembers.first { $0.groupMemberId == memberId }.map { .memberSupport(groupMember_: $0) }
        case .unrecognized: nil
        }
    }

    public mutating func closeSecondary() { secondaryIM = nil }

    /// Starts reading a further page.
    public mutating func beginLoading(_ list: List, next itemId: Int64) {
        change(list) { items in
            items.preloadState.preloading = true
            items.preloadState.prevItemsCount = items.reversedChatItems.count
            items.preloadState.prevFirstVisible = itemId
        }
    }

    /// Adds a loaded page. It is ignored if another chat was opened meanwhile.
    public mutating func load(
        _ list: List,
        _ chat: AChat,
        page: ItemsModel.Page,
        count: Int,
        navigation: NavigationInfo?
    ) {
        guard chat.chatInfo.id == chatId else { return }
        if list == .primary {
            setInfo(chat.chatInfo)
            awaitsItems = false
        }
        let limit = itemLimit
        change(list) { items in
            let order = ItemOrder(chat.chatInfo)
            let isCounted = page == .initial || navigation != nil
            items.load(
                page,
                chat.chatItems,
                count: count,
                order: order,
                stats: isCounted ? chat.chatStats : nil,
                navigation: navigation
            )
            items.trim(to: limit)
            items.endLoading()
        }
    }

    /// Ends reading a page that could not be read.
    public mutating func failLoading(_ list: List) { change(list) { $0.endLoading() } }

    public mutating func setMembers(_ members: [GroupMember], of groupId: Int64) {
        guard chatId == "#\(groupId)" else { return }
        groupMembers = members
        membersLoaded = true
    }

    /// A copy without the items.
    public var withoutItems: SessionModel {
        var copy = self
        copy.im.hideItems()
        copy.change(.secondary) { $0.hideItems() }
        return copy
    }

    mutating func setInfo(_ info: ChatInfo) {
        chatInfo = info.withoutScope
        guard case .direct(let contact) = info, chatAgentConnId != contact.activeConn?.agentConnId else { return }
        chatAgentConnId = contact.activeConn?.agentConnId
        chatSubStatus = nil
    }

    /// Takes over the known status of the open chat's connection, unless one was reported since the chat was opened.
    /// - Returns: whether the status was taken over.
    public mutating func showSubscription(_ subscriptions: Subscriptions) -> Bool {
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
