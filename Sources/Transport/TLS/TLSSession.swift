/// The properties of a TLS connection after its handshake.
package struct TLSSession: Hashable, Sendable {
    /// The value that binds an SMP session to this connection ("tls-unique" of RFC 5929): the client's Finished
    /// message, which is the same on both sides.
    package let channelBinding: [UInt8]
    /// The peer's certificates in DER, leaf first. On a relay, the certificates of a service; empty for other clients.
    package let peerCertificates: [[UInt8]]
    /// The agreed application protocol; nil when the client offered no protocol that the relay supports.
    package let applicationProtocol: String?
    /// Whether the client named the server in TLS (SNI), and so got the ``WebCertificate`` of the server.
    package let isBrowserSession: Bool

    /// The ALPN protocol of message relays with SMP version 7 and later.
    package static let smpProtocol = "smp/1"
    /// The ALPN protocol of file servers with a handshake.
    package static let fileProtocol = "xftp/1"
    /// The ALPN protocol of notification servers.
    package static let notificationProtocol = "ntf/1"
    /// The protocol that clients offer at the web port. Relays treat it as their own protocol.
    package static let webProtocol = "http/1.1"
    /// The ALPN protocol of browsers (HTTP/2).
    package static let browserProtocol = "h2"
}

/// Events that ``TLSHandler`` fires through the pipeline.
package enum TLSEvent: Sendable {
    /// The handshake has ended. All later reads and writes are application data.
    case handshakeCompleted(TLSSession)
    /// The peer has ended its data (close_notify). The channel is closed next.
    case peerClosed
}
