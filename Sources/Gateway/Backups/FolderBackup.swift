internal import Files
internal import SimpleXCrypto

/// A copy of the whole data folder, or of one store, made while the gateway runs. A copy of the data folder is a data
/// folder itself, in the state that a `kill -9` at one moment would have left. An encrypted copy is a file
/// (``BackupFormat``), which is made from a temporary copy inside the data folder.
///
/// Open databases are copied by functions of the database. Databases of locked stores are copied as files, while no
/// request can unlock the stores. So no database is copied as a file while something writes to it.
struct FolderBackup: Sendable {
    struct Outcome: Sendable {
        private(set) var fileCount = 0
        private(set) var byteCount: Int64 = 0
        /// Number of files that the copy shares with an earlier copy.
        var sharedFileCount = 0
        /// The ids of stores that the copy lacks because other nodes have them open; nil for a single node.
        var storesElsewhere: [String]?
        /// The ids of further stores that the copy lacks. Their copying was ended twice because of requests, or their
        /// databases were being replaced.
        var storesLeftOut: [String] = []
        /// Reasons why `restore` or `serve` cannot use a part of the copy. The data folder has the same faults. The
        /// search for faults reads only the beginning of each database.
        var faults: [String] = []

        mutating func countFile(_ path: String) {
            fileCount += 1
            byteCount += DiskFiles.fileSize(path) ?? 0
        }

        mutating func addOutcome(_ other: Outcome) {
            fileCount += other.fileCount
            byteCount += other.byteCount
            storesLeftOut += other.storesLeftOut
        }
    }

    let dataFolder: String
    let target: String
    /// Files in the data folder that grow while they are copied.
    let growingFiles: [GrowingFile]
    /// Additional checks, which return the faults of a copy.
    var checks: [@Sendable (_ folder: String) -> [String]] = []
    /// The only store that is copied; nil for all stores.
    var storeID: String?
    /// The secret that encrypts the copy; nil for a copy that is a folder.
    var encryptionSecret: BackupSecret?
    /// The cost of deriving the encryption key from a passphrase.
    var passwordCost = PasswordCost.standard
    /// The folder of an earlier copy, whose unchanged files the new copy shares; see ``CopySources``.
    var earlierCopy: String?

    /// Folder of the copy until the copy is complete. For an encrypted backup, this folder is in the data folder,
    /// because the target's file system must not get unencrypted files.
    var unfinishedPath: String { encryptionSecret == nil ? target + ".partial" : dataFolder + Self.stagingPath }
    /// Folder in the data folder for a copy that is encrypted afterwards. No copy contains this folder.
    static let stagingPath = "/.backup"
    /// File in the copy of one store that contains the id of the store.
    static let storeRecordName = "/backup.json"

    /// Name of a file that marks an unfinished backup. Neither a data folder nor a complete copy contains it.
    static let unfinishedMarkName = ".unfinished-backup"

    /// Removes the unfinished copy that a killed gateway has left in its data folder.
    static func removeStagingFolder(in folder: String) {
        UnfinishedFolder.removeUnfinished(folder + stagingPath, mark: unfinishedMarkName) {
            FolderCopies.destroyKeys(of: $0)
        }
    }
}
