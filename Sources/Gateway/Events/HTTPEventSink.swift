/// Writes events as Server-Sent Events or as lines of JSON.
struct HTTPEventSink: EventSink {
    enum Form: Sendable { case serverSent, lines }

    let stream: HTTPStream
    let outputForm: Form
    let epoch: String

    func deliverEvents(_ events: [Event]) -> Bool {
        var out: [UInt8] = []
        for event in events {
            if outputForm == .serverSent {
                out.append(contentsOf: "id: \(EventForm.makeCursor(epoch, event.seq))\ndata: ".utf8)
            }
            EventForm.encodeEntry(event, epoch: epoch, to: &out)
            out.append(contentsOf: outputForm == .serverSent ? "\n\n".utf8 : "\n".utf8)
        }
        return stream.writeBytes(out)
    }

    func reportGap(oldest: UInt64) {
        let json = EventForm.encodeGap(oldest: oldest, epoch: epoch)
        if outputForm == .lines {
            writeEvent("gap", json)
        } else {
            stream.writeBytes(HTTPEventSink.encodeServerSent("gap", json, id: EventForm.makeCursor(epoch, oldest &- 1)))
        }
    }

    /// Writes an entry of a journal or another event. Returns false when the output is full. Lines of JSON have neither
    /// `name` nor `id`.
    /// - Parameter name: the type of a Server-Sent Event; nil for an entry of a journal.
    func writeEntry(_ json: [UInt8], as name: String?, id: String) -> Bool {
        guard outputForm == .serverSent else { return stream.writeBytes(json + [UInt8(ascii: "\n")]) }
        return stream.writeBytes(HTTPEventSink.encodeServerSent(name, json, id: id))
    }

    /// Writes an event that is not an entry of the journal.
    private func writeEvent(_ name: String, _ json: [UInt8]) {
        stream.writeBytes(
            outputForm == .serverSent ? HTTPEventSink.encodeServerSent(name, json) : json + [UInt8(ascii: "\n")]
        )
    }

    /// Makes a Server-Sent Event.
    /// - Parameters:
    ///   - name: the type of the event; nil for an event that `onmessage` of a browser gets.
    ///   - id: the cursor from which an `EventSource` of a browser continues after an interruption.
    private static func encodeServerSent(_ name: String?, _ json: [UInt8], id: String? = nil) -> [UInt8] {
        let head = (name.map { "event: \($0)\n" } ?? "") + (id.map { "id: \($0)\n" } ?? "")
        return Array("\(head)data: ".utf8) + json + Array("\n\n".utf8)
    }

    /// Makes a complete stream with one `gap` event, for a reader whose cursor has expired. A response with status 410
    /// would not help: an `EventSource` hides the status from its script, and only reports that something failed.
    static func makeGapResponse(oldest: String?) -> HTTPResponse {
        HTTPResponse(
            headers: makeHeaders(.serverSent),
            content: .bytes(encodeServerSent("gap", EventForm.encodeGap(oldest: oldest), id: oldest))
        )
    }

    static func makeHeaders(_ form: Form) -> [(name: String, value: String)] {
        [
            ("Content-Type", form == .serverSent ? "text/event-stream" : "application/x-ndjson"),
            ("Cache-Control", "no-store"), ("X-Accel-Buffering", "no"),
        ]
    }

    /// Writes a heartbeat: the position `passed`, a comment or an empty line. If the client has disconnected, this
    /// write fails. For an `EventSource` of a browser, an id without data is no event, but becomes the cursor with
    /// which the client connects again.
    func sendHeartbeat(passed: UInt64?) {
        switch outputForm {
        case .serverSent:
            stream.writeBytes(
                Array((passed.map { "id: \(EventForm.makeCursor(epoch, $0))" } ?? ":").utf8) + Array("\n\n".utf8)
            )
        case .lines:
            stream.writeBytes(
                (passed.map { EventForm.encodePassedEvent($0, epoch: epoch) } ?? []) + [UInt8(ascii: "\n")]
            )
        }
    }

    func end(_ reason: StreamEnd) {
        if let type = reason.eventType { writeEvent(type, EventForm.encodeStreamEnd(type)) }
        stream.finish()
    }
}
