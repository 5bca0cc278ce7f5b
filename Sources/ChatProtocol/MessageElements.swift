package import JSON

/// The elements of one message body. A compressed body consists of parts, and a part is decompressed only when its
/// first element is requested.
///
/// The first byte determines the form of a body:
/// - `{`: one message
/// - `/`: one message with signatures
/// - `>`: one forwarded message
/// - `[`: an array of messages
/// - `=`: a batch of elements of the forms `{`, `/` and `>`, and of chunks, each after its length
/// - `X`: compressed parts
/// - any other byte: a chunk of a file
package struct MessageElements: Sequence, IteratorProtocol {
    /// The maximum number of elements of a body. A binary batch stores the number of its elements in one byte. The
    /// arrays of simplex-chat have at most 15,602 bytes, which is too short for 255 messages with an id and a version.
    package static let maxElements = 255

    private var parts: ArraySlice<CompressedBody.Part> = []
    private var pendingSources: ArraySlice<MessageElement.Source> = []
    /// The number of bytes that have been decompressed so far.
    private(set) var decompressedBytes = 0

    package init(_ body: [UInt8]) {
        guard body.first == UInt8(ascii: "X") else {
            pendingSources = Self.parseSources(in: body)
            return
        }
        do throws(ChatProtocolError) { parts = try CompressedBody.parseParts(of: body)[...] } catch {
            pendingSources = [.broken(body, error)]
        }
    }

    /// Reads all elements of a body. A body with too many elements results in one error.
    package static func parseAll(of body: [UInt8]) -> [MessageElement] {
        var elements: [MessageElement] = []
        for element in MessageElements(body) {
            guard elements.count < maxElements else {
                return [MessageElement(.broken(body, .tooManyElements(limit: maxElements)))]
            }
            elements.append(element)
        }
        return elements
    }

    package mutating func next() -> MessageElement? {
        while true {
            if let source = pendingSources.popFirst() { return MessageElement(source) }
            guard let part = parts.popFirst() else { return nil }
            do throws(ChatProtocolError) {
                let bytes = try part.decompressed(limit: ChatMessageLimits.decompressedBodyBytes)
                decompressedBytes += bytes.count
                pendingSources = Self.parseSources(in: bytes)
            } catch {
                pendingSources = [.broken(part.bytes, error)]
            }
        }
    }

    private static func parseSources(in bytes: [UInt8]) -> ArraySlice<MessageElement.Source> {
        switch bytes.first {
        case UInt8(ascii: "["): return parseMessages(in: bytes)
        case UInt8(ascii: "="):
            do throws(ChatProtocolError) {
                return try BinaryBatch.parseElements(of: bytes).flatMap(parseElement)[...]
            } catch {
                return [.broken(bytes, error)]
            }
        default: return parseElement(bytes)[...]
        }
    }

    private static func parseMessages(in bytes: [UInt8]) -> ArraySlice<MessageElement.Source> {
        do throws(JSONError) {
            let json = try JSONValue(parsing: bytes, limits: .forPeerText)
            return (json.arrayValue ?? [json]).map { .message($0) }[...]
        } catch {
            return [.broken(bytes, .invalidJSON(reason: "\(error)"))]
        }
    }

    /// Reads an element that is a whole message body or belongs to a batch. The element is a message, a message with
    /// signatures, a forwarded message, or a chunk of a file.
    private static func parseElement(_ bytes: [UInt8]) -> [MessageElement.Source] {
        do throws(ChatProtocolError) {
            switch bytes.first {
            case nil: throw .empty
            case UInt8(ascii: "{"): return Array(parseMessages(in: bytes))
            case UInt8(ascii: "/"):
                let signed = try SignedMessage(bytes)
                do throws(JSONError) {
                    return [.signed(signed, try JSONValue(parsing: signed.body, limits: .forPeerText))]
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
package struct MessageElement: Sendable {
    package enum Source: Sendable {
        case message(JSONValue)
        case signed(SignedMessage, JSONValue)
        /// The bytes of the element, and the forwarded message that they contain.
        case forwarded([UInt8], ForwardedMessage)
        case chunk([UInt8])
        case broken([UInt8], ChatProtocolError)
    }

    private let source: Source
    package let content: Result<MessageBody, ChatProtocolError>

    package init(_ source: Source) {
        self.source = source
        content =
            switch source {
            case .message(let json), .signed(_, let json):
                Result { () throws(ChatProtocolError) in .message(try ChatMessage(json: json)) }
            case .forwarded(_, let forwarded):
                .success(.message(ChatMessage(versions: .initial, event: .group(.forward(forwarded)))))
            case .chunk(let bytes): Result { () throws(ChatProtocolError) in .chunk(try InlineFileChunk(bytes)) }
            case .broken(_, let error): .failure(error)
            }
    }

    /// The message as received; nil for a forwarded message, a chunk of a file, and a broken element.
    package var json: JSONValue? {
        switch source {
        case .message(let json), .signed(_, let json): json
        case .forwarded, .chunk, .broken: nil
        }
    }

    /// The element with its signatures; nil for an unsigned element.
    package var signedMessage: SignedMessage? { if case .signed(let signed, _) = source { signed } else { nil } }

    /// The bytes of the element as a separate message body. An unsigned JSON message is encoded again.
    package var bytes: [UInt8] {
        switch source {
        case .message(let json): json.encodeText()
        case .signed(let signed, _): signed.element
        case .forwarded(let bytes, _), .chunk(let bytes), .broken(let bytes, _): bytes
        }
    }
}
