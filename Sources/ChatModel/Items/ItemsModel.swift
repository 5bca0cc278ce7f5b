package import ChatAPI

/// The loaded items of one chat (simplex-chat `apps/ios/spec/state.md`, section 3).
package struct ItemsModel: Hashable, Sendable {
    /// The loaded items, the newest first.
    package private(set) var reversedChatItems: [ChatItem] = []
    package internal(set) var chatState = ActiveChatState()
    package internal(set) var preloadState = PreloadState()
    /// Whether the first page of items is being read from the core, after the chat or list was opened.
    package internal(set) var isLoading = false
    /// The id of the chat whose first page of items is being loaded; nil at other times, also while a further page is
    /// being loaded.
    package internal(set) var showLoadingProgress: ChatId?
    package let secondaryIMFilter: SecondaryItemsModelFilter?
    /// Whether the newest item of the chat is loaded in this list.
    package private(set) var newestLoaded = false
    /// Whether the oldest item of the chat is loaded in this list.
    package private(set) var lastItemsLoaded = false

    /// Number of items in each range of consecutive loaded items, the newest range first. The sum is the number of
    /// loaded items.
    private var loadedRangeLengths: [Int] = []
    /// The id of the item around or beside which the last page was requested; nil for a page at the newest item.
    /// ``trimItems(to:)`` keeps the items around this item.
    private var anchorItemId: Int64?

    package init(secondaryIMFilter: SecondaryItemsModelFilter? = nil) {
        self.secondaryIMFilter = secondaryIMFilter
    }

    package var contentTag: MsgContentTag? {
        if case .msgContentTagContext(let tag) = secondaryIMFilter { tag } else { nil }
    }

    package var groupScopeInfo: GroupChatScopeInfo? {
        if case .groupChatScopeContext(let scope) = secondaryIMFilter { scope } else { nil }
    }

    /// Returns whether an item of the open chat belongs to this list.
    func admits(_ info: ChatInfo, _ item: ChatItem) -> Bool {
        secondaryIMFilter?.admits(info, item) ?? (info.groupChatScope == nil)
    }
}

// MARK: Loading

extension ItemsModel {
    /// The kind of a requested page of items.
    package enum Page: Hashable, Sendable {
        case last
        case before(Int64)
        case after(Int64)
        case around(Int64)
        /// A page of items around the first unread item.
        case initial
    }

    /// Adds a page of items to the loaded items.
    /// - Parameters:
    ///   - items: the items of the page, the oldest first, as in the core's responses.
    ///   - count: the requested number of items.
    ///   - stats: the unread counts of the chat, for the pages `around` and `initial`.
    package mutating func addPage(
        _ page: Page,
        _ items: [ChatItem],
        count: Int,
        order: ItemOrder,
        stats: ChatStats? = nil,
        navigation: NavigationInfo? = nil
    ) {
        let anchor: Int64? =
            switch page {
            case .before(let id), .after(let id): id
            case .last, .around, .initial: nil
            }
        mergePage(Array(items.reversed()), next: anchor, order)
        let reachesNewest =
            switch page {
            case .last: true
            case .after: items.count < count
            case .around, .initial: (navigation?.afterTotal ?? 0) == 0
            case .before: false
            }
        // The list may already contain items that are newer than the page. Then the page continues an older range of
        // items, and does not reach the newest item of the chat.
        if reachesNewest, items.last.map({ $0.id == reversedChatItems.first?.id }) ?? true { newestLoaded = true }
        self.anchorItemId =
            switch page {
            case .before(let id), .around(let id): id
            case .after(let id): newestLoaded && items.last?.id == reversedChatItems.first?.id ? nil : id
            case .last, .initial: nil
            }
        switch page {
        case .last, .before:
            let reachesOldest = items.count < count
            if reachesOldest, items.first.map({ $0.id == reversedChatItems.last?.id }) ?? true {
                lastItemsLoaded = true
            }
        case .around(let id):
            if let index = items.firstIndex(where: { $0.id == id }), index < count,
                items.first?.id == reversedChatItems.last?.id
            {
                lastItemsLoaded = true
            }
            chatState.unreadAfterItemId = id
        case .initial:
            if navigation?.afterTotal == 0, items.count < count { lastItemsLoaded = true }
            chatState.unreadAfterItemId = stats.flatMap { $0.minUnreadItemId == 0 ? nil : $0.minUnreadItemId }
        case .after: break
        }
        if let navigation {
            chatState.totalAfter = navigation.afterTotal
            chatState.unreadAfter = navigation.afterUnread
        }
        if let stats { chatState.unreadTotal = stats.unreadCount }
        updateRanges()
    }

    /// Inserts the items of a page at their places in the list. All loaded ranges that contain one of these items, or
    /// the item `anchor`, become one range.
    private mutating func mergePage(_ page: [ChatItem], next anchor: Int64?, _ order: ItemOrder) {
        let ids = Set(page.map(\.id)).union(anchor.map { [$0] } ?? [])
        var chunks: [[ChatItem]] = []
        var joined = page
        for chunk in self.itemsByRange {
            guard chunk.contains(where: { ids.contains($0.id) }) else {
                chunks.append(chunk)
                continue
            }
            let known = Set(joined.map(\.id))
            joined += chunk.filter { !known.contains($0.id) }
        }
        joined.sort { order.isBefore($1, $0) }
        if !joined.isEmpty { chunks.append(joined) }
        chunks.sort { first, second in
            guard let first = first.first, let second = second.first else { return false }
            return order.isBefore(second, first)
        }
        reversedChatItems = chunks.flatMap { $0 }
        loadedRangeLengths = chunks.map(\.count)
    }

    private var itemsByRange: [[ChatItem]] { rangePositions.map { Array(reversedChatItems[$0]) } }

