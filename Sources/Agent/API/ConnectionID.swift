import SimpleXCrypto

/// A user of the agent: connections of different users never share a session with a relay.
public typealias AgentUserID = Int64

/// Number of a message within its connection, sent and received ones counted together, from 1.
public typealias AgentMessageID = Int64

/// The id of a confirmation that waits to be allowed: 16 random bytes.
public typealias ConfirmationID = [UInt8]

/// A request to an address, 12 bytes.
public typealias InvitationID = [UInt8]

/// Names a connection: 12 random bytes, known to this agent only.
public struct ConnectionID: Hashable, Sendable {
    public let bytes: [UInt8]

    public init(bytes: [UInt8]) { self.bytes = bytes }

    /// A new random id.
    public init() { bytes = RandomBytes.make(count: 12) }

    /// Parses the base64url form; nil for invalid text.
    public init?(text: String) {
        guard let bytes = try? Base64URL.decode(text), !bytes.isEmpty else { return nil }
        self.bytes = bytes
    }

    public var text: String { Base64URL.encode(bytes) }
}
