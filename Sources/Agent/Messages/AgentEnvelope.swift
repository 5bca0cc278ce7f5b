import SMP

/// What the body of a queue's message is: the outermost form of the agent protocol, inside the encryption of the queue
/// (agent-protocol.md, "Agent message envelopes"). The version is that of the sender's program.
enum AgentEnvelope: Hashable, Sendable {
    /// The first message to a queue: the sender's X3DH parameters, unless the recipient has them, and encrypted information.
    case confirmation(agentVersion: UInt16, e2e: E2ERatchetParams?, encryptedConnInfo: [UInt8])
    /// A ratchet message with an ``AgentMessage`` in it.
    case message(agentVersion: UInt16, encrypted: [UInt8])
    /// A request to a contact address: a link to connect with, and information in the clear of the queue's encryption.
    case invitation(agentVersion: UInt16, request: String, connInfo: [UInt8])
    /// New X3DH parameters, after the ratchets lost each other.
    case ratchetKey(agentVersion: UInt16, e2e: E2ERatchetParams, info: [UInt8])

    func encoded() throws(SMPEncodingError) -> [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .confirmation(let version, let e2e, let encrypted):
            writer.word16(version)
            writer.ascii("C")
            writer.optional(e2e) { writer, e2e in e2e.encode(to: &writer) }
            writer.raw(encrypted)
        case .message(let version, let encrypted):
            writer.word16(version)
            writer.ascii("M")
            writer.raw(encrypted)
        case .invitation(let version, let request, let info):
            writer.word16(version)
            writer.ascii("I")
            writer.largeBytes(Array(request.utf8))
            writer.raw(info)
        case .ratchetKey(let version, let e2e, let info):
            writer.word16(version)
            writer.ascii("R")
            e2e.encode(to: &writer)
            writer.raw(info)
        }
        return try writer.finish()
    }

    init(parsing bytes: [UInt8]) throws(SMPEncodingError) {
        var reader = ByteReader(bytes)
        let version = try reader.word16()
        switch try reader.byte() {
        case UInt8(ascii: "C"):
            let e2e = try reader.optional { reader throws(SMPEncodingError) in try E2ERatchetParams(from: &reader) }
            self = .confirmation(agentVersion: version, e2e: e2e, encryptedConnInfo: reader.tail())
        case UInt8(ascii: "M"): self = .message(agentVersion: version, encrypted: reader.tail())
        case UInt8(ascii: "I"):
            guard let request = String(validating: try reader.largeBytes(), as: UTF8.self) else { throw .invalidValue("connection request") }
            self = .invitation(agentVersion: version, request: request, connInfo: reader.tail())
        case UInt8(ascii: "R"):
            self = .ratchetKey(agentVersion: version, e2e: try E2ERatchetParams(from: &reader), info: reader.tail())
        default: throw .invalidTag
        }
    }
}

/// Lengths of padded plaintext inside the ratchet's encryption, in bytes (agent-messages vectors, `paddedLengths`).
/// With PQ support headers are larger, from agent version 5 on.
enum AgentPadding {
    private static let pqVersion: UInt16 = 5

    static func connInfoLength(agentVersion: UInt16, pq: Bool) -> Int { pq && agentVersion >= pqVersion ? 11106 : 14832 }
    static func messageLength(agentVersion: UInt16, pq: Bool) -> Int { pq && agentVersion >= pqVersion ? 13618 : 15840 }
}
