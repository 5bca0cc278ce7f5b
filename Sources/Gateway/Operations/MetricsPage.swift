internal import ChatCore
internal import Concurrency
internal import Files
internal import Prometheus

extension GatewayServices {
    /// Returns the metrics. Figures of the whole process, and of all its stores, are only in the metrics of the first
    /// store.
    func metricsText() async -> String {
        let controller = core.controller
        await refreshFigures()
        let loads = loads
        var text = MetricsText()
        text.family("sxgw_build_info", .gauge, "1, with the version of the program.")
        text.sample([("version", ProgramVersion.text), ("swift", swiftVersion)], 1)
        text.value(
            "sxgw_ready",
            .gauge,
            "1 while /readyz answers 200.",
            unreadiness == nil ? 1 : 0
        )
        metrics.write(to: &text)
        writeEvents(to: &text)
        deliveries?.write(to: &text)
        writeSums(loads, to: &text)
        if isOfFirst { writeStores(loads, to: &text) }
        if let figures = figureReading.channels { writeChannels(figures, to: &text) }
        writeAmounts(loads, to: &text)
        text.value(
            "sxgw_store_full_refusals_total",
            .counter,
            "Commands that were refused because the store had no room, since its databases were opened.",
            controller?.refusals ?? 0
        )
        let commits = controller?.commits ?? DatabaseCommits()
        text.value(
            "sxgw_chat_commits_total",
            .counter,
            "Synced transactions of the chat database since it was opened.",
            commits.chat
        )
        text.value(
            "sxgw_agent_commits_total",
            .counter,
            "Synced transactions of the agent's database since it was opened.",
            commits.agent
        )
        // Figures of the whole process, with all its stores, are returned only for the first store. They are read from
        // files, so the thread must be allowed to block.
        let further = try? await blocking { [self, isOfFirst, loads] in
            var text = MetricsText()
            writeDatabases(loads, to: &text)
            if isOfFirst { writeProcess(to: &text) }
            return text.text
        }
        return text.text + (further ?? "") + (isOfFirst ? configuration.otherMetrics.map { $0() }.joined() : "")
    }

    private func writeEvents(to text: inout MetricsText) {
        let readers = events.readers
        text.value("sxgw_event_waiters", .gauge, "Long polls that wait.", readers.waiters)
        text.value("sxgw_event_streams", .gauge, "Event streams and sockets.", readers.streams)
        text.value("sxgw_journal_latest", .gauge, "Number of the newest event.", events.latest)
        text.value("sxgw_journal_oldest", .gauge, "Number of the oldest event that is kept.", events.source.oldest)
        text.value("sxgw_events_total", .counter, "Events since the journal began.", events.latest)
    }

    private func writeChannels(_ figures: ChannelFigures, to text: inout MetricsText) {
        text.value("sxgw_channels", .gauge, "Channels that chat relays of the store serve.", figures.channels)
        text.value(
            "sxgw_channel_members",
            .gauge,
            "Members of the channels that chat relays of the store serve.",
            figures.members
        )
        text.value(
            "sxgw_channel_messages_waiting",
            .gauge,
            "Messages in channels that wait to be passed on.",
            figures.waiting
        )
        text.value(
            "sxgw_channel_jobs",
            .gauge,
            "Message bodies that are being passed on to the members of channels.",
            figures.jobs
        )
        text.value(
            "sxgw_channel_answers_waiting",
            .gauge,
            "Answers of chat relays to tests and invitations that were not delivered yet, or wait for their reply.",
            figures.answers
        )
        text.value(
            "sxgw_channel_lag_seconds",
            .gauge,
            "Age of the oldest message that has not gone out to all members of its channel; 0 when there is none.",
            figures.lag
        )
        text.value(
            "sxgw_channel_deliveries_total",
            .counter,
            "Messages to members of channels, since the start.",
            figures.deliveries
        )
    }

    private func writeDatabases(_ loads: [StoreLoad], to text: inout MetricsText) {
        let bytes = loads.reduce(DatabaseBytes()) { $0 + $1.databases }
        text.family("sxgw_database_bytes", .gauge, "Bytes of the databases of the open stores, with their logs.")
        for (name, bytes) in [("agent", bytes.agent), ("chat", bytes.chat)] { text.sample([("database", name)], bytes) }
    }

    private func write(_ pool: OpenPool, to text: inout MetricsText) {
        let figures = pool.figures
        text.value(
            "sxgw_stores_with_databases",
            .gauge,
            "Open stores, including the first, whose databases have connections.",
            figures.open
        )
        text.value(
            "sxgw_stores_with_databases_limit",
            .gauge,
            "Maximal number of stores whose databases may have connections at the same time.",
            pool.limits.open
        )
        text.value(
            "sxgw_stores_awaiting_databases",
            .gauge,
            "Open stores that wait until another store closes its databases.",
            figures.waiting
        )
        text.value(
            "sxgw_database_waits_total",
            .counter,
            "Times that a store waited until another store closed its databases, since the start.",
            figures.waits
        )
        text.value(
            "sxgw_database_refusals_total",
            .counter,
            "Reads and writes that were refused because they waited too long for other stores, since the start.",
            figures.refusals
        )
    }

    private func writeProcess(to text: inout MetricsText) {
        let stores = self.stores?.others ?? []
        text.value("sxgw_stores", .gauge, "Stores besides the first.", stores.count)
        text.value(
            "sxgw_stores_unlocked",
            .gauge,
            "Stores besides the first that are unlocked.",
            stores.count { $0.opened != nil }
        )
        text.value(
            "sxgw_stores_held",
            .gauge,
            "Stores, including the first, that stay closed because the process crashed while they were opened.",
            self.stores?.all.count { $0.isHeld } ?? 0
        )
        let keys = ChatController.keyMemory
        text.value("sxgw_key_memory_bytes", .gauge, "Bytes in use of the memory for keys of open databases.", keys.used)
        text.value(
            "sxgw_key_memory_locked_bytes",
            .gauge,
            "Bytes of locked pages for keys of open databases; 0 after the system refused to lock a page.",
            keys.locked
        )
        if let pool = self.stores?.settings.chat.pool { write(pool, to: &text) }
        text.value(
            "sxgw_unread_answer_bytes",
            .gauge,
            "Bytes of answers that wait for clients to read them.",
            answers.bytes
        )
        text.value(
            "sxgw_data_free_bytes",
            .gauge,
            "Free bytes on the disk of the data folder.",
            DiskFiles.freeBytes(configuration.folder)
        )
        if let stores = self.stores {
            text.value(
                "sxgw_stores_free_bytes",
                .gauge,
                "Free bytes on the disk of the folder of the stores (--stores); 0 while the disk does not answer.",
                stores.disk.latestReading().bytes
            )
        }
        self.stores?.scheduledBackups?.write(to: &text)
        let process = ProcessFigures.now()
        text.value("process_resident_memory_bytes", .gauge, "Resident memory.", ProcessMemory.resident())
        text.value("process_cpu_seconds_total", .counter, "CPU time of user and system.", process.cpuSeconds)
        text.value("process_open_fds", .gauge, "Open file descriptors.", process.openDescriptors)
        text.value("process_max_fds", .gauge, "Limit of open file descriptors.", process.maxDescriptors)
        text.value("process_threads", .gauge, "Threads.", process.threads)
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
