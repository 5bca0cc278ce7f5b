internal import ChatAPI
internal import ChatCore
internal import ChatModel
internal import ChatStore
internal import Synchronization

extension ProfileModel {
    /// Adds a change of the core to the inbox. The thread of the database calls this function in the order of the
    /// changes.
    nonisolated func addToInbox(_ change: ChatChange) {
        let begins = inbox.withLock { inbox -> Bool in
            if inbox.changes.count >= settings.maxInboxChanges {
                inbox.changes = []
                inbox.hasOverflowed = true
            }
            inbox.changes.append(change)
            defer { inbox.isProcessing = true }
            return !inbox.isProcessing
        }
        if begins { Task { await self.processInbox() } }
    }

    func processInbox() async {
        applyInbox()
        if reloadTask == nil, needsReading { await rereadUntilCurrent() }
        publishSoon()
    }

    func applyInbox() {
        let (changes, overflown) = inbox.withLock { inbox in
            defer { inbox = Inbox() }
            return (inbox.changes, inbox.hasOverflowed)
        }
        for change in changes { applyChange(change) }
        if overflown {
            hasLostChanges = true
            shouldDropPatches = true
        }
    }

    func applyChange(_ change: ChatChange) {
        for event in change.events { applyUpdates(ModelUpdates(event)) }
        if change.deletedContentUserIds.contains(userId) { shouldDropPatches = true }
        if change.mayReplaceText { shouldDropStates = true }
        if let cursor = change.cursor { self.cursor = cursor.text }
        if let command = change.command, let response = change.response {
            applyUpdates(ModelUpdates(response, to: command))
            if let calls = change.activeCalls { applyUpdates(ModelUpdates(userId: userId, [.activeCalls(calls)])) }
            if let origin = change.orderedReadID, let read = runningReads.removeValue(forKey: origin) {
                sessions[read.sessionID]?.addResult(response, read)
            }
        }
        for id in sessions.keys { sessions[id]?.showSubscriptions(model.subscriptions) }
        pendingReloads.formUnion(model.takeReloads())
    }

    func applyUpdates(_ updates: ModelUpdates) {
        guard !updates.updates.isEmpty else { return }
        model.apply(updates)
        for id in sessions.keys {
            sessions[id]?.apply(updates)
            if sessions[id]?.model.awaitsItems == true { sessionsWithMergedChat.insert(id) }
        }
    }
}

extension ChatChange {
    /// Whether the change may replace the text of an item.
    fileprivate var mayReplaceText: Bool {
        if case .chatItemUpdated = response { return true }
        return events.contains { if case .chatItemUpdated = $0 { true } else { false } }
    }
}
