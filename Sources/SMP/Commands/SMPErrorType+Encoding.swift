/// Writes the words of an error, separated by spaces. The binary form and the text form of an error differ only in the
/// strings inside BROKER errors. In the binary form, a length byte precedes the string. In the text form, the string
/// ends with the text.
private struct ErrorWriter {
    var writer = ByteWriter()
    let isTextForm: Bool

    mutating func writeWord(_ text: StaticString) { writer.writeASCII(text) }
    mutating func writeText(_ text: String) { writer.writeRaw(text.utf8) }
    mutating func writeString(_ text: String) {
        if isTextForm { writer.writeRaw(text.utf8) } else { writer.writeShortText(text) }
    }

    mutating func write(_ error: SMPErrorType) {
        switch error {
        case .block: writeWord("BLOCK")
        case .session: writeWord("SESSION")
        case .cmd(let error):
            writeWord("CMD ")
            writeText(error.rawValue)
        case .proxy(let error):
            writeWord("PROXY ")
            write(error)
        case .auth: writeWord("AUTH")
        case .blocked(let info):
            writeWord("BLOCKED reason=")
            writeText(info.reason.rawValue)
            if let notice = info.notice { writeText(",notice=" + notice) }
        case .service: writeWord("SERVICE")
        case .crypto: writeWord("CRYPTO")
        case .quota: writeWord("QUOTA")
        case .store(let detail):
            writeWord("STORE ")
            writeText(detail)
        case .expired: writeWord("EXPIRED")
        case .noMsg: writeWord("NO_MSG")
        case .largeMsg: writeWord("LARGE_MSG")
        case .internal: writeWord("INTERNAL")
        case .name(let error):
            writeWord("NAME ")
            write(error)
        case .duplicate: writeWord("DUPLICATE_")
        }
    }

    private mutating func write(_ error: SMPNameError) {
        switch error {
        case .noResolver: writeWord("NO_RESOLVER")
        case .notFound: writeWord("NOT_FOUND")
        case .resolver(let detail):
            writeWord("RESOLVER ")
            writeText(detail)
        }
    }

    private mutating func write(_ error: SMPProxyError) {
        switch error {
        case .protocol(let error):
            writeWord("PROTOCOL ")
            write(error)
        case .broker(let error):
            writeWord("BROKER ")
            write(error)
        case .basicAuth: writeWord("BASIC_AUTH")
        case .noSession: writeWord("NO_SESSION")
        }
    }

    mutating func write(_ error: SMPBrokerError) {
        switch error {
        case .response(let detail):
            writeWord("RESPONSE ")
            writeString(detail)
        case .unexpected(let detail):
            writeWord("UNEXPECTED ")
            writeString(detail)
        case .network: writeWord("NETWORK")
        case .host: writeWord("HOST")
        case .noService: writeWord("NO_SERVICE")
        case .transport(let error):
            writeWord("TRANSPORT ")
            writer.writeValue(error)
        case .timeout: writeWord("TIMEOUT")
        }
    }
}

/// Parses an error from its words, in the form that ``ErrorWriter`` writes.
private struct ErrorParser {
    var reader: ByteReader
    let isTextForm: Bool
    /// The number of errors that enclose the error that is being parsed. Real relays nest at most one error.
    private var depth = 0

    init(_ reader: ByteReader, isTextForm: Bool) {
        self.reader = reader
        self.isTextForm = isTextForm
    }

    mutating func readWord() -> String {
        String(decoding: reader.readSlice(until: UInt8(ascii: " ")), as: UTF8.self)
    }

    mutating func skipSpace() throws(SMPEncodingError) {
        guard reader.skip(UInt8(ascii: " ")) else { throw reader.isAtEnd ? .unexpectedEnd : .invalidTag }
    }

    mutating func readString() throws(SMPEncodingError) -> String {
        try skipSpace()
        return String(decoding: isTextForm ? reader.readRest() : try reader.readShortBytes(), as: UTF8.self)
    }

    mutating func readSMPError() throws(SMPEncodingError) -> SMPErrorType {
        switch readWord() {
        case "BLOCK": return .block
        case "SESSION": return .session
        case "CMD":
            try skipSpace()
            let name = readWord()
            // Old relays send NO_QUEUE in place of NO_ENTITY, so both words mean the same error.
            guard let error = name == "NO_QUEUE" ? .noEntity : SMPCommandError(rawValue: name) else {
                throw .invalidTag
            }
            return .cmd(error)
        case "PROXY":
            try skipSpace()
            return .proxy(try readProxyError())
        case "AUTH": return .auth
        case "BLOCKED":
            try skipSpace()
            return .blocked(try readBlockingInfo())
        case "SERVICE": return .service
        case "CRYPTO": return .crypto
        case "QUOTA": return .quota
        case "STORE":
            try skipSpace()
            return .store(String(decoding: reader.readRest(), as: UTF8.self))
        case "EXPIRED": return .expired
        case "NO_MSG": return .noMsg
        case "LARGE_MSG": return .largeMsg
        case "INTERNAL": return .internal
        case "NAME":
            try skipSpace()
            return .name(try readNameError())
        case "DUPLICATE_": return .duplicate
        default: throw .invalidTag
        }
    }

