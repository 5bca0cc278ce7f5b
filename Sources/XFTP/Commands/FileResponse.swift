package import SMP
package import SimpleXCrypto

/// A file server's answer.
///
/// simplexmq `protocol/xftp.md`, "Requests and responses".
package enum FileResponse: Hashable, Sendable {
    /// The answer to FNEW: the ids of the chunk, for its sender and for each recipient.
    case sids(senderID: [UInt8], recipientIDs: [[UInt8]])
    /// The answer to FADD: the ids of the chunk for the added recipients.
    case rids(recipientIDs: [[UInt8]])
    /// The answer to FGET: the server's key and the nonce for the encryption of the chunk after the block.
    case file(X25519.PublicKey, nonce: BoxNonce)
    case ok
    case err(XFTPServerError)
    case pong

    /// The word that begins the answer.
    package var tag: String {
        switch self {
        case .sids: "SIDS"
        case .rids: "RIDS"
        case .file: "FILE"
        case .ok: "OK"
        case .err: "ERR"
        case .pong: "PONG"
        }
    }

    package func encode(to writer: inout ByteWriter, version: XFTPVersion) {
        writer.writeRaw(tag.utf8)
        switch self {
        case .ok, .pong: return
        default: writer.writeByte(UInt8(ascii: " "))
        }
        switch self {
        case .sids(let senderID, let recipientIDs):
            writer.writeShortBytes(senderID)
            writer.writeNonEmptyList(recipientIDs)
        case .rids(let recipientIDs): writer.writeNonEmptyList(recipientIDs)
        case .file(let key, let nonce):
            writer.writeValue(key)
            writer.writeValue(nonce)
        case .err(let error): writer.writeValue(error.downgraded(to: version))
        case .ok, .pong: return
        }
    }

    /// Parses an answer, which must use all of `bytes`. Throws `CMD UNKNOWN` for an unknown word, and `CMD SYNTAX` for
    /// any other fault, as in the agent's API.
    package init(parsing bytes: ArraySlice<UInt8>) throws(XFTPServerError) {
        var reader = ByteReader(bytes)
        let word = reader.readWord()
        let response: FileResponse?
        do throws(SMPEncodingError) {
            response = try Self(word, from: &reader)
            if response != nil { try reader.requireEnd() }
        } catch {
            throw .cmd(.syntax)
        }
        guard let response else { throw .cmd(.unknown) }
        self = response
    }

    /// Parses the part after the first word; nil when no answer begins with this word.
    private init?(_ word: String, from reader: inout ByteReader) throws(SMPEncodingError) {
        switch word {
        case "SIDS":
            try reader.skipSpace()
            self = .sids(senderID: try reader.readShortBytes(), recipientIDs: try reader.readNonEmptyList())
        case "RIDS":
            try reader.skipSpace()
            self = .rids(recipientIDs: try reader.readNonEmptyList())
        case "FILE":
            try reader.skipSpace()
            self = .file(try reader.readValue(), nonce: try reader.readValue())
        case "OK": self = .ok
        case "ERR":
            try reader.skipSpace()
            self = .err(try reader.readValue())
        case "PONG": self = .pong
        default: return nil
        }
    }

    /// Returns the error for an answer that lacks the chunk's id, or has a forbidden id; nil when the answer is right.
    package func findCredentialsError(hasEntity: Bool) -> SMPCommandError? {
        switch self {
        case .err: nil
        case .sids, .pong: hasEntity ? .hasAuth : nil
        default: hasEntity ? nil : .noEntity
        }
    }
}
