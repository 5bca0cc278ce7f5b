internal import ChatCore
internal import ChatStore

extension SubscriptionPlace.State {
    /// Returns the entry of an id, if it is not done and not set aside.
    func entry(_ id: HandoutID) -> DeliveryWindow.Entry? {
        if let entry = window.entries.first(where: id.names) { return entry }
        // An entry may have been handed out before a restart, and may not have been read again since. Then only the
        // stored state is known.
        guard !id.isGap, let entry = noted[id.seq] else { return nil }
        return DeliveryWindow.Entry(
            seq: entry.seq,
            kind: .event,
            chats: [],
            attempts: entry.attempts,
            firstAttempt: entry.firstAttempt,
            due: entry.nextAttempt,
            isRunning: entry.state == .out
        )
    }

    /// Whether an entry that was handed out is acknowledged, or was deleted from the entries that are set aside.
    func isDone(_ id: HandoutID) -> Bool {
        id.seq <= subscription.position || window.done.contains(id.seq)
    }

    /// Applies the stored change by which entries are set aside.
    mutating func setAside(_ entries: [DeliveryWindow.Entry], _ change: SubscriptionChange) {
        forget(entries)
        let seqs = Set(entries.map(\.seq))
        for row in change.stored where row.state == .aside && seqs.contains(row.seq) { aside[row.seq] = row }
        for seq in seqs { noted[seq] = nil }
    }
}

extension SubscriptionChange {
    /// Sets entries aside that ``SubscriptionPlace/State/end(of:)`` has ended.
    mutating func setAside(_ entries: [DeliveryWindow.Entry], at now: Int64) {
        let seqs = Set(entries.map(\.seq))
        stored.removeAll { seqs.contains($0.seq) }
        removed.removeAll { seqs.contains($0.seq) }
        stored += entries.map { entry in
            SubscribedEntry(
                seq: entry.seq,
                state: .aside,
                attempts: entry.attempts,
                firstAttempt: entry.firstAttempt,
                nextAttempt: now
            )
        }
    }

    /// Ends entries that were set aside.
    mutating func end(_ aside: [SubscribedEntry]) {
        for entry in aside {
            if entry.seq > subscription.position {
                stored.append(SubscribedEntry(seq: entry.seq, state: .done))
            } else {
                removed.append(entry)
            }
        }
    }
}

extension SubscribedEntry {
    /// The row of an entry of a consumer.
    init(_ entry: DeliveryWindow.Entry) {
        let state: State =
            switch entry.kind {
            case .gap: .gap
            case .event: entry.isRunning ? .out : .waiting
            case .replay: entry.isRunning ? .out : .replay
            }
        self.init(
            seq: entry.seq,
            state: state,
            attempts: entry.attempts,
            firstAttempt: entry.firstAttempt,
            nextAttempt: entry.due
        )
    }
}
