internal import Clocks
internal import ChatCore
internal import ChatStore
internal import Concurrency

/// The handing out of events to workers.
extension ConsumerQueue {
    /// An event that was handed out to a worker. The worker acknowledges the event by `id`.
    struct Handout: Sendable {
        let id: String
        let attempt: Int
        /// The time until which the event must be acknowledged, in milliseconds since 1970.
        let deadlineMilliseconds: Int64
        /// The entry as JSON, in the form that all transports use.
        let entryJSON: [UInt8]
    }

    /// Hands out the events that are due. If no event is due, waits up to `seconds` for an event.
    /// - Parameter isAdmitted: whether the key of the worker is still valid.
    /// - Returns: the handouts; none when the time has passed, the key has become invalid, or the queue has stopped.
    func handOutEvents(limit: Int, seconds: Int64, isAdmitted: @Sendable () -> Bool) async throws -> [Handout] {
        let signal = WakeSignal()
        let number = waitingCalls.withLock { waiting in
            waiting.lastNumber += 1
            waiting.signals[waiting.lastNumber] = signal
            return waiting.lastNumber
        }
        defer { waitingCalls.withLock { _ = $0.signals.removeValue(forKey: number) } }
        let end = MonotonicClock.microseconds() + seconds * 1_000_000
        while isAdmitted(), !isStopped {
            let (taken, next) = try await runAlone { try await takeDueEvents(limit) }
            let left = end - MonotonicClock.microseconds()
            guard taken.isEmpty, left > 0, !Task.isCancelled else { return taken }
            let pause = min(Duration.microseconds(left), .milliseconds(max(1, next ?? .max)))
            // The timer ends the pause when an entry becomes due, or when the time of the request is over.
            let timer = Task { if (try? await Task.sleep(for: pause)) != nil { signal.wake() } }
            _ = await signal.waitForSignal()
            timer.cancel()
        }
        return []
    }

    /// Hands out the events that are due.
    /// - Returns: the events, and the milliseconds until the next event may be due.
    private func takeDueEvents(_ limit: Int) async throws -> ([Handout], Int64?) {
        while true {
            guard await place.readAhead() else { throw Self.consumerUnavailableProblem }
            try await setAsideExhaustedEntries()
            let (taken, next) = place.state.withLock { state -> ([DeliveryWindow.Entry], Int64?) in
                let now = state.readClock()
                let room = min(limit, settings.maxHandedOutEntries - state.window.runningCount)
                let (taken, due) = state.window.beginSending(at: now, room: room)
                let deadline = state.window.entries.lazy.filter(\.isRunning).map(\.dueMilliseconds).min()
                return (taken, [due, deadline].compactMap(\.self).min().map { $0 - now })
            }
            guard !taken.isEmpty else { return ([], next) }
            let handed = try await storeHandouts(taken)
            if !handed.isEmpty { return (handed, nil) }
        }
    }

    /// Takes entries back from workers that did not acknowledge them in time. Sets aside the entries with too many
    /// attempts, and makes the other entries available again.
    private func setAsideExhaustedEntries() async throws {
        let exhausted = place.state.withLock { state in
            let now = state.readClock()
            for entry in state.window.entries where entry.isRunning && entry.dueMilliseconds <= now {
                state.window.changeEntry(entry.seq, entry.kind) { $0.isRunning = false }
            }
            let room = settings.maxSetAsideEntries - state.setAsideEntries.count
            return Array(
                state.window.entries.lazy.filter {
                    !$0.isRunning && $0.dueMilliseconds <= now && $0.attempts >= self.consumer.maxAttempts
                }.prefix(max(0, room))
            )
        }
        guard !exhausted.isEmpty else { return }
        let change = place.state.withLock { state in
            let now = state.readClock()
            var change = state.makeDoneChange(of: exhausted)
            change.setAside(exhausted, at: now)
            return change
        }
        try await commitChange(change) { $0.applySetAside(exhausted, change) }
    }

