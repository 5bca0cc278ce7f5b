import JSON

@testable import ChatCore

/// One client of a recording: our core, the events that it has emitted, and the recorded events that are still missing.
final class Participant {
    private(set) var core: Core
    /// Events of the recording that our core has not emitted yet.
    private(set) var expectedEvents: [JSONValue] = []
    /// Events of our core that the recording does not contain up to this step.
    private(set) var unexpectedEvents: [JSONValue] = []
    private var expectedPositions: [Int] = []
    private var latestSeq: UInt64 = 0
    /// The user's items whose arrival was reported.
    private var deliveredItems: Set<String> = []
    /// The user's items that were deleted afterwards.
    private var deletedItems: Set<String> = []
    /// The events that our core emitted, by the name of their sequence. The events of a sequence are in order, each
    /// with its position in the recording.
    private var emittedEvents: [String: [(position: Int, signature: String)]] = [:]

    init(_ core: Core) { self.core = core }

    /// Continues with a reopened core, whose journal can be older.
    func continueRun(with core: Core) {
        self.core = core
        latestSeq = min(latestSeq, core.controller.journal.latestSeq)
    }

    /// Skips the present entries of the journal, which another participant has reported.
    func skipToNow() { latestSeq = core.controller.journal.latestSeq }

    func expectEvent(_ event: JSONValue, at position: Int) {
        let parts = EventSignature.splitByElement(event)
        expectedEvents += parts
        expectedPositions += Array(repeating: position, count: parts.count)
    }

    /// Reads the new events of our core.
    /// - Returns: the pairs of equal recorded and own events.
    func matchNewEvents() async throws -> [(recorded: JSONValue, ours: JSONValue)] {
        while true {
            let entries = try await core.entries(after: latestSeq, limit: 1000)
            guard let last = entries.last else { break }
            latestSeq = last.cursor.seq
            for entry in entries {
                for event in EventSignature.splitByElement(try JSONValue(parsing: entry.eventJSON))
                where !EventSignature.isProgress(event["type"]?.stringValue) {
                    unexpectedEvents.append(event)
                    if Self.itemStatus(event) == "sndRcvd", let item = event["chatItems"]?[0] {
                        deliveredItems.insert(EventSignature.elementLabel(of: item))
                    }
                    if let item = event["chatItemDeletions"]?[0]?["deletedChatItem"] {
                        deletedItems.insert(EventSignature.elementLabel(of: item))
                    }
                }
            }
        }
        var pairs: [(recorded: JSONValue, ours: JSONValue)] = []
        var rest: [JSONValue] = []
        for event in unexpectedEvents {
            let signature = EventSignature.signature(event)
            if let found = expectedEvents.firstIndex(where: { EventSignature.signature($0) == signature }) {
                pairs.append((expectedEvents.remove(at: found), event))
                recordEmission(event, signature, at: expectedPositions.remove(at: found))
            } else {
                rest.append(event)
            }
        }
        unexpectedEvents = rest
        removeChangedPairs()
        let passed = expectedEvents.indices.filter { mayBeMissing(expectedEvents[$0]) }
        for index in passed.reversed() {
            expectedEvents.remove(at: index)
            expectedPositions.remove(at: index)
        }
        return pairs
    }

    /// Removes pairs of status events that differ only because a message was changed or deleted before or after the
    /// event. The order depends on the speed of the run.
    private func removeChangedPairs() {
        for index in expectedEvents.indices.reversed() where isAboutChangedMessage(expectedEvents[index]) {
            let status = Self.itemStatus(expectedEvents[index])
            guard let found = unexpectedEvents.firstIndex(where: { Self.itemStatus($0) == status }) else { continue }
            unexpectedEvents.remove(at: found)
            expectedEvents.remove(at: index)
            expectedPositions.remove(at: index)
        }
    }

    private static func itemStatus(_ event: JSONValue) -> String? {
        guard event["type"] == "chatItemsStatusesUpdated" else { return nil }
        return event["chatItems"]?[0]?["chatItem"]?["meta"]?["itemStatus"]?["type"]?.stringValue
    }

    private func isAboutChangedMessage(_ event: JSONValue) -> Bool {
        guard Self.itemStatus(event) != nil, let meta = event["chatItems"]?[0]?["chatItem"]?["meta"] else {
            return false
        }
        return meta["itemEdited"] == true || meta["itemDeleted"] != nil
    }

    /// Whether the event reports the sending of a message whose arrival was already reported, or the status of a
    /// message that has disappeared. Such events may be missing.
    func mayBeMissing(_ event: JSONValue) -> Bool {
        guard event["type"] == "chatItemsStatusesUpdated", let item = event["chatItems"]?[0] else { return false }
        let isSent = item["chatItem"]?["meta"]?["itemStatus"]?["type"] == "sndSent"
        let label = EventSignature.elementLabel(of: item)
        return isSent && (deliveredItems.contains(label) || isAboutChangedMessage(event))
            || deletedItems.contains(label)
    }

    /// Stops waiting for events.
    /// - Returns: the events that were still missing.
    func stopWaiting() -> [JSONValue] {
        defer { (expectedEvents, expectedPositions) = ([], []) }
        return expectedEvents
    }

    private func recordEmission(_ event: JSONValue, _ signature: String, at position: Int) {
        guard let track = EventSignature.sequenceName(of: event) else { return }
        emittedEvents[track, default: []].append((position, signature))
    }

    /// Returns the events that our core emitted in another order than the recording.
    var disorderedEvents: [String] {
        emittedEvents.values.flatMap { events in
            zip(events, events.dropFirst()).filter { $0.position > $1.position }.map {
                "\($0.signature) before \($1.signature)"
            }
        }
    }
}
