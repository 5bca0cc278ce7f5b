package import Descriptors
package import NIOCore
package import SMP

/// A relay that runs in this process.
package protocol RunningRelay: Sendable {
    var parts: RelayParts { get }
}

extension RunningRelay {
    /// The relay's address for clients, with port and fingerprint, and with the password for creating queues or files
    /// if there is one.
    package var address: ProtocolServer { parts.address }

    /// The port on which statistics are served; nil if they are not served.
    package var metricsPort: Int? { parts.metricsChannel?.localAddress?.port }

    /// The path of the relay's log.
    package var logPath: String { parts.upkeep.logPath }

    /// Returns a snapshot of the relay's log, from which a copy can be made.
    package func takeLogSnapshot() async throws(RelayStoreError) -> LogSnapshot {
        try await parts.upkeep.log.takeSnapshot()
    }

    /// Rewrites the relay's log with only the records that are still needed. The relay also does this by itself when
    /// less than half of a large log is needed.
    package func compactLog() async { await parts.upkeep.compactLogNow() }
}

/// The parts of a running relay that do not depend on its protocol.
package final class RelayParts: Sendable {
    let address: ProtocolServer
    let metricsChannel: (any Channel)?
    let upkeep: RelayUpkeep
    private let listenerChannel: any Channel
    private let directoryLock: DirectoryLock

    private init(
        _ address: ProtocolServer,
        _ channel: any Channel,
        _ metrics: (any Channel)?,
        _ upkeep: RelayUpkeep,
        _ lock: DirectoryLock
    ) {
        self.address = address
        self.listenerChannel = channel
        self.metricsChannel = metrics
        self.upkeep = upkeep
        self.directoryLock = lock
    }

    /// Starts to listen for clients, and for requests of statistics if `settings` has a port for statistics. After an
    /// error, closes the log.
    /// - Parameters:
    ///   - unsent: number of unsent bytes above which a connection is not writable.
    ///   - addHandlers: adds the handlers of a new connection, on its event loop. An error closes the connection.
    package static func startListening(
        _ scheme: ProtocolServer.Scheme,
        _ settings: any RelaySettings,
        _ folder: RelayFolder,
        _ upkeep: RelayUpkeep,
        connections: ConnectionLimiter,
        unsent: Int = 256 << 10,
        group: any EventLoopGroup,
        statistics: @escaping @Sendable () -> RelayStatistics,
        addHandlers: @escaping @Sendable (any Channel) throws -> Void
    ) async throws(RelayError) -> RelayParts {
        var open: [any Channel] = []
        do {
            if let port = settings.metricsPort {
                open.append(
                    try await MetricsListener.startListening(host: settings.metricsHost, port: port, group: group) {
                        statistics().text
                    }
                )
            }
            let metrics = open.first
            let channel = try await RelayListener.bindAndAccept(
                host: settings.host,
                port: settings.port,
                group: group,
                connections: connections,
                firstByteTimeout: settings.firstByteTimeoutSeconds,
                unsent: unsent,
                addHandlers: addHandlers
            )
            open.append(channel)
            guard let port = channel.localAddress?.port,
                let address = ProtocolServer(
                    scheme: scheme,
                    hosts: [folder.host],
                    port: String(port),
                    keyHash: folder.credentials.fingerprint,
                    password: settings.createPassword
                )
            else { throw RelayError.invalidHost(settings.publicHost ?? settings.host) }
            return RelayParts(address, channel, metrics, upkeep, folder.lock)
        } catch {
            for channel in open.reversed() { try? await channel.close() }
            await upkeep.stopAndWait()
            await upkeep.log.closeAndWait()
            throw error as? RelayError ?? RelayError(notListening: error)
        }
    }

    /// Ends all sessions, and waits until all changes are written to the log.
    /// - Parameter finish: the relay's last work after the end of its sessions. The log is still open during this work.
    package func stopAndWait(_ finish: () async -> Void = {}) async {
        await upkeep.stopAndWait()
        try? await listenerChannel.close()
        for loop in upkeep.loops { try? await loop.eventLoop.submit { loop.closeAllSessions() }.get() }
        try? await metricsChannel?.close()
        await finish()
        await upkeep.log.closeAndWait()
        directoryLock.releaseLock()
    }
}
