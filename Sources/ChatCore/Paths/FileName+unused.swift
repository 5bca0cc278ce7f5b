internal import ChatStore
internal import ChatText
internal import Files
internal import SimpleXCrypto
internal import SQLCipher

extension FileName {
    /// Returns a name for a new file in a folder. The name gets a random part if the settings hide the names of files.
    /// Otherwise the name gets a number if another file already has this name.
    /// - Parameter fileId: the file that gets the name; nil for a new file. The file may already have the name.
    static func chooseName(
        _ name: String,
        in folder: String,
        for fileId: Int64? = nil,
        _ folders: LocalFolders.Paths,
        _ db: StoreConnection
    ) throws -> String {
        folders.hidesFileNames ? randomizedName(name) : try findUnusedName(name, in: folder, for: fileId, db)
    }

    /// Returns a name that no other file in the folder has or will get: `photo.jpg`, `photo_1.jpg`, …
    /// - Parameter fileId: the file that gets the name; nil for a new file. The file may already have the name.
    static func findUnusedName(
        _ name: String,
        in folder: String,
        for fileId: Int64? = nil,
        _ db: StoreConnection
    ) throws -> String {
        let dot = name.firstIndex(of: ".") ?? name.endIndex
        let (stem, ending) = (name[..<dot], name[dot...])
        for number in 0..<100 {
            let candidate = number == 0 ? name : "\(stem)_\(number)\(ending)"
            if try isNameUnused(candidate, in: folder, for: fileId, db) { return candidate }
        }
        // Many files have this name, so a random part makes the name unique.
        return randomizedName(name)
    }

    /// The number of random characters that are added to a name.
    private static let randomPartSize = 12

    /// Returns the name with a random part added. Unlike a number, the random part does not reveal that another file
    /// has the same name.
    static func randomizedName(_ name: String) -> String {
        let dot = name.firstIndex(of: ".") ?? name.endIndex
        return "\(name[..<dot])_\(BytesText.base64URL(RandomBytes.make(count: randomPartSize / 4 * 3)))\(name[dot...])"
    }

    /// Whether a name consists of the original name and a random part (``randomizedName(_:)``).
    static func isRandomized(_ name: String, of original: String) -> Bool {
        let dot = original.firstIndex(of: ".") ?? original.endIndex
        return name.utf8.count == original.utf8.count + 1 + randomPartSize
            && name.hasPrefix(original[..<dot] + "_") && name.hasSuffix(original[dot...])
    }

    private static func isNameUnused(
        _ name: String,
        in folder: String,
        for fileId: Int64?,
        _ db: StoreConnection
    ) throws -> Bool {
        guard !DiskFiles.exists(folder + "/" + name) else { return false }
        let taken = try db.firstRow(
            """
            SELECT 1 FROM files WHERE file_path = :file_path AND file_id IS NOT :file_id
            UNION ALL SELECT 1 FROM uploads WHERE file_path = :file_path
            UNION ALL SELECT 1 FROM retired_files WHERE file_path = :file_path LIMIT 1
            """,
            ["file_path": name, "file_id": fileId]
        )
        return taken == nil
    }
}
