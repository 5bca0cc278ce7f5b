internal import ChatAPI
internal import ChatCore
internal import JSON

/// Common parts of scheduled messages and broadcasts.
extension RouteContext {
    /// The client, for requests about messages of the user in the path that are sent later.
    func plannedCaller() throws(ProblemDetails) -> PlannedCaller {
        guard let principal else { throw ProblemDetails(.unauthorized) }
        return PlannedCaller(userId: try id("userId"), keyId: principal.keyID, rights: principal.rights)
    }

    /// Reads the content of messages that are sent later.
    func plannedContent() throws(ProblemDetails) -> (body: RequestBody, content: PlannedContent) {
        let outgoing = try outgoing()
        let body = outgoing.body
        let content = PlannedContent(
            messages: try outgoing.messages(),
            ttl: try body.optional("ttl"),
            sendAsGroup: try body.optional("sendAsGroup") ?? false,
            sign: try body.optional("sign") ?? false
        )
        return (body, content)
    }

    /// Reads a page of a list whose entries have numbers.
    /// - Parameters:
    ///   - number: the number of an entry. The list begins with the least one.
    ///   - read: reads the part of the list. The place of the part is a number.
    func numbered<Entry>(
        _ page: PageRequest,
        by number: (Entry) -> Int64,
        _ read: (PlannedPart) async throws(ProblemDetails) -> [Entry]
    ) async throws(ProblemDetails) -> ([Entry], PageEnds) {
        let goesBack = page.cursor?.direction == .prev
        let part = PlannedPart(beside: page.cursor?.place.number, isBefore: goesBack, limit: page.limit + 1)
        let found = try await read(part)
        let goesOn = found.count > page.limit
        let entries = Array(goesBack ? found.suffix(page.limit) : found.prefix(page.limit))
        let ends = page.ends(
            entries.first.map { ListPlace(number: number($0)) },
            entries.last.map { ListPlace(number: number($0)) },
            hasPrev: goesBack ? goesOn : page.cursor != nil,
            hasNext: goesBack || goesOn
        )
        return (entries, ends)
    }
}

extension RequestBody {
    /// Reads the optional time of messages.
    func sendAt() throws(ProblemDetails) -> Timestamp? {
        guard let text: String = try optional("sendAt") else { return nil }
        guard let time = Timestamp(parsing: text) else {
            throw ProblemDetails(member: "sendAt", "must be a time in UTC, such as 2026-01-31T12:00:00Z.")
        }
        return time
    }
}

extension PlannedPart {
    /// The same part of a list that begins with the greatest number.
    var descending: PlannedPart {
        PlannedPart(beside: place.map { $0 == .min ? .max : -$0 }, isBefore: isBefore, limit: limit)
    }
}

enum PlannedParts {
    /// Runs a request to the core, and turns its errors into problems.
    static func asking<T>(_ body: () async throws -> T) async throws(ProblemDetails) -> T {
        do { return try await body() } catch let refusal as PlannedRefusal { throw ProblemDetails(refusal.error) } catch
        {
            throw error as? ProblemDetails ?? ProblemDetails(.unavailable, "The database does not answer.")
        }
    }

    /// Adds the members that scheduled messages and broadcasts have in common.
    static func describe(_ planned: PlannedMessage, _ object: inout JSONObject) {
        object["keyId"] = .string(planned.keyId)
        object["createdAt"] = .string(planned.createdAt.fullText)
        if let sendAt = planned.sendAt { object["sendAt"] = .string(sendAt.fullText) }
        guard let content = planned.content else { return }
        object["composedMessages"] = try? JSONEncoder().encodeValue(content.messages)
        if let ttl = content.ttl { object["ttl"] = .integer(ttl) }
        if content.sendAsGroup { object["sendAsGroup"] = true }
        if content.sign { object["sign"] = true }
    }

    /// Adds the chat and the result of a receiver.
    static func describe(_ receiver: PlannedReceiver, _ object: inout JSONObject) {
        object["state"] = .string(receiver.state.rawValue)
        if !receiver.itemIds.isEmpty { object["itemIds"] = .array(receiver.itemIds.map { .integer($0) }) }
        if let problem = receiver.problem { object["problem"] = PlannedParts.problem(problem) }
        if let doneAt = receiver.doneAt { object["doneAt"] = .string(doneAt.fullText) }
    }

    static func chat(_ chat: ChatRef) -> JSONValue {
        ["chatType": .string(chat.chatType.rawValue), "chatId": .integer(chat.chatId)]
    }

    /// Makes the problem of a receiver from the stored error.
    private static func problem(_ error: JSONValue) -> JSONValue {
        let inner = error["errorType"] ?? .null
        let (code, detail): (ProblemDetails.Code, String) =
            switch inner["type"]?.stringValue {
            case "accessDenied": (.forbidden, inner["reason"]?.stringValue ?? "")
            default:
                {
                    let tag = ChatErrorTag(error)
                    return (tag.code, tag.detail)
                }()
            }
        return ["code": .string(code.rawValue), "detail": .string(detail)]
    }
}
