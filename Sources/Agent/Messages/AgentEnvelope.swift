import SMP

/// The body of a message in a queue: the outermost form of the agent protocol, inside the encryption of the queue. It
/// is encoded in the version of the sender.
/// simplexmq `protocol/agent-protocol.md`, "Agent message envelopes".
enum AgentEnvelope: Hashable, Sendable {
    /// The first message to a queue: an ``AgentMessage`` that the ratchet has encrypted, and the sender's X3DH
    /// parameters unless the recipient has a ratchet already.
    case confirmation(agentVersion: UInt16, e2e: E2ERatchetParams?, encryptedConnInfo: [UInt8])
    /// An ``AgentMessage`` that the ratchet has encrypted.
    case message(agentVersion: UInt16, encrypted: [UInt8])
    /// A request to a contact address: an invitation of the requesting side, and information that only the encryption
    /// of the queue protects.
    case invitation(agentVersion: UInt16, request: ConnectionRequest, connInfo: [UInt8])
    /// New X3DH parameters, after the ratchets of the two sides have lost their agreement.
    case ratchetKey(agentVersion: UInt16, e2e: E2ERatchetParams, info: [UInt8])

    /// Encodes the envelope.
    /// - Throws: when the text of a connection request is too long for its length field.
    func encoded() throws(SMPEncodingError) -> [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .confirmation(let version, let e2e, let encrypted):
            writer.writeWord16(version)
            writer.writeASCII("C")
            writer.writeOptional(e2e)
            writer.writeRaw(encrypted)
        case .message(let version, let encrypted):
            writer.writeWord16(version)
            writer.writeASCII("M")
            writer.writeRaw(encrypted)
        case .invitation(let version, let request, let info):
            writer.writeWord16(version)
            writer.writeASCII("I")
            // The request is encoded as text, because the binary form of a request is newer than this envelope.
            writer.writeLargeBytes(request.uri.utf8)
            writer.writeRaw(info)
        case .ratchetKey(let version, let e2e, let info):
            writer.writeWord16(version)
            writer.writeASCII("R")
            writer.writeValue(e2e)
            writer.writeRaw(info)
        }
        return try writer.finish()
    }

    init(parsing bytes: [UInt8]) throws(SMPEncodingError) {
        var reader = ByteReader(bytes)
        let version = try reader.readWord16()
        switch try reader.readByte() {
        case UInt8(ascii: "C"):
            self = .confirmation(
                agentVersion: version,
                e2e: try reader.readOptional(),
                encryptedConnInfo: reader.readRest()
            )
        case UInt8(ascii: "M"):
            self = .message(agentVersion: version, encrypted: reader.readRest())
        case UInt8(ascii: "I"):
            self = .invitation(
                agentVersion: version,
                request: try Self.parseRequest(&reader),
                connInfo: reader.readRest()
            )
        case UInt8(ascii: "R"):
            self = .ratchetKey(agentVersion: version, e2e: try reader.readValue(), info: reader.readRest())
        default: throw .invalidTag
        }
    }

    /// Reads the request of an envelope, which must be an invitation: an address would only lead to another request.
    private static func parseRequest(_ reader: inout ByteReader) throws(SMPEncodingError) -> ConnectionRequest {
        guard let text = String(validating: try reader.readLargeBytes(), as: UTF8.self),
            let request = try? ConnectionRequest(parsing: text), request.isInvitation
        else { throw .invalidValue("connection request") }
        return request
    }
}
