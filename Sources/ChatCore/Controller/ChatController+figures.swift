internal import Agent
internal import ChatAPI
package import ChatStore
internal import Concurrency
internal import Files
internal import SQLCipher
internal import Synchronization

extension ChatController {
    /// Replaces the limits of the store that were set at its opening.
    package func set(_ limits: StoreLimits) { store.quota.set(limits) }

    /// Number of times that an idle database of this process has closed its connections and released their memory.
    package static var databaseReleases: Int { Database.resourceReleases }

    /// Bytes of the memory for the keys of open databases: those in use, and those in locked pages; see ``KeyMemory``.
    package static var keyMemory: (used: Int, locked: Int) { (KeyMemory.used, KeyMemory.locked) }

    /// Closes the connections to both databases now, as after a time without use.
    package func releaseDatabaseResources() async {
        await store.database.releaseResources()
        await services.agent.releaseDatabaseResources()
    }

    /// Returns the limits of the store, and its use of resources.
    package func storeFigures() async throws -> StoreFigures {
        let (quota, agent) = (store.quota, services.agent)
        await quota.refresh(agent)
        let waiting = services.configuration.objects == nil ? nil : Int64(objectWorker.waiting)
        let (use, journalBytes, objects) = try await store.read { db in
            let (use, journalBytes) = (try quota.usage(agent, db), try EventJournal.bytes(db))
            guard let waiting else { return (use, journalBytes, ObjectFigures?.none) }
            let objects = try StoredObject.figures(in: db)
            return (
                use, journalBytes,
                ObjectFigures(kept: objects.kept, bytes: objects.bytes, waiting: waiting, deleting: objects.deleting)
            )
        }
        return StoreFigures(
            limits: quota.limits,
            use: use,
            journalBytes: journalBytes,
            waiting: quota.waiting,
            refusals: quota.refusals,
            objects: objects
        )
    }

    /// Returns the figures of the last call if there were no commits since. Otherwise the databases are read. So the
    /// figures of an idle store leave its databases closed. Files of incomplete uploads may be missing in the figures.
    package func recentFigures() async throws -> StoreFigures {
        let (commits, limits) = (commits, store.quota.limits)
        let waiting = services.configuration.objects == nil ? nil : Int64(objectWorker.waiting)
        if let known = knownFigures.withLock({ $0 }), known.commits == commits, known.figures.limits == limits,
            known.figures.objects?.waiting == waiting
        {
            return known.figures
        }
        let figures = try await storeFigures()
        knownFigures.withLock { $0 = (commits, figures) }
        return figures
    }

    /// Number of commands that were refused because the store had no room, since its databases were opened.
    package var refusals: Int { store.quota.refusals }

    /// Reads the sizes of the databases for ``lastDatabaseBytes``, if they may have changed since the last call.
    package func refreshDatabaseBytes() async {
        let (commits, rests) = (commits, store.database.rests + services.agent.databaseRests)
        if let known = knownBytes.withLock({ $0 }), known.commits == commits, known.rests == rests { return }
        let files = databases?.files ?? []
        let sizes = try? await blocking {
            files.map { (DiskFiles.size($0) ?? 0) + (DiskFiles.size($0 + "-wal") ?? 0) }
        }
        guard let sizes, sizes.count == 2 else { return }
        knownBytes.withLock { $0 = (commits, rests, DatabaseBytes(chat: sizes[0], agent: sizes[1])) }
    }

    /// The result of the last ``refreshDatabaseBytes()``.
    package var lastDatabaseBytes: DatabaseBytes { knownBytes.withLock { $0?.bytes } ?? DatabaseBytes() }

    /// The last result of ``recentFigures()``; nil before the first.
    package var lastFigures: StoreFigures? { knownFigures.withLock { $0?.figures } }

    /// The figures of this store; nil while the database cannot be read.
    package func channelFigures() async -> ChannelFigures? {
        try? await store.read { [relayDelivery] db in
            var figures = ChannelFigures()
            let row = try db.first(
                """
                SELECT count(*) AS channels, coalesce(sum(current_members), 0) AS members FROM groups
                WHERE relay_own_status IN ('accepted', 'acknowledgedRoster', 'active')
                """
            )
            figures.channels = try row?.tally("channels") ?? 0
            figures.members = max(0, (try row?.tally("members") ?? 0) - figures.channels)
            figures.waiting = try db.first("SELECT count(*) AS n FROM relay_tasks")?.count("n") ?? 0
            figures.jobs = try db.first("SELECT count(*) AS n FROM relay_jobs")?.count("n") ?? 0
            figures.answers = try db.first("SELECT count(*) AS n FROM passing_connections")?.count("n") ?? 0
            let oldest = try db.first(
                "SELECT min(oldest) AS oldest FROM (SELECT min(created_at) AS oldest FROM relay_tasks UNION ALL SELECT min(created_at) FROM relay_jobs)"
            )
            figures.lag =
                try oldest?.int64OrNil("oldest").map {
                    max(0, Timestamp.now.seconds - Timestamp(nanoseconds: $0).seconds)
                } ?? 0
            figures.deliveries = relayDelivery.deliveries.load(ordering: .relaxed)
            return figures
        }
    }

    /// The current figures. All data is in memory, so this property does not wait.
    package var networkFigures: NetworkFigures {
        var figures = NetworkFigures()
        let (relays, outbox) = (services.agent.relayFigures, services.agent.outboxFigures)
        (figures.connectedRelays, figures.connectingRelays) = (relays.connected, relays.connecting)
        figures.failedRelays = relays.failed
        (figures.subscribedQueues, figures.pendingQueues) = (relays.active, relays.pending)
        (figures.outboxes, figures.lateOutboxes) = (outbox.connections, outbox.late)
        (figures.waitingMessages, figures.oldestWaiting) = (outbox.messages, outbox.oldest)
        figures.fullWaiting = store.quota.waiting
        return figures
    }
}
