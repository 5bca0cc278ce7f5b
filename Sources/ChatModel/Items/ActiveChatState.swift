/// The loaded parts of a chat (simplex-chat `apps/ios/spec/state.md`, section 3). Items are loaded in ranges without
/// gaps. There are items that are not loaded between two ranges, and also before the first range if it does not contain
/// the newest item.
public struct ActiveChatState: Hashable, Sendable, Encodable {
    /// The id of the newest item of each range that has a gap between it and newer items. The newest range comes first.
    public internal(set) var splits: [Int64] = []
    /// The ranges of loaded items, the newest range first.
    public internal(set) var loadedRanges: [LoadedRange] = []
    /// The id of the item in focus when the chat was opened.
    public internal(set) var unreadAfterItemId: Int64?
    /// Number of items after the loaded page, when the page was loaded.
    public internal(set) var totalAfter = 0
    /// Number of unread items after the loaded page, when the page was loaded.
    public internal(set) var unreadAfter = 0
    /// Number of unread items in the whole chat when it was opened.
    public internal(set) var unreadTotal = 0

    public init() {}
}

/// A sequence of items of a chat without gaps.
public struct LoadedRange: Hashable, Sendable, Encodable {
    public let newestItemId: Int64
    public let oldestItemId: Int64
    public let count: Int
}

/// The state of a client that loads more pages while it scrolls (simplex-chat `apps/ios/spec/state.md`, section 3).
public struct PreloadState: Hashable, Sendable, Encodable {
    /// Whether a page of items is being read from the core.
    public internal(set) var preloading = false
    /// Number of loaded items when the page was requested.
    public internal(set) var prevItemsCount = 0
    /// The id of the item next to which the requested page begins.
    public internal(set) var prevFirstVisible: Int64?

    public init() {}
}
