/// The path and the options of an archive of the databases that is written or read.
public struct ArchiveConfig: Codable, Hashable, Sendable {
    public var archivePath: String
    public var disableCompression: Bool?
    public var parentTempDirectory: String?
    /// Passphrase of the archive's databases, when it differs from the store's. The original does not have this
    /// field.
    public var passphrase: String?
    /// Whether the archive is exported while the chat runs. The original always refuses that.
    public var whileRunning: Bool?
    /// The program that the archive is for; a gateway when it is nil. The original does not have this field.
    public var format: ArchiveFormat?

    public init(
        archivePath: String,
        disableCompression: Bool? = nil,
        parentTempDirectory: String? = nil,
        passphrase: String? = nil,
        whileRunning: Bool? = nil,
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

/// The program that can import an archive.
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
