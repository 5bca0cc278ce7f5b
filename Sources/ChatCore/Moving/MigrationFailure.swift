package import ChatAPI
internal import JSON

/// The reason why a migration fails or cannot begin.
package enum MigrationFailure: Error, Sendable {
    /// Another migration has begun.
    case alreadyMigrating
    /// There is no migration that could be finished or cancelled.
    case noMigration
    /// The store has profiles, which an import would replace.
    case hasProfiles
    /// The link cannot be used. The text is the end of a sentence that begins with "The link".
    case unusableLink(String)
    /// The link contains a proxy, and the caller has not decided whether to use it.
    case proxyChoiceRequired
    /// The archive is no longer on its servers.
    case archiveMissing
    /// The downloaded file is damaged.
    case archiveDamaged
    /// A file server cannot be used. The text is the error of the server.
    case serverUnreachable(String)
    /// Nothing was transferred for a long time.
    case timeout
    /// The migration was cancelled, or the store was closed.
    case stopped
    /// The core has refused a command.
    case coreError(ChatError)

    /// Creates the failure for the error of a download.
    init(receiving error: JSONValue?) {
        switch (error?["type"]?.stringValue, error?["xftpErr"]?["type"]?.stringValue) {
        // A server gives this answer for a chunk that was deleted or has expired.
        case ("XFTP", "AUTH"), ("XFTP", "NO_FILE"): self = .archiveMissing
        case ("FILE", _), ("XFTP", "DIGEST"), ("XFTP", "SIZE"), ("XFTP", "CRYPTO"): self = .archiveDamaged
        case (let type, let reason):
            self = .serverUnreachable([type, reason].compactMap(\.self).joined(separator: " "))
        }
    }
}
