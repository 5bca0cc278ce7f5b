package import SMP
package import SimpleXCrypto

/// A command of a chunk's sender or recipient to the file server.
///
/// simplexmq `protocol/xftp.md`, "File sender commands" and "File recipient commands". The encoding is the same in all
/// versions.
package enum XFTPCommand: Hashable, Sendable {
    /// Creates a chunk. Servers that are not public require the password.
    case fnew(ChunkInfo, recipients: [AuthorizationKey], password: String?)
    /// Adds recipients to the chunk.
    case fadd(recipients: [AuthorizationKey])
    /// Uploads the chunk, which follows the block of the command.
    case fput
    /// Deletes the chunk.
    case fdel
    /// Downloads the chunk. The server encrypts it with the secret of this key and the server's key.
    case fget(X25519.PublicKey)
    /// Acknowledges that the recipient has the chunk and does not need it again.
    case fack
    case ping
}

/// The description of a chunk, which is sent before its contents.
package struct ChunkInfo: Hashable, Sendable, SMPCodable {
    /// The public key that verifies the sender's commands.
    package var senderKey: AuthorizationKey
    /// The size of the chunk in bytes. Servers accept only some sizes.
    package var size: UInt32
    /// SHA-256 of the chunk. (simplexmq `protocol/xftp.md` says SHA-512.)
    package var digest: [UInt8]

    package init(senderKey: AuthorizationKey, size: UInt32, digest: [UInt8]) {
        self.senderKey = senderKey
        self.size = size
        self.digest = digest
    }

    package func encode(to writer: inout ByteWriter) {
        writer.writeValue(senderKey)
        writer.writeWord32(size)
        writer.writeShortBytes(digest)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        senderKey = try reader.readValue()
        size = try reader.readWord32()
        digest = try reader.readShortBytes()
    }
}

extension XFTPCommand {
    package func encode(to writer: inout ByteWriter) {
        switch self {
        case .fnew(let file, let recipients, let password):
            writer.writeASCII("FNEW ")
            writer.writeValue(file)
            writer.writeNonEmptyList(recipients)
            writer.writeOptional(password) { writer, password in writer.writeShortText(password) }
        case .fadd(let recipients):
            writer.writeASCII("FADD ")
            writer.writeNonEmptyList(recipients)
        case .fput: writer.writeASCII("FPUT")
        case .fdel: writer.writeASCII("FDEL")
        case .fget(let key):
            writer.writeASCII("FGET ")
            writer.writeValue(key)
        case .fack: writer.writeASCII("FACK")
        case .ping: writer.writeASCII("PING")
        }
    }

    /// Parses a command, which must use all of `bytes`. Throws the errors that the server answers: `CMD UNKNOWN` for an
    /// unknown word, and `CMD SYNTAX` for any other fault.
    package init(parsing bytes: ArraySlice<UInt8>) throws(XFTPServerError) {
        var reader = ByteReader(bytes)
        let word = reader.readWord()
        let command: XFTPCommand?
        do throws(SMPEncodingError) {
            command = try Self(word, from: &reader)
            if command != nil { try reader.requireEnd() }
        } catch {
            throw .cmd(.syntax)
        }
        guard let command else { throw .cmd(.unknown) }
        self = command
    }

    /// Parses the part after the first word; nil when no command begins with this word.
    private init?(_ word: String, from reader: inout ByteReader) throws(SMPEncodingError) {
        switch word {
        case "FNEW":
            try reader.skipSpace()
            self = .fnew(
                try reader.readValue(),
                recipients: try reader.readNonEmptyList(),
                password: try reader.readOptional { reader throws(SMPEncodingError) in try reader.readShortText() }
            )
        case "FADD":
            try reader.skipSpace()
            self = .fadd(recipients: try reader.readNonEmptyList())
        case "FPUT": self = .fput
        case "FDEL": self = .fdel
        case "FGET":
            try reader.skipSpace()
            self = .fget(try reader.readValue())
        case "FACK": self = .fack
        case "PING": self = .ping
        default: return nil
        }
    }

    /// Returns the error for a command that lacks needed credentials, or has forbidden ones; nil when the credentials
    /// are right.
    package func findCredentialsError(hasAuthorization: Bool, hasEntity: Bool) -> SMPCommandError? {
        switch self {
        case .fnew: !hasAuthorization ? .noAuth : hasEntity ? .hasAuth : nil
        case .ping: hasAuthorization || hasEntity ? .hasAuth : nil
        default: hasAuthorization && hasEntity ? nil : .noAuth
        }
    }
}

extension ByteReader {
    /// Reads the word that begins a command or an answer.
    mutating func readWord() -> String { String(decoding: readSlice(until: UInt8(ascii: " ")), as: UTF8.self) }

    mutating func skipSpace() throws(SMPEncodingError) {
        guard skip(UInt8(ascii: " ")) else { throw isAtEnd ? .unexpectedEnd : .invalidTag }
    }
}
