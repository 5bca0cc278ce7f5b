internal import JSON

/// The elements of one message body, parsed one by one: a part is decompressed, and a message parsed, only when it is requested.
///
/// The first byte determines the form of a body: `{` one message, `[` several, `=` several with their lengths (as newer programs may send them),
/// `>` one that is passed on, `X` compressed parts, anything else the binary form.
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
        case nil: [.broken(bytes, .empty)]
        case UInt8(ascii: "{"), UInt8(ascii: "["): messages(in: bytes)
        case UInt8(ascii: "="): batched(in: bytes)
        case UInt8(ascii: ">"): [forwarded(bytes)]
        default: [.chunk(bytes)]
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

    /// `=`, the number of elements, and each after a length of two bytes: a message, one that is passed on, or a chunk. Signed ones belong to
    /// groups with relays.
    private static func batched(in bytes: [UInt8]) -> ArraySlice<MessageElement.Source> {
        var rest = bytes.dropFirst()
        guard let count = rest.popFirst(), count > 0 else { return [.broken(bytes, .invalidBinary)] }
        var elements: ArraySlice<MessageElement.Source> = []
        for _ in 0..<count {
            guard let high = rest.popFirst(), let low = rest.popFirst() else { return [.broken(bytes, .invalidBinary)] }
            let length = Int(high) << 8 | Int(low)
            guard rest.count >= length else { return [.broken(bytes, .invalidBinary)] }
            let element = Array(rest.prefix(length))
            rest = rest.dropFirst(length)
            switch element.first {
            case nil: elements.append(.broken(element, .empty))
            case UInt8(ascii: "{"): elements.append(contentsOf: messages(in: element))
            case UInt8(ascii: ">"): elements.append(forwarded(element))
            default: elements.append(.chunk(element))
            }
        }
        return rest.isEmpty ? elements : [.broken(bytes, .invalidBinary)]
    }

    /// `>`, `M`, the id and the name of the member who has written the message, the seconds at which the server got it, and the message: the form in
    /// which newer admins pass messages on. It is read as `x.grp.msg.forward`.
    private static func forwarded(_ bytes: [UInt8]) -> MessageElement.Source {
        var rest = bytes.dropFirst()
        guard rest.popFirst() == UInt8(ascii: "M"), let id = shortBytes(&rest), let name = shortBytes(&rest), rest.count > 8 else {
            return .broken(bytes, .invalidBinary)
        }
        let seconds = rest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        rest = rest.dropFirst(8)
        guard rest.first == UInt8(ascii: "{"), let message = try? JSONValue(parsing: Array(rest), limits: .peer)
        else { return .broken(bytes, .invalidBinary) }
        let time = Timestamp(seconds: Int64(bitPattern: seconds))
        let forwarded = ForwardedMessage(
            author: MemberID(bytes: id), authorName: String(decoding: name, as: UTF8.self), sentAt: time.text, message: message)
        return .message(ChatMessage(versions: .initial, event: .group(.forward(forwarded))).json)
    }

    /// Up to 255 bytes after their number.
    private static func shortBytes(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard let length = rest.popFirst(), rest.count >= Int(length) else { return nil }
        defer { rest = rest.dropFirst(Int(length)) }
        return Array(rest.prefix(Int(length)))
    }
}

/// One element of a message body.
struct MessageElement: Sendable {
    enum Source: Sendable {
        case message(JSONValue)
        case chunk([UInt8])
        case broken([UInt8], ChatProtocolError)
    }

    private let source: Source
    let content: Result<MessageBody, ChatProtocolError>

    init(_ source: Source) {
        self.source = source
        content =
            switch source {
            case .message(let json): Result { () throws(ChatProtocolError) in .message(try ChatMessage(json: json)) }
            case .chunk(let bytes): Result { () throws(ChatProtocolError) in .chunk(try InlineFileChunk(bytes)) }
            case .broken(_, let error): .failure(error)
            }
    }

    /// The message as it came; nil for what is none.
    var json: JSONValue? { if case .message(let json) = source { json } else { nil } }

    /// The element as the only one of a body. JSON is encoded again.
    var bytes: [UInt8] {
        switch source {
        case .message(let json): json.encoded()
        case .chunk(let bytes), .broken(let bytes, _): bytes
        }
    }
}
