internal import CZlib
internal import SimpleXCrypto

/// Compressed answers, for clients that ask for them (RFC 9110, section 8.4).
///
/// Compression next to encryption reveals something: how long an answer gets depends on how much of what an attacker has put into it is there
/// already (the BREACH attack). A contact can put text into a chat, and somebody on the way sees lengths. So
/// - only answers to GET are compressed: keys, tickets and links are shown when they are made, by other methods. An exception are the links of
///   invitations that nobody has used yet, in lists of chats and in states: they are random and used once, and an attacker would have to be a contact
///   who also makes the client read the list again and again;
/// - routes that hold secrets are never compressed (``Route/holdsSecrets``);
/// - each compressed answer has a name of random length in its header, so that a few bytes more or less are not seen in one answer, and take many
///   to be seen in the mean.
enum ContentCoding {
    /// Bytes of a content that is worth the work.
    static let least = 1024
    /// Fast: at a higher level it takes twice the time or more for a tenth less.
    private static let level: Int32 = 4
    /// Letters of the name.
    private static let longestName = 128

    /// - Returns: nil when the result is not smaller by a tenth at least.
    static func gzip(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= least else { return nil }
        let random = RandomBytes.make(count: 1).first ?? 0
        let name = [CChar](repeating: CChar(UInt8(ascii: "x")), count: Int(random) % longestName) + [0]
        let capacity = sxgw_gzip_bound(bytes.count)
        let packed = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = bytes.withUnsafeBytes { sxgw_gzip($0.baseAddress, $0.count, buffer.baseAddress, capacity, name, level) }
        }
        guard !packed.isEmpty, packed.count < bytes.count - bytes.count / 10 else { return nil }
        return packed
    }

    /// The contents of such an answer; nil for anything else, or when they are larger than `limit`.
    static func gunzip(_ packed: [UInt8], limit: Int) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = packed.withUnsafeBytes { sxgw_gunzip($0.baseAddress, $0.count, buffer.baseAddress, limit) }
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// A compressed content has another tag than the plain one: a weak one, since two compressions differ in the name in their header.
    static func compressedHeaders(_ headers: [(name: String, value: String)]) -> [(name: String, value: String)] {
        headers.map { header in
            guard header.name == "ETag", !header.value.hasPrefix("W/") else { return header }
            return (header.name, "W/" + header.value)
        } + [("Content-Encoding", "gzip")]
    }

    /// Whether a content of this type gets smaller.
    static func isWorthwhile(_ headers: [(name: String, value: String)]) -> Bool {
        guard let type = headers.first(where: { $0.name == "Content-Type" })?.value,
            !headers.contains(where: { $0.name == "Content-Encoding" || $0.name == "Content-Range" })
        else { return false }
        return type.hasPrefix("application/json") || type.hasPrefix("application/problem+json") || type.hasPrefix("text/") || type.hasPrefix("image/svg")
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

    /// Whether one of the tags of `If-None-Match` is this one. They are compared weakly (RFC 9110, section 13.1.2), so that the tag of a compressed
    /// answer is that of the plain one.
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
    /// The reply to a client that takes gzip: what is large enough is compressed, and not on the HTTP library's threads.
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
        case .prepared(let prepared): prepared.body.count >= ContentCoding.least && ContentCoding.isWorthwhile(prepared.headers)
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
            // What was counted is the plain content, which is not kept.
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
    /// Long polls are answered by threads that have others to answer.
    fileprivate func compressing() -> HTTPResponder {
        HTTPResponder { response in
            guard response.wantsCompression else { return respond(response) }
            Task { respond(response.packed()) }
        }
    }
}
