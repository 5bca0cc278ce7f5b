/// The user's notes, a chat of the type `local`.
package struct NoteFolder: Codable, Hashable, Sendable {
    package var noteFolderId: Int64
    package var userId: Int64
    package var createdAt: UTCTime
    package var updatedAt: UTCTime
    package var chatTs: UTCTime
    package var favorite: Bool
    package var unread: Bool

    package init(
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
