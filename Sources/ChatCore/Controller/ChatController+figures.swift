internal import Agent
internal import ChatAPI
package import ChatStore
internal import Concurrency
internal import Files
internal import SQLCipher
internal import Synchronization

extension ChatController {
    /// Replaces the limits of the store that were set at its opening.
    package func setLimits(_ limits: StoreLimits) { store.quota.setLimits(limits) }

    /// Number of times that an idle database of this process has closed its connections and released their memory.
    package static var databaseReleaseCount: Int { Database.resourceReleaseCount }

    /// Memory for the keys of open databases, in bytes: the part in use, and the part in locked pages. See
    /// ``KeyMemory``.
    package static var keyMemoryBytes: (used: Int, locked: Int) { (KeyMemory.usedBytes, KeyMemory.lockedBytes) }

    /// Closes the connections to both databases now, without waiting until they are idle.
    package func releaseDatabaseResources() async {
        await store.database.releaseResources()
        await services.agent.releaseDatabaseResources()
    }

    /// Returns the limits of the store, and its use of resources.
    package func readStoreFigures() async throws -> StoreFigures {
        let (quota, agent) = (store.quota, services.agent)
        await quota.refreshAgentBytes(agent)
        let waiting = services.configuration.objectSettings == nil ? nil : Int64(objectWorker.filesToMoveCount)
        let (use, journalBytes, objects) = try await store.read { db in
            let (use, journalBytes) = (try quota.countAllUse(agent, db), try EventJournal.countKeptBytes(db))
            guard let waiting else { return (use, journalBytes, ObjectFigures?.none) }
            let objects = try StoredObject.readFigures(in: db)
            return (
                use, journalBytes,
                ObjectFigures(
                    keptObjectCount: objects.kept,
                    fileBytes: objects.bytes,
                    waitingFileCount: waiting,
                    incompleteObjectCount: objects.incomplete
                )
            )
        }
        return StoreFigures(
            limits: quota.limits,
            resourceUse: use,
            journalBytes: journalBytes,
            overLimitConnectionCount: quota.waiterCount,
            refusalCount: quota.refusalCount,
            objectFigures: objects
        )
    }

    /// Returns the limits of the store, and its use of resources. The last result is returned again if no transaction
    /// was committed since then, and the limits and the number of files that wait for the object storage are unchanged.
    /// So the databases of an idle store stay closed. Files of incomplete uploads may be missing in the figures.
    package func readRecentFigures() async throws -> StoreFigures {
        let (commits, limits) = (commitCounts, store.quota.limits)
        let waiting = services.configuration.objectSettings == nil ? nil : Int64(objectWorker.filesToMoveCount)
        if let known = figuresCache.withLock({ $0 }), known.commits == commits, known.figures.limits == limits,
            known.figures.objectFigures?.waitingFileCount == waiting
        {
            return known.figures
        }
        let figures = try await readStoreFigures()
        figuresCache.withLock { $0 = (commits, figures) }
        return figures
    }

    /// Number of commands that were refused because the store had no room, since its databases were opened.
    package var refusalCount: Int { store.quota.refusalCount }

    /// Reads the sizes of the databases for ``lastDatabaseBytes``, if they may have changed since the last call.
    package func refreshDatabaseBytes() async {
        let (commits, idleCloseCount) = (commitCounts, store.database.idleCloseCount + services.agent.idleCloseCount)
        if let known = databaseBytesCache.withLock({ $0 }), known.commits == commits,
            known.idleCloseCount == idleCloseCount
        {
            return
        }
        let files = databases?.databasePaths ?? []
        let sizes = try? await runBlocking {
            files.map { (DiskFiles.fileSize($0) ?? 0) + (DiskFiles.fileSize($0 + "-wal") ?? 0) }
        }
        guard let sizes, sizes.count == 2 else { return }
        databaseBytesCache.withLock { $0 = (commits, idleCloseCount, DatabaseBytes(chat: sizes[0], agent: sizes[1])) }
    }

    /// The result of the last ``refreshDatabaseBytes()``.
    package var lastDatabaseBytes: DatabaseBytes { databaseBytesCache.withLock { $0?.bytes } ?? DatabaseBytes() }

    /// The last result of ``readRecentFigures()``; nil before the first call.
    package var lastFigures: StoreFigures? { figuresCache.withLock { $0?.figures } }

    /// The last result of ``refreshChannelFigures()``; nil before the first call.
    package var lastChannelFigures: ChannelFigures? { channelFiguresCache.withLock { $0?.figures } }

    /// Number of messages to members of served channels that were sent since the databases were opened.
    package var channelDeliveryCount: Int64 { relayDeliveryWorker.deliveryCount.load(ordering: .relaxed) }

    /// Reads the figures of the served channels for ``lastChannelFigures``, if there were commits since the last call.
    /// Otherwise nothing is read, so that the databases of an idle store stay closed.
    package func refreshChannelFigures() async throws {
        let commits = commitCounts
        if channelFiguresCache.withLock({ $0?.commits == commits }) { return }
        let figures = try await readChannelFigures()
        channelFiguresCache.withLock { $0 = (commits, figures) }
    }

    private func readChannelFigures() async throws -> ChannelFigures {
        try await store.read { db in
            var figures = ChannelFigures()
            let row = try db.firstRow(
                """
                SELECT count(*) AS channels, coalesce(sum(current_members), 0) AS members FROM groups
                WHERE relay_own_status IN ('accepted', 'acknowledgedRoster', 'active')
                """
            )
            figures.channelCount = try row?.readClampedCount("channels") ?? 0
            figures.memberCount = max(0, (try row?.readClampedCount("members") ?? 0) - figures.channelCount)
            figures.waitingMessageCount = try db.firstRow("SELECT count(*) AS n FROM relay_tasks")?.readCount("n") ?? 0
            figures.unsentBodyCount = try db.firstRow("SELECT count(*) AS n FROM relay_jobs")?.readCount("n") ?? 0
            figures.pendingAnswerCount =
                try db.firstRow("SELECT count(*) AS n FROM passing_connections")?.readCount("n") ?? 0
            let oldest = try db.firstRow(
                "SELECT min(oldest) AS oldest FROM (SELECT min(created_at) AS oldest FROM relay_tasks UNION ALL SELECT min(created_at) FROM relay_jobs)"
            )
            figures.oldestMessageTime = try oldest?.int64OrNil("oldest").map { Timestamp(nanoseconds: $0) }
            return figures
        }
    }

    /// The current figures of relays, queues and waiting messages. All data is in memory, so this property does not
    /// wait.
    package var networkFigures: NetworkFigures {
        var figures = NetworkFigures()
        let (relays, outbox) = (services.agent.relayFigures, services.agent.outboxFigures)
        (figures.connectedRelayCount, figures.connectingRelayCount) = (
            relays.connectedSessions, relays.connectingSessions
        )
        figures.failedRelayCount = relays.failedSessions
        (figures.subscribedQueueCount, figures.pendingQueueCount) = (relays.activeQueues, relays.pendingQueues)
        (figures.sendingConnectionCount, figures.lateSendingConnectionCount) = (
            outbox.connections, outbox.lateConnections
        )
        (figures.waitingMessageCount, figures.oldestWaitSeconds) = (outbox.waitingMessages, outbox.oldestAgeSeconds)
        figures.blockedConnectionCount = store.quota.waiterCount
        return figures
    }
}
