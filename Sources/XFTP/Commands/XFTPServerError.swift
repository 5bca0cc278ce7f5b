package import SMP

/// An error that a file server sends in ERR. The names come from the API's `XFTPErrorType`.
///
/// simplexmq `protocol/xftp.md`, "Error responses". Facts that the document does not mention come from the test
/// vectors.
package enum XFTPServerError: Error, Hashable, Sendable {
    /// The block cannot be parsed, or the signature has the wrong size for the key.
    case block
    /// The transmission has the id of another session.
    case session
    /// The client's hello is malformed, or meant for another server.
    case handshake
    case cmd(SMPCommandError)
    /// The authorization is wrong, there is no such chunk, or the password for the server is wrong.
    case auth
    /// The chunk was blocked by the operator of the server.
    case blocked(SMPBlockingInfo)
    /// The server does not accept this size, or the chunk has another size than announced.
    case size
    /// The storage of the server is full.
    case quota
    case digest
    case crypto
    /// The chunk was created, but not uploaded.
    case noFile
    case hasFile
    case fileIO
    case timeout
    case `internal`
    /// An error that no server sends.
    case duplicate

    /// Returns this error in a form that clients of `version` know.
    package func downgraded(to version: XFTPVersion) -> XFTPServerError {
        if case .blocked = self, version < .firstWithBlockedFiles { .auth } else { self }
    }
}

extension XFTPServerError: SMPCodable, CustomStringConvertible {
    /// The words of the errors that SMP does not have.
    private static let xftpOnlyWords: [(word: String, error: XFTPServerError)] = [
        ("HANDSHAKE", .handshake), ("SIZE", .size), ("DIGEST", .digest), ("NO_FILE", .noFile), ("HAS_FILE", .hasFile),
        ("FILE_IO", .fileIO),
        ("TIMEOUT", .timeout),
    ]

    /// The SMP error with the same encoding; nil for errors that SMP does not have.
    private var smpError: SMPErrorType? {
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

    package func encode(to writer: inout ByteWriter) { writer.writeRaw(text.utf8) }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        var attempt = reader
        let word = attempt.readWord()
        if let own = Self.xftpOnlyWords.first(where: { $0.word == word }) {
            self = own.error
            reader = attempt
            return
        }
        guard let error = XFTPServerError(shared: try reader.readValue()) else { throw .invalidTag }
        self = error
    }

    /// The error as text, which is also its encoding.
    package var text: String {
        smpError?.text ?? Self.xftpOnlyWords.first { $0.error == self }?.word ?? ""
    }

    package var description: String { text }
}
