internal import ChatCore
internal import ChatStore

/// The events that are set aside after too many attempts, until the owner of the consumer decides about them.
extension ConsumerQueue {
    /// An event that is set aside after too many attempts, so that workers no longer get it.
    struct SetAsideEvent: Sendable {
        let seq: UInt64
        let attempts: Int
        /// The time at which the event was set aside, in milliseconds since 1970.
        let setAsideMilliseconds: Int64
        /// The entry as JSON; nil if the journal no longer has the event, or if the consumer may not see it now.
        let entryJSON: [UInt8]?
    }

    /// Returns a page of the events that are set aside, in the order of the journal.
    func listSetAside(_ page: PageRequest) async throws -> (events: [SetAsideEvent], ends: PageCursors) {
        let all = try await runAlone { place.state.withLock { Array($0.setAsideEntries.values) } }
        let (found, ends) = page.selectPage(of: all) { ListPlace(number: Int64(clamping: $0.seq)) }
        var events: [SetAsideEvent] = []
        for entry in found {
            let json = try await place.readEvent(entry.seq).map { EventForm.encodeEntry($0, epoch: source.epoch) }
            events.append(
                SetAsideEvent(
                    seq: entry.seq,
                    attempts: entry.attemptCount,
                    setAsideMilliseconds: entry.nextAttemptUnixMilliseconds,
                    entryJSON: json
                )
            )
        }
        return (events, ends)
    }

    /// Makes events that are set aside available to workers again. The attempts for these events are counted from zero.
    /// - Parameters:
    ///   - seqs: numbers of events; nil for all events that the journal still has.
    ///   - expired: makes the problem for an event that the journal no longer has.
    /// - Returns: the number of events that are available again.
    func retrySetAside(
        _ seqs: Set<UInt64>?,
        expired: @Sendable () -> ProblemDetails,
        keeping: @Sendable (Int) throws -> AnsweredRequest?
    ) async throws -> Int {
        defer { wake() }
        return try await runAlone {
            let oldest = source.oldestSeq
            var chosen = try findSetAside(seqs)
            if seqs != nil, chosen.contains(where: { $0.seq < oldest }) { throw expired() }
            chosen.removeAll { $0.seq < oldest }
            var chats: [UInt64: Set<EventChat>] = [:]
            for entry in chosen { chats[entry.seq] = try await place.readEvent(entry.seq)?.traits.value.chats ?? [] }
            let position = place.subscription.position
            let again = chosen.map { entry in
                SubscribedEntry(
                    seq: entry.seq,
                    // An entry after the consumer's position is handed out at its place in the journal. An earlier
                    // entry is stored as replayed, because the position has already passed it.
                    state: entry.seq > position ? .waiting : .replay,
                    firstAttempt: entry.firstAttemptMilliseconds
                )
            }
            var change = SubscriptionChange(place.subscription)
            change.entriesToStore = again
            change.answeredRequest = try keeping(again.count)
            try await commitChange(change) { [chats] state in
                for entry in again {
                    state.setAsideEntries[entry.seq] = nil
                    state.window.doneSeqs.remove(entry.seq)
                    guard entry.seq <= state.window.lastReadSeq else {
                        state.storedEntries[entry.seq] = entry
                        continue
                    }
                    state.window.insertEntry(
                        DeliveryWindow.Entry(
                            seq: entry.seq,
                            kind: entry.state == .replay ? .replay : .event,
                            chats: chats[entry.seq] ?? [],
                            firstAttemptMilliseconds: entry.firstAttemptMilliseconds
                        )
                    )
                }
            }
            return again.count
        }
    }

    /// Deletes events that are set aside. They are not handed out again.
    /// - Parameter seqs: numbers of events; nil for all events.
    func deleteSetAside(_ seqs: Set<UInt64>?) async throws {
        try await runAlone {
            let chosen = try findSetAside(seqs)
            guard !chosen.isEmpty else { return }
            var change = SubscriptionChange(place.subscription)
            change.markSetAsideAsDone(chosen)
            try await commitChange(change) { state in
                for entry in chosen { state.setAsideEntries[entry.seq] = nil }
            }
        }
    }

    private func findSetAside(_ seqs: Set<UInt64>?) throws(ProblemDetails) -> [SubscribedEntry] {
        let aside = place.state.withLock { $0.setAsideEntries }
        guard let seqs else { return Array(aside.values) }
        let chosen = seqs.compactMap { aside[$0] }
        guard chosen.count == seqs.count else {
            throw ProblemDetails(.notFound, "An event with one of these ids is not set aside.")
        }
        return chosen
    }
}
