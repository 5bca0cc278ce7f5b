/// Where an archive of the databases is written or read, and how.
public struct ArchiveConfig: Codable, Hashable, Sendable {
    public var archivePath: String
    public var disableCompression: Bool?
    public var parentTempDirectory: String?
    /// That of the archive's databases, where it is not that of the store. The original does not know it.
    public var passphrase: String?
    /// Whether it is exported while the chat runs. The original always refuses that.
    public var whileRunning: Bool?
    /// For whom it is; a gateway where it is not said. The original does not know it.
    public var format: ArchiveFormat?

    public init(
        archivePath: String, disableCompression: Bool? = nil, parentTempDirectory: String? = nil, passphrase: String? = nil, whileRunning: Bool? = nil,
        format: ArchiveFormat? = nil
    ) {
        self.archivePath = archivePath
        self.disableCompression = disableCompression
        self.parentTempDirectory = parentTempDirectory
        self.passphrase = passphrase
        self.whileRunning = whileRunning
        self.format = format
    }
}

/// Who can import an archive.
public enum ArchiveFormat: String, Codable, Hashable, Sendable {
    /// Another gateway.
    case gateway
    /// The official apps, from version 7.0 on.
    case app
}

/// The present and the new passphrase of the databases; empty for none.
public struct DBEncryptionConfig: Codable, Hashable, Sendable {
    public var currentKey: String
    public var newKey: String
    public var keepKey: Bool?

    public init(currentKey: String, newKey: String, keepKey: Bool? = nil) {
        self.currentKey = currentKey
        self.newKey = newKey
        self.keepKey = keepKey
    }
}

/// A schema migration that has to be applied.
public struct UpMigration: Codable, Hashable, Sendable {
    public var upName: String
    public var withDown: Bool

    public init(upName: String, withDown: Bool) {
        self.upName = upName
        self.withDown = withDown
    }
}
