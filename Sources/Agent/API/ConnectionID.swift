import SimpleXCrypto

/// Number of a user of the agent. Connections of different users never share a session with a relay.
package typealias AgentUserID = Int64

/// Number of a message within its connection, from 1. Sent and received messages have a common sequence of numbers.
package typealias AgentMessageID = Int64

/// The id of a confirmation that waits for ``Agent/allow(connection:confirmation:connInfo:)``: 16 random bytes.
package typealias ConfirmationID = [UInt8]

/// The id of a request to an address: 12 bytes.
package typealias InvitationID = [UInt8]

/// Id of a connection: 12 random bytes that only this agent knows.
package struct ConnectionID: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// Makes a new random id.
    package init() { bytes = RandomBytes.make(count: 12) }

    /// Parses the base64url form; nil for invalid text.
    package init?(text: String) {
        guard let bytes = try? Base64URL.decode(text), !bytes.isEmpty else { return nil }
        self.bytes = bytes
    }

    package var text: String { Base64URL.encode(bytes) }
}
