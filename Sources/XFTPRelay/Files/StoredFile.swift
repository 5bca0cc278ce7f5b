import RelayBase
import SMP
import SimpleXCrypto

/// The id by which the sender or one recipient addresses a file.
typealias RelayFileID = Bytes24

/// One file of the relay, which clients call a chunk. The type is compact, because there may be hundreds of thousands
/// of files.
struct StoredFile: Sendable {
    /// The key that authorizes the sender's commands.
    let senderKey: AuthorizationKey
    /// The size of the file in bytes.
    let byteCount: UInt32
    /// SHA-256 of the contents, as the sender has announced it; nil if the announced digest does not have 32 bytes.
    /// Without a digest, every upload of the file fails.
    let digest: Bytes32?
    /// The beginning of the hour in which the file was created, in seconds since 1970. The relay does not store the
    /// exact time, for privacy.
    let createdHourSeconds: Int64
    /// The ids of the file's recipients.
    var recipients: [RelayFileID] = []
    /// Whether the contents of the file are on the disk.
    var isUploaded = false
    /// The reason why the operator has blocked the file; nil for a file that is not blocked.
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
    /// The id by which the sender addresses the file.
    let fileID: RelayFileID
    /// The key that authorizes the recipient's commands.
    let key: AuthorizationKey
}
