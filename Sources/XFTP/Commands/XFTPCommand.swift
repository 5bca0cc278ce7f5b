package import SMP
package import SimpleXCrypto

/// A command of a chunk's sender or recipient to the file server.
///
/// simplexmq `protocol/xftp.md`, "File sender commands" and "File recipient commands". The encoding is the same in all
/// versions.
package enum XFTPCommand: Hashable, Sendable {
    /// Creates a chunk. Servers that are not public need the password.
    case fnew(FileInfo, recipients: [AuthorizationKey], password: String?)
    /// Adds recipients of the chunk.
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
package struct FileInfo: Hashable, Sendable, SMPCodable {
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
        writer.value(senderKey)
        writer.word32(size)
        writer.shortBytes(digest)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        senderKey = try reader.value()
        size = try reader.word32()
        digest = try reader.shortBytes()
    }
}

extension XFTPCommand {
    package func encode(to writer: inout ByteWriter) {
        switch self {
        case .fnew(let file, let recipients, let password):
            writer.ascii("FNEW ")
            writer.value(file)
            writer.nonEmptyList(recipients)
            writer.optional(password) { writer, password in writer.shortText(password) }
        case .fadd(let recipients):
            writer.ascii("FADD ")
            writer.nonEmptyList(recipients)
        case .fput: writer.ascii("FPUT")
        case .fdel: writer.ascii("FDEL")
        case .fget(let key):
            writer.ascii("FGET ")
            writer.value(key)
        case .fack: writer.ascii("FACK")
        case .ping: writer.ascii("PING")
        }
    }

    /// Parses a command, which must use all of `bytes`. Throws the errors that the server answers: `CMD UNKNOWN` for an
    /// unknown word, and `CMD SYNTAX` for any other fault.
    package init(parsing bytes: ArraySlice<UInt8>) throws(XFTPServerError) {
        var reader = ByteReader(bytes)
        let word = reader.word()
        let command: XFTPCommand?
        do throws(SMPEncodingError) {
            command = try Self(word, from: &reader)
            if command != nil { try reader.finish() }
        } catch {
            throw .cmd(.syntax)
        }
        guard let command else { throw .cmd(.unknown) }
        self = command
    }

    /// Parses the part after the word; nil when no command begins with the word.
    private init?(_ word: String, from reader: inout ByteReader) throws(SMPEncodingError) {
        switch word {
        case "FNEW":
            try reader.space()
            self = .fnew(
                try reader.value(),
                recipients: try reader.nonEmptyList(),
                password: try reader.optional { reader throws(SMPEncodingError) in try reader.shortText() }
            )
        case "FADD":
            try reader.space()
            self = .fadd(recipients: try reader.nonEmptyList())
        case "FPUT": self = .fput
        case "FDEL": self = .fdel
        case "FGET":
            try reader.space()
            self = .fget(try reader.value())
        case "FACK": self = .fack
        case "PING": self = .ping
        default: return nil
        }
    }

    /// Returns the error for a command that lacks needed credentials, or has forbidden ones; nil when the credentials
    /// are right.
    package func credentialsError(hasAuthorization: Bool, hasEntity: Bool) -> SMPCommandError? {
        switch self {
        case .fnew: !hasAuthorization ? .noAuth : hasEntity ? .hasAuth : nil
        case .ping: hasAuthorization || hasEntity ? .hasAuth : nil
        default: hasAuthorization && hasEntity ? nil : .noAuth
        }
    }
}

extension ByteReader {
    /// Reads the word that begins a command or an answer.
    mutating func word() -> String { String(decoding: slice(until: UInt8(ascii: " ")), as: UTF8.self) }

    mutating func space() throws(SMPEncodingError) {
        guard skip(UInt8(ascii: " ")) else { throw isAtEnd ? .unexpectedEnd : .invalidTag }
    }
}
