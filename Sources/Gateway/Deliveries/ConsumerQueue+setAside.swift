internal import ChatCore
internal import ChatStore

/// The events that are set aside.
extension ConsumerQueue {
    /// An event that is set aside.
    struct SetAside: Sendable {
        let seq: UInt64
        let attempts: Int
        /// The time since which it is set aside, in milliseconds since 1970.
        let since: Int64
        /// The entry as JSON; nil if the journal no longer has the event, or if the consumer may not see it now.
        let entry: [UInt8]?
    }

    /// Returns a page of the events that are set aside, in the order of the journal.
    func setAside(_ page: PageRequest) async throws -> (events: [SetAside], ends: PageEnds) {
        let all = try await runAlone { place.state.withLock { Array($0.aside.values) } }
        let (found, ends) = page.page(of: all) { ListPlace(number: Int64(clamping: $0.seq)) }
        var events: [SetAside] = []
        for entry in found {
            let json = try await place.event(entry.seq).map { EventForm.entry($0, epoch: source.epoch) }
            events.append(
                SetAside(seq: entry.seq, attempts: entry.attempts, since: entry.nextAttempt, entry: json)
            )
        }
        return (events, ends)
    }

    /// Hands out events again that are set aside. Their attempts are counted from the beginning.
    /// - Parameters:
    ///   - seqs: numbers of events; nil for all events that the journal still has.
    ///   - expired: makes the problem for an event that the journal no longer has.
    /// - Returns: the number of events.
    func retry(
        _ seqs: Set<UInt64>?,
        expired: @Sendable () -> ProblemDetails,
        keeping: @Sendable (Int) throws -> AnsweredRequest?
    ) async throws -> Int {
        defer { wake() }
        return try await runAlone {
            let oldest = source.oldest
            var chosen = try chooseAside(seqs)
            if seqs != nil, chosen.contains(where: { $0.seq < oldest }) { throw expired() }
            chosen.removeAll { $0.seq < oldest }
            var chats: [UInt64: Set<EventChat>] = [:]
            for entry in chosen { chats[entry.seq] = try await place.event(entry.seq)?.traits.value.chats ?? [] }
            let position = place.subscription.position
            let again = chosen.map { entry in
                SubscribedEntry(
                    seq: entry.seq,
                    // An entry after the position is handed out at its place. Earlier entries are replayed.
                    state: entry.seq > position ? .waiting : .replay,
                    firstAttempt: entry.firstAttempt
                )
            }
            var change = SubscriptionChange(place.subscription)
            change.stored = again
            change.answered = try keeping(again.count)
            try await commit(change) { [chats] state in
                for entry in again {
                    state.aside[entry.seq] = nil
                    state.window.done.remove(entry.seq)
                    guard entry.seq <= state.window.scanned else {
                        state.noted[entry.seq] = entry
                        continue
                    }
                    state.window.insert(
                        DeliveryWindow.Entry(
                            seq: entry.seq,
                            kind: entry.state == .replay ? .replay : .event,
                            chats: chats[entry.seq] ?? [],
                            firstAttempt: entry.firstAttempt
                        )
                    )
                }
            }
            return again.count
        }
    }

    /// Deletes events that are set aside. They are not handed out again.
    /// - Parameter seqs: numbers of events; nil for all events.
    func deleteAside(_ seqs: Set<UInt64>?) async throws {
        try await runAlone {
            let chosen = try chooseAside(seqs)
            guard !chosen.isEmpty else { return }
            var change = SubscriptionChange(place.subscription)
            change.end(chosen)
            try await commit(change) { state in
                for entry in chosen { state.aside[entry.seq] = nil }
            }
        }
    }

    private func chooseAside(_ seqs: Set<UInt64>?) throws(ProblemDetails) -> [SubscribedEntry] {
        let aside = place.state.withLock { $0.aside }
        guard let seqs else { return Array(aside.values) }
        let chosen = seqs.compactMap { aside[$0] }
        guard chosen.count == seqs.count else {
            throw ProblemDetails(.notFound, "An event with one of these ids is not set aside.")
        }
        return chosen
    }
}
