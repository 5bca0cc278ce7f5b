/// The path and the options of an archive of the databases, for an export or an import.
package struct ArchiveConfig: Codable, Hashable, Sendable {
    package var archivePath: String
    package var disableCompression: Bool?
    package var parentTempDirectory: String?
    /// Passphrase of the databases in the archive; nil for the passphrase of the store. The original does not have this
    /// field.
    package var passphrase: String?
    /// Whether the export may run while the core is running. The original always refuses such an export.
    package var whileRunning: Bool?
    /// The program for which the archive is made; nil for another gateway. The original does not have this field.
    package var format: ArchiveFormat?
}

extension ArchiveConfig {
    package init(archivePath: String, passphrase: String? = nil, format: ArchiveFormat? = nil) {
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
package enum ArchiveFormat: String, Codable, Hashable, Sendable {
    /// Another gateway.
    case gateway
    /// The official apps, version 7.0 or later.
    case app
}

/// The present passphrase and the new passphrase of the databases; an empty text for no passphrase.
package struct DBEncryptionConfig: Codable, Hashable, Sendable {
    package var currentKey: String
    package var newKey: String
    package var keepKey: Bool?
}

/// A migration of the database schema that has to be applied.
package struct UpMigration: Codable, Hashable, Sendable {
    package var upName: String
    package var withDown: Bool

    package init(upName: String, withDown: Bool) {
        self.upName = upName
        self.withDown = withDown
    }
}
