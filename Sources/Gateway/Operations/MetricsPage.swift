internal import ChatAPI
internal import ChatCore
internal import Concurrency
internal import Prometheus

extension GatewayServices {
    /// Returns the text of the metrics. Figures of the whole process, and of all its stores, are only in the metrics of
    /// the first store.
    func makeMetricsText() async -> String {
        let disks = await disks.refreshLatestReadings()
        // The amounts are read from files. While a disk does not answer, the last known amounts are used. So the
        // metrics do not wait for the disk again.
        if disks.areAnswered { await refreshFigures() }
        let loads = storeLoads
        let counters = counterTotals.update(Dictionary(loads.map { ($0.id, $0.counters) }) { $1 })
        var text = MetricsText()
        text.writeFamily("sxgw_build_info", .gauge, "1, with the version of the program.")
        text.writeSample([("version", ProgramVersion.text), ("swift", swiftVersion)], 1)
        text.writeValue(
            "sxgw_ready",
            .gauge,
            "1 while /readyz answers 200.",
            findUnreadyReason(disks) == nil ? 1 : 0
        )
        metrics.writeMetrics(to: &text)
        writeEventMetrics(to: &text)
        deliveries?.writeMetrics(to: &text)
        writeSumMetrics(loads, to: &text)
        if isForFirstStore {
            writeStoreMetrics(loads, to: &text)
            writeStoreCommits(loads, counters.growth, to: &text)
        }
        writeChannelMetrics(loads, counters.totals.channelDeliveryCount, to: &text)
        writeAmountMetrics(loads, to: &text)
        text.writeValue(
            "sxgw_store_full_refusals_total",
            .counter,
            "Commands that were refused because a store had no room, since the start.",
            counters.totals.refusalCount
        )
        text.writeValue(
            "sxgw_chat_commits_total",
            .counter,
            "Synced transactions of chat databases since the start.",
            counters.totals.commits.chatCount
        )
        text.writeValue(
            "sxgw_agent_commits_total",
            .counter,
            "Synced transactions of agents' databases since the start.",
            counters.totals.commits.agentCount
        )
        writeDatabaseMetrics(loads, to: &text)
        guard isForFirstStore else { return text.text }
        // Figures of the whole process, with all its stores, are returned only for the first store.
        writeProcessMetrics(to: &text)
        writeDiskMetrics(disks, to: &text)
        // A disk without an answer may block all threads of the blocking pool, so a separate thread reads the figures.
        let process = await BlockingThread.callOnThread { ProcessFigures.readFigures() }
        process.writeMetrics(to: &text)
        return text.text + configuration.metricsSources.map { $0() }.joined()
    }

    private func writeEventMetrics(to text: inout MetricsText) {
        let readers = eventHub.readerCounts
        text.writeValue("sxgw_event_waiters", .gauge, "Long polls that wait.", readers.waiters)
        text.writeValue("sxgw_event_streams", .gauge, "Event streams and sockets.", readers.streams)
        text.writeValue("sxgw_journal_latest", .gauge, "Number of the newest event.", eventHub.latestSeq)
        text.writeValue(
            "sxgw_journal_oldest",
            .gauge,
            "Number of the oldest event that is kept.",
            eventHub.source.oldestSeq
        )
        text.writeValue("sxgw_events_total", .counter, "Events since the journal began.", eventHub.latestSeq)
    }

    private func writeChannelMetrics(_ loads: [StoreLoad], _ deliveryCount: Int64, to text: inout MetricsText) {
        var figures = ChannelFigures()
        for load in loads { if let channels = load.channelFigures { figures += channels } }
        text.writeValue("sxgw_channels", .gauge, "Channels that chat relays of the stores serve.", figures.channelCount)
        text.writeValue(
            "sxgw_channel_members",
            .gauge,
            "Members of the channels that chat relays of the stores serve.",
            figures.memberCount
        )
        text.writeValue(
            "sxgw_channel_messages_waiting",
            .gauge,
            "Messages in channels that wait to be passed on.",
            figures.waitingMessageCount
        )
        text.writeValue(
            "sxgw_channel_jobs",
            .gauge,
            "Message bodies that are being passed on to the members of channels.",
            figures.unsentBodyCount
        )
        text.writeValue(
            "sxgw_channel_answers_waiting",
            .gauge,
            "Answers of chat relays to tests and invitations that were not delivered yet, or wait for their reply.",
            figures.pendingAnswerCount
        )
        text.writeValue(
            "sxgw_channel_lag_seconds",
            .gauge,
            "Age of the oldest message that has not gone out to all members of its channel; 0 when there is none.",
            figures.oldestMessageTime.map { max(0, Timestamp.now.seconds - $0.seconds) } ?? 0
        )
        text.writeValue(
            "sxgw_channel_deliveries_total",
            .counter,
            "Messages to members of channels, since the start.",
            deliveryCount
        )
    }

