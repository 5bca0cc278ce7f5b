public import Logging
public import NIOCore
public import RelayBase
public import SMP
import Transport

/// The embedded SMP relay: stores messages until their recipients have received them.
///
/// simplexmq `protocol/simplex-messaging.md`. Every acknowledged change survives a crash of the process.
public final class Relay: Sendable {
    /// The address for clients, with port, fingerprint, and the password for creating queues if there is one.
    public let address: ProtocolServer
    /// Warnings for the operator. They are also logged.
    public let warnings: [RelayWarning]
    let context: RelayContext
    private let channel: any Channel
    private let metrics: (any Channel)?
    private let lock: DirectoryLock
    private let maintenance: Maintenance

    private init(
        address: ProtocolServer,
        warnings: [RelayWarning],
        context: RelayContext,
        channel: any Channel,
        metrics: (any Channel)?,
        lock: DirectoryLock,
        maintenance: Maintenance
    ) {
        self.address = address
        self.warnings = warnings
        self.context = context
        self.channel = channel
        self.metrics = metrics
        self.lock = lock
        self.maintenance = maintenance
    }

    /// Loads the stored queues, and starts to listen.
    public static func start(
        configuration: RelayConfiguration,
        group: any EventLoopGroup,
        logger: Logger = Logger(label: "smp-relay")
    ) async throws(RelayError) -> Relay {
        let host = try RelayAddress.host(publicHost: configuration.publicHost, host: configuration.host)
        let lock: DirectoryLock
        let credentials: ServerCredentials
        do { lock = try DirectoryLock(configuration.directory) } catch { throw .store(error) }
        let warnings = RelayWarning.all(configuration, log: configuration.log)
        do {
            credentials = try ServerCredentials.loadOrCreate(
                directory: configuration.directory,
                algorithm: configuration.keyAlgorithm
            )
        } catch {
            throw .credentials(error)
        }
        let loops = group.makeIterator().map { LoopConnections($0) }
        let (store, path) = try openStore(configuration, logger, loops)
        let tls: TLSServerConfiguration
        do { tls = try TLSServerConfiguration(credentials) } catch { throw .tls(error) }
        let context = RelayContext(
            configuration: configuration,
            credentials: credentials,
            tls: tls,
            store: store,
            logger: logger,
            loops: loops,
            group: group
        )
        let channel: any Channel
        var metrics: (any Channel)?
        do {
            if let port = configuration.metricsPort {
                metrics = try await MetricsListener.start(host: configuration.metricsHost, port: port, group: group) {
                    context.statistics.text
                }
            }
            channel = try await listen(context, group)
        } catch {
            try? await metrics?.close()
            await store.log.close()
            throw RelayError(notListening: error)
        }
        guard let port = channel.localAddress?.port,
            let address = ProtocolServer(
                hosts: [host],
                port: String(port),
                keyHash: credentials.fingerprint,
                password: configuration.createPassword
            )
        else {
            try? await channel.close()
            try? await metrics?.close()
            await store.log.close()
            throw .invalidHost(configuration.publicHost ?? configuration.host)
        }
        await context.proxy.set(ownAddress: address)
        let maintenance = Maintenance(context: context, path: path, eventLoop: group.next())
        maintenance.start()
        for warning in warnings { logger.warning("\(warning)") }
        logger.info(
            "The relay listens.",
            metadata: ["address": "\(address)", "queues": "\(store.table.withLock { $0.count })"]
        )
        return Relay(
            address: address,
            warnings: warnings,
            context: context,
            channel: channel,
            metrics: metrics,
            lock: lock,
            maintenance: maintenance
        )
    }

    /// Inspects the folder of a relay that does not run.
    public static func inspect(_ directory: String) -> RelayInspection {
        var table = QueueTable()
        var found = RelayInspection(
            identity: ServerCredentials.faults(directory: directory).map { .credentials($0) },
            in: directory,
            log: RelayConfiguration(directory: directory).log,
            LogRecord.format
        ) {
            guard let record = LogRecord(payload: $0) else { return false }
            table.apply(record)
            return true
        }
        found.queues = Set(table.slots.compactMap { $0?.recipientID.bytes })
        return found
    }

