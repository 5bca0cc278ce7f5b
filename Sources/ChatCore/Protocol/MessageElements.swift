internal import JSON

/// The elements of one message body, parsed one by one: a part is decompressed, and a message parsed, only when it is requested.
///
/// The first byte determines the form of a body: `{` one message, `/` one with signatures, `>` one that is passed on, `[` several, `=` several of
/// any of these with their lengths, `X` compressed parts, anything else a chunk of a file.
struct MessageElements: Sequence, IteratorProtocol {
    /// How many elements a body may have. The count of the binary form is one byte, and fewer messages with an id and a version fit an array of
    /// 15,602 bytes, the most that the original puts into a batch.
    static let limit = 255

    private var parts: ArraySlice<CompressedBody.Part> = []
    private var waiting: ArraySlice<MessageElement.Source> = []
    /// The number of bytes decompressed so far.
    private(set) var decompressedBytes = 0

    init(_ body: [UInt8]) {
        guard body.first == UInt8(ascii: "X") else {
            waiting = Self.sources(in: body)
            return
        }
        do throws(ChatProtocolError) { parts = try CompressedBody.parts(of: body)[...] } catch { waiting = [.broken(body, error)] }
    }

    /// All elements of a body, or one error for a body that has too many.
    static func all(of body: [UInt8]) -> [MessageElement] {
        var elements: [MessageElement] = []
        for element in MessageElements(body) {
            guard elements.count < limit else { return [MessageElement(.broken(body, .tooManyElements(limit: limit)))] }
            elements.append(element)
        }
        return elements
    }

    mutating func next() -> MessageElement? {
        while true {
            if let source = waiting.popFirst() { return MessageElement(source) }
            guard let part = parts.popFirst() else { return nil }
            do throws(ChatProtocolError) {
                let bytes = try part.decompressed(limit: ChatMessageLimits.decompressed)
                decompressedBytes += bytes.count
                waiting = Self.sources(in: bytes)
            } catch {
                waiting = [.broken(part.bytes, error)]
            }
        }
    }

    private static func sources(in bytes: [UInt8]) -> ArraySlice<MessageElement.Source> {
        switch bytes.first {
        case UInt8(ascii: "["): return messages(in: bytes)
        case UInt8(ascii: "="):
            do throws(ChatProtocolError) {
                return try BinaryBatch.elements(of: bytes).flatMap(element)[...]
            } catch {
                return [.broken(bytes, error)]
            }
        default: return element(bytes)[...]
        }
    }

    private static func messages(in bytes: [UInt8]) -> ArraySlice<MessageElement.Source> {
        do throws(JSONError) {
            let json = try JSONValue(parsing: bytes, limits: .peer)
            return (json.arrayValue ?? [json]).map { .message($0) }[...]
        } catch {
            return [.broken(bytes, .invalidJSON(reason: "\(error)"))]
        }
    }

    /// What stands alone in a body, or is a part of a batch: a message, one with signatures, one that is passed on, or a chunk of a file.
    private static func element(_ bytes: [UInt8]) -> [MessageElement.Source] {
        do throws(ChatProtocolError) {
            switch bytes.first {
            case nil: throw .empty
            case UInt8(ascii: "{"): return Array(messages(in: bytes))
            case UInt8(ascii: "/"):
                let signed = try SignedMessage(bytes)
                do throws(JSONError) {
                    return [.signed(signed, try JSONValue(parsing: signed.body, limits: .peer))]
                } catch {
                    throw .invalidJSON(reason: "\(error)")
                }
            case UInt8(ascii: ">"): return [.forwarded(bytes, try ForwardedMessage(bytes))]
            default: return [.chunk(bytes)]
            }
        } catch {
            return [.broken(bytes, error)]
        }
    }
}

/// One element of a message body.
struct MessageElement: Sendable {
    enum Source: Sendable {
        case message(JSONValue)
        case signed(SignedMessage, JSONValue)
        /// The element, and what is in it.
        case forwarded([UInt8], ForwardedMessage)
        case chunk([UInt8])
        case broken([UInt8], ChatProtocolError)
    }

    private let source: Source
    let content: Result<MessageBody, ChatProtocolError>

    init(_ source: Source) {
        self.source = source
        content =
            switch source {
            case .message(let json), .signed(_, let json): Result { () throws(ChatProtocolError) in .message(try ChatMessage(json: json)) }
            case .forwarded(_, let forwarded): .success(.message(ChatMessage(versions: .initial, event: .group(.forward(forwarded)))))
            case .chunk(let bytes): Result { () throws(ChatProtocolError) in .chunk(try InlineFileChunk(bytes)) }
            case .broken(_, let error): .failure(error)
            }
    }

    /// The message as it came; nil for what is none.
    var json: JSONValue? {
        switch source {
        case .message(let json), .signed(_, let json): json
        case .forwarded, .chunk, .broken: nil
        }
    }

    /// The signatures of who has sent it.
    var signed: SignedMessage? { if case .signed(let signed, _) = source { signed } else { nil } }

    /// The element as the only one of a body. JSON is encoded again.
    var bytes: [UInt8] {
        switch source {
        case .message(let json): json.encoded()
        case .signed(let signed, _): signed.element
        case .forwarded(let bytes, _), .chunk(let bytes), .broken(let bytes, _): bytes
        }
    }
}
