import Files
public import Logging
public import NIOCore
import NIOHTTP2
public import RelayBase
public import SMP
import Transport
import XFTP

/// The embedded file relay (XFTP): stores encrypted parts of files until their recipients have received them.
///
/// simplexmq `protocol/xftp.md`. Every acknowledged change survives a crash of the machine.
public final class FileRelay: Sendable {
    /// The address for clients, with port, fingerprint, and the password for creating files if there is one.
    public let address: ProtocolServer
    /// Warnings for the operator. They are also logged.
    public let warnings: [FileRelayWarning]
    let context: FileRelayContext
    let maintenance: FileMaintenance
    private let channel: any Channel
    private let metrics: (any Channel)?
    private let lock: DirectoryLock

    private init(
        address: ProtocolServer,
        warnings: [FileRelayWarning],
        context: FileRelayContext,
        channel: any Channel,
        metrics: (any Channel)?,
        lock: DirectoryLock,
        maintenance: FileMaintenance
    ) {
        self.address = address
        self.warnings = warnings
        self.context = context
        self.channel = channel
        self.metrics = metrics
        self.lock = lock
        self.maintenance = maintenance
    }

    /// Loads the log of files, and starts to listen.
    public static func start(
        configuration: FileRelayConfiguration,
        group: any EventLoopGroup,
        logger: Logger = Logger(label: "xftp-relay")
    ) async throws(RelayError) -> FileRelay {
        let host = try RelayAddress.host(publicHost: configuration.publicHost, host: configuration.host)
        let lock: DirectoryLock
        let credentials: ServerCredentials
        let tls: TLSServerConfiguration
        do { lock = try DirectoryLock(configuration.directory) } catch { throw .store(error) }
        var warnings = FileRelayWarning.all(configuration)
        do {
            credentials = try ServerCredentials.loadOrCreate(
                directory: configuration.directory,
                algorithm: configuration.keyAlgorithm
            )
        } catch {
            throw .credentials(error)
        }
        do { tls = try TLSServerConfiguration(credentials, protocols: .files, web: configuration.webCertificate) } catch
        { throw .tls(error) }
        let loops = group.makeIterator().map { LoopSessions($0) }
        let (store, folder, missing) = try open(configuration, logger, loops)
        if missing > 0 { warnings.append(.missingFiles(count: missing, folder: folder.path)) }
        let context = FileRelayContext(
            configuration: configuration,
            credentials: credentials,
            tls: tls,
            store: store,
            folder: folder,
            logger: logger,
            loops: loops
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
            await close(context, metrics)
            throw RelayError(notListening: error)
        }
        guard let port = channel.localAddress?.port,
            let address = ProtocolServer(
                scheme: .xftp,
                hosts: [host],
                port: String(port),
                keyHash: credentials.fingerprint,
                password: configuration.createPassword
            )
        else {
            try? await channel.close()
            await close(context, metrics)
            throw .invalidHost(configuration.publicHost ?? configuration.host)
        }
        let maintenance = FileMaintenance(context: context, eventLoop: group.next())
        maintenance.start()
        for warning in warnings { logger.warning("\(warning)") }
        logger.info(
            "The file relay listens.",
            metadata: ["address": "\(address)", "files": "\(store.table.withLock { $0.files.count })"]
        )
        return FileRelay(
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
        RelayInspection(
            identity: ServerCredentials.faults(directory: directory).map { .credentials($0) },
            in: directory,
            log: FileRelayConfiguration(directory: directory).log,
            FileLogRecord.format
        ) {
            FileLogRecord(payload: $0) != nil
        }
    }

    /// Ends all sessions, and waits until all changes are written.
    public func stop() async {
        await maintenance.stop()
        try? await channel.close()
        for loop in context.loops.values { try? await loop.eventLoop.submit { loop.closeAll() }.get() }
        await Self.close(context, metrics)
        lock.release()
    }

    private static func close(_ context: FileRelayContext, _ metrics: (any Channel)?) async {
        try? await metrics?.close()
        try? await context.disk.shutdownGracefully()
        await context.store.log.close()
    }

    /// The port of the statistics; nil if they are not served.
    public var metricsPort: Int? { metrics?.localAddress?.port }

    /// Totals since the start of the relay, and current values.
    public var statistics: RelayStatistics { context.statistics }

    /// The path of the log of files.
    public var logPath: String { context.configuration.log }

    /// Starts a copy of the log, and returns its present contents.
    public func logSnapshot() async throws(RelayStoreError) -> LogSnapshot { try await context.store.log.snapshot() }

    /// Rewrites the log with only the records that are still needed. The relay also does this automatically when enough
    /// of the log is not needed.
    public func compact() async { await maintenance.compactNow() }

    /// Blocks a file because it breaks the operator's rules, or unblocks it (nil). The contents of a blocked file are
    /// deleted. Clients get ERR BLOCKED, and clients of versions before 3 get ERR AUTH. The notice (a JSON object) has
    /// at most 1024 bytes; a longer one throws ``XFTPServerError/size``.
    /// - Returns: whether there is a file with this recipient's id.
    public func setBlocked(_ blocking: SMPBlockingInfo?, file recipientID: [UInt8]) throws -> Bool {
        guard (blocking?.notice?.utf8.count ?? 0) <= 1024 else { throw XFTPServerError.size }
        guard let (id, number) = try context.store.setBlocking(blocking, recipientID: recipientID) else { return false }
        if blocking != nil {
            FileRelayCounters.count(context.counters.filesBlocked)
            context.removeContents([id], after: number)
        }
        return true
    }

    private static func open(
        _ configuration: FileRelayConfiguration,
        _ logger: Logger,
        _ loops: [LoopSessions]
    ) throws(RelayError) -> (FileStore, ChunkFolder, missing: Int) {
        let path = configuration.log
        var table = FileTable()
        do throws(RelayStoreError) {
            let folder: ChunkFolder
            do throws(FileSystemError) { folder = try ChunkFolder(configuration.directory) } catch {
                throw RelayStoreError(error)
            }
            LogCompaction.clean(path)
            table.reserve(logSize: DiskFiles.size(path) ?? 0, maxFiles: configuration.maxFiles)
            let (file, lost) = try LogFile.open(at: path, FileLogRecord.format) { payload in
                guard let record = FileLogRecord(payload: payload) else { return false }
                table.apply(record)
                return true
            }
            lost.report(of: "log of files", logger)
            table.sortByAge()
            let missing = folder.clean(table)
            // Clients may upload these files again.
            for id in missing { table.setUploaded(id, false) }
            let log = LogWriter(file: file, durability: .disk, logger: logger) {
                for loop in loops { loop.committed() }
            }
            return (FileStore(table: table, log: log, configuration: configuration), folder, missing.count)
        } catch {
            throw .store(error)
        }
    }

    private static func listen(_ context: FileRelayContext, _ group: any EventLoopGroup) async throws -> any Channel {
        let configuration = context.configuration
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: configuration.maxRequests),
            HTTP2Setting(parameter: .maxHeaderListSize, value: 16 << 10),
            HTTP2Setting(parameter: .initialWindowSize, value: window),
        ]
        // With the usual window of 64 KiB, clients of the original sent only 1.4 MB per second, because they wait for
        // the delayed TCP acknowledgement at the end of each window.
        connection.targetWindowSize = window
        var streams = NIOHTTP2Handler.StreamConfiguration()
        streams.targetWindowSize = window
        let (http, stream) = (connection, streams)
        return try await RelayListener.bind(
            host: configuration.host,
            port: configuration.port,
            group: group,
            connections: context.connections,
            firstByteTimeout: configuration.firstByteTimeout,
            unsent: unsent
        ) { channel in
            guard let loop = context.loops[ObjectIdentifier(channel.eventLoop)] else {
                throw ChannelError.operationUnsupported
            }
            let pipeline = channel.pipeline.syncOperations
            let session = FileClientSession(relay: context, loop: loop)
            let tls = try TLSHandler.server(context.tls, handshakeTimeout: .seconds(configuration.handshakeTimeout))
            try pipeline.addHandlers(tls, session, FrameLimit(isServer: true))
            let bound = NIOLoopBound(session, eventLoop: channel.eventLoop)
            _ = try pipeline.configureHTTP2Pipeline(
                mode: .server,
                connectionConfiguration: http,
                streamConfiguration: stream
            ) { stream in
                stream.eventLoop.makeCompletedFuture {
                    try stream.pipeline.syncOperations.addHandler(RequestStream(bound.value))
                }
            }
            try pipeline.addHandler(SessionEnd())
        }
    }

    /// Number of unsent bytes above which a connection is not writable. The number is greater than the unsent bytes of
    /// all requests of a connection, because each request waits until its own part is sent. If a connection became
    /// writable again in the middle of its frames, an assertion of the HTTP/2 library would fail in debug builds.
    private static let unsent = 64 << 20

    /// Maximal number of bytes of a request that a client may send while its upload waits for the disk.
    private static let window = 1 << 20
}
