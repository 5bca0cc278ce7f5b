/// Writes the words of an error, separated by spaces. The two forms differ only in the strings inside BROKER errors:
/// the binary form adds a length byte, and in the text form a string ends with the text.
private struct ErrorWriter {
    var out = ByteWriter()
    let isText: Bool

    mutating func word(_ text: StaticString) { out.ascii(text) }
    mutating func text(_ text: String) { out.raw(text.utf8) }
    mutating func string(_ text: String) {
        if isText { out.raw(text.utf8) } else { out.shortText(text) }
    }

    mutating func write(_ error: SMPErrorType) {
        switch error {
        case .block: word("BLOCK")
        case .session: word("SESSION")
        case .cmd(let error):
            word("CMD ")
            text(error.rawValue)
        case .proxy(let error):
            word("PROXY ")
            write(error)
        case .auth: word("AUTH")
        case .blocked(let info):
            word("BLOCKED reason=")
            text(info.reason.rawValue)
            if let notice = info.notice { text(",notice=" + notice) }
        case .service: word("SERVICE")
        case .crypto: word("CRYPTO")
        case .quota: word("QUOTA")
        case .store(let detail):
            word("STORE ")
            text(detail)
        case .expired: word("EXPIRED")
        case .noMsg: word("NO_MSG")
        case .largeMsg: word("LARGE_MSG")
        case .internal: word("INTERNAL")
        case .name(let error):
            word("NAME ")
            write(error)
        case .duplicate: word("DUPLICATE_")
        }
    }

    private mutating func write(_ error: SMPNameError) {
        switch error {
        case .noResolver: word("NO_RESOLVER")
        case .notFound: word("NOT_FOUND")
        case .resolver(let detail):
            word("RESOLVER ")
            text(detail)
        }
    }

    private mutating func write(_ error: SMPProxyError) {
        switch error {
        case .protocol(let error):
            word("PROTOCOL ")
            write(error)
        case .broker(let error):
            word("BROKER ")
            write(error)
        case .basicAuth: word("BASIC_AUTH")
        case .noSession: word("NO_SESSION")
        }
    }

    mutating func write(_ error: SMPBrokerError) {
        switch error {
        case .response(let detail):
            word("RESPONSE ")
            string(detail)
        case .unexpected(let detail):
            word("UNEXPECTED ")
            string(detail)
        case .network: word("NETWORK")
        case .host: word("HOST")
        case .noService: word("NO_SERVICE")
        case .transport(let error):
            word("TRANSPORT ")
            out.value(error)
        case .timeout: word("TIMEOUT")
        }
    }
}

/// Parses the form that ``ErrorWriter`` writes.
private struct ErrorParser {
    var reader: ByteReader
    let isText: Bool
    /// The number of errors around the current one. Real relays nest at most one error.
    private var depth = 0

    init(_ reader: ByteReader, isText: Bool) {
        self.reader = reader
        self.isText = isText
    }

    mutating func word() -> String {
        String(decoding: reader.slice(until: UInt8(ascii: " ")), as: UTF8.self)
    }

    mutating func space() throws(SMPEncodingError) {
        guard reader.skip(UInt8(ascii: " ")) else { throw reader.isAtEnd ? .unexpectedEnd : .invalidTag }
    }

    mutating func string() throws(SMPEncodingError) -> String {
        try space()
        return String(decoding: isText ? reader.tail() : try reader.shortBytes(), as: UTF8.self)
    }

    mutating func smpError() throws(SMPEncodingError) -> SMPErrorType {
        switch word() {
        case "BLOCK": return .block
        case "SESSION": return .session
        case "CMD":
            try space()
            let name = word()
            // Old relays send NO_QUEUE for NO_ENTITY.
            guard let error = name == "NO_QUEUE" ? .noEntity : SMPCommandError(rawValue: name) else {
                throw .invalidTag
            }
            return .cmd(error)
        case "PROXY":
            try space()
            return .proxy(try proxyError())
        case "AUTH": return .auth
        case "BLOCKED":
            try space()
            return .blocked(try blockingInfo())
        case "SERVICE": return .service
        case "CRYPTO": return .crypto
        case "QUOTA": return .quota
        case "STORE":
            try space()
            return .store(String(decoding: reader.tail(), as: UTF8.self))
        case "EXPIRED": return .expired
        case "NO_MSG": return .noMsg
        case "LARGE_MSG": return .largeMsg
        case "INTERNAL": return .internal
        case "NAME":
            try space()
            return .name(try nameError())
        case "DUPLICATE_": return .duplicate
        default: throw .invalidTag
        }
    }

