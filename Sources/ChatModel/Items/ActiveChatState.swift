/// Which parts of a chat are loaded (state management, section 3). Items are loaded in ranges without gaps; between two ranges, and before
/// the first one when it does not reach the newest item, there are items that are not loaded.
public struct ActiveChatState: Hashable, Sendable, Encodable {
    /// The newest item of each range that has a gap before it, the newest range first.
    public internal(set) var splits: [Int64] = []
    /// The ranges, the newest first.
    public internal(set) var loadedRanges: [LoadedRange] = []
    /// The item that a chat was opened at.
    public internal(set) var unreadAfterItemId: Int64?
    /// Items after the loaded page, as they were counted when it was loaded.
    public internal(set) var totalAfter = 0
    /// Unread ones among these.
    public internal(set) var unreadAfter = 0
    /// Unread in the whole chat when it was opened.
    public internal(set) var unreadTotal = 0

    public init() {}
}

/// Items of a chat without a gap.
public struct LoadedRange: Hashable, Sendable, Encodable {
    public let newestItemId: Int64
    public let oldestItemId: Int64
    public let count: Int
}

/// Loading of further pages while a client scrolls (state management, section 3).
public struct PreloadState: Hashable, Sendable, Encodable {
    /// A page is being read.
    public internal(set) var preloading = false
    /// Loaded items when it was asked for.
    public internal(set) var prevItemsCount = 0
    /// The item next to which it was asked for.
    public internal(set) var prevFirstVisible: Int64?

    public init() {}
}
