public import SMP

/// The error of a file server in ERR. The names are those of the API's `XFTPErrorType`.
///
/// simplexmq `protocol/xftp.md`, "Error responses"; the rest per the vectors.
public enum XFTPServerError: Error, Hashable, Sendable {
    /// The block cannot be parsed, or its signature has another size than the key needs.
    case block
    /// Another session id than that of this session.
    case session
    /// The client's hello is malformed, or meant for another server.
    case handshake
    case cmd(SMPCommandError)
    /// Bad authorization, no such chunk, or a password that is not the server's.
    case auth
    /// The chunk was blocked by the operator of the server.
    case blocked(SMPBlockingInfo)
    /// A size that the server does not accept, or a chunk of another size than announced.
    case size
    /// The server is full.
    case quota
    case digest
    case crypto
    /// The chunk was not uploaded.
    case noFile
    case hasFile
    case fileIO
    case timeout
    case `internal`
    /// Never sent by a server.
    case duplicate

    /// The error as a server of this version can say it.
    public func downgraded(to version: XFTPVersion) -> XFTPServerError {
        if case .blocked = self, version < .blockedFiles { .auth } else { self }
    }
}

extension XFTPServerError: SMPCodable, CustomStringConvertible {
    /// The words that SMP has not.
    private static let ownWords: [(word: String, error: XFTPServerError)] = [
        ("HANDSHAKE", .handshake), ("SIZE", .size), ("DIGEST", .digest), ("NO_FILE", .noFile), ("HAS_FILE", .hasFile),
        ("FILE_IO", .fileIO),
        ("TIMEOUT", .timeout),
    ]

    /// The same error of SMP, where it has the same encoding.
    private var shared: SMPErrorType? {
        switch self {
        case .block: .block
        case .session: .session
        case .cmd(let error): .cmd(error)
        case .auth: .auth
        case .blocked(let info): .blocked(info)
        case .quota: .quota
        case .crypto: .crypto
        case .internal: .internal
        case .duplicate: .duplicate
        case .handshake, .size, .digest, .noFile, .hasFile, .fileIO, .timeout: nil
        }
    }

    private init?(shared error: SMPErrorType) {
        switch error {
        case .block: self = .block
        case .session: self = .session
        case .cmd(let error): self = .cmd(error)
        case .auth: self = .auth
        case .blocked(let info): self = .blocked(info)
        case .quota: self = .quota
        case .crypto: self = .crypto
        case .internal: self = .internal
        case .duplicate: self = .duplicate
        case .proxy, .service, .store, .expired, .noMsg, .largeMsg, .name: return nil
        }
    }

    public func encode(to writer: inout ByteWriter) { writer.raw(text.utf8) }

    public init(from reader: inout ByteReader) throws(SMPEncodingError) {
        var attempt = reader
        let word = attempt.word()
        if let own = Self.ownWords.first(where: { $0.word == word }) {
            self = own.error
            reader = attempt
            return
        }
        guard let error = XFTPServerError(shared: try reader.value()) else { throw .invalidTag }
        self = error
    }

    /// The textual form, which is also the encoded one.
    public var text: String {
        shared?.text ?? Self.ownWords.first { $0.error == self }?.word ?? ""
    }

    public var description: String { text }
}