    /// Reads the events of entries, stores the handout of these events to a worker, and returns the handouts. Entries
    /// that the consumer may not see are marked as done.
    /// - Parameter taken: the entries from ``DeliveryWindow/beginSending(at:room:)``.
    private func storeHandouts(_ taken: [DeliveryWindow.Entry]) async throws -> [Handout] {
        do {
            var handed: [(entry: DeliveryWindow.Entry, json: [UInt8])] = []
            var (skipped, kept): ([DeliveryWindow.Entry], [DeliveryWindow.Entry]) = ([], [])
            var bytes = 0
            for entry in taken {
                if let json = try await readJSON(of: entry) {
                    bytes += json.count
                    if handed.isEmpty || bytes <= settings.maxAnswerBytes {
                        handed.append((entry, json))
                    } else {
                        kept.append(entry)
                    }
                } else if entry.seq < source.oldestSeq {
                    // The journal no longer has the entry. The entry stays in the window until the next `readAhead()`
                    // inserts a gap.
                    kept.append(entry)
                } else {
                    skipped.append(entry)
                }
            }
            returnToQueue(kept)
            let (out, change) = place.state.withLock { [handed, skipped] state in
                let now = state.readClock()
                let out = handed.map { entry, _ in
                    var entry = entry
                    entry.attempts += 1
                    entry.firstAttemptMilliseconds = max(now, (entry.firstAttemptMilliseconds ?? 0) &+ 1)
                    entry.dueMilliseconds = now + consumer.deadlineSeconds * 1_000
                    return entry
                }
                var change = state.makeDoneChange(of: skipped)
                change.entriesToStore += out.map(SubscribedEntry.init)
                return (out, change)
            }
            try await commitChange(change) { [skipped] state in
                state.removeDoneEntries(skipped)
                for entry in out { state.window.changeEntry(entry.seq, entry.kind) { $0 = entry } }
            }
            return zip(out, handed).map { entry, handed in
                Handout(
                    id: HandoutID(entry, at: entry.firstAttemptMilliseconds ?? 0).text(
                        of: consumer,
                        epoch: source.epoch
                    ),
                    attempt: entry.attempts,
                    deadlineMilliseconds: entry.dueMilliseconds,
                    entryJSON: handed.json
                )
            }
        } catch {
            returnToQueue(taken)
            throw error
        }
    }

    private func readJSON(of entry: DeliveryWindow.Entry) async throws -> [UInt8]? {
        guard entry.kind != .gap else { return EventForm.encodeGap(oldest: entry.seq &+ 1, epoch: source.epoch) }
        return try await place.readEvent(entry.seq).map { EventForm.encodeEntry($0, epoch: source.epoch) }
    }

    /// Makes entries available to workers again, after `takeDueEvents` has taken but not handed out these entries.
    private func returnToQueue(_ entries: [DeliveryWindow.Entry]) {
        place.state.withLock { state in
            for entry in entries { state.window.changeEntry(entry.seq, entry.kind) { $0.isRunning = false } }
        }
    }

    /// Makes handed-out events available again. No worker has got these events, because the connection ended before the
    /// answer was sent. The attempts for these events do not count.
    func giveBack(_ handouts: [Handout]) async {
        defer { wake() }
        try? await runAlone(returns: true) {
            let epoch = source.epoch
            let entries = place.state.withLock { state in
                handouts.compactMap { handout -> DeliveryWindow.Entry? in
                    guard let id = HandoutID(handout.id, of: consumer, epoch: epoch), var entry = state.findEntry(id),
                        entry.isRunning, entry.firstAttemptMilliseconds == id.handoutMilliseconds
                    else { return nil }
                    (entry.isRunning, entry.dueMilliseconds, entry.attempts) = (false, 0, entry.attempts - 1)
                    return entry
                }
            }
            guard !entries.isEmpty else { return }
            var change = SubscriptionChange(place.subscription)
            change.entriesToStore = entries.map(SubscribedEntry.init)
            try await commitChange(change) { state in
                for entry in entries {
                    state.window.changeEntry(entry.seq, entry.kind) { $0 = entry }
                    if state.storedEntries[entry.seq] != nil { state.storedEntries[entry.seq] = SubscribedEntry(entry) }
                }
            }
        }
    }
}
