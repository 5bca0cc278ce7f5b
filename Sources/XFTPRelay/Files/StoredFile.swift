import RelayBase
import SMP
import SimpleXCrypto

/// The id of a file for its sender, or for one recipient.
typealias RelayFileID = Bytes24

/// One file of the relay, which clients call a chunk. It is compact, because there may be hundreds of thousands.
struct StoredFile: Sendable {
    /// Authorizes the sender's commands.
    let senderKey: AuthorizationKey
    /// In bytes.
    let size: UInt32
    /// SHA-256 of the contents; nil when the sender sent another value, which no contents match.
    let digest: Bytes32?
    /// Seconds since 1970, of the beginning of the hour: the exact time is nobody's business.
    let created: Int64
    /// The ids of recipients.
    var recipients: [RelayFileID] = []
    /// Whether the contents are on the disk.
    var isUploaded = false
    /// Set when the operator has blocked the file.
    var blocking: SMPBlockingInfo?

    init(senderKey: AuthorizationKey, size: UInt32, digest: Bytes32?, created: Int64) {
        self.senderKey = senderKey
        self.size = size
        self.digest = digest
        self.created = created
    }
}

/// A recipient who may download a file.
struct FileRecipient: Sendable {
    /// The sender's id of the file.
    let file: RelayFileID
    /// Authorizes the recipient's commands.
    let key: AuthorizationKey
}
