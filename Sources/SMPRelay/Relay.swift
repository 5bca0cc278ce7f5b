package import Logging
package import NIOCore
package import RelayBase
package import SMP
import Transport

/// The embedded SMP relay, which stores messages until their recipients have received them.
///
/// simplexmq `protocol/simplex-messaging.md`. Every acknowledged change survives a crash of the process.
package final class Relay: RunningRelay {
    package let parts: RelayParts
    /// Warnings for the operator. The relay also logs them.
    package let warnings: [RelayWarning]
    let context: RelayContext

    private init(_ parts: RelayParts, _ warnings: [RelayWarning], _ context: RelayContext) {
        self.parts = parts
        self.warnings = warnings
        self.context = context
    }

    /// Loads the stored queues, and starts to listen.
    package static func start(
        configuration: RelayConfiguration,
        group: any EventLoopGroup,
        logger: Logger = Logger(label: "smp-relay")
    ) async throws(RelayError) -> Relay {
        let warnings = RelayWarning.findWarnings(configuration)
        let folder = try RelayFolder(configuration)
        let tls = try folder.makeTLSConfiguration(.relay)
        let loops = group.makeIterator().map { LoopConnections($0) }
        let store = try openStore(configuration, logger, loops)
        let context = RelayContext(
            configuration: configuration,
            credentials: folder.credentials,
            tls: tls,
            store: store,
            logger: logger,
            loops: loops,
            group: group
        )
        let eventLoop = group.next()
        let upkeep = RelayUpkeep(
            configuration,
            log: store.log,
            LogRecord.logHeader,
            loops: loops,
            eventLoop: eventLoop,
            logger: logger,
            estimatedLogBytes: { store.estimatedLogBytes },
            snapshot: { store.compactionSnapshot }
        )
        let parts = try await RelayParts.startListening(
            .smp,
            configuration,
            folder,
            upkeep,
            connections: context.connectionLimiter,
            group: group,
            statistics: { context.statistics },
            addHandlers: { try addHandlers(of: context, to: $0) }
        )
        let relay = Relay(parts, warnings, context)
        await context.proxySessions.setOwnAddress(relay.address)
        context.expireMessages(on: eventLoop)
        upkeep.runEvery(configuration.expiryIntervalSeconds) { context.expireMessages(on: eventLoop) }
        for warning in warnings { logger.warning("\(warning)") }
        logger.info(
            "The relay listens.",
            metadata: ["address": "\(relay.address)", "queues": "\(store.table.withLock { $0.queueCount })"]
        )
        return relay
    }

    /// Inspects the folder of a relay that is not running.
    package static func inspectFolder(_ directory: String) -> RelayInspection {
        var table = QueueTable()
        var found = RelayInspection(
            identity: ServerCredentials.findFaults(directory: directory).map { .credentialsUnusable($0) },
            in: directory,
            log: RelayConfiguration(directory: directory).logPath,
            LogRecord.logHeader
        ) {
            guard let record = LogRecord(payload: $0) else { return false }
            table.applyRecord(record)
            return true
        }
        found.queueIDs = Set(table.slots.compactMap { $0?.recipientID.bytes })
        return found
    }

    /// Ends all sessions, and waits until all changes are written.
    package func stopAndWait() async {
        await context.proxySessions.close()
        await context.nameRequests?.cancelAllAndWait()
        await parts.stopAndWait()
    }

    /// The present numbers of queues, waiting messages and sessions.
    package var counts: (queues: Int, messages: Int, sessions: Int) {
        let (queues, messages) = context.store.table.withLock { ($0.queueCount, $0.messageCount) }
        return (queues, messages, context.connectionLimiter.descriptorsInUse)
    }

    /// Blocks a queue that breaks the operator's rules; nil for `blocking` unblocks the queue. A blocked queue neither
    /// accepts nor delivers messages. Clients get ERR BLOCKED; clients of versions before 12 get ERR AUTH. Clients from
    /// version 18 also get the notice, a JSON object of at most 1024 bytes. A longer notice throws
    /// ``SMPErrorType/largeMsg``.
    /// - Returns: whether there is a queue with this recipient id.
    package func blockOrUnblock(_ blocking: SMPBlockingInfo?, queue recipientID: [UInt8]) throws(SMPErrorType) -> Bool {
        // A notice of more than 1024 bytes is refused, because it would not fit into an answer.
        guard (blocking?.notice?.utf8.count ?? 0) <= 1024 else { throw SMPErrorType.largeMsg }
        guard let id = QueueID(recipientID), !context.store.findRecipientKeys(id).isEmpty else { return false }
        _ = try context.store.setBlocking(id, blocking)
        return true
    }

    /// The counters since the start of the relay, and current values.
    package var statistics: RelayStatistics { context.statistics }

    private static func openStore(
        _ configuration: RelayConfiguration,
        _ logger: Logger,
        _ loops: [LoopConnections]
    ) throws(RelayError) -> QueueStore {
        let path = configuration.logPath
        var table = QueueTable()
        do throws(RelayStoreError) {
            LogCompaction.removePartialLog(path)
            let (file, lost) = try LogFile.openLog(at: path, LogRecord.logHeader) { payload in
                guard let record = LogRecord(payload: payload) else { return false }
                table.applyRecord(record)
                return true
            }
            lost.reportDamage(of: "log", logger)
            let log = LogWriter(
                file: file,
                durability: configuration.syncsToDisk ? .onDisk : .inOperatingSystem,
                logger: logger
            ) {
                for loop in loops { loop.didCommit() }
            }
            return QueueStore(table: table, log: log, configuration: configuration)
        } catch {
            throw .storeFailed(error)
        }
    }

    private static func addHandlers(of context: RelayContext, to channel: any Channel) throws {
        guard let loop = context.loops[ObjectIdentifier(channel.eventLoop)] else {
            throw ChannelError.operationUnsupported
        }
        try channel.pipeline.syncOperations.addHandlers([
            try TLSHandler.makeServer(
                context.tlsConfiguration,
                handshakeTimeout: .seconds(context.configuration.handshakeTimeoutSeconds)
            ),
            BlockCodec(),
            ClientConnection(relay: context, loop: loop),
        ])
    }
}