    /// Ends all sessions, and waits until all changes are written.
    public func stop() async {
        await maintenance.stop()
        await context.proxy.close()
        try? await channel.close()
        try? await metrics?.close()
        for loop in context.loops.values { try? await loop.eventLoop.submit { loop.closeAll() }.get() }
        await context.store.log.close()
        lock.release()
    }

    /// The port of the statistics; nil if they are not served.
    public var metricsPort: Int? { metrics?.localAddress?.port }

    /// The present numbers of queues, messages and sessions.
    public var counts: (queues: Int, messages: Int, sessions: Int) {
        let (queues, messages) = context.store.table.withLock { ($0.count, $0.messageCount) }
        return (queues, messages, context.connections.inUse)
    }

    /// The path of the log of queues and messages.
    public var logPath: String { context.configuration.log }

    /// Starts a copy of the log, and returns its present contents.
    public func logSnapshot() async throws(RelayStoreError) -> LogSnapshot { try await context.store.log.snapshot() }

    /// Rewrites the log with only the records that are still needed. The relay also does this automatically when enough
    /// of the log is not needed.
    public func compact() async {
        await maintenance.compactNow()
    }

    /// Blocks a queue because it breaks the operator's rules, or unblocks it (nil). A blocked queue neither accepts nor
    /// delivers messages. Clients get ERR BLOCKED, and clients of versions before 12 get ERR AUTH. Clients from version
    /// 18 also get the notice (a JSON object of at most 1024 bytes; a longer one throws ``SMPErrorType/largeMsg``).
    /// - Returns: whether there is a queue with this recipient id.
    public func setBlocked(_ blocking: SMPBlockingInfo?, queue recipientID: [UInt8]) throws(SMPErrorType) -> Bool {
        // A longer notice would not fit into an answer.
        guard (blocking?.notice?.utf8.count ?? 0) <= 1024 else { throw SMPErrorType.largeMsg }
        guard let id = QueueID(recipientID), !context.store.recipientKeys(id).isEmpty else { return false }
        _ = try context.store.setBlocking(id, blocking)
        return true
    }

    /// Totals since the start of the relay, and current values.
    public var statistics: RelayStatistics { context.statistics }

    private static func openStore(
        _ configuration: RelayConfiguration,
        _ logger: Logger,
        _ loops: [LoopConnections]
    ) throws(RelayError) -> (QueueStore, String) {
        let path = configuration.log
        var table = QueueTable()
        do throws(RelayStoreError) {
            LogCompaction.clean(path)
            let (file, lost) = try LogFile.open(at: path, LogRecord.format) { payload in
                guard let record = LogRecord(payload: payload) else { return false }
                table.apply(record)
                return true
            }
            lost.report(of: "log", logger)
            let log = LogWriter(file: file, durability: configuration.syncsToDisk ? .disk : .process, logger: logger) {
                for loop in loops { loop.committed() }
            }
            return (
                QueueStore(table: table, log: log, configuration: configuration), path
            )
        } catch {
            throw .store(error)
        }
    }

    private static func listen(_ context: RelayContext, _ group: any EventLoopGroup) async throws -> any Channel {
        let configuration = context.configuration
        return try await RelayListener.bind(
            host: configuration.host,
            port: configuration.port,
            group: group,
            connections: context.connections,
            firstByteTimeout: configuration.firstByteTimeout
        ) { channel in
            guard let loop = context.loops[ObjectIdentifier(channel.eventLoop)] else {
                throw ChannelError.operationUnsupported
            }
            try channel.pipeline.syncOperations.addHandlers([
                try TLSHandler.server(context.tls, handshakeTimeout: .seconds(configuration.handshakeTimeout)),
                BlockCodec(),
                ClientConnection(relay: context, loop: loop),
            ])
        }
    }
}