    private mutating func nameError() throws(SMPEncodingError) -> SMPNameError {
        switch word() {
        case "NO_RESOLVER": return .noResolver
        case "NOT_FOUND": return .notFound
        case "RESOLVER":
            try space()
            return .resolver(String(decoding: reader.tail(), as: UTF8.self))
        default: throw .invalidTag
        }
    }

    private mutating func proxyError() throws(SMPEncodingError) -> SMPProxyError {
        switch word() {
        case "PROTOCOL":
            try space()
            depth += 1
            guard depth <= 4 else { throw .invalidValue("nested error") }
            return .protocol(try smpError())
        case "BROKER":
            try space()
            return .broker(try brokerError())
        case "BASIC_AUTH": return .basicAuth
        case "NO_SESSION": return .noSession
        default: throw .invalidTag
        }
    }

    mutating func brokerError() throws(SMPEncodingError) -> SMPBrokerError {
        switch word() {
        case "RESPONSE": return .response(try string())
        case "UNEXPECTED": return .unexpected(try string())
        case "NETWORK":
            guard reader.skip(UInt8(ascii: " ")) else { return .network(.failed) }
            return .network(try networkError())
        case "HOST": return .host
        case "NO_SERVICE": return .noService
        case "TRANSPORT":
            try space()
            return .transport(try reader.value())
        case "TIMEOUT": return .timeout
        default: throw .invalidTag
        }
    }

    private mutating func networkError() throws(SMPEncodingError) -> SMPNetworkError {
        switch word() {
        case "CONNECT": .connect(try string())
        case "TLS": .tls(try string())
        case "UNKNOWNCA": .unknownCA
        case "FAILED": .failed
        case "TIMEOUT": .timeout
        case "SUBSCRIBE": .subscribe(try string())
        default: throw .invalidTag
        }
    }

    private mutating func blockingInfo() throws(SMPEncodingError) -> SMPBlockingInfo {
        guard reader.skip("reason=") else { throw .invalidTag }
        for reason in SMPBlockingInfo.Reason.allCases {
            var attempt = reader
            guard let name = try? attempt.bytes(count: reason.rawValue.utf8.count),
                name.elementsEqual(reason.rawValue.utf8)
            else { continue }
            reader = attempt
            guard reader.skip(",notice=") else { return SMPBlockingInfo(reason: reason) }
            return SMPBlockingInfo(reason: reason, notice: String(decoding: reader.tail(), as: UTF8.self))
        }
        throw .invalidTag
    }
}

extension SMPErrorType: SMPCodable, CustomStringConvertible {
    package func encode(to writer: inout ByteWriter) {
        var error = ErrorWriter(isText: false)
        error.write(self)
        if let failure = error.out.failure { writer.fail(failure) }
        writer.raw(error.out.bytes)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        var parser = ErrorParser(reader, isText: false)
        self = try parser.smpError()
        reader = parser.reader
    }

    /// The textual form, for `errorStr` of the vectors and for agent errors.
    package var text: String {
        var error = ErrorWriter(isText: true)
        error.write(self)
        return String(decoding: error.out.bytes, as: UTF8.self)
    }

    package var description: String { text }

    package init(parsing text: String) throws(SMPEncodingError) {
        var parser = ErrorParser(ByteReader(Array(text.utf8)), isText: true)
        self = try parser.smpError()
        try parser.reader.finish()
    }
}

extension SMPBrokerError {
    /// The textual form, for agent errors.
    package var text: String {
        var error = ErrorWriter(isText: true)
        error.write(self)
        return String(decoding: error.out.bytes, as: UTF8.self)
    }
}

extension SMPTransportError: SMPCodable {
    package func encode(to writer: inout ByteWriter) {
        switch self {
        case .badBlock: writer.ascii("BLOCK")
        case .version: writer.ascii("VERSION")
        case .largeMsg: writer.ascii("LARGE_MSG")
        case .badSession: writer.ascii("SESSION")
        case .noServerAuth: writer.ascii("NO_AUTH")
        case .handshake(let error):
            writer.ascii("HANDSHAKE ")
            writer.raw(error.rawValue.utf8)
        }
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        switch String(decoding: reader.slice(until: UInt8(ascii: " ")), as: UTF8.self) {
        case "BLOCK": self = .badBlock
        case "VERSION": self = .version
        case "LARGE_MSG": self = .largeMsg
        case "SESSION": self = .badSession
        case "NO_AUTH": self = .noServerAuth
        case "HANDSHAKE":
            guard reader.skip(UInt8(ascii: " ")) else { throw .unexpectedEnd }
            let name = String(decoding: reader.slice(until: UInt8(ascii: " ")), as: UTF8.self)
            guard let error = SMPHandshakeError(rawValue: name) else { throw .invalidTag }
            self = .handshake(error)
        default: throw .invalidTag
        }
    }
}
