internal import Concurrency

extension StoreHost {
    /// Begins the opening of a store: from now on, a crash of the process counts as a crash of the store. Stores with
    /// earlier crashes are opened one after the other, so that another crash shows which store has caused it.
    /// - Returns: nil when the store has reached the maximal number of crashes and stays closed.
    func beginOpening(_ store: Store) async -> Opening? {
        let turn = store.crashCount > 0 ? await crashedStoreLock.acquireTurn() : nil
        let count = store.folder.crashCount
        let (crashes, mark) =
            (try? await runBlocking {
                let crashes = count.crashCount
                return (crashes, crashes < CrashCount.maxCrashes ? CrashMark(count.path) : nil)
            }) ?? (0, nil)
        store.setCrashCount(crashes)
        return crashes < CrashCount.maxCrashes ? Opening(crashMark: mark, crashedStoreTurn: turn) : nil
    }

    /// Starts a task that calls ``endOpening(_:of:)`` after some time, or when the task is cancelled.
    func endOpeningLater(_ opening: Opening, of store: Store) -> Task<Void, Never> {
        Task { [self, settling = settings.openingSurvivalTime] in
            try? await Task.sleep(for: settling)
            await endOpening(opening, of: store)
        }
    }

    /// Ends an opening: sets the number of crashes to zero, and no longer counts crashes of the process as crashes of
    /// the store.
    func endOpening(_ opening: Opening, of store: Store) async {
        await store.resetCrashes()
        withExtendedLifetime(opening) { $0.crashedStoreTurn?.end() }
    }

    func logIfHeldClosed(_ store: Store) {
        guard store.isHeldClosed else { return }
        log.critical(
            "a store stays closed",
            metadata: ["store": "\(store.id)", "reason": "\(CrashCount.heldClosedReason)"]
        )
    }
}

extension Store {
    /// Sets the number of crashes to zero, after the process has survived the opening, or when a client asks for
    /// another attempt.
    func resetCrashes() async {
        await runCleanup { [count = folder.crashCount] in count.resetCount() }
        setCrashCount(0)
    }
}
