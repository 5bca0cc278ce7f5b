/// Reason why two devices cannot connect or cannot understand each other.
/// simplexmq `protocol/xrcp.md`; the names are those of the original.
public enum XRCPError: Error, Hashable, Sendable {
    /// The certificates or keys are not those of the device that was paired.
    case identity
    /// There is no network address under which a device could find this one.
    case noLocalAddress
    /// A device that was never paired cannot be found by multicast.
    case newController
    /// No announcement came in time.
    case notDiscovered
    /// The port cannot be listened on.
    case tlsStartFailed
    /// The other device did not answer in time.
    case timeout
    /// The network failed, in words.
    case exception(String)
    /// A command is not signed by the controller.
    case controllerAuth
    /// An announcement is for nobody here.
    case controllerNotFound
    /// The controller refuses, in its words.
    case controllerError(String)
    /// An invitation whose signatures do not verify, or that contradicts itself.
    case invitation
    /// No version is common.
    case version
    case encrypt
    case decrypt
    /// A message that does not fit its block.
    case blockSize
    /// Bytes that are not a message of the protocol.
    case syntax(String)
}

/// Error in a request or an answer of a session.
public enum ExchangeError: Error, Hashable, Sendable {
    /// A length over the limit, or a body that ends before it.
    case invalidSize
    case invalidBody(String)
    /// The session in the body is another one.
    case sessionCode
    /// No file comes with the body.
    case noFile
    case fileSize
    case fileDigest
    /// The message number is greater than the last one by this difference, which is too much.
    case manySkipped(UInt32)
    /// The message number is less than the last one by this difference, and was used already.
    case earlier(UInt32)
    case duplicate
    case control(XRCPError)
    /// The peer has neither sent nor taken anything for too long.
    case timeout
    /// The connection failed, in words.
    case http2(String)
}

/// The versions of the protocol that this program speaks.
public enum XRCPVersion {
    public static let current: UInt16 = 1
}

/// Sizes that the protocol fixes, in bytes.
enum BlockSize {
    /// The size of a hello with its padding.
    static let packet = 16384
    /// The size of the padded body in a hello.
    static let hello = 12288
    /// The size of the padded invitation in an announcement.
    static let announcement = 900
}