    /// The positions of the loaded ranges in the list of items, the newest range first.
    private var rangePositions: [Range<Int>] {
        var end = 0
        return loadedRangeLengths.map { count in
            let start = end
            end = min(start + count, reversedChatItems.count)
            return start..<end
        }
    }

    private mutating func updateRanges() {
        chatState.loadedRanges = itemsByRange.compactMap { chunk in
            guard let newest = chunk.first, let oldest = chunk.last else { return nil }
            return LoadedRange(newestItemId: newest.id, oldestItemId: oldest.id, count: chunk.count)
        }
        chatState.splits = chatState.loadedRanges.dropFirst(newestLoaded ? 1 : 0).map(\.newestItemId)
    }

    /// Removes items at the two ends of the list until at most `limit` items remain. The items around `anchorItemId`
    /// remain. Without this id, the newest items remain.
    mutating func trimItems(to limit: Int) {
        let excess = reversedChatItems.count - limit
        guard excess > 0 else { return }
        let place = anchorItemId.flatMap { id in reversedChatItems.firstIndex { $0.id == id } } ?? 0
        let newer = min(max(place - limit / 2, 0), excess)
        let older = excess - newer
        if newer > 0 { newestLoaded = false }
        if older > 0 { lastItemsLoaded = false }
        let kept = newer..<newer + limit
        loadedRangeLengths = rangePositions.map { $0.clamped(to: kept).count }.filter { $0 > 0 }
        reversedChatItems = Array(reversedChatItems[kept])
        updateRanges()
    }

    /// Removes the loaded items, but leaves `chatState` unchanged.
    mutating func removeLoadedItems() {
        reversedChatItems = []
        loadedRangeLengths = []
    }

    mutating func removeAll() {
        reversedChatItems = []
        loadedRangeLengths = []
        anchorItemId = nil
        chatState = ActiveChatState()
        newestLoaded = true
        lastItemsLoaded = true
    }
}

// MARK: Items

extension ItemsModel {
    /// Inserts a new item in the order of the items. If the item belongs to a part of the chat that is not loaded, it
    /// is ignored.
    mutating func addItem(_ item: ChatItem, _ order: ItemOrder) {
        if updateItem(item) { return }
        guard let first = reversedChatItems.first else {
            guard newestLoaded else { return }
            reversedChatItems = [item]
            loadedRangeLengths = [1]
            return updateRanges()
        }
        if order.isBefore(first, item) {
            reversedChatItems.insert(item, at: 0)
            // If the newest items were not loaded, the new item is a separate range.
            if newestLoaded, !loadedRangeLengths.isEmpty {
                loadedRangeLengths[0] += 1
            } else {
                loadedRangeLengths.insert(1, at: 0)
            }
            newestLoaded = true
        } else {
            insertOlderItem(item, order)
        }
        updateRanges()
    }

    private mutating func insertOlderItem(_ item: ChatItem, _ order: ItemOrder) {
        guard let place = reversedChatItems.firstIndex(where: { order.isBefore($0, item) }) else {
            guard lastItemsLoaded, let last = loadedRangeLengths.indices.last else { return }
            reversedChatItems.append(item)
            loadedRangeLengths[last] += 1
            return
        }
        for (index, range) in rangePositions.enumerated() where place > range.lowerBound && place < range.upperBound {
            reversedChatItems.insert(item, at: place)
            loadedRangeLengths[index] += 1
            return
        }
    }

    /// Replaces the loaded item that has the id of `item`.
    /// - Returns: false if no loaded item has this id.
    @discardableResult
    mutating func updateItem(_ item: ChatItem) -> Bool {
        guard let index = reversedChatItems.firstIndex(where: { $0.id == item.id }) else { return false }
        reversedChatItems[index] = item
        return true
    }

    mutating func removeItems(_ itemIds: [Int64]) {
        let ids = Set(itemIds)
        loadedRangeLengths = rangePositions.map { range in reversedChatItems[range].count { !ids.contains($0.id) } }
            .filter {
                $0 > 0
            }
        reversedChatItems.removeAll { ids.contains($0.id) }
        updateRanges()
    }

    mutating func moderateItems(in group: GroupInfo, of member: GroupMember, by moderator: GroupMember) {
        for index in reversedChatItems.indices {
            if let item = reversedChatItems[index].makeModeratedItem(in: group, of: member, by: moderator) {
                reversedChatItems[index] = item
            }
        }
    }

    /// Marks received items as read.
    /// - Parameter itemIds: the ids of the items; nil for all items.
    mutating func markItemsRead(_ itemIds: [Int64]?) {
        let ids = itemIds.map(Set.init)
        for index in reversedChatItems.indices where reversedChatItems[index].isRcvNew {
            guard ids?.contains(reversedChatItems[index].id) ?? true else { continue }
            reversedChatItems[index].meta.itemStatus = .rcvRead
        }
    }
}

extension ItemsModel: Encodable {
    private enum CodingKeys: CodingKey {
        case secondaryIMFilter, isLoading, showLoadingProgress, lastItemsLoaded, newestLoaded, preloadState, chatState,
            reversedChatItems
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(secondaryIMFilter, forKey: .secondaryIMFilter)
        try members.encode(isLoading, forKey: .isLoading)
        try members.encodeIfPresent(showLoadingProgress, forKey: .showLoadingProgress)
        try members.encode(lastItemsLoaded, forKey: .lastItemsLoaded)
        try members.encode(newestLoaded, forKey: .newestLoaded)
        try members.encode(preloadState, forKey: .preloadState)
        try members.encode(chatState, forKey: .chatState)
        try members.encode(reversedChatItems, forKey: .reversedChatItems)
    }
}
