internal import ChatCore
internal import ChatStore
internal import OutgoingHTTP

/// One attempt to send an entry, and the storage of its outcome.
extension DeliveryWorker {
    /// Sends one entry once, and stores the outcome.
    func sendEntry(_ entry: DeliveryWindow.Entry) async {
        let started = clock.wallMilliseconds()
        guard let (request, type, eventId) = await prepareRequest(for: entry, now: started) else { return }
        guard let request else { return await skipEntry(entry) }
        let begin = clock.monotonicMilliseconds()
        let result: Result<OutgoingAnswer, OutgoingError>
        do throws(OutgoingError) { result = .success(try await post(request)) } catch { result = .failure(error) }
        switch result {
        case .failure(.cancelled): return
        case .failure(.tooManyConnections): return postponeEntry(entry, by: 1_000)
        default: break
        }
        var attempt = DeliveryAttempt(
            eventId: eventId,
            type: type,
            attempt: entry.attempts + 1,
            started: started,
            milliseconds: clock.monotonicMilliseconds() - begin,
            status: nil,
            outcome: "failed"
        )
        let outcome: DeliveryOutcome
        switch result {
        case .success(let answer):
            attempt.httpStatus = answer.status
            outcome = receiver.judgeAnswer(answer)
        case .failure(let error):
            attempt.error = error.description
            outcome = .refusedForNow(retryAfter: nil)
        }
        await storeOutcome(entry, outcome, attempt)
    }

    /// Makes the request for an entry.
    /// - Returns: nil when the entry cannot be read now; a tuple whose request is nil when the receiver gets no request
    ///   for the entry.
    private func prepareRequest(
        for entry: DeliveryWindow.Entry,
        now: Int64
    ) async -> (OutgoingRequest?, type: String, id: String)? {
        let epoch = place.source.epoch
        let cursor = EventForm.makeCursor(epoch, entry.seq)
        if entry.kind == .gap {
            return (receiver.makeRequest(forGap: entry.seq &+ 1, epoch: epoch, now: now), "gap", "gap-" + cursor)
        }
        guard let page = try? await place.source.readEntries(after: entry.seq &- 1, limit: 1) else {
            postponeEntry(entry, by: 1_000)
            return nil
        }
        guard let event = page.first, event.seq == entry.seq,
            receiver.filter.admits(event, unseen: place.source.inactiveHiddenUsers)
        else {
            guard entry.seq < place.source.oldestSeq, entry.kind == .event else { return (nil, "", cursor) }
            // The journal no longer has the entry. The entry is due at once, and the next `readAhead()` replaces it by
            // a gap.
            postponeEntry(entry, by: 0)
            return nil
        }
        return (
            receiver.makeRequest(for: receiver.filter.visibleForm(of: event), epoch: epoch, now: now),
            event.traits.value.type,
            cursor
        )
    }

    private func postponeEntry(_ entry: DeliveryWindow.Entry, by milliseconds: Int64) {
        place.state.withLock { state in
            let now = state.readClock()
            state.window.changeEntry(entry.seq, state.window.currentKind(of: entry)) { entry in
                entry.isRunning = false
                entry.dueMilliseconds = now + milliseconds
            }
        }
    }

    /// Marks an entry as done, although the receiver gets no request for the entry.
    private func skipEntry(_ entry: DeliveryWindow.Entry) async {
        await place.outcomeLock.runLocked { await storeDoneEntry(withCurrentKind(entry), retry: 1_000) }
    }

    /// Returns the entry with its present kind. The caller must hold the lock `place.outcomeLock`.
    private func withCurrentKind(_ entry: DeliveryWindow.Entry) -> DeliveryWindow.Entry {
        var entry = entry
        entry.kind = place.state.withLock { $0.window.currentKind(of: entry) }
        return entry
    }

    /// Marks an entry as done in the database and in memory. If too many entries after the position are done now, also
    /// moves the position past waiting events.
    /// - Parameters:
    ///   - moment: the time at which the receiver accepted the entry; nil if it did not accept the entry.
    ///   - retry: the milliseconds after which the entry is sent again, with its id, if the change cannot be stored.
    private func storeDoneEntry(
        _ entry: DeliveryWindow.Entry,
        at moment: Int64? = nil,
        _ attempt: DeliveryAttempt? = nil,
        retry: Int64 = 5_000
    ) async {
        let (change, passed) = place.state.withLock { state in
            var change = state.makeDoneChange(of: [entry])
            let passed = state.advancePastWaitingEvents([entry], keeping: settings.maxDoneEntries, &change) {
                $0.replayRow
            }
            change.attempt = attempt
            if let moment {
                change.subscription.lastSuccessMilliseconds = moment
                change.subscription.failingSinceMilliseconds = nil
            }
            return (change, passed)
        }
        guard await place.storeChange(change) else { return postponeEntry(entry, by: retry) }
        place.state.withLock { state in
            for seq in passed { state.window.turnIntoReplay(seq) }
            state.removeDoneEntries([entry])
        }
    }

    private func storeOutcome(
        _ entry: DeliveryWindow.Entry,
        _ outcome: DeliveryOutcome,
        _ attempt: DeliveryAttempt
    ) async {
        await place.outcomeLock.runLocked {
            let entry = withCurrentKind(entry)
            switch outcome {
            case .delivered: await storeDelivered(entry, attempt)
            case .refusedForever: await storeAbandoned(entry, attempt)
            case .receiverGone: await endSubscriptionOfGoneReceiver(entry, attempt)
            case .refusedForNow(let retryAfter): await storeRefused(entry, attempt, retryAfter)
            }
        }
    }

