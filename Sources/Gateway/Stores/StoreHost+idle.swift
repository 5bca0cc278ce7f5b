internal import ChatCore
internal import Concurrency

/// Closing of unused stores. A closed store is opened again when a request needs it.
extension StoreHost {
    /// Starts a task that closes unused stores while the gateway runs.
    func startIdleClosing(after limit: Duration) -> Task<Void, Never> {
        let interval = min(max(limit / 4, .milliseconds(50)), .seconds(30))
        return Task { [weak self] in
            while (try? await Task.sleep(for: interval)) != nil {
                guard let self else { return }
                if settings.placement != nil { await closeTakenStores() }
                for store in otherStores where store.openedStore != nil { await closeStoreIfIdle(store, after: limit) }
            }
        }
    }

    private func closeStoreIfIdle(_ store: Store, after limit: Duration) async {
        guard let opened = store.openedStore else { return }
        store.recordLatestEvent(opened.services.eventHub.latestSeq)
        let staysOpen = await store.recordWhetherStaysOpen { await mustStayOpen(store, opened) }
        guard !staysOpen, await isIdle(store, opened, for: limit) else { return }
        await store.lifecycleLock.runLocked {
            let plans = store.begunPlanningCount
            guard let opened = store.openedStore, await isIdle(store, opened, for: limit) else { return }
            await closeStore(store, .endedNormally)
            guard store.begunPlanningCount != plans else { return await releaseStore(store, isWanted: false) }
            // A request has begun to plan messages before the databases were closed, so the store is opened again.
            do throws(ProblemDetails) {
                try await runWithAcquired(store, isWanted: true) { () async throws(ProblemDetails) in
                    try await unlockUnderLock(store, nil)
                }
            } catch {
                log.error("a store does not open", metadata: ["store": "\(store.id)", "reason": "\(error.detail)"])
            }
        }
    }

    /// Whether a store must stay open even without requests, because it sends events to receivers, has planned
    /// messages, or a request plans messages now.
    func mustStayOpen(_ store: Store, _ opened: OpenedStore) async -> Bool {
        if store.isPlanning { return true }
        if opened.services.deliveries?.hasReceivers ?? false { return true }
        return await opened.core.controller?.hasPlannedMessages ?? false
    }

    /// Whether an open store is unused, and can be opened again for a later request.
    private func isIdle(_ store: Store, _ opened: OpenedStore, for limit: Duration) async -> Bool {
        let services = opened.services
        guard store.canOpenByItself, store.hasBeenUnused(for: limit), !opened.core.runningRequests.isRunning,
            !backupSlot.isBackupUnderWay,
            services.remoteHosts.allServices.isEmpty
        else { return false }
        // These reasons keep a store open: it sends events to receivers, workers wait for events, or messages wait to
        // be sent.
        guard await !mustStayOpen(store, opened), services.deliveries?.hasWaitingConsumers != true,
            services.brokerFeed?.isBusy != true,
            opened.core.controller?.networkFigures.sendingConnectionCount ?? 0 == 0
        else { return false }
        let readers = services.eventHub.readerCounts
        guard readers.waiters == 0, readers.streams == 0, await !services.modelHost.hasUsedModels else { return false }
        return await opened.core.controller?.remoteCtrlStatus.sessionState == nil
    }

    /// Closes the store that was unused for the longest time, if the maximal number of stores is open. The caller must
    /// not hold the lock `lifecycleLock` of any store.
    func closeUnusedStoreIfFull() async {
        guard settings.idleLimit != nil, settings.openStoreLimit.isFull else { return }
        for store in otherStores.filter({ $0.openedStore != nil }).sorted(by: {
            $0.lastUseMicroseconds < $1.lastUseMicroseconds
        }) {
            await closeStoreIfIdle(store, after: .seconds(1))
            if !settings.openStoreLimit.isFull { return }
        }
    }
}
