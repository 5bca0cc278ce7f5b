/// The parameters of a session that determine the encoding of its transmissions.
package struct SessionParameters: Hashable, Sendable {
    package var version: SMPVersion
    /// The TLS channel binding: part of the authorized bytes of every transmission.
    package var sessionID: [UInt8]

    package init(version: SMPVersion, sessionID: [UInt8]) {
        self.version = version
        self.sessionID = sessionID
    }

    /// Whether transmissions omit the session id (from version 7). The authorization still covers the session id.
    package var isSessionIDImplied: Bool { version >= .firstWithAuthorizedCommands }
    /// Whether a transmission with an authorization may contain the signature of a service (from version 16).
    package var hasServiceSignatures: Bool { version >= .firstWithServiceCertificates }

    /// Number of bytes of the longest message body that can be sent (SEND).
    package var maxMessageLength: Int {
        if version >= .firstWithEncryptedBlocks { return 16048 }
        return version >= .firstWithSendingProxy ? 16064 : 16088
    }
}
