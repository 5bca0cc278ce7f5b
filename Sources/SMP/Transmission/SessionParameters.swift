/// The parameters of a session that decide how its transmissions are encoded.
public struct SessionParameters: Hashable, Sendable {
    public var version: SMPVersion
    /// The TLS channel binding: part of the authorized bytes of every transmission.
    public var sessionID: [UInt8]

    public init(version: SMPVersion, sessionID: [UInt8]) {
        self.version = version
        self.sessionID = sessionID
    }

    /// From version 7 the session id is authorized but not sent.
    public var isSessionIDImplied: Bool { version >= .authorizedCommands }
    /// From version 16 a transmission with an authorization has room for the signature of a service.
    public var hasServiceSignatures: Bool { version >= .serviceCertificates }

    /// Bytes of the longest body that SEND may carry.
    public var maxMessageLength: Int {
        if version >= .encryptedBlocks { return 16048 }
        return version >= .sendingProxy ? 16064 : 16088
    }
}
