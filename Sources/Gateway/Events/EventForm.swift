/// The bytes in which events are told, the same on every transport.
enum EventForm {
    /// `{"id":…,"time":…,"userId":…,"event":{…}}`
    static func entry(_ event: Event, epoch: String, to out: inout [UInt8]) {
        out.append(contentsOf: "{\"id\":\"".utf8)
        out.append(contentsOf: cursor(epoch, event.seq).utf8)
        out.append(contentsOf: "\",\"time\":\"".utf8)
        out.append(contentsOf: event.time.utf8)
        out.append(UInt8(ascii: "\""))
        if let userId = event.userId { out.append(contentsOf: ",\"userId\":\(userId)".utf8) }
        out.append(contentsOf: ",\"event\":".utf8)
        out.append(contentsOf: event.json)
        out.append(UInt8(ascii: "}"))
    }

    static func entry(_ event: Event, epoch: String) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(event.json.count + 96)
        entry(event, epoch: epoch, to: &out)
        return out
    }

    /// The answer of a long poll: `{"events":[…],"cursor":…}`
    static func page(_ events: some Collection<Event>, cursor seq: UInt64, epoch: String) -> [UInt8] {
        var out = Array("{\"events\":[".utf8)
        var first = true
        for event in events {
            if !first { out.append(UInt8(ascii: ",")) }
            first = false
            entry(event, epoch: epoch, to: &out)
        }
        out.append(contentsOf: "],\"cursor\":\"\(cursor(epoch, seq))\"}".utf8)
        return out
    }

    /// What a reader is told who was slower than the journal keeps events; `oldest` is the cursor to go on from.
    static func gap(oldest: UInt64, epoch: String) -> [UInt8] {
        Array("{\"event\":{\"type\":\"gap\",\"oldest\":\"\(cursor(epoch, oldest &- 1))\"}}".utf8)
    }

    /// The last that a reader is told, where there is a reason to tell.
    static func end(_ type: String) -> [UInt8] { Array("{\"event\":{\"type\":\"\(type)\"}}".utf8) }

    static func cursor(_ epoch: String, _ seq: UInt64) -> String { "\(epoch)-\(seq)" }
}

/// Which events a reader gets: all, or those of one profile and those that are for everybody.
struct EventFilter: Sendable, Hashable {
    var userId: Int64?

    /// - Parameter unseen: users that are hidden and not active. A reader of all profiles sees nothing of them, as nothing else tells that they are
    ///   there; what happened is in the journal for it when one is shown again.
    func admits(_ event: Event, unseen: Set<Int64>) -> Bool {
        switch event.audience {
        case .everybody: true
        case .user(let user): userId.map { $0 == user } ?? !unseen.contains(user)
        case .unbound: userId == nil
        }
    }
}
