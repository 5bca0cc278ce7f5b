internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// The notes of a user, which are a chat with oneself. Each user has one chat with notes. The id of this chat is 1,
/// since each user has separate ids of chats.
struct NoteFolderRecord: Sendable {
    let userId: Int64
    let noteFolderId: Int64
    let isFavorite: Bool
    let isMarkedUnread: Bool
    let createdAt: Timestamp
    let updatedAt: Timestamp
    var chatTs: Timestamp

    static let columns = """
        n.user_id AS n_user_id, n.note_folder_id AS n_note_folder_id, n.favorite AS n_favorite, n.unread_chat AS n_unread_chat,
        n.created_at AS n_created_at, n.updated_at AS n_updated_at, n.chat_ts AS n_chat_ts
        """

    init(_ row: Row) throws {
        userId = try row.int64("n_user_id")
        noteFolderId = try row.int64("n_note_folder_id")
        isFavorite = try row.bool("n_favorite")
        isMarkedUnread = try row.bool("n_unread_chat")
        createdAt = Timestamp(nanoseconds: try row.int64("n_created_at"))
        updatedAt = Timestamp(nanoseconds: try row.int64("n_updated_at"))
        chatTs = Timestamp(nanoseconds: try row.int64("n_chat_ts"))
    }

    /// Creates the empty notes chat of a new user.
    static func create(user userId: Int64, at createdAt: Timestamp, in db: StoreConnection) throws {
        try db.execute(
            """
            INSERT INTO note_folders (user_id, created_at, updated_at, chat_ts)
            VALUES (:user_id, :created_at, :updated_at, :chat_ts)
            """,
            [
                "user_id": userId, "created_at": createdAt.nanoseconds, "updated_at": createdAt.nanoseconds,
                "chat_ts": createdAt.nanoseconds,
            ]
        )
    }

    static func find(_ noteFolderId: Int64, user userId: Int64, in db: StoreConnection) throws -> NoteFolderRecord? {
        try db.firstRow(
            "SELECT \(columns) FROM note_folders n WHERE n.user_id = :user_id AND n.note_folder_id = :note_folder_id",
            ["user_id": userId, "note_folder_id": noteFolderId]
        ).map(NoteFolderRecord.init)
    }

    /// Returns the notes of a user.
    /// - Throws: `noteFolderNotFound`.
    static func get(_ noteFolderId: Int64, user: UserRecord, in db: StoreConnection) throws -> NoteFolderRecord {
        guard let folder = try find(noteFolderId, user: user.userId, in: db) else {
            throw ChatFailure(StoreError.noteFolderNotFound(noteFolderId: noteFolderId))
        }
        return folder
    }

    var api: NoteFolder {
        NoteFolder(
            noteFolderId: noteFolderId,
            userId: userId,
            createdAt: createdAt.api,
            updatedAt: updatedAt.api,
            chatTs: chatTs.api,
            favorite: isFavorite,
            unread: isMarkedUnread
        )
    }
}

extension NoteFolderRecord: Conversation {
    var chatKey: ChatKey { .notes(noteFolderId) }
    var group: GroupRecord? { nil }
    var isChatDeleted: Bool { false }
    var waitsForPeer: Bool { false }

    func chatInfo(_: UserRecord) -> ChatInfo { .local(noteFolder: api) }

    mutating func moveToTop(_ tx: Transaction) throws {
        try tx.db.execute(
            """
            UPDATE OR FAIL note_folders SET chat_ts = :chat_ts
            WHERE user_id = :user_id AND note_folder_id = :note_folder_id
            """,
            ["chat_ts": tx.now.nanoseconds, "user_id": userId, "note_folder_id": noteFolderId]
        )
        chatTs = tx.now
    }

    /// Returns no recipients, since only the user reads the notes.
    func findRecipients(_: UserRecord, in _: StoreConnection) -> Recipients { Recipients([]) }
    func allows(_ feature: MessageFeature, by _: MessageFeature.Side, _: UserRecord) -> Bool {
        feature != .timedMessages
    }
    func messageLifetimeSeconds(_: UserRecord) -> Int64? { nil }
    /// Returns nil. Notes have no name, so items that are forwarded from notes record no origin.
    func forwardedOrigin(of _: ItemRecord) -> CIForwardedFrom? { nil }
    var peerKindName: String { "nobody" }
    func notFoundEvent(_: SharedMessageID, _: UserRecord) -> ChatEvent? { nil }

    func setUnread(_ unread: Bool, _ tx: Transaction) throws {
        try tx.db.update(
            "note_folders",
            set: ["unread_chat": unread, "updated_at": tx.now.nanoseconds],
            where: ["user_id": userId, "note_folder_id": noteFolderId]
        )
    }
}
