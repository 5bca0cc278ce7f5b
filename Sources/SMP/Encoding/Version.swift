/// A version of the protocol between client and relay (SMP). A value, compared where an encoding differs.
///
/// simplexmq `protocol/simplex-messaging.md`, "SMP protocol versions"; current numbers per the vectors.
public struct SMPVersion: Hashable, Comparable, Sendable, SMPCodable, CustomStringConvertible {
    public var number: UInt16

    public init(_ number: UInt16) { self.number = number }

    public static func < (a: SMPVersion, b: SMPVersion) -> Bool { a.number < b.number }

    public var description: String { String(number) }

    public func encode(to writer: inout ByteWriter) { writer.word16(number) }
    public init(from reader: inout ByteReader) throws(SMPEncodingError) { number = try reader.word16() }
}

extension SMPVersion {
    /// Version of relays and clients that do not agree on ALPN `smp/1`; it has no session keys.
    public static let legacy = SMPVersion(6)
    /// The session id is signed but no longer sent, and commands may be authorised with X25519 keys.
    public static let authorizedCommands = SMPVersion(7)
    /// Senders' commands may be forwarded by another relay (PRXY, PFWD, RFWD).
    public static let sendingProxy = SMPVersion(8)
    /// Senders can secure a queue (SKEY); NEW and IDS contain whether they may.
    public static let senderAuthorizedKey = SMPVersion(9)
    /// Deleted queues are reported (DELD).
    public static let deletedEvent = SMPVersion(10)
    /// Blocks after the handshake are encrypted, inside TLS.
    public static let encryptedBlocks = SMPVersion(11)
    /// Blocked queues have an error of their own (ERR BLOCKED).
    public static let blockedQueues = SMPVersion(12)
    /// The server hello is answered with the proxy flag.
    public static let proxyServerHandshake = SMPVersion(14)
    /// Short links: queue mode and link data in NEW and IDS.
    public static let shortLinks = SMPVersion(15)
    /// Service certificates and service subscriptions.
    public static let serviceCertificates = SMPVersion(16)
    /// Notifier credentials in NEW and IDS.
    public static let newNotifierCredentials = SMPVersion(17)
    /// Notices to clients in ERR BLOCKED.
    public static let clientNotices = SMPVersion(18)
    /// Services and relays compare which queues belong to a service, and the relay reports when it has delivered
    /// everything that waited in them.
    public static let serviceSubscriptions = SMPVersion(19)
    /// Relays resolve names (RSLV).
    public static let names = SMPVersion(20)
}

/// Versions that this implementation offers in the handshake. Every version here is implemented in full, on both sides.
public enum SupportedVersions {
    public static let client = ProtocolVersionRange(.legacy, .names)
    public static let relay = ProtocolVersionRange(.legacy, .names)
    /// The versions that a proxy reports for the relay behind it. Like in the original, the newest is included, since
    /// names are resolved through proxies.
    public static let proxied = ProtocolVersionRange(.sendingProxy, .names)
    /// The versions that a relay offers to clients without ALPN.
    public static let legacy = ProtocolVersionRange(.legacy, .legacy)
}
