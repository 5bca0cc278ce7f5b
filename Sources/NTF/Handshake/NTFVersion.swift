public import SMP

/// Versions of the protocol between clients and notification servers, and the size of its blocks.
public enum NTFVersion {
    /// The session id is signed but no longer sent, and a block may carry several transmissions.
    public static let authorizedCommands: UInt16 = 2
    /// An invalid token comes with the reason.
    public static let invalidReason: UInt16 = 3
    /// Versions that this implementation offers. Servers that do not agree on `ntf/1` speak version 1.
    /// The original's servers stopped using version 1 long ago.
    public static let supported =
        ProtocolVersionRange(min: authorizedCommands, max: invalidReason) ?? ProtocolVersionRange(invalidReason)

    /// Bytes of a block on the wire.
    public static let blockSize = 512
}

extension SessionParameters {
    /// Transmissions are encoded, signed and put into blocks as in SMP 7.
    package init(notificationSession id: [UInt8]) { self.init(version: .authorizedCommands, sessionID: id) }
}
