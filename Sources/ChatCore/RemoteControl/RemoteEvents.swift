internal import ChatStore
internal import Concurrency
import Synchronization

/// The events for a controller: the events in the journal since the beginning of the session, returned one at a time.
final class RemoteEvents: Sendable {
    private let journal: EventJournal
    /// The signal for new entries of the journal.
    let journalEntrySignal = WakeSignal()
    private let lastReadSeq: Mutex<UInt64>
    private let readLock = AsyncLock()

    init(_ journal: EventJournal) {
        self.journal = journal
        lastReadSeq = Mutex(journal.latestSeq)
    }

    /// The beginnings of the JSON texts of events about this device's own remote sessions. These events are not sent to
    /// the controller.
    private static let localEventPrefixes = [
        "remoteCtrlFound", "remoteCtrlSessionCode", "remoteCtrlStopped", "remoteCtrlConnected", "remoteHostSessionCode",
        "newRemoteHost", "remoteHostConnected",
        "remoteHostStopped",
    ].map { Array(#"{"type":"\#($0)""#.utf8) }

    /// Returns the next event; nil if no event arrived within the time, or if the caller was cancelled.
    func waitForNextEvent(within timeout: Duration) async -> [UInt8]? {
        let end = ContinuousClock.now + timeout
        return await readLock.runLocked {
            let timer = Task { [journalEntrySignal] in
                try await Task.sleep(until: end)
                journalEntrySignal.wake()
            }
            defer { timer.cancel() }
            while !Task.isCancelled {
                if let event = await readNextEvent() { return event }
                guard ContinuousClock.now < end, await journalEntrySignal.waitForSignal() else { return nil }
            }
            return nil
        }
    }

    private func readNextEvent() async -> [UInt8]? {
        while true {
            let (after, latest) = (lastReadSeq.withLock { $0 }, journal.latestSeq)
            guard after < latest else { return nil }
            guard let entries = try? await journal.readEntries(after: after, limit: 100) else { return nil }
            // Entries that were deleted before they were read are skipped.
            guard !entries.isEmpty else {
                lastReadSeq.withLock { $0 = latest }
                continue
            }
            for entry in entries {
                lastReadSeq.withLock { $0 = entry.cursor.seq }
                if let user = entry.userId, journal.inactiveHiddenUsers.contains(user) { continue }
                if Self.localEventPrefixes.contains(where: { entry.eventJSON.starts(with: $0) }) { continue }
                return entry.eventJSON
            }
        }
    }
}
