internal import JSON

/// What one agent message carries: chat messages as JSON, or a chunk of a file that is sent inside messages.
enum MessageBody: Sendable, Hashable {
    case message(ChatMessage)
    case chunk(InlineFileChunk)

    /// All parts of a message body in their order; a part that cannot be read is an error of its own and does not spoil the others.
    ///
    /// The first byte decides: `{` one message, `[` several, `=` several with their lengths (as newer programs may send them), `X` compressed parts,
    /// anything else the binary form.
    static func parse(_ body: [UInt8]) -> [Result<MessageBody, ChatProtocolError>] {
        switch body.first {
        case nil: [.failure(.empty)]
        case UInt8(ascii: "{"), UInt8(ascii: "["): parseJSON(body)
        case UInt8(ascii: "="): parseBatch(body)
        case UInt8(ascii: "X"): parseCompressed(body)
        default:
            [Result { () throws(ChatProtocolError) in .chunk(try InlineFileChunk(body)) }]
        }
    }

    /// `=`, the number of parts, and each after a length of two bytes: a message or a chunk. Signed and forwarded parts belong to groups.
    private static func parseBatch(_ body: [UInt8]) -> [Result<MessageBody, ChatProtocolError>] {
        var rest = body.dropFirst()
        guard let count = rest.popFirst(), count > 0 else { return [.failure(.invalidBinary)] }
        var parts: [[UInt8]] = []
        for _ in 0..<count {
            guard let high = rest.popFirst(), let low = rest.popFirst() else { return [.failure(.invalidBinary)] }
            let length = Int(high) << 8 | Int(low)
            guard rest.count >= length else { return [.failure(.invalidBinary)] }
            parts.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        guard rest.isEmpty else { return [.failure(.invalidBinary)] }
        return parts.flatMap { part -> [Result<MessageBody, ChatProtocolError>] in
            switch part.first {
            case nil: [.failure(.empty)]
            case UInt8(ascii: "{"), UInt8(ascii: "F"): parse(part)
            default: [.failure(.invalidBinary)]
            }
        }
    }

    private static func parseCompressed(_ body: [UInt8]) -> [Result<MessageBody, ChatProtocolError>] {
        do throws(ChatProtocolError) {
            return try CompressedBody.parts(of: body).flatMap { part -> [Result<MessageBody, ChatProtocolError>] in
                do throws(ChatProtocolError) {
                    let json = try part.decompressed(limit: ChatMessageLimits.decompressed)
                    switch json.first {
                    case UInt8(ascii: "{"), UInt8(ascii: "["): return parseJSON(json)
                    case UInt8(ascii: "="): return parseBatch(json)
                    case nil: return [.failure(.empty)]
                    default: return [.failure(.invalidBinary)]
                    }
                } catch {
                    return [.failure(error)]
                }
            }
        } catch {
            return [.failure(error)]
        }
    }

    private static func parseJSON(_ bytes: [UInt8]) -> [Result<MessageBody, ChatProtocolError>] {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONValue(parsing: bytes)
        } catch {
            return [.failure(.invalidJSON(reason: "\(error)"))]
        }
        let items = json.arrayValue ?? [json]
        return items.map { item in
            Result { () throws(ChatProtocolError) in .message(try ChatMessage(json: item)) }
        }
    }
}

/// A chunk of a small file that travels inside messages: `F`, then nothing where an id could be, the file's message id, the number of
/// the chunk and its bytes. Number 0 without bytes cancels the file.
struct InlineFileChunk: Sendable, Hashable {
    var messageID: SharedMessageID
    /// From 1; nil cancels.
    var number: UInt8?
    var bytes: [UInt8]

    init(_ body: [UInt8]) throws(ChatProtocolError) {
        var rest = body[...]
        guard rest.popFirst() == UInt8(ascii: "F") else { throw .invalidBinary }
        _ = try Self.shortBytes(&rest)
        messageID = SharedMessageID(bytes: try Self.shortBytes(&rest))
        guard let number = rest.popFirst() else { throw .invalidBinary }
        self.number = number == 0 ? nil : number
        bytes = Array(rest)
    }

    private static func shortBytes(_ rest: inout ArraySlice<UInt8>) throws(ChatProtocolError) -> [UInt8] {
        guard let length = rest.popFirst(), rest.count >= Int(length) else { throw .invalidBinary }
        let bytes = Array(rest.prefix(Int(length)))
        rest = rest.dropFirst(Int(length))
        return bytes
    }
}
