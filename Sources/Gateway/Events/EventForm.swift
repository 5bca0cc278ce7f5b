internal import JSON

/// The encoding of events, which is the same for every transport.
enum EventForm {
    /// Appends the JSON of a journal entry to `out`: `{"id":…,"createdAt":…,"remoteHostId":…,"userId":…,"event":{…}}`
    static func encodeEntry(_ event: Event, epoch: String, to out: inout [UInt8]) {
        out.append(contentsOf: "{\"id\":\"".utf8)
        out.append(contentsOf: makeCursor(epoch, event.seq).utf8)
        out.append(contentsOf: "\",\"createdAt\":\"".utf8)
        out.append(contentsOf: event.time.utf8)
        out.append(UInt8(ascii: "\""))
        if let remoteHostId = event.remoteHostId { out.append(contentsOf: ",\"remoteHostId\":\(remoteHostId)".utf8) }
        if let userId = event.userId { out.append(contentsOf: ",\"userId\":\(userId)".utf8) }
        out.append(contentsOf: ",\"event\":".utf8)
        out.append(contentsOf: event.json)
        out.append(UInt8(ascii: "}"))
    }

    static func encodeEntry(_ event: Event, epoch: String) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(event.json.count + 96)
        encodeEntry(event, epoch: epoch, to: &out)
        return out
    }

    /// Encodes an entry for a stream that follows several documents.
    static func encodeEntry(_ event: Event, epoch: String, document: String) -> [UInt8] {
        var out = Array("{\"document\":".utf8) + JSONValue.string(document).encodeText() + [UInt8(ascii: ",")]
        out.append(contentsOf: encodeEntry(event, epoch: epoch).dropFirst())
        return out
    }

    /// Makes the event that reports that a document is followed. The event precedes the first change of the document.
    static func encodeFollowedEvent(_ document: String, cursor: String) -> [UInt8] {
        JSONValue.object(
            JSONObject([
                ("document", .string(document)), ("id", .string(cursor)), ("event", .object(["type": "followed"])),
            ])
        ).encodeText()
    }

    /// Makes the event that reports that a document is no longer followed, with the reason.
    static func encodeEndedEvent(_ document: String, _ problem: ProblemDetails) -> [UInt8] {
        let event = JSONObject([("type", "ended"), ("problem", problem.json)])
        return JSONValue.object(JSONObject([("document", .string(document)), ("event", .object(event))])).encodeText()
    }

    /// Makes the answer to a long poll: `{"events":[…],"cursor":…}`
    static func encodePage(_ events: some Collection<Event>, cursor seq: UInt64, epoch: String) -> [UInt8] {
        var out = Array("{\"events\":[".utf8)
        var first = true
        for event in events {
            if !first { out.append(UInt8(ascii: ",")) }
            first = false
            encodeEntry(event, epoch: epoch, to: &out)
        }
        out.append(contentsOf: "],\"cursor\":\"\(makeCursor(epoch, seq))\"}".utf8)
        return out
    }

    /// Makes the event for a reader whose next events the journal has deleted.
    /// - Parameter oldest: the sequence number of the oldest entry. The reader resumes before this entry.
    static func encodeGap(oldest: UInt64, epoch: String) -> [UInt8] {
        encodeGap(oldest: makeCursor(epoch, oldest &- 1))
    }

    /// Makes the event for a reader that has lost events.
    /// - Parameter oldest: the cursor from which the reader can go on; `nil` when the followed journal no longer
    ///   exists.
    static func encodeGap(oldest: String?) -> [UInt8] {
        let members: [(String, JSONValue)] = [("type", "gap")] + (oldest.map { [("oldest", .string($0))] } ?? [])
        return JSONValue.object(JSONObject([("event", .object(JSONObject(members)))])).encodeText()
    }

    /// Makes the event that moves the cursor of a reader past events that its filter refuses. Without this event, the
    /// reader's last cursor would expire at some time.
    static func encodePassedEvent(_ seq: UInt64, epoch: String) -> [UInt8] {
        Array("{\"id\":\"\(makeCursor(epoch, seq))\",\"event\":{\"type\":\"passed\"}}".utf8)
    }

    /// Makes the last event of a stream, with the reason for the end.
    static func encodeStreamEnd(_ type: String) -> [UInt8] { Array("{\"event\":{\"type\":\"\(type)\"}}".utf8) }

    static func makeCursor(_ epoch: String, _ seq: UInt64) -> String { "\(epoch)-\(seq)" }
}
