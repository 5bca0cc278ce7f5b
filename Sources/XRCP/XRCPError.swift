/// The reason why two devices cannot connect or cannot understand each other. The names are those of simplexmq
/// (`protocol/xrcp.md`).
package enum XRCPError: Error, Hashable, Sendable {
    /// The certificates or keys do not belong to the paired device.
    case identity
    /// This machine has no network address at which another device could find it.
    case noLocalAddress
    /// A device that was never paired cannot be found by multicast.
    case newController
    /// No announcement of a known controller arrived in time.
    case notDiscovered
    /// This machine cannot listen on the port.
    case tlsStartFailed
    /// The other device did not answer in time.
    case timeout
    /// A failure of the network, with its description.
    case exception(String)
    /// A command is not signed by the controller.
    case controllerAuth
    /// No key of this device can decrypt the announcement.
    case controllerNotFound
    /// The controller refuses the session, with this reason.
    case controllerError(String)
    /// The signatures of an invitation are wrong, or its values contradict each other.
    case invitation
    /// The two devices have no version in common.
    case version
    case encrypt
    case decrypt
    /// A message has the wrong size for its block.
    case blockSize
    /// The received bytes are not a message of the protocol.
    case syntax(String)
}

/// An error in a request or an answer of a session.
package enum ExchangeError: Error, Hashable, Sendable {
    /// A length is over the limit, or a body is shorter than its announced length.
    case invalidSize
    case invalidBody(String)
    /// The body belongs to another session.
    case sessionCode
    /// No file follows the body, although one is expected.
    case noFile
    case fileSize
    case fileDigest
    /// The message number is greater than the last number by this difference, which is too large.
    case manySkipped(UInt32)
    /// The message number is less than the last number by this difference, and no key for this number is left.
    case earlier(UInt32)
    case duplicate
    case control(XRCPError)
    /// For too long, the peer has neither sent nor received bytes.
    case timeout
    /// A failure of the HTTP/2 connection, with its description.
    case http2(String)
}

/// The versions of the protocol that this program supports.
package enum XRCPVersion {
    package static let current: UInt16 = 1
}

/// Sizes that the protocol fixes, in bytes.
enum BlockSize {
    /// The size of a hello with its padding.
    static let helloBlock = 16384
    /// The size of the padded body in a hello.
    static let helloBody = 12288
    /// The size of the padded invitation in an announcement.
    static let announcement = 900
}
