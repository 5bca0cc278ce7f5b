internal import ChatCore
internal import ChatStore

extension SubscriptionProgress.State {
    /// Returns the entry to which a handout belongs; nil when the entry is done or set aside.
    func findEntry(_ id: HandoutID) -> DeliveryWindow.Entry? {
        if let entry = window.entries.first(where: id.matches) { return entry }
        // An entry may have been handed out before a restart, and may not have been read again since. Then only the
        // stored state is known.
        guard !id.isGap, let entry = storedEntries[id.seq] else { return nil }
        return DeliveryWindow.Entry(
            seq: entry.seq,
            kind: .event,
            chats: [],
            attempts: entry.attemptCount,
            firstAttemptMilliseconds: entry.firstAttemptMilliseconds,
            dueMilliseconds: entry.nextAttemptUnixMilliseconds,
            isRunning: entry.state == .handedOut
        )
    }

    /// Whether the entry of a handout is done. Either it was acknowledged, or it was set aside and then deleted.
    func isDone(_ id: HandoutID) -> Bool {
        id.seq <= subscription.position || window.doneSeqs.contains(id.seq)
    }

    /// Sets entries aside in memory, after the change was stored.
    mutating func applySetAside(_ entries: [DeliveryWindow.Entry], _ change: SubscriptionChange) {
        removeDoneEntries(entries)
        let seqs = Set(entries.map(\.seq))
        for row in change.entriesToStore where row.state == .setAside && seqs.contains(row.seq) {
            setAsideEntries[row.seq] = row
        }
        for seq in seqs { storedEntries[seq] = nil }
    }
}

extension SubscriptionChange {
    /// Sets entries aside, as a part of this change. Until now, the change marks these entries as done; see
    /// ``SubscriptionProgress/State/makeDoneChange(of:)``.
    mutating func setAside(_ entries: [DeliveryWindow.Entry], at now: Int64) {
        let seqs = Set(entries.map(\.seq))
        entriesToStore.removeAll { seqs.contains($0.seq) }
        entriesToRemove.removeAll { seqs.contains($0.seq) }
        entriesToStore += entries.map { entry in
            SubscribedEntry(
                seq: entry.seq,
                state: .setAside,
                attempts: entry.attempts,
                firstAttempt: entry.firstAttemptMilliseconds,
                nextAttempt: now
            )
        }
    }

    /// Marks entries that are set aside as done, as a part of this change.
    mutating func markSetAsideAsDone(_ aside: [SubscribedEntry]) {
        for entry in aside {
            if entry.seq > subscription.position {
                entriesToStore.append(SubscribedEntry(seq: entry.seq, state: .done))
            } else {
                entriesToRemove.append(entry)
            }
        }
    }
}

extension SubscribedEntry {
    /// Makes the database row of a consumer's entry.
    init(_ entry: DeliveryWindow.Entry) {
        let state: State =
            switch entry.kind {
            case .gap: .gap
            case .event: entry.isRunning ? .handedOut : .waiting
            case .replay: entry.isRunning ? .handedOut : .replay
            }
        self.init(
            seq: entry.seq,
            state: state,
            attempts: entry.attempts,
            firstAttempt: entry.firstAttemptMilliseconds,
            nextAttempt: entry.dueMilliseconds
        )
    }
}
