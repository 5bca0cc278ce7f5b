package import SMP

/// Versions of the protocol between clients and notification servers, and the size of the protocol's blocks.
package enum NTFVersion {
    /// The first version without the session id in transmissions, and with several transmissions in a block.
    package static let firstWithAuthorizedCommands: UInt16 = 2
    /// The first version with the reason for an invalid token.
    package static let firstWithInvalidReason: UInt16 = 3
    /// Versions that this implementation offers. Version 1, for servers without the ALPN protocol `ntf/1`, is not
    /// offered, because the servers of simplexmq have not used it for a long time.
    package static let supported =
        ProtocolVersionRange(min: firstWithAuthorizedCommands, max: firstWithInvalidReason)
        ?? ProtocolVersionRange(firstWithInvalidReason)

    /// Number of bytes of a block on the wire.
    package static let blockSize = 512
}

extension SessionParameters {
    /// Makes the parameters of a session with a notification server. Its transmissions are encoded, signed and put into
    /// blocks as in version 7 of SMP.
    package init(notificationSession id: [UInt8]) { self.init(version: .firstWithAuthorizedCommands, sessionID: id) }
}
