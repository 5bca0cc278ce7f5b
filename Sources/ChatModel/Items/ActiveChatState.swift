/// The loaded parts of a chat (simplex-chat `apps/ios/spec/state.md`, section 3). Items are loaded in ranges without
/// gaps. Between two ranges there are items that are not loaded. If the first range does not contain the newest item,
/// the items after this range are not loaded either.
package struct ActiveChatState: Hashable, Sendable, Encodable {
    /// The id of the newest item of each range that has a gap between it and newer items. The newest range comes first.
    package internal(set) var splits: [Int64] = []
    /// The ranges of loaded items, the newest range first.
    package internal(set) var loadedRanges: [LoadedRange] = []
    /// The id of the item in focus when the chat was opened.
    package internal(set) var unreadAfterItemId: Int64?
    /// Number of items after the loaded page, when the page was loaded.
    package internal(set) var totalAfter = 0
    /// Number of unread items after the loaded page, when the page was loaded.
    package internal(set) var unreadAfter = 0
    /// Number of unread items in the whole chat when it was opened.
    package internal(set) var unreadTotal = 0

    package init() {}
}

/// A sequence of items of a chat without gaps.
package struct LoadedRange: Hashable, Sendable, Encodable {
    package let newestItemId: Int64
    package let oldestItemId: Int64
    package let count: Int
}

/// The state of a client that loads more pages while it scrolls (simplex-chat `apps/ios/spec/state.md`, section 3).
package struct PreloadState: Hashable, Sendable, Encodable {
    /// Whether a page of items is being read from the core.
    package internal(set) var preloading = false
    /// Number of loaded items when the page was requested.
    package internal(set) var prevItemsCount = 0
    /// The id of the item next to which the requested page begins.
    package internal(set) var prevFirstVisible: Int64?

    package init() {}
}
