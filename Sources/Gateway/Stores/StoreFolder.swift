internal import ChatCore
internal import SimpleXCrypto
internal import SQLCipher

#if canImport(Glibc)
internal import Glibc
#endif

/// The folder of one store, and the files in it.
struct StoreFolder: Sendable {
    let path: String
    /// The file of the databases' key where that is not in the folder: somebody else keeps it.
    var keyOutside: String?

    var record: String { path + "/store.json" }
    var databaseKey: String { keyOutside ?? path + "/database.key" }
    var passwords: String { path + "/passwords.json" }
    /// For files that clients name: archives, and folders for what is received. The core keeps all but an administrator of the first store to
    /// it, and to the folders in `contents`.
    var space: String { path + "/space" }
    private var ownKey: String { path + "/database.key" }
    private var databases: [String] { [path + "/simplex_v1_chat.db", path + "/simplex_v1_agent.db"] }

    var hasDatabases: Bool { databases.contains { access($0, F_OK) == 0 } }

    func make() throws(FileError) {
        for folder in [path, space] where mkdir(folder, 0o700) != 0 { throw FileError(path: folder, code: errno) }
    }

    func readRecord() -> StoreRecord? { (try? SecureFile.read(record))?.flatMap(StoreRecord.init) }
    func write(_ value: StoreRecord) throws(FileError) { try SecureFile.replace(record, with: value.encoded) }

    /// Overwrites what the databases could be decrypted with: the keys beside them, and the salts in their first pages. Whatever a disk
    /// keeps of the rest is noise then. (A file system that never writes in place, or a disk that moves its blocks, keeps the old bytes as long as it likes.)
    func destroyKeys() {
        for file in [passwords, passwords + ".new", ownKey, ownKey + ".new"] { Self.overwrite(file, count: nil) }
        for database in databases {
            Self.overwrite(database, count: 4096)
            Self.overwrite(database + "-wal", count: 4096)
        }
    }

    /// What was kept before is overwritten.
    func keep(_ vault: PasswordVault) throws(FileError) {
        let old = open(passwords, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        defer { if old >= 0 { close(old) } }
        try SecureFile.replace(passwords, with: vault.encoded)
        if old >= 0 { Self.overwrite(old, count: nil) }
    }

    func destroyPasswords() {
        Self.overwrite(passwords, count: nil)
        unlink(passwords)
        SecureFile.synchronizeFolder(of: passwords)
    }

    func destroyKeyFile() {
        for file in [ownKey, ownKey + ".new"] {
            Self.overwrite(file, count: nil)
            unlink(file)
        }
        SecureFile.synchronizeFolder(of: ownKey)
    }

    func writeKeyFile(_ key: KeyMaterial) throws(KeyFileRingError) {
        destroyKeyFile()
        try KeyFileRing(path: ownKey).create(key)
    }

    private static func overwrite(_ file: String, count: Int?) {
        let descriptor = open(file, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        overwrite(descriptor, count: count)
    }

    private static func overwrite(_ descriptor: Int32, count: Int?) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return }
        let noise = RandomBytes.make(count: min(Int(clamping: status.st_size), count ?? 1 << 16))
        _ = noise.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        fsync(descriptor)
    }

    func remove() { DiskFiles.remove(path) }

    /// Moves what a store has, besides its record, keys and passwords, to another folder; what cannot be moved is removed. For the first store, in whose
    /// folder there is more than that store.
    func moveContents(to other: StoreFolder) {
        mkdir(other.path, 0o700)
        for name in DiskFiles.entries(path) where Self.contents.contains(name) || name.hasPrefix("simplex_v1_") {
            if rename(path + "/" + name, other.path + "/" + name) != 0 { DiskFiles.remove(path + "/" + name) }
        }
        SecureFile.synchronizeFolder(of: record)
    }

    /// The folders that the core has beside its databases, unless a client names others.
    private static let contents: Set<String> = ["space", "files", "temp", "assets", "remote_hosts"]
}
