/// The user's notes, a chat of the type `local`.
public struct NoteFolder: Codable, Hashable, Sendable {
    public var noteFolderId: Int64
    public var userId: Int64
    public var createdAt: UTCTime
    public var updatedAt: UTCTime
    public var chatTs: UTCTime
    public var favorite: Bool
    public var unread: Bool

    public init(
        noteFolderId: Int64,
        userId: Int64,
        createdAt: UTCTime,
        updatedAt: UTCTime,
        chatTs: UTCTime,
        favorite: Bool,
        unread: Bool
    ) {
        self.noteFolderId = noteFolderId
        self.userId = userId
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.chatTs = chatTs
        self.favorite = favorite
        self.unread = unread
    }
}
