package import ChatStore

extension ChatController: ControlledCore {
    /// Uploads and downloads of files.
    package var chatFiles: ChatFiles {
        ChatFiles(
            store: store,
            folders: services.folders,
            uploadsUnderway: services.uploadsUnderway,
            verifiedFiles: services.verifiedFiles,
            objects: services.fileObjects
        )
    }

    /// Traces of messages: the steps of each message, with their times.
    package var messageTraces: MessageTraces { MessageTraces(store: store) }

    /// Pictures that clients upload and use as wallpapers of chats.
    package var chatWallpapers: ChatWallpapers { ChatWallpapers(store: store) }

    /// Reports about the workers of the agent, for diagnostics; empty while the chat is stopped.
    package var workerReports: [WorkerReport] {
        services.agent.workerStates.map(WorkerReport.init).sorted { $0.sortingKey < $1.sortingKey }
    }

    /// A report about the locks of the store and the queues of its databases, for diagnostics.
    package var waitReport: WaitReport {
        WaitReport(
            lifecycleLock: lifecycleLock.figures,
            runningCommandCount: runningCommands.runningCount + runningCommandsWithLock.runningCount,
            chatDatabase: store.database.queueFigures,
            agentDatabase: services.agent.databaseQueueFigures
        )
    }

    /// The archives of the store that clients upload and download.
    package var archives: ChatArchives {
        // An archive contains both databases and files, so both limits are added.
        let limits = store.quota.limits
        let sum = limits[.databaseBytes].flatMap { databases in
            limits[.fileBytes].map { $0.addingReportingOverflow(databases) }
        }
        return ChatArchives(
            folder: services.folders.paths.clientFolder,
            maxTotalBytes: sum.flatMap { $0.overflow ? nil : $0.partialValue }
        )
    }

    /// The stored subscriptions of other programs to events.
    package var subscriptions: EventSubscriptions { EventSubscriptions(database: store.database) }
}
