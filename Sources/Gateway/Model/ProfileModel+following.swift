internal import ChatAPI
internal import ChatCore
internal import ChatModel
internal import ChatStore
internal import Synchronization

extension ProfileModel {
    /// Adds a change of the core to the inbox. The thread of the database calls this in the order of the changes.
    nonisolated func addToInbox(_ change: ChatChange) {
        let begins = inbox.withLock { inbox -> Bool in
            if inbox.changes.count >= settings.inboxLimit {
                inbox.changes = []
                inbox.overflown = true
            }
            inbox.changes.append(change)
            defer { inbox.isDraining = true }
            return !inbox.isDraining
        }
        if begins { Task { await self.follow() } }
    }

    func follow() async {
        drain()
        if reloading == nil, needsReading { await reload() }
        flushSoon()
    }

    func drain() {
        let (changes, overflown) = inbox.withLock { inbox in
            defer { inbox = Inbox() }
            return (inbox.changes, inbox.overflown)
        }
        for change in changes { apply(change) }
        if overflown {
            isOutdated = true
            mustDropPatches = true
        }
    }

    func apply(_ change: ChatChange) {
        for event in change.events { apply(ModelUpdates(event)) }
        if change.deletedOf.contains(userId) { mustDropPatches = true }
        if change.isEdit { mustDropStates = true }
        if let cursor = change.cursor { self.cursor = cursor.text }
        if let command = change.command, let response = change.response {
            apply(ModelUpdates(response, to: command))
            if let calls = change.calls { apply(ModelUpdates(userId: userId, [.activeCalls(calls)])) }
            if let origin = change.origin, let read = reads.removeValue(forKey: origin) {
                sessions[read.session]?.addResult(response, read)
            }
        }
        for id in sessions.keys { sessions[id]?.show(model.subscriptions) }
        reloads.formUnion(model.takeReloads())
    }

    func apply(_ updates: ModelUpdates) {
        guard !updates.updates.isEmpty else { return }
        model.apply(updates)
        for id in sessions.keys {
            sessions[id]?.apply(updates)
            if sessions[id]?.model.awaitsItems == true { openings.insert(id) }
        }
    }
}

extension ChatChange {
    /// Whether the change may replace the text of an item.
    fileprivate var isEdit: Bool {
        if case .chatItemUpdated = response { return true }
        return events.contains { if case .chatItemUpdated = $0 { true } else { false } }
    }
}
