internal import ChatAPI
package import ChatStore
internal import Concurrency
internal import Files
internal import SimpleXCrypto
internal import SQLCipher

/// Pictures that a user has uploaded as wallpapers of chats. The themes of the user and of the user's chats contain the
/// names of the pictures (`imageFile`).
///
/// The pictures are in the chat database, so they are encrypted, counted, copied and deleted with the database.
/// Triggers of the database run when a theme changes, or when a chat with themes is deleted. They delete a picture of
/// the old themes if no theme contains its name any more. The triggers keep a picture that was uploaded again after the
/// theme was set, because a new theme may need it.
package struct ChatWallpapers: Sendable {
    let store: ChatStore

    /// Maximum size of a picture in bytes, as in the apps.
    package static let maxPictureBytes = 5_000_000
    /// The maximum number of pictures that a user may have.
    package static let maxPicturesPerUser: Int64 = 200
    /// Number of seconds for which an uploaded picture waits for a theme that contains its name.
    static let unusedPictureLifetimeSeconds: Int64 = 86_400

    /// The reason why a picture is not stored or not found.
    package enum Refusal: Error, Sendable, Equatable {
        /// The user does not exist, or has no picture with this name.
        case notFound
        /// The bytes are not a JPEG, PNG, GIF or WebP picture.
        case notAPicture
        /// The picture has more than ``maxPictureBytes`` bytes.
        case tooLarge
        /// The user has ``maxPicturesPerUser`` pictures.
        case tooManyPictures
    }

    /// Returns the name by which themes refer to a picture. It is made only from the contents of the picture.
    /// - Throws: ``Refusal``.
    package static func makeName(of content: [UInt8]) throws(Refusal) -> String {
        guard content.count <= maxPictureBytes else { throw .tooLarge }
        guard let format = PictureFormat(of: content) else { throw .notAPicture }
        return "wallpaper_\(Hex.encode(Digest.sha256(content).prefix(16))).\(format.fileNameExtension)"
    }

    /// Stores a picture of a user under the name that ``makeName(of:)`` returns.
    /// - Parameter answered: the answer to the request, which is stored in the same transaction.
    /// - Throws: ``Refusal``; `QuotaExceeded` if the store is full.
    package func storePicture(
        _ content: [UInt8],
        user userId: Int64,
        answered: AnsweredRequest? = nil
    ) async throws {
        let name = try Self.makeName(of: content)
        do {
            try await store.write(for: .command([])) { tx in
                guard try UserRecord.findVisible(userId, in: tx.db) != nil else { throw Refusal.notFound }
                try Self.insertPicture(name, content, user: userId, isInTheme: false, at: tx.now, in: tx.db)
                try answered?.store(in: tx.db)
            }
        } catch let full as QuotaExceeded {
            store.quota.countRefusal()
            throw full
        }
    }

    /// Returns the contents of a user's picture, and their format.
    /// - Throws: ``Refusal``.
    package func readPicture(
        _ name: String,
        user userId: Int64
    ) async throws -> (content: [UInt8], format: PictureFormat) {
        let found = try await store.read { db in
            try UserRecord.findVisible(userId, in: db).flatMap { _ in
                try db.firstRow(
                    "SELECT content FROM wallpapers WHERE user_id = :user_id AND file_name = :file_name",
                    ["user_id": userId, "file_name": name]
                )?.blob("content")
            }
        }
        // The contents are checked again, since they may come from a copy of a store.
        guard let found, let format = PictureFormat(of: found) else { throw Refusal.notFound }
        return (found, format)
    }

    /// Inserts a picture, or renews the time of a stored picture.
    /// - Parameter isInTheme: whether a theme already contains the name of the picture. Otherwise the picture waits for
    ///   a theme.
    /// - Throws: ``Refusal``.
    private static func insertPicture(
        _ name: String,
        _ content: [UInt8],
        user userId: Int64,
        isInTheme: Bool,
        at now: Timestamp,
        in db: StoreConnection
    ) throws {
        let waitingSince = isInTheme ? 0 : now.nanoseconds
        try deleteUnusedPictures(of: userId, before: now.adding(seconds: -unusedPictureLifetimeSeconds), in: db)
        let known = try db.firstRow(
            "SELECT 1 FROM wallpapers WHERE user_id = :user_id AND file_name = :file_name",
            ["user_id": userId, "file_name": name]
        )
        guard known == nil else {
            return try db.update(
                "wallpapers",
                set: ["created_at": waitingSince],
                where: ["user_id": userId, "file_name": name]
            )
        }
        let row = try db.queryFirst("SELECT count(*) AS n FROM wallpapers WHERE user_id = ?", [userId])
        let count: Int64 = try row?.readCount("n") ?? 0
        guard count < maxPicturesPerUser else { throw Refusal.tooManyPictures }
        try db.insert(
            into: "wallpapers",
            ["user_id": userId, "file_name": name, "content": content, "created_at": waitingSince]
        )
    }

    /// Copies the pictures of a chat's themes to the user to whom the chat moves. Pictures above the limit of this user
    /// are left out.
    static func copyPictures(
        namedBy themes: String?,
        from userId: Int64,
        to newUserId: Int64,
        at now: Timestamp,
        in db: StoreConnection
    ) throws {
        for name in findPictures(in: themes) {
            guard
                let content = try db.firstRow(
                    "SELECT content FROM wallpapers WHERE user_id = :user_id AND file_name = :file_name",
                    ["user_id": userId, "file_name": name]
                )?.blob("content")
            else { continue }
            do {
                try insertPicture(name, content, user: newUserId, isInTheme: true, at: now, in: db)
            } catch Refusal.tooManyPictures {}
        }
    }

    /// Returns the names of the pictures in stored themes.
    private static func findPictures(in themes: String?) -> Set<String> {
        let decoded = themes.flatMap { try? StoredJSON.decode(UIThemeEntityOverrides.self, $0) }
        return Set([decoded?.light, decoded?.dark].compactMap { $0?.wallpaper?.imageFile })
    }

    /// Deletes the pictures of a user that were uploaded before a time and whose names no theme contains. The function
    /// deletes the rows itself, and does not update the column `checks`. Such an update would start a trigger that
    /// deletes unused pictures, but would also write the contents of each kept picture again.
    private static func deleteUnusedPictures(
        of userId: Int64,
        before time: Timestamp,
        in db: StoreConnection
    ) throws {
        let conditions = ["users", "contacts", "groups"].map { table in
            """
            AND NOT EXISTS (SELECT 1 FROM \(table) t WHERE t.user_id = wallpapers.user_id AND t.ui_themes IS NOT NULL
            AND instr(t.ui_themes, '"' || wallpapers.file_name || '"') > 0)
            """
        }
        try db.execute(
            """
            DELETE FROM wallpapers WHERE user_id = :user_id AND created_at < :limit
            \(conditions.joined(separator: "\n"))
            """,
            ["user_id": userId, "limit": time.nanoseconds]
        )
    }

    // MARK: Archives

    /// Whether a text can be the name of a picture. Such a name needs no escapes in JSON, and cannot lead to another
    /// folder.
    static func isPictureName(_ name: String) -> Bool {
        (1...128).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: ".")
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            }
    }

    /// Whether bytes begin like a picture of a known format, and are at most ``maxPictureBytes`` bytes.
    static func isPicture(_ content: [UInt8]) -> Bool {
        content.count <= maxPictureBytes && PictureFormat(of: content) != nil
    }

    /// Writes the pictures of all themes as files, for an archive for the apps. Blocks the thread.
    static func writeFiles(from db: StoreConnection, to folder: String) throws {
        for (name, users) in try findUsersByPicture(in: db) where isPictureName(name) {
            for user in users.sorted() {
                guard
                    let content = try db.firstRow(
                        "SELECT content FROM wallpapers WHERE user_id = :user_id AND file_name = :file_name",
                        ["user_id": user, "file_name": name]
                    )?.blob("content"), isPicture(content)
                else { continue }
                try DiskFiles.createFile(folder + "/" + name, content)
                break
            }
        }
    }

    /// Moves the pictures of themes from the files of an archive into the chat database. Files that are not pictures
    /// are deleted. Pictures without a theme stay in the folder, because an app may need them. However, pictures that
    /// were uploaded to a gateway stay only if the settings of the app contain their names. Blocks the thread.
    /// - Parameter folder: the folder with the unpacked files.
    /// - Returns: an error for each file that was deleted.
    static func importPictures(in folder: String, to db: StoreConnection, at now: Timestamp) throws -> [ArchiveError] {
        // The database of an archive keeps its schema until the store opens. With an earlier schema, all files stay.
        guard try db.hasRow("SELECT 1 FROM sqlite_master WHERE name = 'wallpapers'") else { return [] }
        var errors: [ArchiveError] = []
        let users = try findUsersByPicture(in: db)
        let settings = try? AppSettings.findSaved(in: db)
        let namedBySettings = Set(settings?.uiThemes?.compactMap { $0.wallpaper?.imageFile } ?? [])
        for name in DiskFiles.listFiles(folder) {
            let path = folder + "/" + name
            let size = DiskFiles.fileSize(path) ?? 0
            guard isPictureName(name), DiskFiles.isFile(path), size <= Int64(maxPictureBytes),
                let content = try DiskFiles.readFile(path, limit: maxPictureBytes), isPicture(content)
            else {
                DiskFiles.removeFile(path)
                errors.append(.fileError(file: name, fileError: "not a wallpaper"))
                continue
            }
            guard let users = users[name] else {
                // Only pictures that were uploaded to a gateway have names that are made from their contents.
                let isUploaded = try makeName(of: content) == name
                if isUploaded, !namedBySettings.contains(name) { DiskFiles.removeFile(path) }
                continue
            }
            for user in users.sorted() {
                do {
                    try insertPicture(name, content, user: user, isInTheme: true, at: now, in: db)
                } catch Refusal.tooManyPictures {
                    errors.append(.fileError(file: name, fileError: "the profile has too many wallpapers"))
                }
            }
            DiskFiles.removeFile(path)
        }
        return errors
    }

    /// Returns the names of the pictures in all themes, each with the ids of the users whose themes contain the name.
    private static func findUsersByPicture(in db: StoreConnection) throws -> [String: Set<Int64>] {
        var users: [String: Set<Int64>] = [:]
        for table in ["users", "contacts", "groups"] {
            for row in try db.query("SELECT user_id, ui_themes FROM \(table) WHERE ui_themes IS NOT NULL", []) {
                for name in findPictures(in: try row.string("ui_themes")) {
                    users[name, default: []].insert(try row.int64("user_id"))
                }
            }
        }
        return users
    }
}
