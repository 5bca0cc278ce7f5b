internal import CZlib
internal import SimpleXCrypto

/// Compressed answers, for clients that ask for them (RFC 9110, section 8.4).
/// Compression together with encryption can reveal contents: the length of an answer depends on whether a text that an
/// attacker has put into it occurs in it already (the BREACH attack). A contact can put text into a chat, and an
/// observer of the network sees lengths. So
/// - only answers to GET are compressed: keys, tickets and links are shown when they are made, by other methods. An
///   exception are unused links of invitations in lists of chats and in states: these are random and used once, and the
///   attacker would have to be a contact who also makes the client read the list again and again;
/// - answers with lasting secrets are never compressed (``RoutePolicy/Answers``);
/// - each compressed answer, unless everybody gets it, has a name of random length in its header, so that one answer
///   does not show a difference of a few bytes, and an average needs many answers.
enum ContentCoding {
    /// Minimal number of bytes of a content that is compressed.
    static let least = 1024
    /// A fast level. A higher one takes twice the time or more, and saves a tenth.
    private static let level: Int32 = 4
    private static let highestLevel: Int32 = 9
    /// The name is shorter than this number of letters.
    private static let longestName = 128

    /// - Parameter isPublic: whether everybody gets these bytes, and the result is kept. It has no name, and the
    ///   highest level.
    /// - Returns: nil when the content is too small, or the result is not smaller by at least a tenth.
    static func gzip(_ bytes: [UInt8], isPublic: Bool = false) -> [UInt8]? {
        guard bytes.count >= least else { return nil }
        let random = isPublic ? 0 : RandomBytes.make(count: 1).first ?? 0
        let name = [CChar](repeating: CChar(UInt8(ascii: "x")), count: Int(random) % longestName) + [0]
        let level = isPublic ? highestLevel : Self.level
        let capacity = sxgw_gzip_bound(bytes.count)
        let packed = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = bytes.withUnsafeBytes {
                sxgw_gzip($0.baseAddress, $0.count, buffer.baseAddress, capacity, name, level)
            }
        }
        guard !packed.isEmpty, packed.count < bytes.count - bytes.count / 10 else { return nil }
        return packed
    }

    /// The contents of a compressed answer; nil for other bytes, or when the contents are larger than `limit`.
    static func gunzip(_ packed: [UInt8], limit: Int) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = packed.withUnsafeBytes { sxgw_gunzip($0.baseAddress, $0.count, buffer.baseAddress, limit) }
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// The header fields of the compressed content. Its tag is a weak one, since two compressions differ in the name in
    /// their header.
    static func compressedHeaders(_ headers: [(name: String, value: String)]) -> [(name: String, value: String)] {
        headers.map { header in
            guard header.name == "ETag", !header.value.hasPrefix("W/") else { return header }
            return (header.name, "W/" + header.value)
        } + [("Content-Encoding", "gzip")]
    }

    /// Whether a content of this type should be compressed.
    static func isWorthwhile(_ headers: [(name: String, value: String)]) -> Bool {
        guard let type = headers.first(where: { $0.name == "Content-Type" })?.value,
            !headers.contains(where: { $0.name == "Content-Encoding" || $0.name == "Content-Range" })
        else { return false }
        return type.hasPrefix("application/json") || type.hasPrefix("application/problem+json")
            || type.hasPrefix("text/") || type.hasPrefix("image/svg")
    }
}

extension HTTPRequest {
    /// Whether the client takes gzip (RFC 9110, section 12.5.3).
    var acceptsGzip: Bool {
        var star = false
        for (coding, isTaken) in choices("accept-encoding") where ["gzip", "x-gzip", "*"].contains(coding) {
            if coding != "*" { return isTaken }
            star = isTaken
        }
        return star
    }

    /// Whether `If-None-Match` contains this tag. Tags are compared weakly (RFC 9110, section 13.1.2), so that the tag
    /// of a compressed answer is equal to the plain one.
    func hasCurrent(_ tag: String) -> Bool {
        headers.contains { field in
            field.name == "if-none-match"
                && field.value.split(separator: ",").contains { part in
                    let one = part.trimmingSpaces
                    return one == "*" || one == tag || one == "W/" + tag
                }
        }
    }
}

extension HTTPReply {
    /// The reply to a GET request, compressed if the client accepts it. Answers with secrets stay as they are.
    func coded(for request: HTTPRequest, _ answers: RoutePolicy.Answers) -> HTTPReply {
        guard request.method == "GET", answers == .plain else { return self }
        return (request.acceptsGzip ? compressed() : self).map { response in
            var response = response
            response.headers.append(("Vary", "Accept-Encoding"))
            return response
        }
    }

    /// The reply to a client that accepts gzip. Large contents are compressed, but not on the HTTP library's threads.
    func compressed() -> HTTPReply {
        switch self {
        case .now(let response):
            guard response.wantsCompression else { return self }
            if case .prepared(let prepared) = response.content, prepared.isPacked { return .now(response.packed()) }
            return .later { response.packed() }
        case .later(let work):
            return .later {
                let response = await work()
                return response.wantsCompression ? response.packed() : response
            }
        case .deferred(let register):
            return .deferred { responder in register(responder.compressing()) }
        }
    }
}

extension HTTPResponse {
    fileprivate var wantsCompression: Bool {
        switch content {
        case .bytes(let bytes): bytes.count >= ContentCoding.least && ContentCoding.isWorthwhile(headers)
        case .prepared(let prepared):
            prepared.body.count >= ContentCoding.least && ContentCoding.isWorthwhile(prepared.headers)
        case .stream, .upgrade: false
        }
    }

    fileprivate func packed() -> HTTPResponse {
        var response = self
        switch content {
        case .bytes(let bytes):
            guard let packed = ContentCoding.gzip(bytes) else { return self }
            response.content = .bytes(packed)
            response.headers = ContentCoding.compressedHeaders(headers)
            // The share counts the plain content, which is not kept.
            response.share = nil
        case .prepared(let prepared):
            prepared.pack()
            guard let packed = prepared.compressed else { return self }
            response.content = .prepared(packed)
        case .stream, .upgrade: break
        }
        return response
    }
}

extension HTTPResponder {
    /// A responder that compresses on another thread, because the thread that answers a long poll must answer others
    /// too.
    fileprivate func compressing() -> HTTPResponder {
        HTTPResponder { response in
            guard response.wantsCompression else { return respond(response) }
            Task { respond(response.packed()) }
        }
    }
}