    private mutating func readNameError() throws(SMPEncodingError) -> SMPNameError {
        switch readWord() {
        case "NO_RESOLVER": return .noResolver
        case "NOT_FOUND": return .notFound
        case "RESOLVER":
            try skipSpace()
            return .resolver(String(decoding: reader.readRest(), as: UTF8.self))
        default: throw .invalidTag
        }
    }

    private mutating func readProxyError() throws(SMPEncodingError) -> SMPProxyError {
        switch readWord() {
        case "PROTOCOL":
            try skipSpace()
            depth += 1
            guard depth <= 4 else { throw .invalidValue("nested error") }
            return .protocol(try readSMPError())
        case "BROKER":
            try skipSpace()
            return .broker(try readBrokerError())
        case "BASIC_AUTH": return .basicAuth
        case "NO_SESSION": return .noSession
        default: throw .invalidTag
        }
    }

    mutating func readBrokerError() throws(SMPEncodingError) -> SMPBrokerError {
        switch readWord() {
        case "RESPONSE": return .response(try readString())
        case "UNEXPECTED": return .unexpected(try readString())
        case "NETWORK":
            guard reader.skip(UInt8(ascii: " ")) else { return .network(.failed) }
            return .network(try readNetworkError())
        case "HOST": return .host
        case "NO_SERVICE": return .noService
        case "TRANSPORT":
            try skipSpace()
            return .transport(try reader.readValue())
        case "TIMEOUT": return .timeout
        default: throw .invalidTag
        }
    }

    private mutating func readNetworkError() throws(SMPEncodingError) -> SMPNetworkError {
        switch readWord() {
        case "CONNECT": .connect(try readString())
        case "TLS": .tls(try readString())
        case "UNKNOWNCA": .unknownCA
        case "FAILED": .failed
        case "TIMEOUT": .timeout
        case "SUBSCRIBE": .subscribe(try readString())
        default: throw .invalidTag
        }
    }

    private mutating func readBlockingInfo() throws(SMPEncodingError) -> SMPBlockingInfo {
        guard reader.skip("reason=") else { throw .invalidTag }
        for reason in SMPBlockingInfo.Reason.allCases {
            var attempt = reader
            guard let name = try? attempt.readBytes(count: reason.rawValue.utf8.count),
                name.elementsEqual(reason.rawValue.utf8)
            else { continue }
            reader = attempt
            guard reader.skip(",notice=") else { return SMPBlockingInfo(reason: reason) }
            return SMPBlockingInfo(reason: reason, notice: String(decoding: reader.readRest(), as: UTF8.self))
        }
        throw .invalidTag
    }
}

extension SMPErrorType: SMPCodable, CustomStringConvertible {
    package func encode(to writer: inout ByteWriter) {
        var error = ErrorWriter(isTextForm: false)
        error.write(self)
        if let failure = error.writer.failure { writer.recordFailure(failure) }
        writer.writeRaw(error.writer.bytes)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        var parser = ErrorParser(reader, isTextForm: false)
        self = try parser.readSMPError()
        reader = parser.reader
    }

    /// The textual form of this error, as in the errors of the agent and in `errorStr` of the test vectors.
    package var text: String {
        var error = ErrorWriter(isTextForm: true)
        error.write(self)
        return String(decoding: error.writer.bytes, as: UTF8.self)
    }

    package var description: String { text }

    package init(parsing text: String) throws(SMPEncodingError) {
        var parser = ErrorParser(ByteReader(Array(text.utf8)), isTextForm: true)
        self = try parser.readSMPError()
        try parser.reader.requireEnd()
    }
}

extension SMPBrokerError {
    /// The textual form of this error, as in the errors of the agent.
    package var text: String {
        var error = ErrorWriter(isTextForm: true)
        error.write(self)
        return String(decoding: error.writer.bytes, as: UTF8.self)
    }
}

extension SMPTransportError: SMPCodable {
    package func encode(to writer: inout ByteWriter) {
        switch self {
        case .badBlock: writer.writeASCII("BLOCK")
        case .version: writer.writeASCII("VERSION")
        case .largeMsg: writer.writeASCII("LARGE_MSG")
        case .badSession: writer.writeASCII("SESSION")
        case .noServerAuth: writer.writeASCII("NO_AUTH")
        case .handshake(let error):
            writer.writeASCII("HANDSHAKE ")
            writer.writeRaw(error.rawValue.utf8)
        }
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        switch String(decoding: reader.readSlice(until: UInt8(ascii: " ")), as: UTF8.self) {
        case "BLOCK": self = .badBlock
        case "VERSION": self = .version
        case "LARGE_MSG": self = .largeMsg
        case "SESSION": self = .badSession
        case "NO_AUTH": self = .noServerAuth
        case "HANDSHAKE":
            guard reader.skip(UInt8(ascii: " ")) else { throw .unexpectedEnd }
            let name = String(decoding: reader.readSlice(until: UInt8(ascii: " ")), as: UTF8.self)
            guard let error = SMPHandshakeError(rawValue: name) else { throw .invalidTag }
            self = .handshake(error)
        default: throw .invalidTag
        }
    }
}
