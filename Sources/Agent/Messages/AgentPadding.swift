/// The padded lengths, in bytes, of the ratchet's plaintexts. From agent version 5, support of post-quantum encryption
/// reserves room for larger ratchet headers, whether or not they contain a KEM key.
///
/// simplexmq `protocol/agent-protocol.md`, "Agent message envelopes".
enum AgentPadding {
    private static let firstVersionWithPQ: UInt16 = 5
    /// The padded lengths that a message can have. The greatest one is that of a message without post-quantum
    /// encryption.
    static let lengths: ClosedRange<Int64> = 0...15_840

    /// Whether two sides can have post-quantum encryption.
    /// - Parameter e2e: nil while it is not agreed on.
    static func isPQPossible(agentVersion: UInt16, e2e: E2EVersion?) -> Bool {
        agentVersion >= firstVersionWithPQ && (e2e ?? .pqRatchet) >= .pqRatchet
    }

    /// Padded length of the information in a confirmation, which shares its block with X3DH parameters.
    static func connInfoLength(agentVersion: UInt16, pq: Bool) -> Int {
        pq && agentVersion >= firstVersionWithPQ ? 11106 : 14832
    }

    /// Padded length of every other message.
    static func messageLength(agentVersion: UInt16, pq: Bool) -> Int {
        pq && agentVersion >= firstVersionWithPQ ? 13618 : 15840
    }
}
