internal import ChatAPI
internal import ChatModel
internal import JSON

// Publishing changes to readers.
extension ProfileModel {
    /// Publishes at once if the interval since the last patch has passed, otherwise at the end of the interval.
    func flushSoon() {
        guard !flushes.isScheduled, !ended else { return }
        let wait = flushes.last + Self.throttle - MonotonicClock.microseconds()
        guard wait > 0 else { return flush() }
        flushes.isScheduled = true
        Task {
            try? await Task.sleep(for: .microseconds(wait))
            await self.flushScheduled()
        }
    }

    func flushScheduled() async {
        flushes.isScheduled = false
        guard !ended else { return }
        await settle()
        flush()
    }

    /// Publishes the changes since the last call.
    func flush() {
        drain()
        flushes.last = MonotonicClock.microseconds()
        if isToForget {
            // Drop old patches before the patch of the removal is published. Readers that are up to date still get that
            // patch.
            isToForget = false
            isToForgetParts = true
            for log in [feeds.all.log, feeds.own.log] + sessions.values.map(\.feed.log) { log.forget() }
        }
        if isToForgetParts {
            isToForgetParts = false
            divided.forget()
        }
        let changes = model.takeChanges()
        if !changes.isEmpty {
            do {
                let common = try ProfileDocument.difference(from: shown, to: model, changes)
                let all = JSONPatch(
                    common.operations + (try ProfileDocument.difference(from: shown, to: model, allUsers: true))
                )
                let own = JSONPatch(
                    common.operations + (try ProfileDocument.difference(from: shown, to: model, allUsers: false))
                )
                if !all.isEmpty || !own.isEmpty {
                    // Both logs get every number, so that a cursor is the same in both.
                    feeds.all.log.publish(all, cursor: cursor)
                    feeds.own.log.publish(own, cursor: cursor)
                }
            } catch {
                // The encoding cannot fail: the state contains only values that JSON can represent.
            }
            shown = model
        }
        for id in sessions.keys { sessions[id]?.flush(cursor: cursor) }
    }

    /// The present state, and its cursors.
    func snapshot() async -> ProfileSnapshot {
        touch()
        await settle()
        flush()
        return ProfileSnapshot(model: shown, id: feeds.all.log.cursor, cursor: cursor)
    }

    /// The present state. If it has more chats than the given number, it stays readable by its id for a while.
    func snapshot(dividedAfter chats: Int) async -> ProfileSnapshot {
        let snapshot = await snapshot()
        if snapshot.model.chats.count > chats { divided.keep(snapshot) }
        return snapshot
    }

    /// A kept state of which a reader already has a part.
    func snapshot(at id: String) throws(ProblemDetails) -> ProfileSnapshot {
        touch()
        // A state that shows something deleted or edited a moment ago is dropped first.
        flush()
        divided.expire()
        if let snapshot = divided.state(at: id) { return snapshot }
        throw ProblemDetails(.cursorExpired, "This state is no longer kept: read the model again.")
    }

    func setDraft(_ draft: ComposeState?, in chatId: ChatId) throws(ProblemDetails) {
        touch()
        guard draft == nil || model.getChat(chatId) != nil else {
            throw ProblemDetails(.notFound, "There is no such chat.")
        }
        model.setDraft(draft, in: chatId)
        flush()
    }
}

/// The state of a profile at one moment.
struct ProfileSnapshot: Sendable {
    let model: ChatModel
    /// The cursor of the patches.
    let id: String
    /// The cursor of the events.
    let cursor: String
}
