package import NIOCore
import NIOPosix
import SimpleXCrypto
import Synchronization
import Transport

/// A listener on the port to which a host connects for one session. The first host with valid certificates is accepted,
/// and all later hosts are refused.
package final class ControllerListener: Sendable {
    package let port: UInt16
    private let address: String?
    private let channel: any Channel
    private let connectionWaiter: HostConnectionWaiter

    private init(port: UInt16, channel: any Channel, connectionWaiter: HostConnectionWaiter) {
        self.port = port
        address = channel.localAddress?.ipAddress
        self.channel = channel
        self.connectionWaiter = connectionWaiter
    }

    deinit { channel.close(promise: nil) }

    /// The maximum number of connections that are in the handshake. A further connection closes the oldest one.
    private static let maxHandshakes = 16

    /// Returns whether hosts can connect to the port at the address `local` of this machine.
    package func isReachable(at local: LocalAddress) -> Bool {
        address == local.address || address == "0.0.0.0" || address == "::"
    }

    /// Starts to listen.
    /// - Parameters:
    ///   - address: the address on which to listen.
    ///   - port: the port; 0 for any free port.
    ///   - hostFingerprint: the fingerprint of the known host's authority certificate; nil for a new host.
    package static func listen(
        address: String,
        port: UInt16,
        as own: DeviceAuthority,
        hostFingerprint: [UInt8]?,
        group: any EventLoopGroup
    ) async throws(XRCPError) -> ControllerListener {
        let connectionWaiter = HostConnectionWaiter()
        do {
            let identity = try own.makeSessionIdentity()
            let configuration = try TLSServerConfiguration(
                certificates: identity.certificates,
                leafKey: identity.leafKey,
                protocols: .noProtocol
            )
            let bootstrap = DeviceConnection.socketOptions.reduce(ServerBootstrap(group: group)) {
                $0.childChannelOption($1.0, value: $1.1)
            }
            let channel =
                try await bootstrap
                .serverChannelOption(.backlog, value: 16)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelOption(
                    .writeBufferWaterMark,
                    value: .init(low: DeviceConnection.maxUnsentBytes / 4, high: DeviceConnection.maxUnsentBytes)
                )
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        guard connectionWaiter.addChannel(channel, maxCount: Self.maxHandshakes)
                        else { throw ChannelError.operationUnsupported }
                        channel.closeFuture.whenComplete { _ in connectionWaiter.removeChannel(channel) }
                        let tls = try TLSHandler.makeControllerHandler(
                            configuration,
                            expectedFingerprint: hostFingerprint,
                            handshakeTimeout: .seconds(15)
                        )
                        let (channel, blocks, secured) = try DeviceConnection.prepareChannel(channel, tls)
                        secured.whenSuccess { tls in
                            guard tls.peerCertificates.count == 2,
                                connectionWaiter.reportConnection(
                                    DeviceConnection(tls: tls, channel: channel, blocks: blocks)
                                )
                            else { return channel.close(promise: nil) }
                        }
                    }
                }
                .bind(host: address, port: Int(port)).get()
            guard let bound = channel.localAddress?.port.flatMap(UInt16.init(exactly:)) else {
                throw XRCPError.tlsStartFailed
            }
            return ControllerListener(port: bound, channel: channel, connectionWaiter: connectionWaiter)
        } catch {
            throw .tlsStartFailed
        }
    }

    /// Waits for the host. Returns nil when no host connected in time, or the port was closed.
    package func waitForHost(within timeout: TimeAmount) async -> DeviceConnection? {
        let timer = channel.eventLoop.scheduleTask(in: timeout) { [connectionWaiter] in connectionWaiter.endWaiting() }
        defer { timer.cancel() }
        return await connectionWaiter.waitForConnection()
    }

    /// Stops listening on the port. A host that has connected stays connected.
    package func close() {
        connectionWaiter.endWaiting()
        channel.close(promise: nil)
    }
}

/// The first connection of a host with valid certificates, and the caller that waits for this connection.
private final class HostConnectionWaiter: Sendable {
    private struct State {
        /// Open channels, in the order of arrival.
        var channels: [any Channel] = []
        var connection: DeviceConnection?
        var isOver = false
        var waiter: CheckedContinuation<DeviceConnection?, Never>?
    }
    private let state = Mutex(State())

    func addChannel(_ channel: any Channel, maxCount: Int) -> Bool {
        let (isTaken, oldest) = state.withLock { state -> (Bool, (any Channel)?) in
            guard !state.isOver else { return (false, nil) }
            let oldest = state.channels.count < maxCount ? nil : state.channels.removeFirst()
            state.channels.append(channel)
            return (true, oldest)
        }
        oldest?.close(promise: nil)
        return isTaken
    }

    func removeChannel(_ channel: any Channel) { state.withLock { $0.channels.removeAll { $0 === channel } } }

    /// Reports a connection.
    /// - Returns: false when another connection has arrived before, or the wait has ended.
    func reportConnection(_ connection: DeviceConnection) -> Bool {
        let (isTaken, waiting) = state.withLock { state -> (Bool, CheckedContinuation<DeviceConnection?, Never>?) in
            guard !state.isOver else { return (false, nil) }
            state.isOver = true
            if let waiting = state.waiter {
                state.waiter = nil
                return (true, waiting)
            }
            state.connection = connection
            return (true, nil)
        }
        waiting?.resume(returning: connection)
        return isTaken
    }

    func endWaiting() {
        let waiting = state.withLock { state in
            state.isOver = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiting?.resume(returning: nil)
    }

    func waitForConnection() async -> DeviceConnection? {
        await withCheckedContinuation { continuation in
            let (isReady, connection) = state.withLock { state -> (Bool, DeviceConnection?) in
                if let connection = state.connection {
                    state.connection = nil
                    return (true, connection)
                }
                if state.isOver || state.waiter != nil { return (true, nil) }
                state.waiter = continuation
                return (false, nil)
            }
            if isReady { continuation.resume(returning: connection) }
        }
    }
}
