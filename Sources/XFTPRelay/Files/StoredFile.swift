import RelayBase
import SMP
import SimpleXCrypto

/// The id of a file for its sender, or for one recipient.
typealias RelayFileID = Bytes24

/// One file of the relay, which clients call a chunk. It is compact, because there may be hundreds of thousands.
struct StoredFile: Sendable {
    /// The key that authorizes the sender's commands.
    let senderKey: AuthorizationKey
    /// The size in bytes.
    let byteCount: UInt32
    /// SHA-256 of the contents. Nil when the sender's digest does not have 32 bytes: then no contents match.
    let digest: Bytes32?
    /// The beginning of the hour in which the file was created, in seconds since 1970. The exact time is not stored,
    /// for privacy.
    let createdHourSeconds: Int64
    /// The ids of recipients.
    var recipients: [RelayFileID] = []
    /// Whether the contents are on the disk.
    var isUploaded = false
    /// The reason of the block; nil for a file that the operator has not blocked.
    var blocking: SMPBlockingInfo?

    init(senderKey: AuthorizationKey, size: UInt32, digest: Bytes32?, created: Int64) {
        self.senderKey = senderKey
        self.byteCount = size
        self.digest = digest
        self.createdHourSeconds = created
    }
}

/// A recipient who may download a file.
struct FileRecipient: Sendable {
    /// The sender's id of the file.
    let fileID: RelayFileID
    /// The key that authorizes the recipient's commands.
    let key: AuthorizationKey
}
