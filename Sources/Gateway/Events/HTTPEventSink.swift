/// Events as Server-Sent Events or as lines of JSON.
struct HTTPEventSink: EventSink {
    enum Form: Sendable { case serverSent, lines }

    let stream: HTTPStream
    let form: Form
    let epoch: String

    func deliver(_ events: [Event]) -> Bool {
        var out: [UInt8] = []
        for event in events {
            if form == .serverSent {
                out.append(contentsOf: "id: \(EventForm.cursor(epoch, event.seq))\ndata: ".utf8)
            }
            EventForm.entry(event, epoch: epoch, to: &out)
            out.append(contentsOf: form == .serverSent ? "\n\n".utf8 : "\n".utf8)
        }
        return stream.write(out)
    }

    func gap(oldest: UInt64) {
        write("gap", EventForm.gap(oldest: oldest, epoch: epoch))
    }

    /// Writes an event that is not an entry of the journal.
    private func write(_ name: String, _ json: [UInt8]) {
        var out: [UInt8] = form == .serverSent ? Array("event: \(name)\ndata: ".utf8) : []
        out.append(contentsOf: json)
        out.append(contentsOf: form == .serverSent ? "\n\n".utf8 : "\n".utf8)
        stream.write(out)
    }

    /// A comment, or an empty line; it also finds out whether the client is still there.
    func heartbeat() {
        stream.write(form == .serverSent ? Array(":\n\n".utf8) : [UInt8(ascii: "\n")])
    }

    func end(_ reason: StreamEnd) {
        if let type = reason.eventType { write(type, EventForm.end(type)) }
        stream.finish()
    }
}
