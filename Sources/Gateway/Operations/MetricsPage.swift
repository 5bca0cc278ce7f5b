internal import ChatCore
internal import Concurrency
internal import Files
internal import Prometheus

extension GatewayServices {
    /// Returns the metrics. Figures of the whole process, and of all its stores, are only in the metrics of the first
    /// store.
    func makeMetricsText() async -> String {
        let controller = core.controller
        await refreshFigures()
        let loads = storeLoads
        var text = MetricsText()
        text.writeFamily("sxgw_build_info", .gauge, "1, with the version of the program.")
        text.writeSample([("version", ProgramVersion.text), ("swift", swiftVersion)], 1)
        text.writeValue(
            "sxgw_ready",
            .gauge,
            "1 while /readyz answers 200.",
            await findUnreadyReason() == nil ? 1 : 0
        )
        metrics.writeMetrics(to: &text)
        writeEventMetrics(to: &text)
        deliveries?.writeMetrics(to: &text)
        writeSumMetrics(loads, to: &text)
        if isForFirstStore { writeStoreMetrics(loads, to: &text) }
        if let figures = figureReading.channelFigures { writeChannelMetrics(figures, to: &text) }
        writeAmountMetrics(loads, to: &text)
        text.writeValue(
            "sxgw_store_full_refusals_total",
            .counter,
            "Commands that were refused because the store had no room, since its databases were opened.",
            controller?.refusalCount ?? 0
        )
        let commits = controller?.commitCounts ?? DatabaseCommitCounts()
        text.writeValue(
            "sxgw_chat_commits_total",
            .counter,
            "Synced transactions of the chat database since it was opened.",
            commits.chatCount
        )
        text.writeValue(
            "sxgw_agent_commits_total",
            .counter,
            "Synced transactions of the agent's database since it was opened.",
            commits.agentCount
        )
        // Figures of the whole process, with all its stores, are returned only for the first store. They are read from
        // files, so the thread must be allowed to block.
        let further = try? await runBlocking { [self, isForFirstStore, loads] in
            var text = MetricsText()
            writeDatabaseMetrics(loads, to: &text)
            if isForFirstStore { writeProcessMetrics(to: &text) }
            return text.text
        }
        return text.text + (further ?? "") + (isForFirstStore ? configuration.metricsSources.map { $0() }.joined() : "")
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

    private func writeChannelMetrics(_ figures: ChannelFigures, to text: inout MetricsText) {
        text.writeValue("sxgw_channels", .gauge, "Channels that chat relays of the store serve.", figures.channelCount)
        text.writeValue(
            "sxgw_channel_members",
            .gauge,
            "Members of the channels that chat relays of the store serve.",
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
            figures.lagSeconds
        )
        text.writeValue(
            "sxgw_channel_deliveries_total",
            .counter,
            "Messages to members of channels, since the start.",
            figures.deliveryCount
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
        text.writeValue(
            "sxgw_data_free_bytes",
            .gauge,
            "Free bytes on the disk of the data folder.",
            DiskFiles.freeBytes(configuration.dataFolder)
        )
        if let stores = self.storeHost {
            text.writeValue(
                "sxgw_stores_free_bytes",
                .gauge,
                "Free bytes on the disk of the folder of the stores (--stores); 0 while the disk does not answer.",
                stores.diskWatch.takeLatestReading().freeBytes
            )
        }
        self.storeHost?.scheduledBackups?.writeMetrics(to: &text)
        let process = ProcessFigures.readFigures()
        text.writeValue("process_resident_memory_bytes", .gauge, "Resident memory.", ProcessMemory.readResidentBytes())
        text.writeValue("process_cpu_seconds_total", .counter, "CPU time of user and system.", process.cpuSeconds)
        text.writeValue("process_open_fds", .gauge, "Open file descriptors.", process.openDescriptors)
        text.writeValue("process_max_fds", .gauge, "Limit of open file descriptors.", process.maxDescriptors)
        text.writeValue("process_threads", .gauge, "Threads.", process.threadCount)
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
