internal import ChatCore
internal import ChatStore
internal import Concurrency
internal import OutgoingHTTP
internal import Synchronization

/// Sends the events of the journal to one receiver.
///
/// Each entry is read again when it is sent, so that deleted entries are not sent.
final class DeliveryWorker: Sendable {
    let place: SubscriptionProgress
    let receiver: any EventReceiver
    private let http: OutgoingHTTP
    private let storeID: String?
    let settings: DeliverySettings
    private let mayReceive: @Sendable () -> Bool
    /// Called after the worker itself has ended the subscription.
    let onEnd: @Sendable (EventSubscription) -> Void
    let counts: DeliveryCounts
    private let wakeSignal = WakeSignal()
    private let runningSends = BackgroundTasks()
    private let loopTask = Mutex<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - store: the store of the subscription; nil for the first store.
    ///   - mayReceive: whether the key of the subscription is still valid and has the scope `events`.
    init(
        _ subscription: EventSubscription,
        _ receiver: any EventReceiver,
        _ subscriptions: EventSubscriptions,
        source: any EventSource,
        http: OutgoingHTTP,
        store: String?,
        settings: DeliverySettings,
        counts: DeliveryCounts,
        mayReceive: @escaping @Sendable () -> Bool,
        ended: @escaping @Sendable (EventSubscription) -> Void
    ) {
        place = SubscriptionProgress(
            subscription,
            receiver.filter,
            subscriptions,
            source: source,
            limit: settings.maxWaitingEntries,
            clock: settings.clock
        )
        self.receiver = receiver
        self.http = http
        self.storeID = store
        self.settings = settings
        self.counts = counts
        self.mayReceive = mayReceive
        self.onEnd = ended
    }

    var subscription: EventSubscription { place.subscription }

    var clock: DeliveryClock { settings.clock }

    /// The number of entries that were read from the journal and not accepted yet.
    var waitingCount: Int { place.state.withLock { $0.window.entries.count } }

    func wake() { wakeSignal.wake() }

    func start() {
        loopTask.withLock { running in
            guard running == nil else { return }
            running = Task { [self] in
                guard await place.loadEntryStates(), (try? await place.loadReplayedChats()) != nil else { return }
                await wakeSignal.runAtSignals { await sendDueEntriesOrExpire() }
            }
        }
    }

    /// Ends the running attempts. Their entries are sent again later, with the same ids.
    func stop() async {
        let task = loopTask.withLock { $0 }
        task?.cancel()
        await task?.value
        await runningSends.cancelAndWait()
        await place.storePosition()
    }

    /// Posts a request over a connection of the store, and returns the receiver's answer. The receiver recognizes a
    /// repeated request by its id.
    func post(_ request: OutgoingRequest) async throws(OutgoingError) -> OutgoingAnswer {
        var request = request
        (request.owner, request.isRepeatable) = (storeID, true)
        return try await http.send(request)
    }

    // MARK: The loop

    /// Sends the due entries, or ends the subscription if it has expired.
    /// - Returns: the time until the next step; nil to wait for a signal.
    private func sendDueEntriesOrExpire() async -> Duration? {
        guard let expires = receiver.expiresAtMilliseconds else { return await sendDueEntries() }
        let left = expires - clock.wallMilliseconds()
        guard left > 0 else {
            await endExpiredSubscription()
            return nil
        }
        return min(await sendDueEntries() ?? .milliseconds(left), .milliseconds(left))
    }

    /// Ends a subscription that has expired.
    private func endExpiredSubscription() async {
        await place.outcomeLock.runLocked {
            var change = SubscriptionChange(subscription)
            guard change.subscription.state != .gone else { return }
            change.subscription.state = .gone
            if await place.storeChange(change) { onEnd(change.subscription) }
        }
    }

    private func sendDueEntries() async -> Duration? {
        guard subscription.state == .active, mayReceive() else { return nil }
        guard await place.readAhead() else { return .seconds(1) }
        let (taken, wait) = place.state.withLock { state -> ([DeliveryWindow.Entry], Int64?) in
            let now = state.readClock()
            guard state.earliestSendMilliseconds <= now else { return ([], state.earliestSendMilliseconds - now) }
            let isProbing = state.consecutiveFailures >= settings.schedule.failuresBeforeProbing
            let room = (isProbing ? 1 : settings.maxParallelRequests) - state.window.runningCount
            let (taken, next) = state.window.beginSending(at: now, room: room)
            return (taken, next.map { $0 - now })
        }
        for entry in taken {
            runningSends.startTask { [self] in
                await sendEntry(entry)
                wakeSignal.wake()
            }
        }
        return wait.map { .milliseconds(max(0, $0)) }
    }
}
