internal import CZlib
internal import SimpleXCrypto

/// Compression of answers for clients that accept it (RFC 9110, section 8.4).
///
/// Compression together with encryption can reveal contents: an answer becomes shorter if a text from an attacker
/// occurs in the rest of the answer (the BREACH attack). A contact can put text into a chat, and an observer of the
/// network sees the lengths of answers. So
/// - only answers to GET are compressed, and HEAD gets the same header fields. Keys, tickets and links are shown when
///   they are made, in answers to other methods. Unused invitation links in lists of chats and in states are an
///   exception. These links are random and used once. The attacker would have to be a contact who also makes the client
///   read the list again and again;
/// - answers with lasting secrets are never compressed (``RoutePolicy/Answers``);
/// - each compressed answer, except public content, has a file name of random length in its gzip header. So one answer
///   does not show a difference of a few bytes, and an attacker needs the average of many answers.
enum ContentCoding {
    /// Number of bytes below which content is not compressed, unless it is public.
    static let minBytes = 1024
    /// A fast level of compression. A higher level takes at least twice the time, and saves only a tenth of the bytes.
    private static let compressionLevel: Int32 = 4
    private static let highestCompressionLevel: Int32 = 9
    /// The file name in the gzip header has fewer letters than this number.
    private static let maxNameLength = 128

    /// Compresses content with gzip.
    /// - Parameter isPublic: whether all clients get the same bytes, which are compressed only once. Then the gzip
    ///   header has no file name, and the level is the highest.
    /// - Returns: nil when the content is too small, or when the compression saves less than a tenth.
    static func gzip(_ bytes: [UInt8], isPublic: Bool = false) -> [UInt8]? {
        guard isPublic || bytes.count >= minBytes else { return nil }
        let random = isPublic ? 0 : RandomBytes.make(count: 1).first ?? 0
        let name = [CChar](repeating: CChar(UInt8(ascii: "x")), count: Int(random) % maxNameLength) + [0]
        let level = isPublic ? highestCompressionLevel : Self.compressionLevel
        let capacity = sxgw_gzip_bound(bytes.count)
        let packed = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = bytes.withUnsafeBytes {
                sxgw_gzip($0.baseAddress, $0.count, buffer.baseAddress, capacity, name, level)
            }
        }
        guard !packed.isEmpty, packed.count < bytes.count - bytes.count / 10 else { return nil }
        return packed
    }

    /// Decompresses an answer. Returns nil for bytes that are no complete gzip, for empty content, and for content that
    /// is larger than `limit`.
    static func gunzip(_ packed: [UInt8], limit: Int) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = packed.withUnsafeBytes { sxgw_gunzip($0.baseAddress, $0.count, buffer.baseAddress, limit) }
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Returns the header fields of the compressed content. The `ETag` becomes weak, since the gzip header has a file
    /// name of random length, and so two compressions of the same content differ.
    static func makeCompressedHeaders(_ headers: [(name: String, value: String)]) -> [(name: String, value: String)] {
        headers.map { header in
            guard header.name == "ETag", !header.value.hasPrefix("W/") else { return header }
            return (header.name, "W/" + header.value)
        } + [("Content-Encoding", "gzip")]
    }

    /// Whether content of the type in the header fields should be compressed.
    static func isCompressible(_ headers: [(name: String, value: String)]) -> Bool {
        guard let type = headers.first(where: { $0.name == "Content-Type" })?.value,
            !headers.contains(where: { $0.name == "Content-Encoding" || $0.name == "Content-Range" })
        else { return false }
        return type.hasPrefix("application/json") || type.hasSuffix("+json")
            || type.hasPrefix("text/") || type.hasPrefix("image/svg")
    }
}

extension HTTPRequest {
    /// Whether the client accepts gzip (RFC 9110, section 12.5.3).
    var acceptsGzip: Bool {
        var star = false
        for (coding, isTaken) in parseHeaderPreferences("accept-encoding")
        where ["gzip", "x-gzip", "*"].contains(coding) {
            if coding != "*" { return isTaken }
            star = isTaken
        }
        return star
    }

    /// Whether `If-None-Match` contains a tag. The comparison is weak (RFC 9110, section 13.1.2), so the tag of a
    /// compressed answer equals the tag of the plain answer.
    func hasMatchingTag(_ tag: String) -> Bool {
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
    /// Returns the reply with compressed content. Large content is compressed outside of the HTTP library's threads.
    func compressed() -> HTTPReply {
        switch self {
        case .now(let response):
            guard response.shouldCompress else { return self }
            if case .prepared(let prepared) = response.content, prepared.isCompressionKnown {
                return .now(response.compressedIfPossible())
            }
            return .later { response.compressedIfPossible() }
        case .later(let work):
            return .later {
                let response = await work()
                return response.shouldCompress ? response.compressedIfPossible() : response
            }
        case .deferred(let register):
            return .deferred { responder in register(responder.compressing()) }
        }
    }
}

extension HTTPResponse {
    fileprivate var shouldCompress: Bool {
        switch content {
        case .bytes(let bytes): bytes.count >= ContentCoding.minBytes && ContentCoding.isCompressible(headers)
        case .prepared(let prepared):
            (prepared.isPublic || prepared.body.count >= ContentCoding.minBytes)
                && ContentCoding.isCompressible(prepared.headers)
        case .stream, .upgrade: false
        }
    }

    fileprivate func compressedIfPossible() -> HTTPResponse {
        var response = self
        switch content {
        case .bytes(let bytes):
            guard let packed = ContentCoding.gzip(bytes) else { return self }
            response.content = .bytes(packed)
            response.headers = ContentCoding.makeCompressedHeaders(headers)
            // The plain content is no longer kept, so its share of the memory limit is given back.
            response.memoryShare = nil
        case .prepared(let prepared):
            prepared.compress()
            guard let packed = prepared.compressed else { return self }
            response.content = .prepared(packed)
        case .stream, .upgrade: break
        }
        return response
    }
}

extension HTTPResponder {
    /// Makes a responder that compresses the answer in a task of its own. Compression must not block the calling
    /// thread, because a thread that answers a long poll must answer other requests too.
    fileprivate func compressing() -> HTTPResponder {
        HTTPResponder { response in
            guard response.shouldCompress else { return respond(response) }
            Task { respond(response.compressedIfPossible()) }
        }
    }
}
