import JSON

@testable import ChatCore

/// One client of a recording: our core, the events that it has emitted, and the recorded events that are still missing.
final class Participant {
    private(set) var core: Core
    /// Events of the recording that our core has not emitted yet.
    private(set) var expected: [JSONValue] = []
    /// Events of our core that the recording does not contain up to this step.
    private(set) var unexpected: [JSONValue] = []
    private var positions: [Int] = []
    private var latest: UInt64 = 0
    /// The user's items whose arrival was reported.
    private var arrived: Set<String> = []
    /// The user's items that were deleted afterwards.
    private var gone: Set<String> = []
    /// The events that our core emitted, in order, each with its position in the recording; by the name of the
    /// sequence.
    private var order: [String: [(position: Int, signature: String)]] = [:]

    init(_ core: Core) { self.core = core }

    /// Continues with a reopened core, whose journal can be older.
    func continueRun(with core: Core) {
        self.core = core
        latest = min(latest, core.controller.journal.latestSeq)
    }

    /// Skips the present entries of the journal, which another participant has reported.
    func skipToNow() { latest = core.controller.journal.latestSeq }

    func expect(_ event: JSONValue, at position: Int) {
        let parts = EventSignature.splitByElement(event)
        expected += parts
        positions += Array(repeating: position, count: parts.count)
    }

    /// Reads the new events of our core.
    /// - Returns: the pairs of equal recorded and own events.
    func matchNewEvents() async throws -> [(recorded: JSONValue, ours: JSONValue)] {
        while true {
            let entries = try await core.entries(after: latest, limit: 1000)
            guard let last = entries.last else { break }
            latest = last.cursor.seq
            for entry in entries {
                for event in EventSignature.splitByElement(try JSONValue(parsing: entry.eventJSON))
                where !EventSignature.isProgress(event["type"]?.stringValue) {
                    unexpected.append(event)
                    if Self.status(event) == "sndRcvd", let item = event["chatItems"]?[0] {
                        arrived.insert(EventSignature.label(of: item))
                    }
                    if let item = event["chatItemDeletions"]?[0]?["deletedChatItem"] {
                        gone.insert(EventSignature.label(of: item))
                    }
                }
            }
        }
        var pairs: [(recorded: JSONValue, ours: JSONValue)] = []
        var rest: [JSONValue] = []
        for event in unexpected {
            let signature = EventSignature.of(event)
            if let found = expected.firstIndex(where: { EventSignature.of($0) == signature }) {
                pairs.append((expected.remove(at: found), event))
                note(event, signature, at: positions.remove(at: found))
            } else {
                rest.append(event)
            }
        }
        unexpected = rest
        removeChangedPairs()
        let passed = expected.indices.filter { mayBeMissing(expected[$0]) }
        for index in passed.reversed() {
            expected.remove(at: index)
            positions.remove(at: index)
        }
        return pairs
    }

    /// Removes pairs of status events that differ only because a message was changed or deleted before or after the
    /// event. The order depends on the speed of the run.
    private func removeChangedPairs() {
        for index in expected.indices.reversed() where isAboutChangedMessage(expected[index]) {
            let status = Self.status(expected[index])
            guard let found = unexpected.firstIndex(where: { Self.status($0) == status }) else { continue }
            unexpected.remove(at: found)
            expected.remove(at: index)
            positions.remove(at: index)
        }
    }

    private static func status(_ event: JSONValue) -> String? {
        guard event["type"] == "chatItemsStatusesUpdated" else { return nil }
        return event["chatItems"]?[0]?["chatItem"]?["meta"]?["itemStatus"]?["type"]?.stringValue
    }

    private func isAboutChangedMessage(_ event: JSONValue) -> Bool {
        guard Self.status(event) != nil, let meta = event["chatItems"]?[0]?["chatItem"]?["meta"] else { return false }
        return meta["itemEdited"] == true || meta["itemDeleted"] != nil
    }

    /// Whether the event reports the sending of a message whose arrival was already reported, or the status of a
    /// message that has disappeared. Such events may be missing.
    func mayBeMissing(_ event: JSONValue) -> Bool {
        guard event["type"] == "chatItemsStatusesUpdated", let item = event["chatItems"]?[0] else { return false }
        let isSent = item["chatItem"]?["meta"]?["itemStatus"]?["type"] == "sndSent"
        let label = EventSignature.label(of: item)
        return isSent && (arrived.contains(label) || isAboutChangedMessage(event)) || gone.contains(label)
    }

    /// Stops waiting for events.
    /// - Returns: the events that were still missing.
    func stopWaiting() -> [JSONValue] {
        defer { (expected, positions) = ([], []) }
        return expected
    }

    private func note(_ event: JSONValue, _ signature: String, at position: Int) {
        guard let track = EventSignature.track(of: event) else { return }
        order[track, default: []].append((position, signature))
    }

    /// Returns the events that our core emitted in another order than the recording.
    var disorder: [String] {
        order.values.flatMap { events in
            zip(events, events.dropFirst()).filter { $0.position > $1.position }.map {
                "\($0.signature) before \($1.signature)"
            }
        }
    }
}
