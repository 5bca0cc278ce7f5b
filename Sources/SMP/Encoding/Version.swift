/// A version of the protocol between client and relay (SMP). If the encoding of a value differs between versions, the
/// code compares the agreed version with the constants below.
///
/// simplexmq `protocol/simplex-messaging.md`, "SMP protocol versions". The numbers of the newest versions come from the
/// test vectors.
package struct SMPVersion: Hashable, Comparable, Sendable, SMPCodable, CustomStringConvertible {
    package var number: UInt16

    package init(_ number: UInt16) { self.number = number }

    package static func < (a: SMPVersion, b: SMPVersion) -> Bool { a.number < b.number }

    package var description: String { String(number) }

    package func encode(to writer: inout ByteWriter) { writer.writeWord16(number) }
    package init(from reader: inout ByteReader) throws(SMPEncodingError) { number = try reader.readWord16() }
}

extension SMPVersion {
    /// The version without session keys, for relays and clients that do not agree on ALPN `smp/1`.
    package static let legacy = SMPVersion(6)
    /// The first version without the session id in transmissions, and with X25519 keys for authorization.
    package static let firstWithAuthorizedCommands = SMPVersion(7)
    /// The first version in which another relay may forward commands of senders (PRXY, PFWD, RFWD).
    package static let firstWithSendingProxy = SMPVersion(8)
    /// The first version in which a sender can secure a queue (SKEY). NEW and IDS say whether the sender may do this.
    package static let firstWithSenderAuthorizedKey = SMPVersion(9)
    /// The first version in which a relay reports deleted queues (DELD).
    package static let firstWithDeletedEvent = SMPVersion(10)
    /// The first version with encrypted blocks inside TLS after the handshake.
    package static let firstWithEncryptedBlocks = SMPVersion(11)
    /// The first version with a separate error for blocked queues (ERR BLOCKED).
    package static let firstWithBlockedQueues = SMPVersion(12)
    /// The first version with the proxy flag in the client's hello.
    package static let firstWithProxyServerHandshake = SMPVersion(14)
    /// The first version with short links: queue mode and link data in NEW and IDS.
    package static let firstWithShortLinks = SMPVersion(15)
    /// The first version with service certificates and service subscriptions.
    package static let firstWithServiceCertificates = SMPVersion(16)
    /// The first version with notifier credentials in NEW and IDS.
    package static let firstWithNewNotifierCredentials = SMPVersion(17)
    /// The first version with notices to clients in ERR BLOCKED.
    package static let firstWithClientNotices = SMPVersion(18)
    /// The first version in which service and relay compare the queues of the service. The relay also reports when it
    /// has delivered all messages that waited in these queues.
    package static let firstWithServiceSubscriptions = SMPVersion(19)
    /// The first version in which relays resolve names (RSLV).
    package static let firstWithNames = SMPVersion(20)
}

/// Versions that this project offers in the handshake. The client and the relay of this project implement all these
/// versions completely.
package enum SupportedVersions {
    package static let client = ProtocolVersionRange(.legacy, .firstWithNames)
    package static let relay = ProtocolVersionRange(.legacy, .firstWithNames)
    /// The versions that a proxy reports for the relay behind it. The newest version is included, as in the original,
    /// since names are resolved through proxies.
    package static let proxiedRelay = ProtocolVersionRange(.firstWithSendingProxy, .firstWithNames)
    /// The versions that a relay offers to clients without ALPN.
    package static let legacy = ProtocolVersionRange(.legacy, .legacy)
}
