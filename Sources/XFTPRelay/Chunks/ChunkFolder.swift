import Files
import Glibc
import SimpleXCrypto

/// The folders with the contents of files. An upload is written to `incoming`, and moved to `files` when it is complete
/// and on the disk. So `files` never contains an incomplete file. The name of a file in `files` is the sender's id for
/// it. All functions block.
struct ChunkFolder: Sendable {
    private let filesPath: String
    private let incomingPath: String
    private let folderSync: FolderSync
    /// Number of characters in the name of a file, which is an id in base64url.
    private static let nameLength = RelayFileID.byteCount / 3 * 4

    /// Creates the folders, and removes the uploads that an earlier process has left.
    init(_ directory: String) throws(FileSystemError) {
        filesPath = directory + "/files"
        incomingPath = directory + "/incoming"
        DiskFiles.removeTree(incomingPath)
        try DiskFiles.makeFolder(filesPath)
        try DiskFiles.makeFolder(incomingPath)
        folderSync = FolderSync(filesPath)
    }

    var path: String { filesPath }

    func filePath(_ id: RelayFileID) -> String { filesPath + "/" + Base64URL.encode(id.bytes) }

    /// Returns the path of a new upload, with a random name.
    func makeUploadPath() -> String { incomingPath + "/" + Base64URL.encode(RelayFileID.random().bytes) }

    /// Moves a complete upload to the folder `files`. Returns when the file is on the disk.
    func storeUpload(_ upload: String, as id: RelayFileID) throws(FileSystemError) {
        try DiskFiles.syncEntry(upload)
        try DiskFiles.rename(upload, to: filePath(id))
        folderSync.waitForSync()
    }

    func removeContents(_ id: RelayFileID) { DiskFiles.removeFile(filePath(id)) }

    /// Removes the files in the folder that are not recorded as uploaded in the table.
    /// - Returns: the ids of files that are recorded as uploaded, but are missing in the folder.
    func removeUnknownFiles(_ table: borrowing FileTable) -> [RelayFileID] {
        var present: [RelayFileID] = []
        present.reserveCapacity(table.uploadedFileCount)
        for name in DiskFiles.listEntries(filesPath) {
            if name.utf8.count == Self.nameLength, let bytes = try? Base64URL.decode(name), let id = RelayFileID(bytes),
                table.isUploaded(id)
            {
                present.append(id)
            } else {
                DiskFiles.removeTree(filesPath + "/" + name)
            }
        }
        // All names differ. So if the folder has as many known files as the table has uploaded files, no contents are
        // missing.
        guard present.count < table.uploadedFileCount else { return [] }
        let known = Set(present)
        return table.files.compactMap { id, file in file.isUploaded && !known.contains(id) ? id : nil }
    }
}
