/// The properties of a TLS connection after its handshake.
public struct TLSSession: Hashable, Sendable {
    /// Binds the SMP session to this connection ("tls-unique" of RFC 5929): the client's Finished message, the same
    /// bytes on both sides.
    public let channelBinding: [UInt8]
    /// The peer's certificates in DER, leaf first. On a relay: those of a service; empty for other clients.
    public let peerCertificates: [[UInt8]]
    /// The agreed application protocol; nil when the client named no protocol that the relay supports.
    public let applicationProtocol: String?
    /// On a server with a ``WebCertificate``: whether the client named the server in TLS (SNI), and so got that
    /// certificate.
    public let isOfBrowser: Bool

    /// The protocol of relays that speak SMP 7 and later.
    public static let smpProtocol = "smp/1"
    /// The protocol of servers of files that shake hands.
    public static let fileProtocol = "xftp/1"
    /// The protocol of notification servers.
    public static let notificationProtocol = "ntf/1"
    /// The protocol that clients name at the web port; relays treat it as their own.
    public static let webProtocol = "http/1.1"
    /// The protocol of browsers (HTTP/2).
    public static let browserProtocol = "h2"
}

/// Events that ``TLSHandler`` fires through the pipeline.
public enum TLSEvent: Sendable {
    /// From here on, reads and writes are application data.
    case handshakeCompleted(TLSSession)
    /// The peer ended its data (close_notify). The caller closes the connection next.
    case peerClosed
}