    private func storeDelivered(_ entry: DeliveryWindow.Entry, _ attempt: DeliveryAttempt) async {
        counts.countAttempt(.delivered)
        place.state.withLock { state in
            // If the receiver accepts events again after several failures, all waiting events are sent without a pause.
            if state.consecutiveFailures >= settings.schedule.failuresBeforeProbing { state.window.makeEntriesDue() }
            state.consecutiveFailures = 0
            state.earliestSendMilliseconds = 0
        }
        var attempt = attempt
        attempt.outcome = "delivered"
        await storeDoneEntry(entry, at: clock.wallMilliseconds(), attempt)
    }

    /// Marks an abandoned entry as done: the receiver has refused the entry forever, or too many attempts have failed.
    /// The entry is sent again only at the request of a client.
    private func storeAbandoned(_ entry: DeliveryWindow.Entry, _ attempt: DeliveryAttempt) async {
        counts.countAttempt(.abandoned)
        var attempt = attempt
        attempt.outcome = "abandoned"
        await storeDoneEntry(entry, attempt)
    }

    private func endSubscriptionOfGoneReceiver(_ entry: DeliveryWindow.Entry, _ attempt: DeliveryAttempt) async {
        counts.countAttempt(.failed)
        var change = SubscriptionChange(subscription)
        change.subscription.state = .gone
        change.attempt = attempt
        change.attempt?.outcome = "gone"
        _ = await place.storeChange(change)
        postponeEntry(entry, by: 0)
        onEnd(subscription)
    }

    private func storeRefused(_ entry: DeliveryWindow.Entry, _ attempt: DeliveryAttempt, _ retryAfter: Int64?) async {
        let now = place.state.withLock { $0.readClock() }
        let requestedPause = retryAfter.map { min($0, DeliverySchedule.longestPauseMilliseconds / 1_000) * 1_000 }
        var tried = entry
        tried.attempts += 1
        tried.firstAttemptMilliseconds = entry.firstAttemptMilliseconds ?? attempt.startedMilliseconds
        tried.dueMilliseconds =
            now + max(settings.schedule.pauseMilliseconds(after: tried.attempts), requestedPause ?? 0)
        let subscription = place.state.withLock { state -> EventSubscription in
            state.consecutiveFailures += 1
            if let requestedPause {
                state.earliestSendMilliseconds = max(state.earliestSendMilliseconds, now + requestedPause)
            }
            if state.consecutiveFailures >= settings.schedule.failuresBeforeProbing {
                state.earliestSendMilliseconds = max(
                    state.earliestSendMilliseconds,
                    now + settings.schedule.probePauseMilliseconds(after: state.consecutiveFailures)
                )
            }
            return state.subscription
        }
        let takesOthers =
            subscription.lastSuccessMilliseconds.map { $0 > tried.firstAttemptMilliseconds ?? now } ?? false
        if settings.schedule.isExhausted(tried.attempts), takesOthers { return await storeAbandoned(entry, attempt) }
        counts.countAttempt(.failed)
        var change = SubscriptionChange(subscription)
        let since = subscription.failingSinceMilliseconds ?? now
        change.subscription.failingSinceMilliseconds = since
        let hasFailed = now - since > Int64(settings.schedule.maxFailureTime / .milliseconds(1))
        if hasFailed { change.subscription.state = .failed }
        let kept: SubscribedEntry.State =
            switch entry.kind {
            case .event: .waiting
            case .replay: .replay
            case .gap: .gap
            }
        change.entriesToStore = [
            SubscribedEntry(
                seq: entry.seq,
                state: kept,
                attempts: tried.attempts,
                firstAttempt: tried.firstAttemptMilliseconds,
                nextAttempt: tried.dueMilliseconds
            )
        ]
        change.attempt = attempt
        change.attempt?.nextAttemptUnixMilliseconds = hasFailed ? nil : tried.dueMilliseconds
        _ = await place.storeChange(change)
        place.state.withLock { state in
            state.window.changeEntry(entry.seq, entry.kind) { entry in
                entry = tried
                entry.isRunning = false
            }
        }
        if hasFailed { onEnd(change.subscription) }
    }

    /// Sends a request that belongs to no event of the journal, and stores and returns the attempt with its outcome.
    /// There is no later attempt.
    func sendOnce(_ request: OutgoingRequest, id eventId: String, type: String) async -> DeliveryAttempt {
        let (started, begin) = (clock.wallMilliseconds(), clock.monotonicMilliseconds())
        var attempt = DeliveryAttempt(
            eventId: eventId,
            type: type,
            attempt: 1,
            started: started,
            milliseconds: 0,
            status: nil,
            outcome: "failed"
        )
        do throws(OutgoingError) {
            let answer = try await post(request)
            attempt.httpStatus = answer.status
            if receiver.judgeAnswer(answer) == .delivered { attempt.outcome = "delivered" }
        } catch {
            attempt.error = error.description
        }
        attempt.durationMilliseconds = clock.monotonicMilliseconds() - begin
        try? await place.subscriptions.storeAttempt(attempt, of: place.id)
        return attempt
    }
}

extension DeliveryWindow.Entry {
    /// The database row for an event that is to be sent again. The row remains if the process ends during the attempt.
    fileprivate var replayRow: SubscribedEntry {
        SubscribedEntry(
            seq: seq,
            state: .replay,
            attempts: attempts,
            firstAttempt: firstAttemptMilliseconds,
            nextAttempt: dueMilliseconds
        )
    }
}
