import Files
package import Logging
package import NIOCore
import NIOHTTP2
package import RelayBase
package import SMP
import Transport
import XFTP

/// The embedded file relay (XFTP server), which stores encrypted parts of files until their recipients have received
/// them.
///
/// simplexmq `protocol/xftp.md`. Every acknowledged change survives a crash of the machine.
package final class FileRelay: RunningRelay {
    package let parts: RelayParts
    /// Warnings for the operator. The relay also logs them.
    package let warnings: [FileRelayWarning]
    let context: FileRelayContext

    private init(_ parts: RelayParts, _ warnings: [FileRelayWarning], _ context: FileRelayContext) {
        self.parts = parts
        self.warnings = warnings
        self.context = context
    }

    /// Loads the log of files, and starts to listen.
    package static func start(
        configuration: FileRelayConfiguration,
        group: any EventLoopGroup,
        logger: Logger = Logger(label: "xftp-relay")
    ) async throws(RelayError) -> FileRelay {
        var warnings = FileRelayWarning.findWarnings(configuration)
        let folder = try RelayFolder(configuration)
        let tls = try folder.makeTLSConfiguration(.files, web: configuration.webCertificate)
        let loops = group.makeIterator().map { LoopSessions($0) }
        let (store, chunks, missing) = try openStore(configuration, logger, loops)
        if missing > 0 { warnings.append(.missingFiles(count: missing, folder: chunks.path)) }
        let context = FileRelayContext(
            configuration: configuration,
            credentials: folder.credentials,
            tls: tls,
            store: store,
            folder: chunks,
            logger: logger,
            loops: loops
        )
        let eventLoop = group.next()
        let upkeep = RelayUpkeep(
            configuration,
            log: store.log,
            FileLogRecord.logHeader,
            loops: loops,
            eventLoop: eventLoop,
            logger: logger,
            estimatedLogBytes: { store.estimatedLogBytes },
            snapshot: { store.compactionSnapshot }
        )
        let parts: RelayParts
        do throws(RelayError) {
            parts = try await RelayParts.startListening(
                .xftp,
                configuration,
                folder,
                upkeep,
                connections: context.connectionLimiter,
                unsent: maxUnsentBytes,
                group: group,
                statistics: { context.statistics },
                addHandlers: { try addHandlers(of: context, to: $0) }
            )
        } catch {
            try? await context.diskThreads.shutdownGracefully()
            throw error
        }
        let relay = FileRelay(parts, warnings, context)
        context.expireFiles(on: eventLoop)
        upkeep.runEvery(configuration.expiryIntervalSeconds) { context.expireFiles(on: eventLoop) }
        for warning in warnings { logger.warning("\(warning)") }
        logger.info(
            "The file relay listens.",
            metadata: ["address": "\(relay.address)", "files": "\(store.table.withLock { $0.files.count })"]
        )
        return relay
    }

    /// Inspects the folder of a file relay that is not running, and returns the findings. Nothing is changed.
    package static func inspectFolder(_ directory: String) -> RelayInspection {
        RelayInspection(
            identity: ServerCredentials.findFaults(directory: directory).map { .credentialsUnusable($0) },
            in: directory,
            log: FileRelayConfiguration(directory: directory).logPath,
            FileLogRecord.logHeader
        ) {
            FileLogRecord(payload: $0) != nil
        }
    }

    /// Ends all sessions, and waits until all changes are written.
    package func stopAndWait() async {
        await parts.stopAndWait { try? await context.diskThreads.shutdownGracefully() }
    }

    /// The counters since the start of the relay, and current values.
    package var statistics: RelayStatistics { context.statistics }

    /// Blocks a file that breaks the operator's rules; nil for `blocking` unblocks the file. The contents of a blocked
    /// file are deleted. Clients get ERR BLOCKED; clients of versions before 3 get ERR AUTH. The notice in `blocking`
    /// is a JSON object. Throws ``XFTPServerError/size`` for a notice of more than 1024 bytes.
    /// - Returns: whether there is a file with this recipient's id.
    package func blockOrUnblock(_ blocking: SMPBlockingInfo?, file recipientID: [UInt8]) throws -> Bool {
        guard (blocking?.notice?.utf8.count ?? 0) <= 1024 else { throw XFTPServerError.size }
        guard let (id, number) = try context.store.setBlocking(blocking, recipientID: recipientID) else { return false }
        if blocking != nil {
            context.counters.filesBlocked.increment()
            context.removeContents([id], after: number)
        }
        return true
    }

    private static func openStore(
        _ configuration: FileRelayConfiguration,
        _ logger: Logger,
        _ loops: [LoopSessions]
    ) throws(RelayError) -> (FileStore, ChunkFolder, missing: Int) {
        let path = configuration.logPath
        var table = FileTable()
        do throws(RelayStoreError) {
            let folder: ChunkFolder
            do throws(FileSystemError) { folder = try ChunkFolder(configuration.directory) } catch {
                throw RelayStoreError(error)
            }
            LogCompaction.removePartialLog(path)
            table.reserveMemory(logSize: DiskFiles.fileSize(path) ?? 0, maxFiles: configuration.maxFiles)
            let (file, lost) = try LogFile.openLog(at: path, FileLogRecord.logHeader) { payload in
                guard let record = FileLogRecord(payload: payload) else { return false }
                table.applyRecord(record)
                return true
            }
            lost.reportDamage(of: "log of files", logger)
            table.sortByAge()
            let missing = folder.removeUnknownFiles(table)
            // The contents of these files are missing. So the files count as not uploaded, and clients may upload them
            // again.
            for id in missing { table.setUploaded(id, false) }
            let log = LogWriter(file: file, durability: .onDisk, logger: logger) {
                for loop in loops { loop.didCommit() }
            }
            return (FileStore(table: table, log: log, configuration: configuration), folder, missing.count)
        } catch {
            throw .storeFailed(error)
        }
    }

    private static func addHandlers(of context: FileRelayContext, to channel: any Channel) throws {
        guard let loop = context.loops[ObjectIdentifier(channel.eventLoop)] else {
            throw ChannelError.operationUnsupported
        }
        let configuration = context.configuration
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: configuration.maxRequests),
            HTTP2Setting(parameter: .maxHeaderListSize, value: 16 << 10),
            HTTP2Setting(parameter: .initialWindowSize, value: uploadWindowBytes),
        ]
        // With the usual window of 64 KiB, clients of the original sent only 1.4 MB per second. They wait for the
        // delayed TCP acknowledgement at the end of each window. So this relay uses a larger window.
        connection.targetWindowSize = uploadWindowBytes
        var streams = NIOHTTP2Handler.StreamConfiguration()
        streams.targetWindowSize = uploadWindowBytes
        let pipeline = channel.pipeline.syncOperations
        let session = FileClientSession(relay: context, loop: loop)
        let tls = try TLSHandler.makeServer(
            context.tlsConfiguration,
            handshakeTimeout: .seconds(configuration.handshakeTimeoutSeconds)
        )
        try pipeline.addHandlers(tls, session, FrameLimit(isServer: true))
        let bound = NIOLoopBound(session, eventLoop: channel.eventLoop)
        _ = try pipeline.configureHTTP2Pipeline(
            mode: .server,
            connectionConfiguration: connection,
            streamConfiguration: streams
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(RequestStream(bound.value))
            }
        }
        try pipeline.addHandler(LastSessionHandler())
    }

    /// Number of unsent bytes above which a connection is not writable. The number exceeds the unsent bytes that all
    /// requests of a connection can have, because each request waits until its part is sent. If a connection became
    /// writable again in the middle of its frames, an assertion of the HTTP/2 library would fail in debug builds.
    private static let maxUnsentBytes = 64 << 20

    /// Maximal number of bytes that a client may send for one request while its upload waits for the disk.
    private static let uploadWindowBytes = 1 << 20
}
