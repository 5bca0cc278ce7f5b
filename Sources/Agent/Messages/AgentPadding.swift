/// The padded lengths, in bytes, of the plaintexts of the ratchet. From agent version 5 on, support of post-quantum
/// encryption reserves space for larger ratchet headers, with or without a KEM key.
/// simplexmq `protocol/agent-protocol.md`, "Agent message envelopes".
enum AgentPadding {
    private static let firstVersionWithPQ: UInt16 = 5
    /// The possible padded lengths. The greatest length is the length of a message without post-quantum encryption.
    static let paddedLengths: ClosedRange<Int64> = 0...15_840

    /// Whether two sides can have post-quantum encryption.
    /// - Parameter e2e: the agreed version of the end-to-end encryption; nil before the agreement.
    static func isPQPossible(agentVersion: UInt16, e2e: E2EVersion?) -> Bool {
        agentVersion >= firstVersionWithPQ && (e2e ?? .pqRatchet) >= .pqRatchet
    }

    /// Returns the padded length of the information in a confirmation, which shares its block with X3DH parameters.
    static func connInfoLength(agentVersion: UInt16, pq: Bool) -> Int {
        pq && agentVersion >= firstVersionWithPQ ? 11106 : 14832
    }

    /// Returns the padded length of all messages other than confirmations.
    static func messageLength(agentVersion: UInt16, pq: Bool) -> Int {
        pq && agentVersion >= firstVersionWithPQ ? 13618 : 15840
    }
}