    private func writeDatabaseMetrics(_ loads: [StoreLoad], to text: inout MetricsText) {
        let bytes = loads.reduce(DatabaseBytes()) { $0 + $1.databaseBytes }
        text.writeFamily("sxgw_database_bytes", .gauge, "Bytes of the databases of the open stores, with their logs.")
        for (name, bytes) in [("agent", bytes.agentBytes), ("chat", bytes.chatBytes)] {
            text.writeSample([("database", name)], bytes)
        }
    }

    private func writePoolMetrics(_ pool: OpenPool, to text: inout MetricsText) {
        let figures = pool.figures
        text.writeValue(
            "sxgw_stores_with_databases",
            .gauge,
            "Open stores, including the first, whose databases have connections.",
            figures.openCount
        )
        text.writeValue(
            "sxgw_stores_with_databases_limit",
            .gauge,
            "Maximal number of stores whose databases may have connections at the same time.",
            pool.limits.maxOpenMembers
        )
        text.writeValue(
            "sxgw_stores_awaiting_databases",
            .gauge,
            "Open stores that wait until another store closes its databases.",
            figures.waitingCount
        )
        text.writeValue(
            "sxgw_database_waits_total",
            .counter,
            "Times that a store waited until another store closed its databases, since the start.",
            figures.waitCount
        )
        text.writeValue(
            "sxgw_database_refusals_total",
            .counter,
            "Reads and writes that were refused because they waited too long for other stores, since the start.",
            figures.refusalCount
        )
    }

    private func writeProcessMetrics(to text: inout MetricsText) {
        let stores = self.storeHost?.otherStores ?? []
        text.writeValue("sxgw_stores", .gauge, "Stores besides the first.", stores.count)
        text.writeValue(
            "sxgw_stores_unlocked",
            .gauge,
            "Stores besides the first that are unlocked.",
            stores.count { $0.openedStore != nil }
        )
        text.writeValue(
            "sxgw_stores_held",
            .gauge,
            "Stores, including the first, that stay closed because the process crashed while they were opened.",
            self.storeHost?.allStores.count { $0.isHeldClosed } ?? 0
        )
        let unopened = (self.storeHost?.allStores ?? []).filter(\.hasOpeningFailed).map(\.id).sorted()
        text.writeValue(
            "sxgw_stores_unopened",
            .gauge,
            "Stores, including the first, that are locked because the last attempt to open them failed.",
            unopened.count
        )
        text.writeFamily("sxgw_store_unopened", .gauge, "1 for a store that the last attempt could not open.")
        for id in unopened.prefix(max(1, configuration.maxStoresInMetrics)) { text.writeSample([("store", id)], 1) }
        let keys = ChatController.keyMemoryBytes
        text.writeValue(
            "sxgw_key_memory_bytes",
            .gauge,
            "Bytes in use of the memory for keys of open databases.",
            keys.used
        )
        text.writeValue(
            "sxgw_key_memory_locked_bytes",
            .gauge,
            "Bytes of locked pages for keys of open databases; 0 after the system refused to lock a page.",
            keys.locked
        )
        if let pool = self.storeHost?.settings.chatConfiguration.openPool { writePoolMetrics(pool, to: &text) }
        text.writeValue(
            "sxgw_unread_answer_bytes",
            .gauge,
            "Bytes of answers that wait for clients to read them.",
            unreadAnswers.countedBytes
        )
        self.storeHost?.scheduledBackups?.writeMetrics(to: &text)
    }

    private func writeDiskMetrics(_ disks: GatewayDisks.Readings, to text: inout MetricsText) {
        for (name, folder, disk) in [
            ("data", "data folder", disks.dataDisk), ("stores", "folder of the stores (--stores)", disks.storesDisk),
        ] {
            if let bytes = disk.freeBytes {
                text.writeValue(
                    "sxgw_\(name)_free_bytes",
                    .gauge,
                    "Free bytes on the disk of the \(folder), when it last answered.",
                    bytes
                )
            }
            text.writeValue(
                "sxgw_\(name)_disk_silent_seconds",
                .gauge,
                "Seconds for which the disk of the \(folder) has not answered; 0 while it answers.",
                disk.unansweredTime?.components.seconds ?? 0
            )
        }
    }

    private var swiftVersion: String {
        #if compiler(>=6.4)
            "6.4 or newer"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}

extension ProcessFigures {
    fileprivate func writeMetrics(to text: inout MetricsText) {
        text.writeValue("process_resident_memory_bytes", .gauge, "Resident memory.", residentBytes)
        text.writeValue("process_cpu_seconds_total", .counter, "CPU time of user and system.", cpuSeconds)
        text.writeValue("process_open_fds", .gauge, "Open file descriptors.", openDescriptors)
        text.writeValue("process_max_fds", .gauge, "Limit of open file descriptors.", maxDescriptors)
        text.writeValue("process_threads", .gauge, "Threads.", threadCount)
    }
}
