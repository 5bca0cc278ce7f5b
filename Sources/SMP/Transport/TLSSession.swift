/// What is known of a TLS connection once its handshake is done.
public struct TLSSession: Hashable, Sendable {
    /// Binds the SMP session to this connection ("tls-unique" of RFC 5929): the client's Finished message, the same bytes on both sides.
    public let channelBinding: [UInt8]
    /// The peer's certificates in DER, leaf first. On a relay: those of a service, none of other clients.
    public let peerCertificates: [[UInt8]]
    /// The application protocol agreed on, nil when the client named none that the relay has.
    public let applicationProtocol: String?

    /// The protocol of relays that speak SMP 7 and later.
    public static let smpProtocol = "smp/1"
    /// The protocol of servers of files that shake hands.
    public static let fileProtocol = "xftp/1"
    /// What clients name at the port of the web: relays take it for their own protocol too.
    public static let webProtocol = "http/1.1"
}

/// Events that ``TLSHandler`` fires through the pipeline.
public enum TLSEvent: Sendable {
    /// From here on, what is read and written is application data.
    case handshakeCompleted(TLSSession)
    /// The peer will send no more (close_notify). The connection is closed next.
    case peerClosed
}
