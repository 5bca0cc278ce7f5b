internal import Agent
package import ChatAPI
internal import ChatStore
internal import Concurrency
internal import Files
internal import JSON
package import NIOCore
internal import SQLCipher

/// The migration of all profiles of a store to or from another device, through an archive on file servers.
///
/// The chat of the store must be stopped during an upload, so a temporary store with separate databases transfers the
/// archive. The folder of the temporary store is beside the databases of the store, and both stores have the same key.
package struct DeviceMigration: Sendable {
    package enum State: Sendable {
        case none
        /// An archive is being made, uploaded, downloaded or imported.
        case running
        /// The archive is on file servers: its size in bytes, and the time when its link was made, in seconds since
        /// 1970.
        case ready(size: Int64, time: Int64)
    }

    private let controller: ChatController
    private let group: any EventLoopGroup
    private let folder: MigrationFolder

    /// - Parameter group: the threads of the network.
    package init(_ controller: ChatController, group: any EventLoopGroup) {
        (self.controller, self.group) = (controller, group)
        folder = controller.services.configuration.migrationFolder
    }

    /// The path of the archive, for the commands that export and import databases.
    package var archivePath: String { folder.archivePath }

    package var state: State {
        get async throws {
            try await runBlocking { [folder] in
                if let left = try folder.readTransferMark() { return .ready(size: left.size, time: left.time) }
                return folder.isPresent ? .running : .none
            }
        }
    }

    /// Begins a migration: creates its folder, which prevents the chat from starting.
    /// - Throws: `alreadyMigrating`
    package func beginMigration() async throws { try await runBlocking { [folder] in try folder.create() } }

    /// Begins a migration from another device.
    /// - Throws: `hasProfiles`, because an import would replace the profiles; `alreadyMigrating`.
    package func beginReceiving() async throws {
        guard try await controller.store.read({ try UserRecord.all(in: $0) }).isEmpty else {
            throw MigrationFailure.hasProfiles
        }
        try await beginMigration()
    }

    /// Ends the migration: removes the archive and the temporary store. Afterwards, the chat can be started.
    package func endMigration() async { await runCleanup { [folder] in folder.remove() } }

    // MARK: To another device

    /// Uploads the archive. The chat does not start until ``endMigration()``, even after a restart.
    /// - Returns: the link, and the size of the archive in bytes.
    package func uploadArchive() async throws -> (link: MigrationLink, size: Int64) {
        let size = try await runBlocking { [folder] in
            let size = DiskFiles.fileSize(folder.archivePath) ?? 0
            try Self.checkFreeSpace(for: size, in: folder.path)
            return size
        }
        let network = try await ownNetworkConfig
        let link = try await withTemporaryStore(over: network) { transfer, user in
            do {
                let link = try MigrationLink(try await uploadArchive(over: transfer, user), network)
                try WorkProgress.preventCancellation()
                try await runBlocking { [folder] in try folder.writeTransferMark(size: size, at: Timestamp.now.seconds)
                }
                return link
            } catch {
                await Self.withdrawArchive(transfer, within: .seconds(10))
                throw error
            }
        }
        await runCleanup { [folder] in DiskFiles.removeFile(folder.archivePath) }
        return (link, size)
    }

    private func uploadArchive(over transfer: ChatController, _ user: Int64) async throws -> String {
        let begin = transfer.journal.latestSeq
        let file = CryptoFile(filePath: folder.archivePath)
        _ = try await transfer.runOrThrow(.files(.uploadStandaloneFile(userId: user, file: file)))
        WorkProgress.currentProgress?.beginCounting(.bytes)
        return try await waitForEvent(transfer, after: begin) { event in
            switch event["type"]?.stringValue {
            case "sndFileProgressXFTP":
                WorkProgress.currentProgress?.advance(
                    to: event["sentSize"]?.integerValue ?? 0,
                    of: event["totalSize"]?.integerValue
                )
                return nil
            case "sndStandaloneFileComplete": return event["rcvURIs"]?[0]?.stringValue
            case "sndFileError": throw MigrationFailure.serverUnreachable(event["errorMessage"]?.stringValue ?? "")
            default: return nil
            }
        }
    }

    /// Deletes the archive on its servers. Waits only some seconds for the servers: a server deletes old archives later
    /// by itself.
    /// - Throws: `noMigration`
    package func withdrawArchive() async throws {
        guard try await runBlocking({ [folder] in folder.hasTransferMark }) else { throw MigrationFailure.noMigration }
        let network = try await ownNetworkConfig
        // An error is ignored: after a change of the databases' key, the temporary store cannot be opened.
        try? await withTemporaryStore(over: network) { transfer, _ in
            await Self.withdrawArchive(transfer, within: .seconds(10))
        }
    }

    private static func withdrawArchive(_ transfer: ChatController, within patience: Duration) async {
        let ids = try? await transfer.store.read { db in
            try db.query("SELECT file_id FROM files").map { try $0.int64("file_id") }
        }
        for id in ids ?? [] { _ = await transfer.send(.files(.cancelFile(fileId: id)), with: .all) }
        let limit = ContinuousClock.now + patience
        while ContinuousClock.now < limit {
            let isRetiring = try? await transfer.store.read { try $0.hasRow("SELECT 1 FROM retired_files") }
            if isRetiring == false, (try? await transfer.services.agent.hasChunksToDelete) == false { return }
            // The agent does not report the end of these deletions, so it is asked again after a pause.
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    // MARK: From another device

    /// Returns the network settings for a migration from another device.
    /// - Throws: `proxyChoiceRequired`, `unusableLink`
    package func resolveNetwork(of link: MigrationLink, usesProxy: Bool?) async throws -> NetworkConfig {
        try link.mergeNetworkConfig(try await ownNetworkConfig, usesProxy: usesProxy)
    }

    /// Stores network settings for the databases that are imported next. The settings apply before the chat starts.
    package func keepNetworkConfig(_ network: NetworkConfig) async throws {
        try await runBlocking { [folder] in try folder.keepNetworkConfig(network) }
    }

    /// Downloads the archive of a link.
    package func downloadArchive(_ link: MigrationLink, over network: NetworkConfig) async throws {
        let limit = controller.archives.maxTotalBytes
        if let limit, link.archiveBytes > limit { throw ChatArchives.Refusal.limitExceeded(limit: limit) }
        try await runBlocking { [folder] in
            // The encrypted and the decrypted archive are on the disk at the same time, so twice the size is needed.
            let (size, isTooLarge) = link.archiveBytes.multipliedReportingOverflow(by: 2)
            try Self.checkFreeSpace(for: isTooLarge ? .max : size, in: folder.path)
        }
        try await withTemporaryStore(over: network) { transfer, user in
            let begin = transfer.journal.latestSeq
            let target = CryptoFile(filePath: folder.archivePath)
            _ = try await transfer.runOrThrow(
                .files(.downloadStandaloneFile(userId: user, url: link.text, file: target))
            )
            WorkProgress.currentProgress?.beginCounting(.bytes)
            try await waitForEvent(transfer, after: begin) { event -> Void? in
                switch event["type"]?.stringValue {
                case "rcvFileProgressXFTP":
                    WorkProgress.currentProgress?.advance(
                        to: event["receivedSize"]?.integerValue ?? 0,
                        of: event["totalSize"]?.integerValue
                    )
                    return nil
                case "rcvStandaloneFileComplete": return ()
                case "rcvFileError": throw MigrationFailure(receiving: event["agentError"])
                default: return nil
                }
            }
        }
    }

    // MARK: The temporary store

    /// The network settings of the store that is migrated.
    private var ownNetworkConfig: NetworkConfig {
        get async throws {
            try await NetworkConfig.findStored(in: controller.store) ?? controller.services.configuration.networkConfig
        }
    }

    /// Checks that the disk has room for `size` bytes. A tenth of the free space is not used, since all stores write to
    /// the disk.
    /// - Throws: `ChatArchives.Refusal.notEnoughDiskSpace`.
    private static func checkFreeSpace(for size: Int64, in folder: String) throws {
        guard size <= Int64(clamping: DiskFiles.readFreeBytes(at: folder) / 10 * 9) else {
            throw ChatArchives.Refusal.notEnoughDiskSpace
        }
    }

    private func temporaryConfiguration(_ network: NetworkConfig) -> ChatConfiguration {
        var configuration = controller.services.configuration
        configuration.dataDirectory = folder.path
        configuration.databasePrefix = folder.path + "/simplex_v1"
        configuration.databaseKey = controller.databaseKey
        configuration.keyring = NoKeyring()
        configuration.missingDatabasePolicy = .create
        configuration.isCopy = false
        configuration.networkConfig = network
        configuration.storeLimits = StoreLimits()
        configuration.objectSettings = nil
        configuration.outboxHooks = OutboxHooks()
        return configuration
    }

    /// Runs `body` with the temporary store and its user.
    private func withTemporaryStore<T: Sendable>(
        over network: NetworkConfig,
        _ body: (ChatController, _ user: Int64) async throws -> T
    ) async throws -> T {
        let temporary = temporaryConfiguration(network)
        let transfer = try await WorkProgress.withoutProgress { [group] () async throws -> ChatController in
            let transfer = try await ChatController.open(temporary, group: group)
            do { try await transfer.start() } catch {
                await transfer.close()
                throw error
            }
            return transfer
        }
        do {
            let value = try await body(transfer, try await transfer.temporaryUserId)
            await transfer.close()
            return value
        } catch {
            await transfer.close()
            throw error
        }
    }

    /// Reads the events of the temporary store until `handle` returns a value.
    /// - Throws: `timeout` after a time without progress, `stopped`, and the errors of `handle`.
    private func waitForEvent<T>(
        _ transfer: ChatController,
        after begin: UInt64,
        _ handle: (JSONValue) throws -> T?
    ) async throws -> T {
        let mayContinue = WorkProgress.makeContinueCondition { [controller] in !controller.isEnding }
        let patience = controller.services.configuration.migrationTimeout
        var (position, limit) = (begin, ContinuousClock.now + patience)
        while ContinuousClock.now < limit {
            guard mayContinue() else { throw MigrationFailure.stopped }
            let entries = try await transfer.journal.readEntries(after: position, limit: 100)
            for entry in entries {
                position = entry.cursor.seq
                let event = try JSONValue(parsing: entry.eventJSON)
                if let value = try handle(event) { return value }
                if event["type"]?.stringValue?.contains("Progress") == true { limit = ContinuousClock.now + patience }
            }
            // The loop pauses instead of waiting for the next event, because a cancellation of the task also ends the
            // pause.
            if entries.isEmpty { try await Task.sleep(for: .milliseconds(200)) }
        }
        throw MigrationFailure.timeout
    }
}

extension ChatController {
    /// Whether the databases are closed or replaced, or will be closed soon.
    fileprivate var isEnding: Bool { runState.withLock { $0.isEnding || $0.isClosed || $0.isStoreChanged } }

    /// Runs a command, and returns its response.
    /// - Throws: `MigrationFailure.coreError`
    fileprivate func runOrThrow(_ command: ChatCommand) async throws(MigrationFailure) -> ChatResponse {
        switch await send(command, with: .all) {
        case .result(let response): return response
        case .error(let error): throw .coreError(error)
        }
    }

    /// The id of the user of a temporary store, who is created if missing.
    fileprivate var temporaryUserId: Int64 {
        get async throws {
            if let user = try await store.read({ try UserRecord.all(in: $0) }).first { return user.userId }
            let user = NewUser(
                profile: Profile(displayName: "migration", fullName: ""),
                pastTimestamp: false,
                userChatRelay: false,
                clientService: false
            )
            _ = try await runOrThrow(.users(.createActiveUser(newUser: user)))
            return try await store.read({ try UserRecord.all(in: $0) }).first?.userId ?? 1
        }
    }
}
