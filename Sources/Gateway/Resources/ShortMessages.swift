internal import ChatAPI
internal import JSON

/// Short forms of messages: `{"text": "hello"}`, and a body of the type `text/plain`.
extension RouteContext {
    /// Reads the body of a request that sends messages. A `text/plain` body is the text of one message.
    func decodeOutgoingBody() throws(ProblemDetails) -> OutgoingBody {
        guard try request.isPlainTextBody(), !request.body.isEmpty else { return OutgoingBody(try parseBody()) }
        guard let text = request.body.withBytes({ String(validating: $0, as: UTF8.self) }), !text.contains("\0") else {
            throw ProblemDetails(.malformedBody, "The body must be text in UTF-8.")
        }
        knownNames.setBodyMembers([])
        // The last line break comes from the file or pipe, and is not part of the message.
        let line = text.hasSuffix("\r\n") || text.hasSuffix("\n") ? String(text.dropLast()) : text
        return OutgoingBody(RequestBody(members: JSONObject(), knownNames: knownNames), text: line)
    }
}

/// The body of a request that sends messages.
struct OutgoingBody: Sendable {
    let body: RequestBody
    private let text: String?

    init(_ body: RequestBody, text: String? = nil) {
        self.body = body
        self.text = text
    }

    /// Reads the messages: `composedMessages` with at least one message, or only `text` with an optional
    /// `quotedItemId`.
    func decodeMessages() throws(ProblemDetails) -> [ComposedMessage] {
        var short = text
        if short == nil { short = try body.decodeIfPresent("text") }
        let quoted: Int64? = try body.decodeIfPresent("quotedItemId")
        guard let short else {
            guard quoted == nil else {
                throw ProblemDetails(
                    member: "quotedItemId",
                    "can be given only with text. In composedMessages each message has its own quotedItemId."
                )
            }
            guard body.readJSON("composedMessages") != nil else {
                throw ProblemDetails(.invalidValue, "composedMessages or text is missing.")
            }
            return try body.decodeMessages()
        }
        guard body.readJSON("composedMessages") == nil else {
            throw ProblemDetails(.invalidValue, "Only one of text and composedMessages can be given.")
        }
        guard !short.isEmpty else { throw ProblemDetails(member: "text", "is empty.") }
        return [ComposedMessage(quotedItemId: quoted, msgContent: .text(text: short), mentions: [:])]
    }
}
