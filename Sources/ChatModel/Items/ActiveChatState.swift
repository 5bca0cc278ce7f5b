/// The loaded parts of a chat (simplex-chat `apps/ios/spec/state.md`, section 3). Items are loaded in ranges without
/// gaps. Between two ranges there are items that are not loaded. If the first range does not contain the newest item,
/// the items after this range are not loaded either.
package struct ActiveChatState: Hashable, Sendable, Encodable {
    /// The ids of items whose next newer item exists but is not loaded. Each of them is the newest item of a loaded
    /// range. The newest item comes first.
    package internal(set) var splits: [Int64] = []
    /// The ranges of loaded items, the newest range first.
    package internal(set) var loadedRanges: [LoadedRange] = []
    /// The id of the item around which a page of items was last loaded. It is the requested item. If the chat was
    /// opened without a requested item, it is the first unread item; nil without unread items.
    package internal(set) var unreadAfterItemId: Int64?
    /// Number of items of the chat that were newer than the last page of the kind `around` or `initial`
    /// (``ItemsModel/Page``). Pages of other kinds do not change the number.
    package internal(set) var totalAfter = 0
    /// Number of unread items of the chat that were newer than the last page of the kind `around` or `initial`. Pages
    /// of other kinds do not change the number.
    package internal(set) var unreadAfter = 0
    /// Number of unread items in the whole chat when it was opened.
    package internal(set) var unreadTotal = 0

    package init() {}
}

/// A range of consecutive items of a chat. All items of the range are loaded.
package struct LoadedRange: Hashable, Sendable, Encodable {
    package let newestItemId: Int64
    package let oldestItemId: Int64
    package let count: Int
}

/// The state of loading another page of items while a client scrolls (simplex-chat `apps/ios/spec/state.md`, section
/// 3).
package struct PreloadState: Hashable, Sendable, Encodable {
    /// Whether a further page of items is being read from the core.
    package internal(set) var preloading = false
    /// Number of items that were loaded already when the next page was requested.
    package internal(set) var prevItemsCount = 0
    /// The id of the loaded item next to the requested page.
    package internal(set) var prevFirstVisible: Int64?

    package init() {}
}
