internal import Clocks
internal import ChatAPI
internal import ChatModel
internal import JSON

extension ProfileModel {
    /// Publishes the changes now if the interval since the last patch has passed, otherwise at the end of the interval.
    func publishSoon() {
        guard !publishTimes.isScheduled, !isEnded else { return }
        let wait =
            publishTimes.lastPublishedMicroseconds + Self.publishIntervalMicroseconds - MonotonicClock.microseconds()
        guard wait > 0 else { return publishChanges() }
        publishTimes.isScheduled = true
        Task {
            try? await Task.sleep(for: .microseconds(wait))
            await self.publishScheduled()
        }
    }

    func publishScheduled() async {
        publishTimes.isScheduled = false
        guard !isEnded else { return }
        await refreshOutdatedParts()
        publishChanges()
    }

    /// Publishes the changes since the last call.
    func publishChanges() {
        applyInbox()
        publishTimes.lastPublishedMicroseconds = MonotonicClock.microseconds()
        if shouldDropPatches {
            // Old patches are dropped before the patch of the deletion is published. Readers that have read all old
            // patches still get the patch of the deletion.
            shouldDropPatches = false
            shouldDropStates = true
            for log in [feeds.all.log, feeds.own.log] + sessions.values.map(\.feed.log) { log.dropPatches() }
        }
        if shouldDropStates {
            shouldDropStates = false
            pagedSnapshots.removeAll()
        }
        let changes = model.takeChanges()
        if !changes.isEmpty {
            do {
                let encoder = settings.encoder
                let common = try ProfileDocument.makeSharedPatch(from: publishedModel, to: model, changes, encoder)
                    .operations
                let all = JSONPatch(
                    common
                        + (try ProfileDocument.makeReaderPatch(from: publishedModel, to: model, allUsers: true, encoder))
                )
                let own = JSONPatch(
                    common
                        + (try ProfileDocument.makeReaderPatch(
                            from: publishedModel,
                            to: model,
                            allUsers: false,
                            encoder
                        ))
                )
                if !all.isEmpty || !own.isEmpty {
                    // The logs of both feeds get the same number for each change, so that a cursor of one log is valid
                    // in the other log.
                    feeds.all.log.publishPatch(all, cursor: cursor)
                    feeds.own.log.publishPatch(own, cursor: cursor)
                }
            } catch {
                // The encoding cannot fail: the state contains only values that JSON can represent.
            }
            publishedModel = model
        }
        for id in sessions.keys { sessions[id]?.publishChanges(cursor: cursor) }
    }

    /// Returns the present state with its cursors.
    func takeSnapshot() async -> ProfileSnapshot {
        recordUse()
        await refreshOutdatedParts()
        publishChanges()
        return ProfileSnapshot(model: publishedModel, logCursor: feeds.all.log.cursor, journalCursor: cursor)
    }

    /// Returns the present state. If the state has more than `chats` chats, the state is kept for a while. During this
    /// time, clients can read the other chats of the state by the id of the state.
    func takeSnapshot(dividedAfter chats: Int) async -> ProfileSnapshot {
        let snapshot = await takeSnapshot()
        if snapshot.model.chats.count > chats { pagedSnapshots.keepState(snapshot) }
        return snapshot
    }

    /// Returns the kept state with this id, for a client that has read one part of the state and requests another part.
    func findSnapshot(at id: String) throws(ProblemDetails) -> ProfileSnapshot {
        recordUse()
        // Publishing comes first, because it drops kept states with content that was deleted or edited a moment ago.
        publishChanges()
        pagedSnapshots.removeExpiredStates()
        if let snapshot = pagedSnapshots.findState(at: id) { return snapshot }
        throw ProblemDetails(.cursorExpired, "This state is no longer kept: read the model again.")
    }

    /// Returns the draft of a chat; nil if there is none.
    func findDraft(in chatId: ChatId) -> ComposeState? {
        recordUse()
        return model.drafts[chatId]
    }

    /// Sets the draft of a chat; nil removes the draft.
    /// - Parameter check: throws a problem to refuse the change of the present draft.
    func setDraft(
        _ draft: ComposeState?,
        in chatId: ChatId,
        _ check: (ComposeState?) throws(ProblemDetails) -> Void
    ) throws(ProblemDetails) {
        recordUse()
        guard draft == nil || model.getChat(chatId) != nil else {
            throw ProblemDetails(.notFound, "There is no such chat.")
        }
        try check(model.drafts[chatId])
        model.setDraft(draft, in: chatId)
        publishChanges()
    }
}

/// The state of a profile at one moment.
struct ProfileSnapshot: Sendable {
    let model: ChatModel
    /// The cursor in the log of patches.
    let logCursor: String
    /// The cursor in the journal of events.
    let journalCursor: String
}
