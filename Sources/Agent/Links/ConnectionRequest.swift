package import SMP

/// The content of a full link: the data with which a peer connects to the creator of the link.
/// simplexmq `protocol/agent-protocol.md`, "Connection request".
package struct ConnectionRequest: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// An invitation to one connection, with the inviter's X3DH parameters.
        case invitation(e2e: E2ERatchetParamsURI)
        /// An address to which many peers can send requests. Each request contains an invitation of the peer.
        case contact
    }

    package var kind: Kind
    /// The versions of the agent protocol that the creator of the link supports.
    package var agentVersions: ProtocolVersionRange
    /// Queues of the request; at least one.
    package var queues: [QueueURI]
    /// Data that the agent does not interpret: JSON of the chat layer.
    package var clientData: String?

    package init(kind: Kind, agentVersions: ProtocolVersionRange, queues: [QueueURI], clientData: String? = nil) {
        self.kind = kind
        self.agentVersions = agentVersions
        self.queues = queues
        self.clientData = clientData
    }

    package var isInvitation: Bool {
        switch kind {
        case .invitation: true
        case .contact: false
        }
    }
}

extension ConnectionRequest: SMPCodable {
    package func encode(to writer: inout ByteWriter) {
        writer.writeByte(UInt8(ascii: isInvitation ? "I" : "C"))
        writer.writeValue(agentVersions)
        writer.writeNonEmptyList(queues)
        writer.writeOptional(clientData) { writer, data in writer.writeLargeBytes(data.utf8) }
        if case .invitation(let e2e) = kind { writer.writeValue(e2e) }
    }

    /// Decodes a request. A queue without a mode counts as a contact queue, since the encoding for low versions has no
    /// mode.
    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        let tag = try reader.readByte()
        guard tag == UInt8(ascii: "I") || tag == UInt8(ascii: "C") else { throw .invalidTag }
        agentVersions = try reader.readValue()
        queues = try reader.readNonEmptyList()
        for index in queues.indices where queues[index].mode == nil { queues[index].mode = .contact }
        clientData = try reader.readOptional { reader throws(SMPEncodingError) in
            String(decoding: try reader.readLargeBytes(), as: UTF8.self)
        }
        kind = tag == UInt8(ascii: "I") ? .invitation(e2e: try reader.readValue()) : .contact
    }
}
