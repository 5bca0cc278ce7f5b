/// The path and the options for writing or reading an archive of the databases.
public struct ArchiveConfig: Codable, Hashable, Sendable {
    public var archivePath: String
    public var disableCompression: Bool?
    public var parentTempDirectory: String?
    /// Passphrase of the databases in the archive; nil for the passphrase of the store. The original does not have this
    /// field.
    public var passphrase: String?
    /// Whether the export may run while the chat is running. The original always refuses this.
    public var whileRunning: Bool?
    /// The program for which the archive is made; nil for a gateway. The original does not have this field.
    public var format: ArchiveFormat?
}

extension ArchiveConfig {
    public init(archivePath: String, passphrase: String? = nil, format: ArchiveFormat? = nil) {
        self.init(
            archivePath: archivePath,
            disableCompression: nil,
            parentTempDirectory: nil,
            passphrase: passphrase,
            whileRunning: nil,
            format: format
        )
    }
}

/// The program that can import an archive.
public enum ArchiveFormat: String, Codable, Hashable, Sendable {
    /// Another gateway.
    case gateway
    /// The official apps, version 7.0 or later.
    case app
}

/// The present and the new passphrase of the databases; an empty text for no passphrase.
public struct DBEncryptionConfig: Codable, Hashable, Sendable {
    public var currentKey: String
    public var newKey: String
    public var keepKey: Bool?
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
